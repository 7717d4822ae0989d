"""Stage 1.5 of retrieval, applied: pages that mean what was asked join those that hold its words.

The score of a page is how well it fits the words (1 for the best), as far as the words can be trusted, and to that 0.6
times its likeness to the question, from 0 for the last of the near pages to 1 for the nearest. Words are trusted by how
much of the question the best pages hold: hardly at all where a question is in another language than the pages. Where
they are, the first page stays first; so a weak model costs nearly nothing. Ranks alone (reciprocal rank fusion) do not
tell a clear winner among the words from a close one: with a weak model they were measured to lose a fifth of MRR.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import log

from generator.corpus import WIKI, Bounds
from generator.query import Program, Query
from generator.search_query import Search, Term
from generator.words import NAMED, RELAXED, Candidate

NEAR = 0.6  # the most that meaning adds to the score by words
TRUSTED = 0.25  # of a question's weight: where the best pages hold as much, words count in full
_BEST = 10  # pages that are looked at for what of the question they hold
_MOST_COUNTED = 2000  # pages of one word


def with_meaning(
    wanted: Search, found: Sequence[Candidate], near: Sequence[tuple[str, float]], bounds: Bounds
) -> Program[tuple[Candidate, ...]]:
    """The candidates and the pages near in meaning (path and likeness, best first), in their new order."""
    likeness = yield from _likeness(near, bounds)
    if not likeness:
        return tuple(found)
    coverage = yield from _coverage(wanted.parts, [each.id for each in found[:_BEST]])
    trust = min(1.0, coverage / TRUSTED)
    best = max((each.score for each in found), default=0.0) or 1.0
    known = {candidate.id: candidate for candidate in found}
    for id_, (path, _) in likeness.items():
        known.setdefault(id_, Candidate(id_, 0.0, path, RELAXED))
    scored = {
        id_: replace(each, score=best * (trust * each.score / best + NEAR * likeness.get(id_, ("", 0.0))[1]))
        for id_, each in known.items()
    }
    fixed = max(int(trust == 1), sum(each.tier == NAMED for each in found))
    head = [scored.pop(each.id) for each in found[:fixed]]
    return (*head, *sorted(scored.values(), key=lambda each: (-each.score, each.path)))


def _likeness(near: Sequence[tuple[str, float]], bounds: Bounds) -> Program[dict[int, tuple[str, float]]]:
    """Path and relative likeness, by id, of the near pages that the bounds leave."""
    if not near:
        return {}
    paths = json.dumps([path for path, _ in near])
    bounds = bounds.listed(WIKI)
    sql = f"SELECT p.id, p.path FROM wiki_pages p WHERE p.path IN (SELECT value FROM json_each(?)){bounds.sql('p.id')}"
    ids: Mapping[str, int] = {path: id_ for id_, path in (yield Query(sql, (paths, *bounds.params), tuple))}
    least, most = near[-1][1], near[0][1]
    scale = (most - least) or 1.0
    least = least if most > least else least - 1.0
    return {ids[path]: (path, (value - least) / scale) for path, value in near if path in ids}


def _coverage(parts: Sequence[Term], ids: Sequence[int]) -> Program[float]:
    """How much of the question's weight the page holds that holds most of it: rare words weigh more, and those that
    stand nowhere most of all."""
    if not parts or not ids:
        return 0.0
    counts = yield from _counts(parts)
    weights = [log((_MOST_COUNTED + 1) / (min(count, _MOST_COUNTED) + 0.5)) for count in counts]
    held = yield from _held(parts, ids)
    most = max((sum(weights[at] for at in places) for places in held), default=0.0)
    return most / (sum(weights) or 1.0)


def _counts(parts: Sequence[Term]) -> Program[list[int]]:
    hits = f"SELECT 1 FROM {WIKI.fts} WHERE {WIKI.fts} MATCH ? LIMIT {_MOST_COUNTED}"
    sql = " UNION ALL ".join([f"SELECT ?, (SELECT count(*) FROM ({hits}))"] * len(parts))
    params = [value for at, part in enumerate(parts) for value in (at, part.match)]
    rows: Iterable[tuple[int, int]] = yield Query(sql, tuple(params), tuple)
    return [count for _, count in sorted(rows)]


def _held(parts: Sequence[Term], ids: Sequence[int]) -> Program[list[set[int]]]:
    """Which of the parts each page holds, by their places."""
    one = f"SELECT ?, rowid FROM {WIKI.fts} WHERE {WIKI.fts} MATCH ? AND rowid IN (SELECT value FROM json_each(?))"
    listed = json.dumps(list(ids))
    params = [value for at, part in enumerate(parts) for value in (at, part.match, listed)]
    held: dict[int, set[int]] = {}
    for at, id_ in (yield Query(" UNION ALL ".join([one] * len(parts)), tuple(params), tuple)):
        held.setdefault(id_, set()).add(at)
    return list(held.values())
