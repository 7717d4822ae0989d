"""Which words stand where, written as short texts: what the browser needs of the index to rank as it does.

The words are those of FTS5, which cannot hand them over quickly: `tokens` makes them again from the stored text. Numbers
are written in base 45, each with one of 45 characters for its last digit and of 45 others for those before it, so that
small ones take one character and none needs a blank. Nothing in them can end a string or a script.
"""

from __future__ import annotations

import gc
import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from generator.analyser import fts_row
from generator.packed import unpacked
from generator.porter import stem
from generator.processes import process_pool
from generator.store import connect_read_only

BASE = 45
# All that can be seen of ASCII, but for `!`, `"`, `<` and `\`.
DIGITS = bytes(code for code in range(35, 127) if code not in (60, 92))
# What FTS5 makes words of: in folded text all others beyond ASCII are blanks, but for the radicals, which are signs.
TOKEN = "(?:[A-Za-z0-9]|[^\\x00-\\x7f\u2e80-\u2fdf])+"
COLUMNS = 6
_CONTENT = 5
_TOKEN = re.compile(TOKEN)
_TOGETHER = 400  # pages that one worker takes at a time


class _Numbers(dict[int, bytes]):
    """How numbers are written, worked out when first met."""

    def __missing__(self, number: int) -> bytes:
        digits = [DIGITS[number % BASE]]
        rest = number // BASE
        while rest:
            digits.append(DIGITS[BASE + rest % BASE])
            rest //= BASE
        written = bytes(reversed(digits))
        if len(self) < 100_000:
            self[number] = written
        return written


NUMBERS = _Numbers()


class _Stems(dict[str, str]):
    """The stems of the words met: a vault has few different words."""

    def __missing__(self, word: str) -> str:
        self[word] = stem(word)
        return self[word]


class Source(NamedTuple):
    """A page to be searched: its number in the site, its id in the index, and what else its words come from."""

    number: int
    id: int
    path: str
    title: str
    aliases: str
    tags: str
    summary: str


class Posting:
    """Where one word stands: on pages from `first` to `last`. Of each page after the first, `pages` has the distance to
    the one before, less one; of each, how often the word stands in which column. `places` has the places themselves."""

    __slots__ = ("first", "last", "pages", "places")

    def __init__(self, first: int) -> None:
        self.first = self.last = first
        self.pages, self.places = bytearray(), bytearray()

    def text(self) -> str:
        """The posting as one text, from page 0."""
        return (NUMBERS[self.first] + self.pages).decode("ascii")


class Postings(NamedTuple):
    """The words of pages, and how many words each page has."""

    words: dict[str, Posting]
    lengths: list[int]


def tokens(analysed: str, stems: Mapping[str, str]) -> list[str]:
    """The words of an analysed text as FTS5's `porter unicode61` makes them."""
    return list(map(stems.__getitem__, _TOKEN.findall(analysed)))


def gather(db: sqlite3.Connection, sources: Sequence[Source]) -> Postings:
    """The words of pages, which come in the order of their numbers."""
    words: dict[str, Posting] = {}
    lengths = []
    stems = _Stems()
    with without_collector():
        for source in sources:
            columns = [tokens(text, stems) for text in _columns(db, source)]
            lengths.append(sum(map(len, columns)))
            _add_page(words, source.number, columns)
    return Postings(words, lengths)


def _columns(db: sqlite3.Connection, source: Source) -> tuple[str, ...]:
    """The analysed columns of a page, as the index was given them."""
    headings, content = db.execute("SELECT headings, content FROM wiki_content WHERE id = ?", (source.id,)).fetchone()
    outline = [heading[1] for heading in json.loads(headings)] if headings != "[]" else []
    aliases, tags = json.loads(source.aliases), json.loads(source.tags)
    return fts_row(source.path, source.title, aliases, outline, tags, source.summary, unpacked(content))


def _add_page(words: dict[str, Posting], page: int, columns: Sequence[Sequence[str]]) -> None:
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
    for word, places in content.items():
        if word not in beside:
            posting = _at(words, word, page)
            posting.pages += NUMBERS[2 * len(places) - 2]
            posting.places += NUMBERS[places[0]] if len(places) == 1 else _distances(places)
    for word, by_column in beside.items():
        if word in content:
            by_column[_CONTENT] = content[word]
        posting = _at(words, word, page)
        posting.pages += counts({column: len(places) for column, places in by_column.items()})
        for places in by_column.values():
            posting.places += _distances(places)


def _at(words: dict[str, Posting], word: str, page: int) -> Posting:
    """The posting of a word, brought forward to a page."""
    posting = words.get(word)
    if posting is None:
        words[word] = posting = Posting(page)
    else:
        posting.pages += NUMBERS[page - posting.last - 1]
        posting.last = page
    return posting


def _distances(places: Sequence[int]) -> bytes:
    return NUMBERS[places[0]] + b"".join([NUMBERS[b - a - 1] for a, b in pairwise(places)])


def counts(columns: Mapping[int, int]) -> bytes:
    """How often a word stands in which column, mostly only in the text: then twice the number that exceeds one. Else
    twice the set of columns, as bits, plus one; then the numbers, by column."""
    if len(columns) == 1 and _CONTENT in columns:
        return NUMBERS[2 * (columns[_CONTENT] - 1)]
    bits = sum(1 << column for column in columns)
    return NUMBERS[2 * bits + 1] + b"".join(NUMBERS[number] for number in columns.values())


def listed(pages: Iterable[tuple[int, int]]) -> str:
    """Pages with a number from 1 on each, written as a posting. They come in order."""
    out = bytearray()
    before = -1
    for page, number in pages:
        out += NUMBERS[page - before - 1] + NUMBERS[2 * (number - 1)]
        before = page
    return out.decode("ascii")


def numbers(values: Iterable[int]) -> str:
    """Numbers as one text."""
    return b"".join(map(NUMBERS.__getitem__, values)).decode("ascii")


@contextmanager
def without_collector() -> Iterator[None]:
    """A hundred thousand values and no cycle among them: the collector would walk them all again and again."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def all_postings(db: sqlite3.Connection, index: Path, sources: Sequence[Source], workers: int) -> Postings:
    """The words of all pages, gathered by several processes where pages are many."""
    groups = [sources[at : at + _TOGETHER] for at in range(0, len(sources), _TOGETHER)]
    if workers < 2 or len(groups) < 2:
        return _joined(gather(db, group) for group in groups)
    with process_pool(workers, _start_worker, (index,)) as pool:
        return _joined(pool.map(_gather_in_worker, groups))


def _joined(parts: Iterable[Postings]) -> Postings:
    words: dict[str, Posting] = {}
    lengths: list[int] = []
    for part in parts:
        lengths += part.lengths
        for word, more in part.words.items():
            posting = words.get(word)
            if posting is None:
                words[word] = more
                continue
            posting.pages += NUMBERS[more.first - posting.last - 1] + more.pages
            posting.places += more.places
            posting.last = more.last
    return Postings(words, lengths)


_connections: list[sqlite3.Connection] = []  # in a worker process: its one connection


def _start_worker(index: Path) -> None:
    _connections.append(connect_read_only(index))


def _gather_in_worker(group: Sequence[Source]) -> Postings:
    return gather(_connections[0], group)
