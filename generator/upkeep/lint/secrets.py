"""Texts that look like a key or a token."""

from __future__ import annotations

import re
from collections.abc import Iterator

from generator.upkeep.lint.issue import Issue, LintInput, Rule, issue

_KEY = "[A-Za-z0-9_-]"
# Each has a fixed beginning and a length that prose does not have.
PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("a private key", re.compile(r"-----BEGIN (?:[A-Z]+ ){0,2}PRIVATE KEY-----\s*[A-Za-z0-9+/=]{20}")),
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
    "-----BEGIN ",
    "AKIA",
    "ASIA",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "xox",
    "AIza",
    "k_live_",
    "sk-",
    "eyJ",
)


def secrets_in(text: str) -> list[tuple[int, str]]:
    """Offsets in `text` of what looks like a secret, with what it looks like."""
    if not any(hint in text for hint in _HINTS):
        return []
    return sorted((match.start(), name) for name, pattern in PATTERNS for match in pattern.finditer(text))


def _check(c: LintInput) -> Iterator[Issue]:
    for page_id, line, name in c.secrets:
        page = c.wiki.pages[page_id]
        where = "" if page.published else " (the page is not published)"
        yield issue(page, "secret", "warning", line, f"this looks like {name}{where}: take it out, and revoke it")


RULE = Rule({"secret": "warning"}, _check)
