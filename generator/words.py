"""Stage 1 of retrieval: words. Which pages (or raw sources) hold what was typed, and in which order.

Pages whose name is the query come first, then pages with all of its words, then (if those are fewer than asked for)
pages with some of them. Within each, FTS5's bm25 decides, then the path.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from generator.analyser import name_key
from generator.corpus import WIKI, Bounds, Corpus
from generator.packed import unpacked
from generator.query import Program, Query
from generator.search_query import Search, Term, all_of, any_of, term_of

# How much a hit weighs in title, aliases, headings, tags, summary, content: for pages with all of the words, and for
# pages with some of them, where one word of a long question proves less of what a page is about.
WEIGHTS = (10.0, 10.0, 2.0, 4.0, 1.0, 1.0)
SOME_WORDS_WEIGHTS = (3.0, 3.0, 1.0, 3.0, 1.0, 1.0)
# To score a page costs 2 µs, more with many words: of more pages than this, only the likeliest are scored.
MOST_SCORED = 2000
MOST_SCORED_LOOSELY = 1000
MOST_NEWEST = 1000
COMMON = 20_000  # pages: a word that stands on as many is not scored at all
SHORTEST_BEGINNING = 3  # letters of a `word*` that are looked up in the texts of many pages
MANY = 2000  # pages, beyond which shorter beginnings are not
MOST_CHECKED = 100  # pages whose text is looked through for words typed with punctuation
_MOST_NAMED = 50
_LONGEST_NAME = 300
# What a candidate is: called like the query, with all of its words, with some.
NAMED, COMPLETE, RELAXED = range(3)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A page found, of `corpus.scope`. `tier` tells how; `through` is the page over which the graph led to it."""

    id: int
    score: float
    path: str
    tier: int = COMPLETE
    corpus: Corpus = WIKI
    through: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """Candidates in order, and how many pages there are in all."""

    candidates: tuple[Candidate, ...]
    total: int


def find(corpus: Corpus, wanted: Search, bounds: Bounds, limit: int, most: int) -> Program[Found]:
    """The first `most` pages for a query; without words, the most recently updated ones.

    Pages with some of the words are looked for where those with all of them are fewer than `limit`.
    """
    named = yield from _named(corpus, wanted.name, bounds)
    content = bounds.also(corpus.searched)
    near = yield from _within_reach(corpus, wanted)
    if near.groups:
        found = yield from _with_words(corpus, near, content, limit, most)
    elif wanted.groups:
        found = yield from _beginning_so(corpus, wanted, content, most)
    elif named.candidates:
        found = Found((), len(named.candidates) - named.total)
    else:
        found = yield from _recent(corpus, content, most)
    known = {candidate.id for candidate in named.candidates}
    others = (candidate for candidate in found.candidates if candidate.id not in known)
    ranked = tuple(replace(candidate, corpus=corpus) for candidate in (*named.candidates, *others))
    return Found(ranked, found.total + named.total)


def _named(corpus: Corpus, name: str, bounds: Bounds) -> Program[Found]:
    """Pages that are called exactly this, special ones too: `total` counts only those."""
    key = name_key(name).removesuffix(".md")
    if not key or len(key) > _LONGEST_NAME:
        return Found((), 0)
    columns = "p.id, p.path, p.title, p.aliases, p.special"
    last = term_of(key.rpartition("/")[2])
    if last is not None:
        sql = (
            f"SELECT {columns} FROM {corpus.fts} f CROSS JOIN {corpus.pages} p ON p.id = f.rowid"
            f" WHERE {corpus.fts} MATCH ?{bounds.sql('p.id')}"
            f" ORDER BY (p.aliases LIKE ? OR p.path LIKE ?) DESC, length(p.title), p.path LIMIT {_MOST_NAMED}"
        )
        likely = (f'%"{key}"%', f"%{key}.md")  # so that what is called exactly this is among the first
        params: tuple[Any, ...] = (bounds.match(replace(last, title_only=True).match), *bounds.params, *likely)
    else:
        bounds = bounds.listed(corpus)
        sql = f"SELECT {columns} FROM {corpus.pages} p WHERE title = ?{bounds.sql('p.id')}"
        params = (name, *bounds.params)
    ranked = []
    specials = 0
    for id_, path, title, aliases, special in (yield Query(sql, params, tuple)):
        whole = name_key(path.removesuffix(".md"))
        proper = key in {name_key(title), whole, whole.rpartition("/")[2]}
        if proper or key in map(name_key, json.loads(aliases)):
            ranked.append((not proper, path, id_))
            specials += special
    return Found(tuple(Candidate(id_, 0.0, path, NAMED) for _, path, id_ in sorted(ranked)), specials)


def _recent(corpus: Corpus, bounds: Bounds, most: int) -> Program[Found]:
    bounds = bounds.listed(corpus)
    where = f"WHERE 1{bounds.sql('p.id')}"
    sql = f"SELECT p.id, 0.0, p.path FROM {corpus.pages} p {where} ORDER BY p.updated_at DESC, p.path LIMIT ?"
    candidates = yield Query(sql, (*bounds.params, most), lambda row: Candidate(*row))
    counts = yield Query(f"SELECT count(*) FROM {corpus.pages} p {where}", bounds.params, _number)
    return Found(tuple(candidates), counts[0])


def _with_words(corpus: Corpus, wanted: Search, bounds: Bounds, limit: int, most: int) -> Program[Found]:
    """Pages with all words; if they are fewer than `limit`, pages with some of the words behind them."""
    common = yield from _common(corpus, wanted)
    total = yield from _count(corpus, wanted.match, bounds)
    found: list[Candidate] = []
    if total:
        found = yield from _all_words(corpus, wanted, bounds, total, most, common)
    if total >= limit or wanted.relaxed_match == wanted.match:
        return Found(tuple(found), total)
    complete = {candidate.id for candidate in found}
    more = yield from _with_some_words(corpus, wanted, bounds, most, common)
    others = (replace(candidate, tier=RELAXED) for candidate in more.candidates if candidate.id not in complete)
    return Found((*found, *others), max(total, more.total))


def _all_words(
    corpus: Corpus, wanted: Search, bounds: Bounds, total: int, most: int, common: frozenset[str]
) -> Program[list[Candidate]]:
    telling = [group for group in wanted.groups if not any(term.match in common for term in group)]
    if not telling:
        return (yield from _newest(corpus, wanted.match, bounds, most, total))
    bounded = bounds if total <= MOST_SCORED else _likeliest(corpus, wanted.match, bounds)
    if len(telling) < len(wanted.groups):
        bounded = bounded.also(_holds(corpus), wanted.match)
    pool = max(most, MOST_CHECKED) if wanted.literals else most
    found = yield from _ranked(corpus, all_of(telling), bounded, pool)
    if wanted.literals:
        found = yield from _literal_first(corpus, found, wanted.literals)
    return found


def _with_some_words(
    corpus: Corpus, wanted: Search, bounds: Bounds, most: int, common: frozenset[str]
) -> Program[Found]:
    """Pages with one word at least: with one of the rarest ones, where there are too many."""
    telling = [part for part in wanted.parts if part.match not in common]
    rare = yield from rarest(corpus, telling, MOST_SCORED_LOOSELY)
    if rare:
        if len(rare) < len(wanted.parts):
            bounds = bounds.also(_holds(corpus), any_of(rare))
        total = yield from _count(corpus, any_of(rare), bounds)
    else:
        total = yield from _count(corpus, wanted.relaxed_match, bounds)
        if not telling:
            return Found(tuple((yield from _newest(corpus, wanted.relaxed_match, bounds, most, total))), total)
        bounds = _likeliest(corpus, any_of(telling), bounds)
    candidates = yield from _ranked(corpus, any_of(telling), bounds, most, SOME_WORDS_WEIGHTS)
    return Found(tuple(candidates), total)


def _common(corpus: Corpus, wanted: Search) -> Program[frozenset[str]]:
    """The words that stand on so many pages that they tell none apart: bm25 would give them nearly no weight, and
    look at each of the pages for it."""
    if (yield from _most_pages(corpus)) <= COMMON:
        return frozenset()
    matches = dict.fromkeys(filter(_is_quick, (term.match for term in (*wanted.terms, *wanted.parts))))
    if not matches:
        return frozenset()
    one = f"SELECT ?, (SELECT count(*) FROM (SELECT 1 FROM {corpus.fts} WHERE {corpus.fts} MATCH ? LIMIT {COMMON}))"
    params = [match for match in matches for _ in range(2)]
    counts: Iterable[tuple[str, int]] = yield Query(" UNION ALL ".join([one] * len(matches)), tuple(params), tuple)
    return frozenset(match for match, count in counts if count >= COMMON)


def _most_pages(corpus: Corpus) -> Program[int]:
    """How many pages there may be: ids are not counted, but the highest one takes no time."""
    rows = yield Query(f"SELECT coalesce(max(id), 0) FROM {corpus.pages}", (), _number)
    return int(rows[0])


def _within_reach(corpus: Corpus, wanted: Search) -> Program[Search]:
    """Where pages are many, the query without beginnings of one or two letters, which half of all words have."""
    short = [term.match for term in (*wanted.terms, *wanted.parts) if _is_short_beginning(term)]
    if not short or (yield from _most_pages(corpus)) <= MANY:
        return wanted
    groups = tuple(group for group in wanted.groups if not any(term.match in short for term in group))
    return replace(wanted, groups=groups, parts=tuple(part for part in wanted.parts if part.match not in short))


def _is_short_beginning(term: Term) -> bool:
    return term.prefix and term.parts[-1].isascii() and len(term.parts[-1]) < SHORTEST_BEGINNING


def _beginning_so(corpus: Corpus, wanted: Search, bounds: Bounds, most: int) -> Program[Found]:
    """Pages whose title begins with the only thing typed, a beginning of one or two letters."""
    start = wanted.terms[0].parts[-1]
    bounds = bounds.listed(corpus)
    where = f"WHERE p.title >= ? AND p.title < ? {bounds.sql('p.id')}"
    candidates: list[Candidate] = []
    total = 0
    for spelled in dict.fromkeys((start.upper(), start.capitalize(), start)):
        params = (spelled, spelled + "\U0010ffff", *bounds.params)
        sql = f"SELECT p.id, 0.0, p.path FROM {corpus.pages} p {where} ORDER BY p.title, p.path LIMIT ?"
        candidates += yield Query(sql, (*params, most), lambda row: Candidate(*row))
        total += (yield Query(f"SELECT count(*) FROM {corpus.pages} p {where}", params, _number))[0]
    return Found(tuple({candidate.id: candidate for candidate in candidates}.values())[:most], total)


def _newest(corpus: Corpus, match: str, bounds: Bounds, most: int, total: int) -> Program[list[Candidate]]:
    """Pages with words that tell none apart: first those with the words in their names, short ones first, then the
    newest."""
    rows = f"SELECT p.id, 0.0, p.path FROM {corpus.fts} f CROSS JOIN {corpus.pages} p ON p.id = f.rowid"
    sql = f"{rows} WHERE {corpus.fts} MATCH ?{bounds.sql('f.rowid')} ORDER BY length(p.title), p.path LIMIT ?"
    by_name = f"{{title aliases}} : ({match})"
    named = yield Query(sql, (bounds.match(by_name), *bounds.params, most), lambda row: Candidate(*row))
    if len(named) >= most:
        return named
    # From the newest page on, each is looked up: where many hold the words, enough are soon met.
    if total >= COMMON and _is_quick(match):
        rows = f"SELECT p.id, 0.0, p.path FROM {corpus.pages} p CROSS JOIN {corpus.fts} f ON f.rowid = p.id"
    sql = f"{rows} WHERE {corpus.fts} MATCH ?{bounds.sql('p.id')} ORDER BY p.updated_at DESC, p.path LIMIT ?"
    others = yield Query(sql, (bounds.match(match), *bounds.params, most), lambda row: Candidate(*row))
    known = {candidate.id for candidate in named}
    return [*named, *(candidate for candidate in others if candidate.id not in known)][:most]


def _is_quick(match: str) -> bool:
    """Whether the words can be looked up page by page: but for beginnings of three letters, which the index knows, all
    words that begin so are gathered each time."""
    starts = (piece[max(piece.rfind(" "), piece.rfind('"')) + 1 :] for piece in match.split('" *')[:-1])
    return all(len(start) == SHORTEST_BEGINNING for start in starts)


def _holds(corpus: Corpus) -> str:
    """The condition that a page holds the words of an FTS5 expression, which is its parameter."""
    return f"{{id}} IN (SELECT rowid FROM {corpus.fts} WHERE {corpus.fts} MATCH ?)"


def rarest(corpus: Corpus, parts: Sequence[Term], most: int) -> Program[list[Term]]:
    """The rarest words, as many as stand on no more than `most` pages, each counted by itself; none if each takes more.

    Counting stops beyond that number, so that the commonest words cost no more than others.
    """
    if not parts:
        return []
    hits = f"SELECT 1 FROM {corpus.fts} WHERE {corpus.fts} MATCH ? LIMIT {most + 1}"
    one = f"SELECT ?, (SELECT count(*) FROM ({hits}))"
    params = [value for at, part in enumerate(parts) for value in (at, part.match)]
    counts: list[tuple[int, int]] = yield Query(" UNION ALL ".join([one] * len(parts)), tuple(params), tuple)
    rare, pages = [], 0
    for at, count in sorted(counts, key=lambda pair: (pair[1], pair[0])):
        pages += count
        if pages > most:
            break
        rare.append(parts[at])
    return rare


def _likeliest(corpus: Corpus, match: str, bounds: Bounds) -> Bounds:
    """Of too many pages, those with the words in their names, and the most recently updated ones."""
    by_name = f"{{id}} IN (SELECT rowid FROM {corpus.fts} WHERE {corpus.fts} MATCH ? LIMIT {MOST_SCORED})"
    newest = f"{{id}} IN (SELECT id FROM {corpus.pages} ORDER BY updated_at DESC, path LIMIT {MOST_NEWEST})"
    return bounds.also(f"({by_name} OR {newest})", f"{{title aliases}} : ({match})")


def _count(corpus: Corpus, match: str, bounds: Bounds) -> Program[int]:
    count = f"SELECT count(*) FROM {corpus.fts} f WHERE {corpus.fts} MATCH ?"
    match = bounds.match(match)
    if bounds.conditions == (corpus.searched,) and _is_quick(match):
        # To count all and take off the few special ones is twice as quick as to look whether each is special.
        special = f"f.rowid IN (SELECT id FROM {corpus.pages} WHERE special)"
        counts = yield Query(f"SELECT ({count}) - ({count} AND {special})", (match, match), _number)
    else:
        counts = yield Query(f"{count}{bounds.sql('f.rowid')}", (match, *bounds.params), _number)
    return int(counts[0])


def _ranked(
    corpus: Corpus, match: str, bounds: Bounds, most: int, weights: Sequence[float] = WEIGHTS
) -> Program[list[Candidate]]:
    # The paths, which part equal scores, are read of the best pages only: to read one takes as long as to score it.
    sql = (
        f"WITH scored AS MATERIALIZED"
        f" (SELECT f.rowid AS id, -bm25({corpus.fts}, {', '.join(map(str, weights))}) AS score"
        f" FROM {corpus.fts} f WHERE {corpus.fts} MATCH ?{bounds.sql('f.rowid')})"
        f" SELECT s.id, s.score, p.path FROM scored s CROSS JOIN {corpus.pages} p ON p.id = s.id WHERE s.score >="
        " coalesce((SELECT score FROM scored ORDER BY score DESC LIMIT 1 OFFSET ?), -1e9) ORDER BY 2 DESC, 3 LIMIT ?"
    )
    return (
        yield Query(sql, (bounds.match(match), *bounds.params, max(0, most - 1), most), lambda row: Candidate(*row))
    )


def scores_of(corpus: Corpus, parts: Sequence[Term], ids: Iterable[int]) -> Program[dict[int, float]]:
    """How well each of these pages fits the words by itself, on one scale; those that hold none are left out."""
    sql = (
        f"SELECT f.rowid, -bm25({corpus.fts}, {', '.join(map(str, SOME_WORDS_WEIGHTS))}) FROM {corpus.fts} f"
        f" WHERE {corpus.fts} MATCH ? AND +f.rowid IN (SELECT value FROM json_each(?))"
    )
    return dict((yield Query(sql, (any_of(parts), json.dumps(sorted(ids))), tuple)))


def _literal_first(corpus: Corpus, found: list[Candidate], literals: Sequence[str]) -> Program[list[Candidate]]:
    """Move up the pages that hold the words with their signs as typed: the index knows only letters and digits."""
    sql = (
        f"SELECT p.id, p.title, c.content FROM {corpus.pages} p JOIN {corpus.content} c USING (id)"
        " WHERE p.id IN (SELECT value FROM json_each(?))"
    )
    ids = json.dumps([candidate.id for candidate in found[:MOST_CHECKED]])
    exact = set()
    for id_, title, content in (yield Query(sql, (ids,), tuple)):
        text = f"{title}\n{unpacked(content)}".lower().replace("’", "'").replace("‘", "'")
        if all(literal in text for literal in literals):
            exact.add(id_)
    return sorted(found, key=lambda candidate: candidate.id not in exact)


def _number(row: tuple[Any, ...]) -> int:
    return int(row[0])
