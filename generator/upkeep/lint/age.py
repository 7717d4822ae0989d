"""Pages that are old, or older than what they were written from."""

from __future__ import annotations

from collections.abc import Iterator

from generator.retrieval import STALE_AFTER
from generator.upkeep.lint.issue import Issue, LintInput, Rule, SourceFacts, issue


def _check(c: LintInput) -> Iterator[Issue]:
    before = (c.today - STALE_AFTER).isoformat()
    for page in c.wiki.content_pages:
        newer = [key for key in page.sources if (source := c.sources.get(key)) and _is_newer(source, page.updated_at)]
        if newer:
            yield issue(
                page,
                "stale",
                "warning",
                0,
                f"{newer[0]} has changed since this page was written from it",
                about=newer[0],
            )
        elif page.updated_at < before:
            yield issue(page, "stale", "info", 0, f"last updated on {page.updated_at[:10]}", about=page.updated_at[:10])


def _is_newer(source: SourceFacts, updated: str) -> bool:
    """A source that was never ingested says nothing of the pages that name it already: its own age is unknown."""
    return bool(source.ingested_at) and (source.state == "pending" or source.added_at[:10] > updated[:10])


RULE = Rule({"stale": "info"}, _check)
