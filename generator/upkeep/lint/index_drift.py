"""A list in index.md that is not that of the pages."""

from __future__ import annotations

from collections.abc import Iterator

from generator.upkeep.lint.issue import Issue, LintInput, Rule, issue
from generator.upkeep.repair import Regenerate


def _check(c: LintInput) -> Iterator[Issue]:
    path, text = c.drift
    if path:
        message = "the generated list does not match the pages"
        page = c.wiki.by_path.get(path, path)
        yield issue(page, "index-drift", "info", 0, message, fix="regenerate it", repair=Regenerate(text))


RULE = Rule({"index-drift": "info"}, _check)
