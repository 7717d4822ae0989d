"""Keys, tokens and passwords in texts: where they stand, and texts without them."""

from __future__ import annotations

import re

_KEY = "[A-Za-z0-9_-]"
# Each has a fixed beginning, and a length that prose does not have.
_CERTAIN: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "a private key",
        re.compile(
            r"-----BEGIN (?:[A-Z]+ ){0,2}PRIVATE KEY-----(?:\\[nr]|\s){0,9}[A-Za-z0-9+/=]{20}"
            r"(?:[A-Za-z0-9+/=\s:,-]|\\[nr]){0,20000}"
        ),
    ),
    ("an access key of AWS", re.compile(r"\b(?:AKIA|ASIA)(?!IOSFODNN7EXAMPLE)[A-Z2-7]{16}\b")),
    ("a token of GitHub", re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{60,90})\b")),
    ("a token of GitLab", re.compile(r"\bglpat-[A-Za-z0-9_-]{20}\b")),
    ("a token of Slack", re.compile(r"\bxox[abprs]-\d{8,14}-[A-Za-z0-9-]{16,80}\b")),
    ("a key of Google", re.compile(r"\bAIza[A-Za-z0-9_-]{35}\b")),
    ("a key of Stripe", re.compile(r"\b[sr]k_live_[A-Za-z0-9]{24,99}\b")),
    ("an API key", re.compile(rf"\bsk-(?={_KEY}{{0,200}}\d)(?={_KEY}{{0,200}}[A-Z]){_KEY}{{32,200}}\b")),
    ("a signed token", re.compile(r"\beyJ[A-Za-z0-9_-]{10,500}\.eyJ[A-Za-z0-9_-]{10,2000}\.[A-Za-z0-9_-]{20,500}\b")),
)
# What they begin with: most texts hold none of these, and that is quickly seen.
_HINTS = (
    "-----BEGIN ", "AKIA", "ASIA", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox", "AIza",
    "k_live_", "sk-", "eyJ",
)  # fmt: skip
# Only what a name or a place says to be a secret: good enough to leave out of a transcript, not to blame a page for.
_LIKELY: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "a password",
        re.compile(
            r"(?i:(?:password|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key)"
            r"[\w-]{0,20}[\"']?\s{0,3}[:=]\s{0,3}[\"']?)(?P<secret>[^\s\"'`,;<>{}()\[\]$]{6,400})"
        ),
    ),
    ("a password", re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{0,100}:(?P<secret>[^\s:/@]{1,200})@")),
    (
        "a token",
        re.compile(r"(?i:\bauthorization[\"']?\s{0,3}:\s{0,3}[\"']?)(?P<secret>(?:\w{1,20} )?[^\s\"',]{8,2000})"),
    ),
    ("a token", re.compile(r"(?i:\bbearer )(?P<secret>[A-Za-z0-9._~+/=-]{16,2000})")),
    ("an API key", re.compile(rf"\bsk-(?P<secret>{_KEY}{{16,200}})")),
)

Secret = tuple[int, int, str]
"""Start and end in the text, and what it looks like."""


def find_secrets(text: str) -> list[Secret]:
    """What is a secret by its own looks, in order: few, and hardly ever wrong. Linear in the text."""
    if not any(hint in text for hint in _HINTS):
        return []
    return sorted((match.start(), match.end(), name) for name, pattern in _CERTAIN for match in pattern.finditer(text))


def redact(text: str) -> str:
    """The text with `[redacted]` for every secret, and for all that a name beside it says to be one."""
    found = find_secrets(text)
    found += [(*match.span("secret"), name) for name, pattern in _LIKELY for match in pattern.finditer(text)]
    parts: list[str] = []
    done = 0
    for start, end, _ in sorted(found):
        if start >= done:
            parts += text[done:start], "[redacted]"
        elif end <= done:
            continue
        done = max(done, end)
    return "".join((*parts, text[done:]))
