"""Texts that look like a key or a token."""

from __future__ import annotations

from collections.abc import Iterator

from generator.upkeep.lint.issue import Issue, LintInput, Rule, issue


def _check(c: LintInput) -> Iterator[Issue]:
    for page_id, line, name in c.secrets:
        page = c.wiki.pages[page_id]
        where = "" if page.published else " (the page is not published)"
        yield issue(page, "secret", "warning", line, f"this looks like {name}{where}: take it out, and revoke it")


RULE = Rule({"secret": "warning"}, _check)
