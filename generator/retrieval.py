"""Stage 1 of retrieval: words. One ranking for the command line, the bridge and the site.

Pages whose name is the query come first, then pages with all of its words, then (if those are fewer than asked for)
pages with some of them. Within each, FTS5's bm25 decides, then the path.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

from generator.analyser import name_key
from generator.packed import unpacked
from generator.passage import Matcher, best_passage
from generator.query import Program, Query
from generator.search_query import Filter, Search, Term, any_of, parse_query, term_of

STALE_AFTER = timedelta(days=90)
# How much a hit weighs in title, aliases, headings, tags, summary, content: for pages with all of the words, and for
# pages with some of them, where one word of a long question proves less of what a page is about.
WEIGHTS = (10.0, 10.0, 2.0, 4.0, 1.0, 1.0)
SOME_WORDS_WEIGHTS = (3.0, 3.0, 1.0, 3.0, 1.0, 1.0)
# To score a page costs 3 µs, more with many words: of more pages than this, only the likeliest are scored.
_MOST_SCORED = 3000
_MOST_SCORED_LOOSELY = 1000
_MOST_CHECKED = 100  # pages whose text is looked through for words typed with punctuation
_MOST_NAMED = 50
_LONGEST_NAME = 300


@dataclass(frozen=True, slots=True)
class Hit:
    """A page found. `score` never rises from one hit to the next; `snippet` is plain text of at most 200 characters,
    `marks` its matched (start, end) spans, `heading` the last one before the passage; `relaxed` pages lack a word."""

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


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits, best first; `total` counts all pages found; `relaxed` tells that some of them lack some of the words."""

    hits: tuple[Hit, ...]
    total: int
    relaxed: bool


@dataclass(frozen=True, slots=True)
class _Scope:
    """Conditions on the page id, written `{id}`, with their parameters."""

    conditions: tuple[str, ...] = ()
    params: tuple[Any, ...] = ()

    def sql(self, column: str) -> str:
        # The plus keeps SQLite from looking up every id of the condition in the full-text index, one by one.
        return "".join(f" AND {condition.replace('{id}', '+' + column)}" for condition in self.conditions)

    def also(self, condition: str, *params: Any) -> _Scope:
        return _Scope((*self.conditions, condition), (*self.params, *params))


@dataclass(frozen=True, slots=True)
class _Candidate:
    id: int
    score: float
    path: str
    relaxed: bool = False


@dataclass(frozen=True, slots=True)
class _Found:
    """Candidates in order, and how many pages there are in all."""

    candidates: tuple[_Candidate, ...]
    total: int


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
) -> Program[SearchResult]:
    """Pages for what a person typed, best first; without words, the most recently updated ones.

    `tags` must all be there (a tag or one below it), `folder` is a vault path, `since` an ISO date of the last update.
    """
    wanted = parse_query(text)
    asked = [*wanted.filters, *(Filter("tag", tag) for tag in tags)]
    if lifecycle:
        asked.append(Filter("lifecycle", lifecycle))
    scope = yield from _scope(asked, wanted.excluded, folder, since)
    named = yield from _named(wanted.name, scope)
    content = scope.also("{id} NOT IN (SELECT id FROM wiki_pages WHERE special)")
    most = offset + limit
    if wanted.groups:
        found = yield from _with_words(wanted, content, limit, most)
    elif named.candidates:
        found = _Found((), len(named.candidates) - named.total)
    else:
        found = yield from _recent(content, most)
    known = {candidate.id for candidate in named.candidates}
    ranked = [*named.candidates, *(candidate for candidate in found.candidates if candidate.id not in known)]
    shown = _descending(ranked[:most])[offset:]
    hits = yield from _hits(shown, wanted, today or datetime.now(UTC).date())
    relaxed = any(candidate.relaxed for candidate in found.candidates)
    return SearchResult(tuple(hits), found.total + named.total, relaxed)


def _scope(asked: Sequence[Filter], excluded: Sequence[Term], folder: str, since: str) -> Program[_Scope]:
    scope = _Scope()
    for condition in asked:
        word = "NOT IN" if condition.negative else "IN"
        if condition.field == "tag":
            tag = name_key(condition.value).strip("#/")
            below = "SELECT page FROM wiki_page_tags WHERE tag = ? OR (tag >= ? AND tag < ?)"
            scope = scope.also(f"{{id}} {word} ({below})", tag, f"{tag}/", f"{tag}0")
        elif condition.field == "lifecycle":
            with_it = "SELECT id FROM wiki_pages WHERE lifecycle = ?"
            scope = scope.also(f"{{id}} {word} ({with_it})", name_key(condition.value))
        else:
            ids = yield from _ids_by_path(condition)
            scope = scope.also(f"{{id}} {word} (SELECT value FROM json_each(?))", json.dumps(ids))
    if folder.strip("/"):
        inside = "SELECT id FROM wiki_pages WHERE path >= ? AND path < ?"
        scope = scope.also(f"{{id}} IN ({inside})", f"{folder.strip('/')}/", f"{folder.strip('/')}0")
    if since:
        scope = scope.also("{id} IN (SELECT id FROM wiki_pages WHERE updated_at >= ?)", since)
    if excluded:
        scope = scope.also("{id} NOT IN (SELECT rowid FROM wiki_fts WHERE wiki_fts MATCH ?)", any_of(excluded))
    return scope


def _ids_by_path(condition: Filter) -> Program[list[int]]:
    """The pages whose path (or file name) holds the value. In Python, since SQL compares only ASCII without case."""
    value = name_key(condition.value)
    rows: list[tuple[int, str]] = yield Query("SELECT id, path FROM wiki_pages", (), tuple)
    name_only = condition.field == "file"
    return [id_ for id_, path in rows if value in (path.rpartition("/")[2] if name_only else path).casefold()]


def _named(name: str, scope: _Scope) -> Program[_Found]:
    """Pages that are called exactly this, special ones too: `total` counts only those."""
    key = name_key(name).removesuffix(".md")
    if not key or len(key) > _LONGEST_NAME:
        return _Found((), 0)
    columns = "p.id, p.path, p.title, p.aliases, p.special"
    last = term_of(key.rpartition("/")[2])
    if last is not None:
        sql = (
            f"SELECT {columns} FROM wiki_fts f CROSS JOIN wiki_pages p ON p.id = f.rowid"
            f" WHERE wiki_fts MATCH ?{scope.sql('p.id')}"
            f" ORDER BY (p.aliases LIKE ? OR p.path LIKE ?) DESC, length(p.title), p.path LIMIT {_MOST_NAMED}"
        )
        likely = (f'%"{key}"%', f"%{key}.md")  # so that what is called exactly this is among the first
        params: tuple[Any, ...] = (replace(last, title_only=True).match, *scope.params, *likely)
    else:
        sql, params = f"SELECT {columns} FROM wiki_pages p WHERE title = ?{scope.sql('p.id')}", (name, *scope.params)
    ranked = []
    specials = 0
    for id_, path, title, aliases, special in (yield Query(sql, params, tuple)):
        whole = name_key(path.removesuffix(".md"))
        proper = key in {name_key(title), whole, whole.rpartition("/")[2]}
        if proper or key in map(name_key, json.loads(aliases)):
            ranked.append((not proper, path, id_))
            specials += special
    return _Found(tuple(_Candidate(id_, 0.0, path) for _, path, id_ in sorted(ranked)), specials)


def _recent(scope: _Scope, most: int) -> Program[_Found]:
    where = f"WHERE 1{scope.sql('p.id')}"
    sql = f"SELECT p.id, 0.0, p.path FROM wiki_pages p {where} ORDER BY p.updated_at DESC, p.path LIMIT ?"
    candidates = yield Query(sql, (*scope.params, most), lambda row: _Candidate(*row))
    counts = yield Query(f"SELECT count(*) FROM wiki_pages p {where}", scope.params, _number)
    return _Found(tuple(candidates), counts[0])


def _with_words(wanted: Search, scope: _Scope, limit: int, most: int) -> Program[_Found]:
    """Pages with all words; if they are fewer than `limit`, pages with some of the words behind them."""
    total = yield from _count(wanted.match, scope)
    found: list[_Candidate] = []
    if total:
        found = yield from _all_words(wanted, scope, total, most)
    if total >= limit or wanted.relaxed_match == wanted.match:
        return _Found(tuple(found), total)
    complete = {candidate.id for candidate in found}
    more = yield from _with_some_words(wanted, scope, most)
    others = (replace(candidate, relaxed=True) for candidate in more.candidates if candidate.id not in complete)
    return _Found((*found, *others), max(total, more.total))


def _all_words(wanted: Search, scope: _Scope, total: int, most: int) -> Program[list[_Candidate]]:
    bounded = scope if total <= _MOST_SCORED else _likeliest(wanted.match, scope)
    pool = max(most, _MOST_CHECKED) if wanted.literals else most
    found = yield from _ranked(wanted.match, bounded, pool)
    if wanted.literals:
        found = yield from _literal_first(found, wanted.literals)
    return found


def _with_some_words(wanted: Search, scope: _Scope, most: int) -> Program[_Found]:
    """Pages with one word at least: with one of the rarest ones, where there are too many."""
    rare = yield from _rarest(wanted.parts)
    if rare:
        if len(rare) < len(wanted.parts):
            scope = scope.also("{id} IN (SELECT rowid FROM wiki_fts WHERE wiki_fts MATCH ?)", any_of(rare))
        total = yield from _count(any_of(rare), scope)
    else:
        total = yield from _count(wanted.relaxed_match, scope)
        scope = _likeliest(wanted.relaxed_match, scope)
    candidates = yield from _ranked(wanted.relaxed_match, scope, most, SOME_WORDS_WEIGHTS)
    return _Found(tuple(candidates), total)


def _rarest(parts: Sequence[Term]) -> Program[list[Term]]:
    """The rarest words, as many as do not take more pages together than may be scored; none if each takes more."""
    one = "SELECT ?, (SELECT count(*) FROM wiki_fts WHERE wiki_fts MATCH ?)"
    params = [value for at, part in enumerate(parts) for value in (at, part.match)]
    counts: list[tuple[int, int]] = yield Query(" UNION ALL ".join([one] * len(parts)), tuple(params), tuple)
    rare, pages = [], 0
    for at, count in sorted(counts, key=lambda pair: (pair[1], pair[0])):
        pages += count
        if pages > _MOST_SCORED_LOOSELY:
            break
        rare.append(parts[at])
    return rare


def _likeliest(match: str, scope: _Scope) -> _Scope:
    """Of too many pages, those with the words in their names, and the most recently updated ones."""
    by_name = "{id} IN (SELECT rowid FROM wiki_fts WHERE wiki_fts MATCH ?)"
    newest = "{id} IN (SELECT id FROM wiki_pages ORDER BY updated_at DESC, path LIMIT ?)"
    return scope.also(f"({by_name} OR {newest})", f"{{title aliases}} : ({match})", _MOST_SCORED)


def _count(match: str, scope: _Scope) -> Program[int]:
    sql = f"SELECT count(*) FROM wiki_fts f WHERE wiki_fts MATCH ?{scope.sql('f.rowid')}"
    counts = yield Query(sql, (match, *scope.params), _number)
    return int(counts[0])


def _ranked(match: str, scope: _Scope, most: int, weights: Sequence[float] = WEIGHTS) -> Program[list[_Candidate]]:
    sql = (
        f"SELECT f.rowid, -bm25(wiki_fts, {', '.join(map(str, weights))}), p.path"
        " FROM wiki_fts f CROSS JOIN wiki_pages p ON p.id = f.rowid"
        f" WHERE wiki_fts MATCH ?{scope.sql('f.rowid')} ORDER BY 2 DESC, 3 LIMIT ?"
    )
    return (yield Query(sql, (match, *scope.params, most), lambda row: _Candidate(*row)))


def _literal_first(found: list[_Candidate], literals: Sequence[str]) -> Program[list[_Candidate]]:
    """Move up the pages that hold the words with their signs as typed: the index knows only letters and digits."""
    sql = (
        "SELECT p.id, p.title, c.content FROM wiki_pages p JOIN wiki_content c USING (id)"
        " WHERE p.id IN (SELECT value FROM json_each(?))"
    )
    ids = json.dumps([candidate.id for candidate in found[:_MOST_CHECKED]])
    exact = set()
    for id_, title, content in (yield Query(sql, (ids,), tuple)):
        text = f"{title}\n{unpacked(content)}".lower().replace("’", "'").replace("‘", "'")
        if all(literal in text for literal in literals):
            exact.add(id_)
    return sorted(found, key=lambda candidate: candidate.id not in exact)


def _descending(ranked: Sequence[_Candidate]) -> list[_Candidate]:
    """The same order, with scores that tell it: a page is worth at least as much as those behind it."""
    scored, least = [], 0.0
    for candidate in reversed(ranked):
        least = max(least, candidate.score)
        scored.append(replace(candidate, score=float(f"{least:.6g}")))
    return scored[::-1]


def _hits(shown: Sequence[_Candidate], wanted: Search, today: date) -> Program[list[Hit]]:
    sql = (
        "SELECT p.id, p.path, p.title, p.url, p.tags, p.summary, p.updated_at, p.lifecycle, c.headings, c.content"
        " FROM wiki_pages p JOIN wiki_content c USING (id) WHERE p.id IN (SELECT value FROM json_each(?))"
    )
    ids = json.dumps([candidate.id for candidate in shown])
    rows = {row[0]: row[1:] for row in (yield Query(sql, (ids,), tuple))}
    oldest = (today - STALE_AFTER).isoformat()
    matchers = {relaxed: Matcher(wanted.terms, bigrams=relaxed) for relaxed in (False, True)}
    hits = []
    for candidate in shown:
        path, title, url, tags, summary, updated, lifecycle, headings, content = rows[candidate.id]
        outline = [(heading[5], heading[1]) for heading in json.loads(headings)]
        passage = best_passage(matchers[candidate.relaxed], unpacked(content), outline, summary)
        hits.append(
            Hit(
                path, title, url, candidate.score, passage.snippet, passage.marks, passage.heading,
                tuple(json.loads(tags)), summary, updated, lifecycle, updated[:10] < oldest, candidate.relaxed,
            )
        )  # fmt: skip
    return hits


def _number(row: tuple[Any, ...]) -> int:
    return int(row[0])
