"""The one ranking, for the command line, the bridge and the site: words, then meaning and the graph where asked for.

Pages and raw sources are ranked each among their own: how a page ranks never depends on what lies in `raw/`. A raw
source stands behind the page of the same place, and never before a page that fits the words better.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal

from generator.corpus import SCOPES, WIKI, Corpus, bounds_of
from generator.expansion import POOL, with_neighbours
from generator.fusion import with_meaning
from generator.packed import unpacked
from generator.passage import Matcher, best_passage
from generator.query import Program, Query
from generator.search_query import Filter, Search, parse_query
from generator.words import NAMED, RELAXED, Candidate, Found, find

STALE_AFTER = timedelta(days=90)
DECAY = 0.5
Scope = Literal["wiki", "raw", "all"]


@dataclass(frozen=True, slots=True)
class Hit:
    """A page found. `score` never rises from one hit to the next; `snippet` is plain text of at most 200 characters,
    `marks` its matched (start, end) spans, `heading` the last one before the passage; `relaxed` pages lack a word.
    `scope` is wiki or raw; `through` is the page over which the graph led to this one ("" where words found it)."""

    path: str
    title: str
    url: str
    score: float
    snippet: str
    marks: tuple[tuple[int, int], ...]
    heading: str
    tags: tuple[str, ...]
    summary: str
    updated: str
    lifecycle: str
    stale: bool
    relaxed: bool
    scope: str = "wiki"
    through: str = ""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits, best first; `total` counts all pages found; `relaxed` tells that some of them lack some of the words."""

    hits: tuple[Hit, ...]
    total: int
    relaxed: bool


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidates, best first, for a query understood; `total` and `relaxed` as in `SearchResult`."""

    wanted: Search
    candidates: tuple[Candidate, ...]
    total: int
    relaxed: bool


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What pages must be to be found: `tags` must all be there (a tag or one below it), `folder` is a vault path,
    `since` an ISO date of the last update."""

    tags: tuple[str, ...] = ()
    folder: str = ""
    lifecycle: str = ""
    since: str = ""


def search(
    text: str,
    *,
    limit: int = 10,
    offset: int = 0,
    tags: Sequence[str] = (),
    folder: str = "",
    lifecycle: str = "",
    since: str = "",
    today: date | None = None,
    scope: Scope = "all",
    expand: bool = False,
    decay: float = DECAY,
    near: Sequence[tuple[str, float]] = (),
) -> Program[SearchResult]:
    """Pages for what a person typed, best first; without words, the most recently updated ones.

    `tags` must all be there (a tag or one below it), `folder` is a vault path, `since` an ISO date of the last update.
    `scope` is what is searched: pages, raw sources or both. `expand` brings in what the pages found are linked with.
    `near` are pages near the question in meaning (path and likeness), as `generator.vectors.shelf.nearest` finds them.
    """
    narrowing = Narrowing(tuple(tags), folder, lifecycle, since)
    most = offset + limit
    found = yield from rank(text, limit, most, narrowing, scope=scope, expand=expand, decay=decay, near=near)
    shown = _descending(found.candidates[:most])[offset:]
    hits = yield from _hits(shown, found.wanted, today or datetime.now(UTC).date())
    return SearchResult(tuple(hits), found.total, found.relaxed)


def rank(
    text: str,
    limit: int,
    most: int,
    narrowing: Narrowing = Narrowing(),
    *,
    scope: Scope = "all",
    expand: bool = False,
    decay: float = DECAY,
    near: Sequence[tuple[str, float]] = (),
) -> Program[Ranking]:
    """The first `most` candidates, without their texts; arguments as of `search`."""
    wanted = parse_query(text)
    asked = [*wanted.filters, *(Filter("tag", tag) for tag in narrowing.tags)]
    if narrowing.lifecycle:
        asked.append(Filter("lifecycle", narrowing.lifecycle))
    found: dict[str, Found] = {}
    # Without words, what is asked for is what is new in the wiki.
    for corpus in SCOPES[scope] if wanted.name or scope != "all" else (WIKI,):
        bounds = yield from bounds_of(corpus, asked, wanted.excluded, narrowing.folder, narrowing.since)
        here = yield from find(corpus, wanted, bounds, limit, max(most, POOL) if expand or near else most)
        if corpus is WIKI and wanted.groups:
            content = bounds.also(WIKI.searched)
            candidates = yield from with_meaning(wanted, here.candidates, near, content)
            if expand:
                candidates = yield from with_neighbours(wanted, candidates, content, decay, scored=bool(near))
            here = Found(candidates, here.total + len(candidates) - len(here.candidates))
        found[corpus.scope] = here
    pages, raw = (found[name].candidates if name in found else () for name in ("wiki", "raw"))
    ranked = _beside(pages, raw)
    relaxed = any(each.tier == RELAXED and not each.through for each in ranked)
    return Ranking(wanted, tuple(ranked), sum(each.total for each in found.values()), relaxed)


def _beside(pages: Sequence[Candidate], raw: Sequence[Candidate]) -> list[Candidate]:
    """Raw sources behind the pages of the same place, as good as these; none before a page of a better tier."""
    ranked: list[Candidate] = []
    rest = list(reversed(raw))
    worst = NAMED
    for page in pages:
        worst = max(worst, page.tier)
        while rest and rest[-1].tier < worst:
            ranked.append(rest.pop())
        ranked.append(page)
        if rest and rest[-1].tier == worst:
            ranked.append(replace(rest.pop(), score=page.score))
    return [*ranked, *reversed(rest)]


def _descending(ranked: Sequence[Candidate]) -> list[Candidate]:
    """The same order, with scores that tell it: a page is worth at least as much as those behind it."""
    scored, least = [], 0.0
    for candidate in reversed(ranked):
        least = max(least, candidate.score)
        scored.append(replace(candidate, score=float(f"{least:.6g}")))
    return scored[::-1]


def _hits(shown: Sequence[Candidate], wanted: Search, today: date) -> Program[list[Hit]]:
    rows: dict[tuple[str, int], tuple[Any, ...]] = {}
    for corpus in SCOPES["all"]:
        rows.update((yield from _rows(corpus, [each.id for each in shown if each.corpus is corpus])))
    oldest = (today - STALE_AFTER).isoformat()
    matchers = {relaxed: Matcher(wanted.terms, bigrams=relaxed) for relaxed in (False, True)}
    hits = []
    for candidate in shown:
        relaxed = candidate.tier == RELAXED
        path, title, url, tags, summary, updated, lifecycle, headings, content = rows[
            candidate.corpus.scope, candidate.id
        ]
        outline = [(heading[5], heading[1]) for heading in json.loads(headings)]
        passage = best_passage(matchers[relaxed], unpacked(content), outline, summary)
        hits.append(
            Hit(
                path, title, url, candidate.score, passage.snippet, passage.marks, passage.heading,
                tuple(json.loads(tags)), summary, updated, lifecycle, updated[:10] < oldest, relaxed,
                candidate.corpus.scope, candidate.through,
            )
        )  # fmt: skip
    return hits


def _rows(corpus: Corpus, ids: Sequence[int]) -> Program[dict[tuple[str, int], tuple[Any, ...]]]:
    if not ids:
        return {}
    sql = (
        "SELECT p.id, p.path, p.title, p.url, p.tags, p.summary, p.updated_at, p.lifecycle, c.headings, c.content"
        f" FROM {corpus.pages} p JOIN {corpus.content} c USING (id) WHERE p.id IN (SELECT value FROM json_each(?))"
    )
    return {(corpus.scope, row[0]): row[1:] for row in (yield Query(sql, (json.dumps(ids),), tuple))}
