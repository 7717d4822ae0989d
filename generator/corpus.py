"""What is searched, and within which bounds: pages or raw sources, narrowed by filters, folder and date."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from generator.analyser import name_key
from generator.query import Program, Query
from generator.search_query import Filter, Term, any_of


@dataclass(frozen=True, slots=True)
class Corpus:
    """What is searched: the tables of the pages, or those of the raw sources, which have the same columns."""

    scope: str
    pages: str
    content: str
    fts: str
    tags: str

    @property
    def searched(self) -> str:
        """A condition for what is found by its text: special files list everything."""
        return f"{{id}} NOT IN (SELECT id FROM {self.pages} WHERE special)" if self is WIKI else "1"


WIKI = Corpus("wiki", "wiki_pages", "wiki_content", "wiki_fts", "wiki_page_tags")
RAW = Corpus("raw", "raw_pages", "raw_content", "raw_fts", "raw_page_tags")
SCOPES = {"wiki": (WIKI,), "raw": (RAW,), "all": (WIKI, RAW)}


@dataclass(frozen=True, slots=True)
class Bounds:
    """Conditions on the page id, written `{id}`, with their parameters."""

    conditions: tuple[str, ...] = ()
    params: tuple[Any, ...] = ()
    excluded: str = ""  # an FTS5 expression

    def sql(self, column: str) -> str:
        """The conditions on a column, each with AND before it."""
        # The plus keeps SQLite from looking up every id of the condition in the full-text index, one by one.
        return "".join(f" AND {condition.replace('{id}', '+' + column)}" for condition in self.conditions)

    def also(self, condition: str, *params: Any) -> Bounds:
        """These bounds and one condition more."""
        return Bounds((*self.conditions, condition), (*self.params, *params), self.excluded)

    def match(self, expression: str) -> str:
        """An FTS5 expression without the pages that hold an excluded word: to a query without one, `listed` applies."""
        return f"({expression}) NOT ({self.excluded})" if self.excluded else expression

    def listed(self, corpus: Corpus) -> Bounds:
        """These bounds with the excluded words as a condition like the others."""
        if not self.excluded:
            return self
        with_them = f"SELECT rowid FROM {corpus.fts} WHERE {corpus.fts} MATCH ?"
        return Bounds(self.conditions, self.params).also(f"{{id}} NOT IN ({with_them})", self.excluded)


def bounds_of(
    corpus: Corpus, asked: Sequence[Filter], excluded: Sequence[Term], folder: str, since: str
) -> Program[Bounds]:
    """The conditions that filters, excluded words, a folder and a date put on the pages of a corpus."""
    bounds = Bounds()
    for condition in asked:
        word = "NOT IN" if condition.negative else "IN"
        if condition.field == "tag":
            tag = name_key(condition.value).strip("#/")
            below = f"SELECT page FROM {corpus.tags} WHERE tag = ? OR (tag >= ? AND tag < ?)"
            bounds = bounds.also(f"{{id}} {word} ({below})", tag, f"{tag}/", f"{tag}0")
        elif condition.field == "lifecycle":
            with_it = f"SELECT id FROM {corpus.pages} WHERE lifecycle = ?"
            bounds = bounds.also(f"{{id}} {word} ({with_it})", name_key(condition.value))
        else:
            ids = yield from _ids_by_path(corpus, condition)
            bounds = bounds.also(f"{{id}} {word} (SELECT value FROM json_each(?))", json.dumps(ids))
    if folder.strip("/"):
        inside = f"SELECT id FROM {corpus.pages} WHERE path >= ? AND path < ?"
        bounds = bounds.also(f"{{id}} IN ({inside})", f"{folder.strip('/')}/", f"{folder.strip('/')}0")
    if since:
        bounds = bounds.also(f"{{id}} IN (SELECT id FROM {corpus.pages} WHERE updated_at >= ?)", since)
    return replace(bounds, excluded=any_of(excluded))


def _ids_by_path(corpus: Corpus, condition: Filter) -> Program[list[int]]:
    """The pages whose path (or file name) holds the value. In Python, since SQL compares only ASCII without case."""
    value = name_key(condition.value)
    rows: list[tuple[int, str]] = yield Query(f"SELECT id, path FROM {corpus.pages}", (), tuple)
    name_only = condition.field == "file"
    return [id_ for id_, path in rows if value in (path.rpartition("/")[2] if name_only else path).casefold()]


def within(corpus: Corpus, ids: Iterable[int], bounds: Bounds) -> Program[set[int]]:
    """Those of the pages that the bounds leave."""
    bounds = bounds.listed(corpus)
    sql = f"SELECT p.id FROM json_each(?) e CROSS JOIN {corpus.pages} p ON p.id = e.value WHERE 1{bounds.sql('p.id')}"
    return set((yield Query(sql, (json.dumps(sorted(ids)), *bounds.params), _number)))


def _number(row: tuple[Any, ...]) -> int:
    return int(row[0])
