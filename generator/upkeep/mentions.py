"""The names of pages, and one pass over a text that finds them all (Aho–Corasick)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from ahocorasick_rs import AhoCorasick

from generator.analyser import UNSPACED, fold_aligned
from generator.errors import WikiError
from generator.source_map import Prose, map_source
from generator.stop_words import ENGLISH
from generator.upkeep.edits import read_indexed
from generator.upkeep.snapshot import PageFacts

MOST_TEXT = 2_000_000
"""Characters of one note: what is longer is no prose."""
_SHORTEST, _LONGEST = 2, 100
_FILE, _WHOLE, _PART = 0, 1, 2
_POOL_FROM = 200  # sources: below that, starting processes costs more than it saves
_UNLINKABLE = re.compile(r"[\[\]#^|\\\n]")
_QUALIFIER = re.compile(r"\s*[(（][^()（）]*[)）]\s*\Z")
_JOINTS, _SIGILS = frozenset("-./"), frozenset("/@#$")
_UNSPACED = re.compile(f"[{UNSPACED}]")


class Name(NamedTuple):
    """What a page is called: the folded form, as spelled, the page's id, and of which rank the name is."""

    key: str
    spelled: str
    page: int
    rank: int

    @property
    def is_whole(self) -> bool:
        """Whether it is a name, and not a part of one."""
        return self.rank < _PART


class NameFinder:
    """All names that stand for exactly one page, and one pass over a text that finds them."""

    def __init__(self, names: Sequence[Name]) -> None:
        self.names = names
        self.skipped: tuple[str, ...] = ()

    @cached_property
    def _automaton(self) -> AhoCorasick:
        return AhoCorasick([name.key for name in self.names])

    def find(self, folded: str) -> list[tuple[int, int, int]]:
        """`(name, start, end)` of whole names, the longest where several overlap, in order."""
        found = [
            (start, -end, number)
            for number, start, end in self._automaton.find_matches_as_indexes(folded, overlapping=True)
            if _is_whole_word(folded, start, end)
        ]
        result, done = [], 0
        for start, minus_end, number in _longest_first(found):
            if start >= done:
                result.append((number, start, -minus_end))
                done = -minus_end
        return result

    def without(self, common: set[int]) -> NameFinder:
        """The names but those of these numbers."""
        rest = NameFinder([name for number, name in enumerate(self.names) if number not in common])
        rest.skipped = tuple(sorted({self.names[number].spelled for number in common}))
        return rest


def _longest_first(found: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Matches by place, without those that lie inside or across a longer one."""
    kept: list[tuple[int, int, int]] = []
    for start, minus_end, number in sorted(found):
        while kept and start < -kept[-1][1] and (-minus_end - start) > (-kept[-1][1] - kept[-1][0]):
            kept.pop()
        if not kept or start >= -kept[-1][1]:
            kept.append((start, minus_end, number))
    return kept


def _is_whole_word(text: str, start: int, end: int) -> bool:
    """Names of scripts with spaces stand alone; unspaced ones may stand anywhere."""
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    if not (_is_edge(before[-1:], text[start]) and _is_edge(after[:1], text[end - 1])):
        return False
    # `Tea-time`, `notes/Tea`, `Tea.md`, `#Tea`: a part of something else.
    joined_before = before[-1:] in _SIGILS or (before[-1:] in _JOINTS and len(before) > 1 and _is_word(before[0]))
    return not joined_before and not (after[:1] in _JOINTS and len(after) > 1 and _is_word(after[1]))


def _is_edge(outside: str, inside: str) -> bool:
    if not outside or not _is_word(outside) or not _is_word(inside):
        return True
    return _UNSPACED.match(inside) is not None or _UNSPACED.match(outside) is not None


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_" or unicodedata.category(char)[0] == "M"


def names_of(pages: Iterable[PageFacts]) -> NameFinder:
    """The names of the pages that mean one of them only, and are no common word."""
    claimed: dict[str, dict[int, Name]] = {}
    for page in pages:
        if page.special or _UNLINKABLE.search(page.path):
            continue
        for spelled, rank in _spellings(page):
            key = fold_aligned(unicodedata.normalize("NFC", spelled))
            if _is_name(spelled, key):
                known = claimed.setdefault(key, {}).get(page.id)
                if known is None or rank < known.rank:
                    claimed[key][page.id] = Name(key, spelled, page.id, rank)
    names = []
    for owners in claimed.values():
        best = min(name.rank for name in owners.values())
        chosen = [name for name in owners.values() if name.rank == best]
        names += chosen if len(chosen) == 1 else []
    return NameFinder(sorted(names))


def _spellings(page: PageFacts) -> Iterator[tuple[str, int]]:
    """What the page is called, with a rank: as for links, a file's name beats another page's title or alias."""
    for name in dict.fromkeys((page.stem, page.title, *page.aliases)):
        yield " ".join(name.split()), _FILE if name == page.stem else _WHOLE
        part = _QUALIFIER.sub("", name)
        if part != name:
            yield " ".join(part.split()), _PART


def _is_name(spelled: str, key: str) -> bool:
    if not _SHORTEST <= len(key) <= _LONGEST or key in ENGLISH or key.isdecimal():
        return False
    return any(char.isalpha() for char in key)


class Mention(NamedTuple):
    """The first mention of a page: the number of the name, its place in the source, and in what it stands."""

    name: int
    start: int
    end: int
    text: str
    prose: Prose


class Job(NamedTuple):
    """A source to look through: the number of the names to use, its path and digest, and the pages to find."""

    names: int
    path: str
    digest: str
    wanted: frozenset[int]


def find_mentions(
    vault: Path, finders: Sequence[NameFinder], jobs: Sequence[Job], workers: int
) -> Iterator[list[Mention]]:
    """The mentions in each source, in order; many sources are shared by `workers` processes."""
    if workers < 2 or len(jobs) < _POOL_FROM:
        yield from (_mentions_in(vault, finders[job.names], job) for job in jobs)
        return
    from generator.processes import process_pool

    with process_pool(workers, _start_worker, (vault, [finder.names for finder in finders])) as pool:
        yield from pool.map(_work, jobs, chunksize=16)


_worker: list[tuple[Path, list[NameFinder]]] = []
"""What a worker process works with: set once when it starts."""


def _start_worker(vault: Path, names: Sequence[Sequence[Name]]) -> None:
    _worker[:] = [(vault, [*map(NameFinder, names)])]


def _work(job: Job) -> list[Mention]:
    vault, finders = _worker[0]
    return _mentions_in(vault, finders[job.names], job)


def _mentions_in(vault: Path, names: NameFinder, job: Job) -> list[Mention]:
    """The first mention of each wanted page in the prose of a source."""
    wanted = job.wanted
    try:
        source = read_indexed(vault, job.path, job.digest)
    except WikiError:
        return []
    if len(source.text) > MOST_TEXT:
        return []
    found: list[Mention] = []
    seen: set[int] = set()

    def names_one(text: str) -> bool:
        return any(names.names[number].page in wanted for number, _, _ in names.find(fold_aligned(text)))

    for prose in map_source(source.text, only=names_one).prose:
        if prose.place == "heading":
            continue
        text = source.text[prose.start : prose.end]
        for number, start, end in names.find(fold_aligned(text)):
            page, first, last = names.names[number].page, prose.start + start, prose.start + end
            if page in wanted and page not in seen and _can_be_linked(source.text, first, last):
                seen.add(page)
                found.append(Mention(number, first, last, text[start:end], prose))
    return found


def _can_be_linked(text: str, start: int, end: int) -> bool:
    """Brackets around it, or a mark that would make it an embed, give the inserted ones another meaning."""
    return text[start - 1 : start] not in ("[", "!", "\\") and text[end : end + 1] not in ("]", "(")
