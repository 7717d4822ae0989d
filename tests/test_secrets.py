"""Keys, tokens and passwords: what is found, what is taken out, and what is left alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.secrets import find_secrets, redact

FAKE = "ghp_" + "a1B2" * 9


@pytest.mark.parametrize(
    "text",
    [
        f"token is {FAKE} here",
        "AKIA" + "Q" * 16,
        "-----BEGIN RSA PRIVATE KEY-----\n" + "QUJD" * 20 + "\n-----END RSA PRIVATE KEY-----",
        "sk-proj-" + "aB3" * 14,
        "eyJ" + "a" * 20 + ".eyJ" + "b" * 20 + "." + "c" * 30,
    ],
)
def test_a_secret_is_found_and_taken_out(text: str) -> None:
    ((start, end, kind),) = find_secrets(text)
    assert kind.startswith(("a ", "an "))
    assert text[start:end] not in redact(text)
    assert "[redacted]" in redact(text)


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("password: hunter2xyz", "hunter2xyz"),
        ('{"api_key": "zzz999zzz"}', "zzz999zzz"),
        ("DB_PASSWORD='s3cr3t!pass'", "s3cr3t!pass"),
        ("postgres://me:pw123@host/db", "pw123"),
        ("Authorization: Bearer abcdefghijklmnop", "abcdefghijklmnop"),
        ("curl -H 'authorization: Basic dXNlcjpwYXNz'", "dXNlcjpwYXNz"),
    ],
)
def test_what_is_said_to_be_a_secret_is_taken_out(text: str, secret: str) -> None:
    assert find_secrets(text) == []
    assert secret not in redact(text)


@pytest.mark.parametrize(
    "text",
    [
        "The token is a small unit of text; tokens: 3,000.",
        "password = os.environ['DB_PASSWORD']",
        "Secret gardens: a book",
        "sk-learn is a library; task-oriented",
        "https://example.org:8080/path",
        "AKIAIOSFODNN7EXAMPLE",
    ],
)
def test_prose_is_left_alone(text: str) -> None:
    assert find_secrets(text) == []
    if "=" not in text:
        assert redact(text) == text


@given(st.text(alphabet="sk-ey J.AKIghp_:=@/\"'password\n", max_size=400))
def test_only_secrets_go(text: str) -> None:
    taken = redact(text)
    if "[redacted]" not in taken:
        assert taken == text
