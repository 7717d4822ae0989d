"""Pages whose content is in dispute: by their lifecycle, or because they contradict another page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from generator.syntax.wikilink import find_wikilinks
from generator.upkeep.snapshot import PageFacts, Snapshot


class Flag(NamedTuple):
    """A page in dispute; `contradicts` names the targets of such relations, as written."""

    page: PageFacts
    is_disputed: bool
    contradicts: tuple[str, ...]


def contradictions(meta: Mapping[str, Any]) -> tuple[str, ...]:
    """The targets of the `contradicts` relations in a front matter (keys in lower case)."""
    value = meta.get("relationships")
    found = []
    for relation in value if isinstance(value, list) else ():
        if isinstance(relation, dict) and relation.get("type") == "contradicts":
            target = str(relation.get("target", ""))
            links = find_wikilinks(target)
            found.append(links[0].target if links else target)
    return tuple(name for name in found if name)


def flagged_pages(wiki: Snapshot) -> Iterator[Flag]:
    """The pages in dispute, by path."""
    for page in wiki.content_pages:
        against = contradictions(page.meta) if "contradicts" in page.meta_json else ()
        if page.lifecycle == "disputed" or against:
            yield Flag(page, page.lifecycle == "disputed", against)
