"""The words with their postings, cut by word into small files: all of them, or only those that a change touches.

Where the words are cut depends on the words beside the cut alone, so that files far from a change stay as they are, and
those near it come out as if all had been made anew.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple
from zlib import crc32

from generator.postings import Entry, Term, changed

# A file is cut before one word in 64, once it has the least size: 20 kB on average, most but for single words.
_LEAST, _MOST, _ONE_IN = 12_000, 32_000, 64
Changes = Mapping[str, Mapping[int, Entry | None]]


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
        return bool(self._terms) and (self.ends_before_word(term.word) or self._size + _size(term) > _MOST)

    def ends_before_word(self, word: str) -> bool:
        """Whether it does, however much there is to say of the word."""
        return self._size >= _LEAST and crc32(word.encode()) % _ONE_IN == 0

    def add(self, term: Term) -> Iterator[Cut]:
        """Take a word in; yields the file that is full without it."""
        if self.ends_before(term):
            yield self.take()
        self._terms.append(term)
        self._size += _size(term)

    def take(self) -> Cut:
        """What was collected."""
        terms, self._terms, self._size = self._terms, [], 0
        pages = [text for term in terms for text in (term.word, term.pages)]
        return Cut(terms[0].word, pages, [term.places for term in terms])


def _size(term: Term) -> int:
    return len(term.word) + max(len(term.pages), len(term.places))


def _order(word: str) -> bytes:
    """The order in which a browser compares texts."""
    return word.encode("utf-16-be")


def cut(terms: Iterable[Term]) -> Iterator[Cut]:
    """All words as files."""
    cutter = _Cutter()
    for term in sorted(terms, key=lambda term: _order(term.word)):
        yield from cutter.add(term)
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
        if at in touched or (cutter and _goes_on(cutter, shard, read)):
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


def _goes_on(cutter: _Cutter, shard: Shard, read: Callable[[str], Sequence[str]]) -> bool:
    """Whether the file before does not end where this one began; mostly its first word alone tells."""
    return not cutter.ends_before_word(shard.first) and not cutter.ends_before(_terms(shard, read)[0])


def _terms(shard: Shard, read: Callable[[str], Sequence[str]]) -> list[Term]:
    pages, places = read(shard.pages), read(shard.places)
    return list(map(Term, pages[::2], pages[1::2], places))


def _merged(terms: Iterable[Term], changes: Changes) -> list[Term]:
    """The words with their changes, without those that no page holds any more."""
    held = {term.word: term for term in terms}
    new = changes.keys() - held.keys()
    for word in changes:
        held[word] = changed(held.get(word) or Term(word, "", ""), changes[word])
    merged = [term for term in held.values() if term.pages]
    return sorted(merged, key=lambda term: _order(term.word)) if new else merged
