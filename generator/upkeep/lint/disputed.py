"""Pages whose content is in dispute."""

from __future__ import annotations

from collections.abc import Iterator

from generator.upkeep.flagged import flagged_pages
from generator.upkeep.lint.issue import Issue, LintInput, Rule, issue


def _check(c: LintInput) -> Iterator[Issue]:
    for flag in flagged_pages(c.wiki):
        parts = ["its lifecycle is disputed"] if flag.is_disputed else []
        parts += [f"it contradicts {name}" for name in flag.contradicts]
        yield issue(flag.page, "disputed", "info", 0, "; ".join(parts), about=", ".join(flag.contradicts))


RULE = Rule({"disputed": "info"}, _check)
