"""The words of all pages with their postings, as FTS5 has them in its own index: a quarter of the work of making them
from the texts."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from generator.postings import (
    CONTENT,
    Entry,
    Source,
    Term,
    entry_in,
    entry_in_content,
    first_bytes,
    other_entries,
    posting,
)
from generator.processes import process_pool, without_collector
from generator.store import connect_read_only

_PARTS = 16  # of the vocabulary, each of about as many places
_SHORT = 1000  # bytes: such a word is whole
_FEW = 200_000  # places: too few to start processes for
_VOCABULARY = "CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, wiki_fts, {kind})"
# FTS5 tells each place in the order of words, pages, columns, places. The few that are not in the text become negative.
_COLUMNS = ("title", "aliases", "headings", "tags", "summary")
_PLACE = f"""CASE col WHEN 'content' THEN offset ELSE -1 - offset * {len(_COLUMNS)} - CASE col
{" ".join(f"WHEN '{name}' THEN {number}" for number, name in enumerate(_COLUMNS))} END END"""
_TERMS = f"""SELECT CAST(term AS BLOB), group_concat(doc), group_concat({_PLACE}) FROM temp.vocabulary
WHERE term >= ? AND term < ? GROUP BY term"""
_END = "\U0010ffff\U0010ffff"  # behind every word


def all_terms(db: sqlite3.Connection, index: Path, pages: Mapping[int, int], workers: int) -> Iterator[Term]:
    """The words of `pages`, which are the numbers in the postings by id, in no order; by several processes where they
    are many."""
    parts = list(_parts(db))
    if workers < 2 or len(parts) < 2:
        yield from _Reader(db, pages).terms(parts)
        return
    with process_pool(workers, _start_worker, (index, pages)) as pool:
        for terms in pool.map(_read_in_worker, parts):
            yield from terms


def other_terms(sources: Iterable[Source]) -> Iterator[Term]:
    """Names, tags and lifecycles with their postings; the pages come in the order of their numbers."""
    found: dict[str, list[tuple[int, Entry]]] = {}
    for source in sources:
        for word, entry in other_entries(source).items():
            found.setdefault(word, []).append((source.number, entry))
    return (posting(word, entries) for word, entries in found.items())


def lengths(db: sqlite3.Connection) -> dict[int, int]:
    """How many words each page has, by id."""
    return {page: _sum_of_integers(sizes) for page, sizes in db.execute("SELECT id, sz FROM wiki_fts_docsize")}


def _sum_of_integers(blob: bytes) -> int:
    """FTS5 keeps the number of words in each column as one of SQLite's integers of variable length."""
    total = value = 0
    for byte in blob:
        value = value << 7 | byte & 127
        if byte < 128:
            total, value = total + value, 0
    return total


def _parts(db: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """Ranges of words, each up to its second word, that one."""
    db.execute(_VOCABULARY.format(kind="row"))
    try:
        counts = db.execute("SELECT CAST(term AS BLOB), cnt FROM temp.vocabulary").fetchall()
    finally:
        db.execute("DROP TABLE temp.vocabulary")
    least = max(_FEW, sum(count for _, count in counts) // _PARTS)
    start, held = "", 0
    for term, count in counts:
        if held > least and len(term) < _SHORT:
            yield start, term.decode()
            start, held = term.decode(), 0
        held += count
    yield start, _END


class _Reader:
    """Reads words from the vocabulary."""

    def __init__(self, db: sqlite3.Connection, pages: Mapping[int, int]) -> None:
        self._db = db
        self._numbers = {str(page): number for page, number in pages.items()}

    def terms(self, parts: Iterable[tuple[str, str]]) -> Iterator[Term]:
        self._db.execute(_VOCABULARY.format(kind="instance"))
        try:
            for part in parts:
                for word, pages, places in self._db.execute(_TERMS, part):
                    by_page = self._by_page(pages, places)
                    if by_page:
                        yield posting(first_bytes(word), ((page, _entry(here)) for page, here in by_page))
        finally:
            self._db.execute("DROP TABLE temp.vocabulary")

    def _by_page(self, pages: str, places: str) -> list[tuple[int, list[int]]]:
        """The numbers of the pages, in order, each with the places there. FTS5 tells all places of a page together."""
        found: list[tuple[int, list[int]]] = []
        last, here = "", list[int]()
        for page, place in zip(pages.split(","), map(int, places.split(",")), strict=True):
            if page == last:
                here.append(place)
                continue
            last, here = page, [place]
            number = self._numbers.get(page)
            if number is not None:
                found.append((number, here))
        found.sort()
        return found


def _entry(places: Sequence[int]) -> Entry:
    """How a word stands on one page: nearly always in the text alone."""
    if places[0] >= 0:
        return entry_in_content(places)
    by_column: dict[int, list[int]] = {}
    for place in places:
        at, column = divmod(-1 - place, len(_COLUMNS)) if place < 0 else (place, CONTENT)
        by_column.setdefault(column, []).append(at)
    return entry_in(by_column)


_readers: list[_Reader] = []  # in a worker process: its one reader


def _start_worker(index: Path, pages: Mapping[int, int]) -> None:
    _readers.append(_Reader(connect_read_only(index), pages))


def _read_in_worker(part: tuple[str, str]) -> list[Term]:
    with without_collector():
        return list(_readers[0].terms([part]))
