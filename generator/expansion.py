"""Stage 2 of retrieval, applied: the pages around those that were found join them, and move the near ones up.

The score of a page is how well it fits the words by itself (1 for the best of the seeds), and to that 0.4 times what
its neighbours among the seeds lend it (1 at the most). The first page that the words found, and pages that are called
like the query, stay where they are: so the first hit is never lost to the graph.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from generator.corpus import WIKI, Bounds, within
from generator.query import Program
from generator.relevance import Related, neighbourhoods
from generator.search_query import Search
from generator.words import NAMED, RELAXED, Candidate, rarest, scores_of

SEEDS = 10
POOL = 50  # pages found by words that the graph may move
LENT = 0.4  # the most that neighbours add to a page's own score, the best of which is 1
_MOST_POSTINGS = 20_000  # looked through for the pages' own scores


@dataclass(frozen=True, slots=True)
class _Loan:
    """What the seeds lend to a page: their shares together, and the path of the seed that lends most."""

    share: float
    most: float
    through: str


def with_neighbours(
    wanted: Search, found: Sequence[Candidate], bounds: Bounds, decay: float, *, scored: bool = False
) -> Program[tuple[Candidate, ...]]:
    """The candidates (pages only) and what lies within two hops of the first ten, in their new order.

    `decay` is the share of a page's relevance that is left at the second hop. Pages beyond `bounds` never come in.
    With `scored`, the candidates' scores are on one scale, and stay their own scores.
    """
    seeds = found[:SEEDS]
    if not seeds or not wanted.groups:
        return tuple(found)
    areas = yield from neighbourhoods([seed.id for seed in seeds])
    near = {page.id: page for area in areas.values() for page in area}
    new = yield from within(WIKI, near.keys() - {each.id for each in found}, bounds)
    own = {each.id: each.score for each in found} if scored else (yield from _own_scores(wanted, found, new))
    best = max((own.get(seed.id, 0.0) for seed in seeds), default=0.0) or 1.0
    loans = _loans(seeds, areas, own, best, decay)
    known = {candidate.id: candidate for candidate in found}
    for id_ in new:
        known[id_] = Candidate(id_, 0.0, near[id_].path, RELAXED)
    pages = [_scored(page, own.get(page.id, 0.0), best, loans.get(page.id), page.id in new) for page in known.values()]
    fixed = max(1, sum(candidate.tier == NAMED for candidate in found))
    head = {candidate.id for candidate in found[:fixed]}
    first = sorted((page for page in pages if page.id in head), key=lambda page: _place(found, page.id))
    others = sorted((page for page in pages if page.id not in head), key=lambda page: (-page.score, page.path))
    return (*first, *others)


def _place(found: Sequence[Candidate], id_: int) -> int:
    return next(at for at, candidate in enumerate(found) if candidate.id == id_)


def _own_scores(wanted: Search, found: Sequence[Candidate], new: set[int]) -> Program[dict[int, float]]:
    """How well each page fits the words; those of words that are too common to look through count nothing."""
    parts = yield from rarest(WIKI, wanted.parts, _MOST_POSTINGS)
    if not parts:
        return {candidate.id: candidate.score for candidate in found}
    return (yield from scores_of(WIKI, parts, {*(candidate.id for candidate in found), *new}))


def _loans(
    seeds: Sequence[Candidate],
    areas: Mapping[int, Sequence[Related]],
    own: Mapping[int, float],
    best: float,
    decay: float,
) -> dict[int, _Loan]:
    """What each page is lent: of each seed its own score, by the page's part of the seed's strongest relation."""
    loans: dict[int, _Loan] = {}
    for seed in seeds:
        area = areas.get(seed.id, ())
        weight = own.get(seed.id, 0.0) / best
        for page in area:
            share = weight * page.score / area[0].score * decay ** (page.hops - 1)
            before = loans.get(page.id, _Loan(0.0, -1.0, ""))
            most, through = max((before.most, before.through), (share, seed.path), key=lambda pair: pair[0])
            loans[page.id] = _Loan(before.share + share, most, through)
    return loans


def _scored(page: Candidate, own: float, best: float, loan: _Loan | None, is_new: bool) -> Candidate:
    score = own + (LENT * best * min(1.0, loan.share) if loan else 0.0)
    return replace(page, score=score, through=loan.through if loan and is_new else "")
