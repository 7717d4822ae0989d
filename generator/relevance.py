"""Stage 2 of retrieval: how much two pages have to do with each other, and what lies around the pages found.

    relevance = 4.0 × shared sources + 3.0 if one links to the other
              + 1.5 × Σ 1/ln(number of neighbours of each common neighbour, at least 2) + 1.0 if of one category

The index is asked only for the neighbourhoods that are needed, so the cost does not grow with the wiki. Pages with
more than 200 links say nothing of two pages that both know them: nothing is reached through them. Index, log, hot and
the other special files take no part, nor do their links.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log

from generator.query import Program, Query

SHARED_SOURCE = 4.0
LINKED = 3.0
COMMON_NEIGHBOUR = 1.5
SAME_CATEGORY = 1.0
HUB = 200  # links of one page, or pages of one source: with more it is a hub
_MOST_SEED_LINKS = 60  # of a hub among the seeds, its first links count
_MOST_LINKS = 6_000  # looked at in all for the second hop, those of the least connected pages first


@dataclass(frozen=True, slots=True)
class Related:
    """A page, how much it has to do with another one, and why: `hops` links away (1 also for a shared source),
    `common` neighbours by path, of which `through` is the least connected one ("" at one hop)."""

    id: int
    path: str
    title: str
    score: float
    hops: int
    linked: bool
    shared_sources: tuple[str, ...]
    common: tuple[str, ...]
    same_category: bool
    through: str


def relevance(
    shared_sources: int = 0, linked: bool = False, degrees: Iterable[int] = (), same_category: bool = False
) -> float:
    """The four signals as one number; `degrees` are the numbers of neighbours of each common neighbour."""
    common = sum(1 / log(max(2, degree)) for degree in degrees)
    return SHARED_SOURCE * shared_sources + LINKED * linked + COMMON_NEIGHBOUR * common + SAME_CATEGORY * same_category


def related(page_id: int, limit: int = 10) -> Program[list[Related]]:
    """The pages that have most to do with a page, best first, equal ones by path."""
    found = (yield from neighbourhoods([page_id])).get(page_id, [])
    return found[:limit]


def neighbourhoods(seeds: Sequence[int]) -> Program[dict[int, list[Related]]]:
    """For each of the seeds, the pages within two hops of it, the most relevant first."""
    area = yield from _area(seeds)
    return {seed: area.around(seed) for seed in seeds if seed in area.pages}


@dataclass(frozen=True, slots=True)
class _Page:
    path: str
    title: str
    category: str


@dataclass(slots=True)
class _Area:
    """The part of the graph around some seeds: `near` are the seeds' neighbours, `links` all neighbours of a page that
    is no hub, `sources` the sources that a seed shares with each page."""

    near: Mapping[int, frozenset[int]]
    links: Mapping[int, frozenset[int]]
    sources: Mapping[int, Mapping[int, tuple[str, ...]]]
    pages: Mapping[int, _Page] = field(default_factory=dict)

    def around(self, seed: int) -> list[Related]:
        common: dict[int, list[int]] = {}
        near = self.near.get(seed, frozenset())
        for between in near:
            for page in self.links.get(between, ()):
                common.setdefault(page, []).append(between)
        sources = self.sources.get(seed, {})
        ids = (near | common.keys() | sources.keys()) - {seed}
        found = [
            self._related(seed, page, common.get(page, ()), sources.get(page, ())) for page in ids & self.pages.keys()
        ]
        return sorted(found, key=lambda page: (-page.score, page.path))

    def _related(self, seed: int, page: int, common: Sequence[int], sources: Sequence[str]) -> Related:
        about, linked = self.pages[page], page in self.near.get(seed, ())
        between = sorted((len(self.links[each]), self.pages[each].path) for each in common if each in self.pages)
        same = about.category == self.pages[seed].category != ""
        return Related(
            id=page,
            path=about.path,
            title=about.title,
            score=relevance(len(sources), linked, (degree for degree, _ in between), same),
            hops=1 if linked or sources else 2,
            linked=linked,
            shared_sources=tuple(sources),
            common=tuple(sorted(path for _, path in between)),
            same_category=same,
            through="" if linked or sources or not between else between[0][1],
        )


def _area(seeds: Sequence[int]) -> Program[_Area]:
    counts = yield from _link_counts(seeds)
    near = yield from _neighbours([seed for seed in seeds if counts[seed] <= HUB])
    for seed in seeds:
        if counts[seed] > HUB:
            near[seed] = yield from _first_links(seed)
    between = sorted(frozenset().union(*near.values()) if near else ())
    counts = yield from _link_counts(between)
    through: list[int] = []
    total = 0
    for page in sorted(between, key=lambda page: (counts[page], page)):
        total += counts[page]
        if counts[page] > HUB or total > _MOST_LINKS:
            break
        through.append(page)
    links = yield from _neighbours(through)
    sources = yield from _shared_sources(seeds)
    ids = {*seeds, *between, *(page for pages in links.values() for page in pages)}
    ids.update(page for shared in sources.values() for page in shared)
    pages = yield from _pages(ids)
    return _Area(_among(pages, near), _among(pages, links), sources, pages)


def _among(pages: Mapping[int, _Page], links: Mapping[int, frozenset[int]]) -> dict[int, frozenset[int]]:
    """The links of pages to pages: attachments are no neighbours, nor are special files."""
    return {page: others & pages.keys() for page, others in links.items() if page in pages}


# Index, log and hot list everything, and Obsidian keeps the nodes of diagrams out of its graph. The list of special
# pages is short and has an index of its own.
_SPECIAL = "(SELECT id FROM wiki_pages WHERE special)"
_NEIGHBOURS = f"""
    SELECT e.value, l.target FROM json_each(?1) e CROSS JOIN wiki_links l ON l.source = e.value
    WHERE l.target IS NOT NULL AND l.target != e.value AND l.kind != 'diagram' AND l.target NOT IN {_SPECIAL}
    UNION
    SELECT e.value, l.source FROM json_each(?1) e CROSS JOIN wiki_links l ON l.target = e.value
    WHERE l.source != e.value AND l.kind != 'diagram' AND l.source NOT IN {_SPECIAL}
"""
_COUNTS = f"""
    SELECT e.value, (SELECT count(*) FROM (SELECT 1 FROM wiki_links WHERE source = e.value LIMIT {HUB + 1}))
        + (SELECT count(*) FROM (SELECT 1 FROM wiki_links WHERE target = e.value LIMIT {HUB + 1}))
    FROM json_each(?) e
"""
_FIRST_LINKS = f"""
    SELECT target FROM wiki_links WHERE source = ? AND target IS NOT NULL AND target != source AND kind != 'diagram'
    AND target NOT IN {_SPECIAL} ORDER BY n LIMIT {_MOST_SEED_LINKS}
"""
_SHARED = f"""
    SELECT own.page, other.page, own.source FROM json_each(?) e
    CROSS JOIN wiki_page_sources own ON own.page = e.value
    CROSS JOIN wiki_page_sources other ON other.source = own.source
    WHERE other.page != own.page AND other.page NOT IN {_SPECIAL}
    AND (SELECT count(*) FROM (SELECT 1 FROM wiki_page_sources WHERE source = own.source LIMIT {HUB + 1})) <= {HUB}
    ORDER BY own.source
"""


def _link_counts(ids: Iterable[int]) -> Program[dict[int, int]]:
    """How many links stand on each page or lead to it; counting stops beyond a hub's number."""
    return dict((yield Query(_COUNTS, (json.dumps(list(ids)),), tuple)))


def _neighbours(ids: Iterable[int]) -> Program[dict[int, frozenset[int]]]:
    """The pages (and files) that each page links to or is linked from."""
    found: dict[int, set[int]] = {}
    rows: Iterable[tuple[int, int]] = yield Query(_NEIGHBOURS, (json.dumps(list(ids)),), tuple)
    for page, other in rows:
        found.setdefault(page, set()).add(other)
    return {page: frozenset(others) for page, others in found.items()}


def _first_links(seed: int) -> Program[frozenset[int]]:
    return frozenset((yield Query(_FIRST_LINKS, (seed,), lambda row: int(row[0]))))


def _shared_sources(seeds: Sequence[int]) -> Program[dict[int, dict[int, tuple[str, ...]]]]:
    shared: dict[int, dict[int, tuple[str, ...]]] = {}
    rows: Iterable[tuple[int, int, str]] = yield Query(_SHARED, (json.dumps(list(seeds)),), tuple)
    for seed, page, source in rows:
        of_seed = shared.setdefault(seed, {})
        of_seed[page] = (*of_seed.get(page, ()), source)
    return shared


def _pages(ids: Iterable[int]) -> Program[dict[int, _Page]]:
    """What is known of each that is a content page: attachments and special files are left out."""
    sql = (
        "SELECT p.id, p.path, p.title, p.category FROM json_each(?) e CROSS JOIN wiki_pages p ON p.id = e.value"
        " WHERE NOT p.special"
    )
    return {row[0]: _Page(*row[1:]) for row in (yield Query(sql, (json.dumps(sorted(ids)),), tuple))}
