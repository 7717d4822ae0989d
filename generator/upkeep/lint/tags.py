"""Tags that the taxonomy does not know, spellings of one tag, too many tags, none."""

from __future__ import annotations

from collections.abc import Iterator

from generator.upkeep.lint.issue import Issue, LintInput, Rule, issue
from generator.upkeep.repair import RenameTag
from generator.upkeep.snapshot import PageFacts
from generator.upkeep.taxonomy import KIND_SEVERITIES, tag_conflicts

MOST_TAGS = 5


def _check(c: LintInput) -> Iterator[Issue]:
    for conflict in tag_conflicts(c.wiki, c.taxonomy):
        for path in conflict.pages:
            fix = f"write #{conflict.canonical}" if conflict.canonical else ""
            repair = RenameTag(conflict.tag, conflict.canonical) if conflict.canonical else None
            page, code = c.wiki.by_path[path], conflict.kind
            yield issue(page, code, KIND_SEVERITIES[code], 0, conflict.message, fix=fix, repair=repair)
    uses_tags = sum(bool(_own_tags(page)) for page in c.wiki.content_pages) * 2 > len(c.wiki.content_pages)
    for page in c.wiki.content_pages:
        tags = _own_tags(page)
        if len(tags) > MOST_TAGS:
            yield issue(page, "tag-limit", "info", 0, f"it has {len(tags)} tags: {MOST_TAGS} say more")
        elif not tags and (uses_tags or c.layout.kind != "plain"):
            yield issue(page, "untagged", "info", 0, "it has no tag")


RULE = Rule({**KIND_SEVERITIES, "tag-limit": "info", "untagged": "info"}, _check)


def _own_tags(page: PageFacts) -> list[str]:
    return [tag for tag in page.tags if not tag.casefold().startswith("visibility/")]
