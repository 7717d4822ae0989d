"""Which words stand where, written as short texts: what the browser needs of the index to rank as it does.

The words are those of FTS5, which cannot hand them over quickly: `tokens` makes them again from the stored text. Beside
words, names (`=tea time`), tags (`#tea/green`) and lifecycles (`!draft`) are looked up in the same way.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from generator.analyser import fts_row, fts_text, name_key, path_key
from generator.digits import NUMBER, NUMBERS, VALUES
from generator.packed import packed, unpacked
from generator.porter import stem
from generator.processes import process_pool, without_collector
from generator.store import connect_read_only
from generator.syntax.tag import tag_key

# What FTS5 makes words of: in folded text all others beyond ASCII are blanks, but for the radicals, which are signs.
TOKEN = "(?:[A-Za-z0-9]|[^\\x00-\\x7f\u2e80-\u2fdf])+"
COLUMNS = 6
_CONTENT = 5
_TOKEN = re.compile(TOKEN)
_TOGETHER = 400  # pages that one worker takes at a time
_LONGEST_NAME = 300
_PROPER, _ALIAS = 1, 2  # what a name is


class _Stems(dict[str, str]):
    """The stems of the words met: a vault has few different words."""

    def __missing__(self, word: str) -> str:
        self[word] = stem(word)
        return self[word]


class Source(NamedTuple):
    """A page to be searched: its number in the postings, its id in the index, and what else its words come from."""

    number: int
    id: int
    path: str
    title: str
    aliases: str
    tags: str
    summary: str
    lifecycle: str


class Entry(NamedTuple):
    """How a word stands on one page: how often in which column, and at which places; both as they are written."""

    counts: bytes
    places: bytes


class Posting:
    """Where one word stands: on pages from `first` to `last`. Of each page after the first, `pages` has the distance to
    the one before, less one; of each, how often the word stands in which column. `places` has the places themselves."""

    __slots__ = ("first", "last", "pages", "places")

    def __init__(self, first: int) -> None:
        self.first = self.last = first
        self.pages, self.places = bytearray(), bytearray()

    def texts(self) -> tuple[bytes, bytes]:
        """The posting from page 0, and the places."""
        return NUMBERS[self.first] + self.pages, bytes(self.places)


class Page(NamedTuple):
    """What is to be remembered of a page in the postings: how many words it has, and which (see `packed_words`)."""

    length: int
    words: bytes


class Postings(NamedTuple):
    """The words of pages, and the pages in the order of their numbers."""

    words: dict[str, Posting]
    pages: list[Page]


def tokens(analysed: str, stems: Mapping[str, str]) -> list[str]:
    """The words of an analysed text as FTS5's `porter unicode61` makes them."""
    return list(map(stems.__getitem__, _TOKEN.findall(analysed)))


# ── one page ────────────────────────────────────────────────────────────────────────────────────────────


def entries_of(db: sqlite3.Connection, source: Source, stems: Mapping[str, str]) -> tuple[dict[str, Entry], Page]:
    """All that a page is found by."""
    columns = [tokens(text, stems) for text in _columns(db, source)]
    entries = _word_entries(columns)
    for name, kind in _names(source).items():
        entries[f"={name}"] = Entry(NUMBERS[2 * (kind - 1)], b"")
    for tag in json.loads(source.tags):
        entries[f"#{tag_key(tag)}"] = Entry(NUMBERS[0], b"")
    entries[f"!{source.lifecycle}"] = Entry(NUMBERS[0], b"")
    return entries, Page(sum(map(len, columns)), packed("\n".join(entries)))


def read_words(words: bytes) -> list[str]:
    """The words of a `Page`."""
    return unpacked(words).split("\n")


def _columns(db: sqlite3.Connection, source: Source) -> tuple[str, ...]:
    """The analysed columns of a page, as the index was given them."""
    headings, content = db.execute("SELECT headings, content FROM wiki_content WHERE id = ?", (source.id,)).fetchone()
    outline = [heading[1] for heading in json.loads(headings)] if headings != "[]" else []
    aliases, tags = json.loads(source.aliases), json.loads(source.tags)
    return fts_row(source.path, source.title, aliases, outline, tags, source.summary, unpacked(content))


def _word_entries(columns: Sequence[Sequence[str]]) -> dict[str, Entry]:
    """Most words of a page stand only in its text, and most of these once: they take the short way."""
    beside: dict[str, dict[int, list[int]]] = {}
    for column, here in enumerate(columns[:_CONTENT]):
        for at, word in enumerate(here):
            beside.setdefault(word, {}).setdefault(column, []).append(at)
    content: dict[str, list[int]] = {}
    for at, word in enumerate(columns[_CONTENT]):
        if word in content:
            content[word].append(at)
        else:
            content[word] = [at]
    entries = {}
    for word, places in content.items():
        if word not in beside:
            where = NUMBERS[places[0]] if len(places) == 1 else _distances(places)
            entries[word] = Entry(NUMBERS[2 * len(places) - 2], where)
    for word, by_column in beside.items():
        if word in content:
            by_column[_CONTENT] = content[word]
        counted = _counts({column: len(places) for column, places in by_column.items()})
        entries[word] = Entry(counted, b"".join(map(_distances, by_column.values())))
    return entries


def _distances(places: Sequence[int]) -> bytes:
    return NUMBERS[places[0]] + b"".join([NUMBERS[b - a - 1] for a, b in pairwise(places)])


def _counts(columns: Mapping[int, int]) -> bytes:
    """How often a word stands in which column, mostly only in the text: then twice the number that exceeds one. Else
    twice the set of columns, as bits, plus one; then the numbers, by column."""
    if len(columns) == 1 and _CONTENT in columns:
        return NUMBERS[2 * (columns[_CONTENT] - 1)]
    bits = sum(1 << column for column in columns)
    return NUMBERS[2 * bits + 1] + b"".join(NUMBERS[number] for number in columns.values())


def _names(source: Source) -> dict[str, int]:
    """What a page is called: by title, file name, path and aliases."""
    proper = {name_key(source.title)}
    if _is_searched_by_file(source):
        whole = name_key(source.path.removesuffix(".md"))
        proper |= {whole, whole.rpartition("/")[2]}
    names = dict.fromkeys(map(name_key, json.loads(source.aliases)), _ALIAS) | dict.fromkeys(proper, _PROPER)
    # What is typed has no line ends.
    return {name: kind for name, kind in names.items() if 0 < len(name) <= _LONGEST_NAME and "\n" not in name}


def _is_searched_by_file(source: Source) -> bool:
    """Whether the index finds the page by its file's name: it knows that by itself only if the title lacks a word."""
    name = path_key(source.path).rpartition("/")[2]
    title, words_of_name = fts_text(source.title).split(), fts_text(name).split()
    if not set(title).issuperset(words_of_name):
        return True
    size = len(words_of_name)
    return any(title[at : at + size] == words_of_name for at in range(len(title) - size + 1))


# ── all pages ───────────────────────────────────────────────────────────────────────────────────────────


def gather(db: sqlite3.Connection, sources: Iterable[Source]) -> Postings:
    """The words of pages, which come in the order of their numbers."""
    words: dict[str, Posting] = {}
    pages = []
    stems = _Stems()
    with without_collector():
        for source in sources:
            entries, page = entries_of(db, source, stems)
            pages.append(page)
            for word, (counted, places) in entries.items():
                posting = words.get(word)
                if posting is None:
                    words[word] = posting = Posting(source.number)
                else:
                    posting.pages += NUMBERS[source.number - posting.last - 1]
                    posting.last = source.number
                posting.pages += counted
                posting.places += places
    return Postings(words, pages)


def all_postings(db: sqlite3.Connection, index: Path, sources: Sequence[Source], workers: int) -> Postings:
    """The words of all pages, gathered by several processes where pages are many."""
    groups = [sources[at : at + _TOGETHER] for at in range(0, len(sources), _TOGETHER)]
    if workers < 2 or len(groups) < 2:
        return _joined(gather(db, group) for group in groups)
    with process_pool(workers, _start_worker, (index,)) as pool:
        return _joined(pool.map(_gather_in_worker, groups))


def _joined(parts: Iterable[Postings]) -> Postings:
    words: dict[str, Posting] = {}
    pages: list[Page] = []
    for part in parts:
        pages += part.pages
        for word, more in part.words.items():
            posting = words.get(word)
            if posting is None:
                words[word] = more
                continue
            posting.pages += NUMBERS[more.first - posting.last - 1] + more.pages
            posting.places += more.places
            posting.last = more.last
    return Postings(words, pages)


_connections: list[sqlite3.Connection] = []  # in a worker process: its one connection


def _start_worker(index: Path) -> None:
    _connections.append(connect_read_only(index))


def _gather_in_worker(group: Sequence[Source]) -> Postings:
    return gather(_connections[0], group)


# ── a change ────────────────────────────────────────────────────────────────────────────────────────────


def changes(
    db: sqlite3.Connection, sources: Iterable[Source], gone: Iterable[tuple[int, bytes]]
) -> tuple[dict[str, dict[int, Entry | None]], list[Page]]:
    """What differs by word and number of the page, and the pages of the sources. `gone` are the numbers and words of
    pages as they were, whose entries are to be removed."""
    found: dict[str, dict[int, Entry | None]] = {}
    for number, words in gone:
        for word in read_words(words):
            found.setdefault(word, {})[number] = None
    pages = []
    stems = _Stems()
    for source in sources:
        entries, page = entries_of(db, source, stems)
        pages.append(page)
        for word, entry in entries.items():
            found.setdefault(word, {})[source.number] = entry
    return found, pages


def changed(pages: bytes, places: bytes, entries: Mapping[int, Entry | None]) -> tuple[bytes, bytes]:
    """A posting with other entries for some pages; empty if none is left."""
    held: dict[int, Entry | None] = dict(_entries(pages, places))
    held.update(entries)
    before = -1
    new_pages, new_places = bytearray(), bytearray()
    for number in sorted(held):
        entry = held[number]
        if entry is not None:
            new_pages += NUMBERS[number - before - 1] + entry.counts
            new_places += entry.places
            before = number
    return bytes(new_pages), bytes(new_places)


def _entries(pages: bytes, places: bytes) -> Iterator[tuple[int, Entry]]:
    """The pages of a posting by number."""
    written, where = NUMBER.findall(pages), NUMBER.findall(places)
    number, at, place = -1, 0, 0
    while at < len(written):
        number += VALUES[written[at]] + 1
        header = VALUES[written[at + 1]]
        end = at + 2
        if header & 1:
            columns = (header >> 1).bit_count()
            often = sum(map(VALUES.__getitem__, written[end : end + columns]))
            end += columns
        else:
            often = header // 2 + 1
        yield number, Entry(b"".join(written[at + 1 : end]), b"".join(where[place : place + often]))
        at, place = end, place + often
