"""The index as script files for the browser: the postings of all words, cut by word into small files, and a directory.

Files are named after what they hold: a changed page changes the names of the files that hold its words,
and no reader meets an old one.

In the postings, pages have numbers that follow from their paths, nearly whatever other pages there are: so a new page
changes the files of its own words alone. The directory lists the numbers in the order of the paths, by which equal
scores are parted, and in which a folder is a range.
"""

from __future__ import annotations

import sqlite3
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import md5
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

from generator import analyser, stop_words, words
from generator.digest import digest
from generator.digits import BASE, DIGITS, numbers
from generator.postings import TOKEN, Source, changes
from generator.render import messages
from generator.script_data import handed_over, safe_json, script
from generator.shard_files import Cut, Shard, cut, cut_again
from generator.urls import SEARCH
from generator.vocabulary import all_terms, lengths, other_terms
from generator.wiki import PageRow, Wiki

VERSION = 2  # of the files: raise it when they are written differently
DIRECTORY = f"{SEARCH}/index.js"
_TOGETHER = 32  # addresses in one file, on average
_MOST_CHOICES = 300  # tags and folders to choose from
_FEW = 50  # changed pages: more of them, and more than one in ten, are not worked into the files one by one


class Searched(NamedTuple):
    """A page as it is in the files: its number, which text of it, and how many words it has."""

    number: int
    content_hash: str
    length: int


@dataclass(frozen=True, slots=True)
class Before:
    """The files as they are: the pages in them by path; `source` gives what the words of one of them came from, None
    where that is not known any more; `read` gives a file by its output path."""

    pages: Mapping[str, Searched]
    source: Callable[[str], Source | None]
    read: Callable[[str], bytes]


@dataclass(frozen=True, slots=True)
class Files:
    """The files by output path, None for those that stay; the pages in them by path."""

    files: Mapping[str, bytes | None]
    pages: Mapping[str, Searched]


def state(wiki: Wiki, language: str) -> str:
    """A digest of all that the files are made from, but for how the pages were parsed."""
    pages = (f"{p.path}\x1e{p.url}\x1e{p.content_hash}\x1e{p.updated_at}\x1e{p.special}" for p in wiki.pages.values())
    return digest([language, *pages])


def search_files(
    wiki: Wiki, db: sqlite3.Connection, index: Path, language: str, workers: int, before: Before | None = None
) -> Files:
    """All files of the search. Those from `before` are worked on where few pages have changed."""
    pages = tuple(wiki.pages.values())
    numbers_of = dict(zip((page.path for page in pages), _numbers([page.path for page in pages]), strict=True))
    files: dict[str, bytes | None] = {}
    worked_on = _worked_on(wiki, db, numbers_of, before) if before else None
    if worked_on:
        shards, searched = worked_on
    else:
        found = lengths(db)
        searched = {p.path: Searched(numbers_of[p.path], p.content_hash, found[p.id]) for p in pages}
        by_number = sorted(pages, key=lambda page: numbers_of[page.path])
        named = other_terms(_source(page, numbers_of[page.path]) for page in by_number)
        terms = all_terms(db, index, {page.id: numbers_of[page.path] for page in pages}, workers)
        shards = cut(chain(named, terms))
    directory = {
        "terms": _put_shards(files, shards),
        "numbers": numbers(numbers_of.values()),
        "lengths": numbers(searched[page.path].length for page in pages),
        "pages": [(start, _put(files, rows)) for start, rows in _page_files(pages)],
        **_overview(wiki, pages),
        "texts": _texts(language),
        "rules": rules(),
    }
    files[DIRECTORY] = script("search/index", safe_json(directory))
    return Files(files, searched)


def _worked_on(
    wiki: Wiki, db: sqlite3.Connection, numbers_of: Mapping[str, int], before: Before
) -> tuple[Iterator[Shard | Cut], Mapping[str, Searched]] | None:
    """The files as they were, with the pages that differ worked in; None where that is not worth it or not possible."""
    pages = wiki.by_path
    as_before = {
        path: known
        for path, known in before.pages.items()
        if path in pages and known[:2] == (numbers_of[path], pages[path].content_hash)
    }
    gone = [path for path in before.pages if path not in as_before]
    fresh = [path for path in pages if path not in as_before]
    if len(fresh) + len(gone) > max(_FEW, len(pages) // 10):
        return None
    outdated = [source for source in map(before.source, gone) if source]
    if len(outdated) < len(gone):
        return None
    new = [_source(pages[path], numbers_of[path], *_text(db, pages[path])) for path in fresh]
    changed, found = changes(new, outdated)
    searched = as_before | {path: Searched(numbers_of[path], pages[path].content_hash, found[path]) for path in fresh}
    return cut_again(*_read_shards(before), changed), searched


def _source(page: PageRow, number: int, headings: str = "[]", content: bytes = b"") -> Source:
    return Source(
        number, page.path, page.title, page.aliases, page.tags, page.summary, page.lifecycle, headings, content
    )


def _text(db: sqlite3.Connection, page: PageRow) -> tuple[str, bytes]:
    row: tuple[str, bytes] = db.execute(
        "SELECT headings, content FROM wiki_content WHERE id = ?", (page.id,)
    ).fetchone()
    return row


def _overview(wiki: Wiki, pages: Sequence[PageRow]) -> Mapping[str, Any]:
    """What the directory says of the pages as a whole."""
    return {
        "count": len(pages),
        "special": numbers(at for at, page in enumerate(pages) if page.special),
        "newest": numbers(_newest(pages)),
        "tags": _tag_choices(wiki),
        "folders": _folder_choices(wiki, [page.path for page in pages]),
    }


def _put(files: dict[str, bytes | None], value: Any) -> str:
    """Add a file named after the value that it holds; returns the name."""
    text = safe_json(value)
    name = md5(text.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()[:10]
    files[_url(name)] = script(f"search/{name}", text)
    return name


def _put_shards(files: dict[str, bytes | None], made: Iterable[Cut | Shard]) -> list[Shard]:
    """Add the files that are new, and name those that stay."""
    shards = []
    for each in made:
        if isinstance(each, Cut):
            each = Shard(each.first, _put(files, each.pages), _put(files, each.places))
        for name in (each.pages, each.places):
            files.setdefault(_url(name))
        shards.append(each)
    return shards


def _url(name: str) -> str:
    return f"{SEARCH}/{name}.js"


def _read_shards(before: Before) -> tuple[list[Shard], Callable[[str], Sequence[str]]]:
    shards = [Shard(*each) for each in handed_over(before.read(DIRECTORY))["terms"]]
    return shards, lambda name: handed_over(before.read(_url(name)))


def _numbers(paths: Sequence[str]) -> list[int]:
    """The numbers of pages, which come in order: each by its path, or the next one free."""
    size = 1 << len(paths).bit_length() + 1
    taken: dict[int, None] = {}
    for path in paths:
        number = crc32(path.encode("utf-8", "replace")) % size
        while number in taken:
            number = (number + 1) % size
        taken[number] = None
    return list(taken)


# ── pages ───────────────────────────────────────────────────────────────────────────────────────────────


def _page_files(pages: Sequence[PageRow]) -> Iterator[tuple[int, list[Any]]]:
    """The number of the first page of each file, and the paths in it; with the address where that is another."""
    start, rows = 0, list[Any]()
    for number, page in enumerate(pages):
        if rows and crc32(page.path.encode("utf-8", "replace")) % _TOGETHER == 0:
            yield start, rows
            start, rows = number, []
        usual = page.path.removesuffix(".md") + ".html" == page.url
        rows.append(page.path if usual else (page.path, page.url))
    if rows:
        yield start, rows


def _newest(pages: Sequence[PageRow]) -> list[int]:
    """The pages updated last, the last first."""
    order = sorted(range(len(pages)), key=lambda number: pages[number].path)
    order.sort(key=lambda number: pages[number].updated_at, reverse=True)
    return order[: words.MOST_NEWEST]


def _tag_choices(wiki: Wiki) -> list[tuple[str, int]]:
    """The tags with most pages, those below them included, in order."""
    counts = {key: len(pages) for key, pages in wiki.nested_tags.items()}
    chosen = sorted(sorted(counts, key=lambda key: (-counts[key], key))[:_MOST_CHOICES])
    return [(wiki.tag_labels[key], counts[key]) for key in chosen]


def _folder_choices(wiki: Wiki, paths: Sequence[str]) -> list[tuple[str, int, int]]:
    """The folders, the uppermost first where they are many, each with the range of its pages."""
    chosen = sorted(filter(None, wiki.folders), key=lambda path: (path.count("/"), path))[:_MOST_CHOICES]
    return [(path, bisect_left(paths, f"{path}/"), bisect_left(paths, f"{path}0")) for path in sorted(chosen)]


# ── what the script must know ───────────────────────────────────────────────────────────────────────────


def _texts(language: str) -> Mapping[str, str]:
    """What the search says, in the site's language."""
    texts = messages(language)
    return {name: texts[name] for name in texts if name.startswith(("search.", "lifecycle."))}


def rules() -> Mapping[str, Any]:
    """The values by which words are made and pages ranked: the script has none of its own."""
    return {
        "digits": DIGITS.decode("ascii"),
        "base": BASE,
        "token": TOKEN,
        "unspaced": analyser.UNSPACED,
        "emoji": analyser.EMOJI,
        "optionalMarks": analyser.OPTIONAL_MARKS.pattern,
        "wholeLetters": {chr(letter): plain for letter, plain in analyser.WHOLE_LETTERS.items()},
        "stopWords": " ".join(sorted(stop_words.ENGLISH)),
        "chinese": stop_words.CHINESE.pattern,
        "chineseBigrams": " ".join(sorted(stop_words.PHRASE_BIGRAMS)),
        "weights": words.WEIGHTS,
        "someWordsWeights": words.SOME_WORDS_WEIGHTS,
        "mostScored": words.MOST_SCORED,
        "mostScoredLoosely": words.MOST_SCORED_LOOSELY,
        "mostChecked": words.MOST_CHECKED,
        "common": words.COMMON,
        "many": words.MANY,
        "shortestBeginning": words.SHORTEST_BEGINNING,
    }
