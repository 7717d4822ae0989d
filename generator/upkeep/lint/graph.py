"""Pages that nothing links to, and pages that link to nothing."""

from __future__ import annotations

from collections.abc import Iterator

from generator.upkeep.lint.issue import Issue, LintInput, Rule, issue


def _check(c: LintInput) -> Iterator[Issue]:
    for page in c.wiki.orphans:
        yield issue(page, "orphan", "info", 0, "no other page links here: `llmwiki link` finds places")
    for page in c.wiki.content_pages:
        if page.id not in c.wiki.outgoing:
            yield issue(page, "dead-end", "info", 0, "it links to no other page: `llmwiki link` finds places")


RULE = Rule({"orphan": "info", "dead-end": "info"}, _check)
