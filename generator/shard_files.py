"""The words with their postings, cut by word into small files: all of them, or only those that a change touches.

Where the words are cut depends on the words beside the cut alone, so that files far from a change stay as they are, and
those near it come out as if all had been made anew.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple
from zlib import crc32

from generator.postings import Entry, Posting, changed

# A file is cut before one word in 64, once it has the least size: 20 kB on average, most but for single words.
_LEAST, _MOST, _ONE_IN = 12_000, 32_000, 64
Changes = Mapping[str, Mapping[int, Entry | None]]


class Term(NamedTuple):
    """A word with its pages and its places on them, as `generator.postings` writes them."""

    word: str
    pages: bytes
    places: bytes


class Shard(NamedTuple):
    """A pair of files: their first word, and the names of the file of the pages and of that of the places."""

    first: str
    pages: str
    places: str


class Cut(NamedTuple):
    """What goes into a pair of files: words and their pages in turn; the places."""

    first: str
    pages: list[str]
    places: list[str]


class _Cutter:
    """Collects words until a file is full."""

    def __init__(self) -> None:
        self._terms: list[Term] = []
        self._size = 0

    def __bool__(self) -> bool:
        return bool(self._terms)

    def ends_before(self, term: Term) -> bool:
        """Whether the next file begins with this word."""
        may_end = self._size >= _LEAST and crc32(term.word.encode()) % _ONE_IN == 0
        return bool(self._terms) and (may_end or self._size + _size(term) > _MOST)

    def add(self, term: Term) -> Iterator[Cut]:
        """Take a word in; yields the file that is full without it."""
        if self.ends_before(term):
            yield self.take()
        self._terms.append(term)
        self._size += _size(term)

    def take(self) -> Cut:
        """What was collected."""
        terms, self._terms, self._size = self._terms, [], 0
        pages = [text for term in terms for text in (term.word, term.pages.decode("ascii"))]
        return Cut(terms[0].word, pages, [term.places.decode("ascii") for term in terms])


def _size(term: Term) -> int:
    return len(term.word) + max(len(term.pages), len(term.places))


def _order(word: str) -> bytes:
    """The order in which a browser compares texts."""
    return word.encode("utf-16-be")


def cut(words: Mapping[str, Posting]) -> Iterator[Cut]:
    """All words as files."""
    cutter = _Cutter()
    for word in sorted(words, key=_order):
        yield from cutter.add(Term(word, *words[word].texts()))
    if cutter:
        yield cutter.take()


def cut_again(old: Sequence[Shard], read: Callable[[str], Sequence[str]], changes: Changes) -> Iterator[Shard | Cut]:
    """The files after a change, those that stay as they were among them. `read` gives what a file holds, by name."""
    firsts = [_order(shard.first) for shard in old]
    changed_in: dict[int, list[str]] = {}
    for word in changes:
        changed_in.setdefault(max(0, bisect_right(firsts, _order(word)) - 1), []).append(word)
    # Where a file ends depends on the first word of the next one.
    touched = {*changed_in, *(at - 1 for at in changed_in if old[at:] and old[at].first in changes)}
    cutter = _Cutter()
    for at, shard in enumerate(old):
        if at in touched or (cutter and not cutter.ends_before(next(_terms(shard, read)))):
            for term in _merged(_terms(shard, read), {word: changes[word] for word in changed_in.get(at, ())}):
                yield from cutter.add(term)
            continue
        if cutter:
            yield cutter.take()
        yield shard
    if not old:
        for term in _merged((), changes):
            yield from cutter.add(term)
    if cutter:
        yield cutter.take()


def _terms(shard: Shard, read: Callable[[str], Sequence[str]]) -> Iterator[Term]:
    pages, places = read(shard.pages), read(shard.places)
    for word, text, where in zip(pages[::2], pages[1::2], places, strict=True):
        yield Term(word, text.encode("ascii"), where.encode("ascii"))


def _merged(terms: Iterable[Term], changes: Changes) -> Iterator[Term]:
    """The words with their changes, without those that no page holds any more."""
    held = {term.word: term for term in terms}
    for word in sorted({*held, *changes}, key=_order):
        term = held.get(word, Term(word, b"", b""))
        if word in changes:
            term = Term(word, *changed(term.pages, term.places, changes[word]))
        if term.pages:
            yield term
