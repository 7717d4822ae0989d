"""Which words stand where, written as short texts: what the browser needs of the index to rank as it does.

The words are those of FTS5. It hands over those of all pages at once (`generator.vocabulary`); of single pages they are
made again from the stored text. Beside words, names (`=tea time`), tags (`#tea/green`) and lifecycles (`!draft`) are
looked up in the same way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from generator.analyser import fts_row, fts_text, name_key, path_key
from generator.digits import NUMBER, NUMBERS, VALUES
from generator.packed import unpacked
from generator.porter import stem
from generator.syntax.tag import tag_key

# What FTS5 makes words of: in folded text all others beyond ASCII are blanks, but for the radicals, which are signs.
TOKEN = "(?:[A-Za-z0-9]|[^\\x00-\\x7f\u2e80-\u2fdf])+"
CONTENT = 5
_TOKEN = re.compile(TOKEN)
_LONGEST_NAME = 300
_LONGEST_WORD = 32_768  # in bytes
_LONG = _LONGEST_WORD // 4  # letters: no shorter word is cut, or has a stem of its own
_PROPER, _ALIAS = 1, 2  # what a name is


class Source(NamedTuple):
    """What the words of a page come from: its number in the postings, and columns of the index."""

    number: int
    path: str
    title: str
    aliases: str
    tags: str
    summary: str
    lifecycle: str
    headings: str
    content: bytes


class Entry(NamedTuple):
    """How a word stands on one page: how often in which column, and at which places; both as they are written."""

    counts: bytes
    places: bytes


class Term(NamedTuple):
    """A word with its posting. Of each page, `pages` has the distance to the one before, less one, and how often the
    word stands in which column; `places` has the places themselves."""

    word: str
    pages: str
    places: str


def posting(word: str, entries: Iterable[tuple[int, Entry]]) -> Term:
    """The posting of a word that stands so on these pages, in the order of their numbers."""
    before, pages, places = -1, list[bytes](), list[bytes]()
    for number, (counts, where) in entries:
        pages += NUMBERS[number - before - 1], counts
        places.append(where)
        before = number
    return Term(word, b"".join(pages).decode("ascii"), b"".join(places).decode("ascii"))


def tokens(analysed: str) -> list[str]:
    """The words of an analysed text as FTS5's `porter unicode61` makes them: of long ones it keeps 32,768 bytes."""
    return [stem(word) if len(word) < _LONG else first_bytes(word.encode()) for word in _TOKEN.findall(analysed)]


def first_bytes(word: bytes) -> str:
    """A word as FTS5 keeps it: it may cut the last letter in two."""
    return word[:_LONGEST_WORD].decode("utf-8", "replace")


# ── one page ────────────────────────────────────────────────────────────────────────────────────────────


def entries_of(source: Source) -> tuple[dict[str, Entry], int]:
    """All that a page is found by, and how many words it has."""
    columns = [tokens(text) for text in _columns(source)]
    return _word_entries(columns) | other_entries(source), sum(map(len, columns))


def other_entries(source: Source) -> dict[str, Entry]:
    """What a page is found by beside the words in its columns."""
    entries = {f"={name}": Entry(NUMBERS[2 * (kind - 1)], b"") for name, kind in _names(source).items()}
    entries |= {f"#{tag_key(tag)}": Entry(NUMBERS[0], b"") for tag in json.loads(source.tags)}
    return entries | {f"!{source.lifecycle}": Entry(NUMBERS[0], b"")}


def _columns(source: Source) -> tuple[str, ...]:
    """The analysed columns of a page, as the index was given them."""
    outline = [heading[1] for heading in json.loads(source.headings)]
    aliases, tags = json.loads(source.aliases), json.loads(source.tags)
    return fts_row(source.path, source.title, aliases, outline, tags, source.summary, unpacked(source.content))


def _word_entries(columns: Sequence[Sequence[str]]) -> dict[str, Entry]:
    """Most words of a page stand only in its text, and most of these once: they take the short way."""
    beside: dict[str, dict[int, list[int]]] = {}
    for column, here in enumerate(columns[:CONTENT]):
        for at, word in enumerate(here):
            beside.setdefault(word, {}).setdefault(column, []).append(at)
    content: dict[str, list[int]] = {}
    for at, word in enumerate(columns[CONTENT]):
        content.setdefault(word, []).append(at)
    entries = {word: entry_in_content(places) for word, places in content.items() if word not in beside}
    for word, by_column in beside.items():
        if word in content:
            by_column[CONTENT] = content[word]
        entries[word] = entry_in(by_column)
    return entries


def entry_in_content(places: Sequence[int]) -> Entry:
    """A word that stands only in the text of a page, mostly once."""
    if len(places) == 1:
        return Entry(NUMBERS[0], NUMBERS[places[0]])
    return Entry(NUMBERS[2 * len(places) - 2], _distances(places))


def entry_in(by_column: Mapping[int, Sequence[int]]) -> Entry:
    """A word with its places by column, the columns in their order."""
    counted = _counts({column: len(places) for column, places in by_column.items()})
    return Entry(counted, b"".join(map(_distances, by_column.values())))


def _distances(places: Sequence[int]) -> bytes:
    return NUMBERS[places[0]] + b"".join([NUMBERS[b - a - 1] for a, b in pairwise(places)])


def _counts(columns: Mapping[int, int]) -> bytes:
    """How often a word stands in which column, mostly only in the text: then twice the number that exceeds one. Else
    twice the set of columns, as bits, plus one; then the numbers, by column."""
    if len(columns) == 1 and CONTENT in columns:
        return NUMBERS[2 * (columns[CONTENT] - 1)]
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


# ── a change ────────────────────────────────────────────────────────────────────────────────────────────


def changes(
    fresh: Iterable[Source], gone: Iterable[Source]
) -> tuple[dict[str, dict[int, Entry | None]], dict[str, int]]:
    """What differs by word and number of the page, and how many words each of the fresh pages has, by path. `gone` are
    pages as they were, whose entries are to be removed."""
    found: dict[str, dict[int, Entry | None]] = {}
    for source in gone:
        for word in entries_of(source)[0]:
            found.setdefault(word, {})[source.number] = None
    lengths = {}
    for source in fresh:
        entries, lengths[source.path] = entries_of(source)
        for word, entry in entries.items():
            found.setdefault(word, {})[source.number] = entry
    return found, lengths


def changed(term: Term, entries: Mapping[int, Entry | None]) -> Term:
    """A posting with other entries for some pages; empty if none is left. What lies between them is copied, unread."""
    written, where = NUMBER.findall(term.pages.encode("ascii")), NUMBER.findall(term.places.encode("ascii"))
    pages, places = list[bytes](), list[bytes]()
    number = last = -1  # the page read last, and the one written last
    at = place = 0
    for goal in (*sorted(entries), None):
        begin, begin_place, first = at, place, -1
        while at < len(written):
            found = number + VALUES[written[at]] + 1
            if goal is not None and found >= goal:
                break
            first, number = first if first >= 0 else found, found
            at, place = _behind(written, at, place)
        if first >= 0:
            pages += NUMBERS[first - last - 1], *written[begin + 1 : at]
            places += where[begin_place:place]
            last = number
        if goal is None:
            break
        if at < len(written) and number + VALUES[written[at]] + 1 == goal:
            number = goal
            at, place = _behind(written, at, place)
        entry = entries[goal]
        if entry is not None:
            pages += NUMBERS[goal - last - 1], entry.counts
            places.append(entry.places)
            last = goal
    return Term(term.word, b"".join(pages).decode("ascii"), b"".join(places).decode("ascii"))


def _behind(written: Sequence[bytes], at: int, place: int) -> tuple[int, int]:
    """Where the next page stands behind the one at `at`, and where its places begin."""
    header = VALUES[written[at + 1]]
    if not header & 1:
        return at + 2, place + header // 2 + 1
    end = at + 2 + (header >> 1).bit_count()
    return end, place + sum(map(VALUES.__getitem__, written[at + 2 : end]))
