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
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

from generator import analyser, stop_words, words
from generator.digits import BASE, DIGITS, numbers
from generator.pages.kind import digest
from generator.postings import TOKEN, Source, all_postings, changes
from generator.render import messages
from generator.script_data import handed_over, safe_json, script
from generator.shard_files import Cut, Shard, cut, cut_again
from generator.urls import SEARCH
from generator.wiki import PageRow, Wiki

VERSION = 2  # of the files: raise it when they are written differently
DIRECTORY = f"{SEARCH}/index.js"
_TOGETHER = 32  # addresses in one file, on average
_MOST_CHOICES = 300  # tags and folders to choose from
_FEW = 50  # changed pages: more of them, and more than one in ten, are not worked into the files one by one


class Searched(NamedTuple):
    """A page as it is in the files: its number, a digest of what its words come from, and how many they are."""

    number: int
    key: str
    length: int


@dataclass(frozen=True, slots=True)
class Before:
    """The files as they are: the pages in them by path; `words` gives those of a page, `read` a file by its path."""

    pages: Mapping[str, Searched]
    words: Callable[[str], bytes]
    read: Callable[[str], bytes]


@dataclass(frozen=True, slots=True)
class Files:
    """The files by output path, None for those that stay; the pages in them by path, and the words of those that are
    not as they were before."""

    files: Mapping[str, bytes | None]
    pages: Mapping[str, Searched]
    words: Mapping[str, bytes]


def state(wiki: Wiki, language: str) -> str:
    """A digest of all that the files are made from, but for how the pages were parsed."""
    return digest([language, *(repr(page[1:]) for page in wiki.pages.values())])


def search_files(
    wiki: Wiki, db: sqlite3.Connection, index: Path, language: str, workers: int, before: Before | None = None
) -> Files:
    """All files of the search. Those from `before` are worked on where few pages have changed."""
    pages = tuple(wiki.pages.values())
    sources = _sources(pages)
    keys = {source.path: digest([page.content_hash, *source[3:]]) for source, page in zip(sources, pages, strict=True)}
    searched = dict(before.pages) if before else {}
    as_before = {
        source.path
        for source in sources
        if source.path in searched and searched[source.path][:2] == (source.number, keys[source.path])
    }
    gone = [path for path in searched if path not in as_before]
    fresh = [source for source in sources if source.path not in as_before]
    files: dict[str, bytes | None] = {}
    if before is None or len(fresh) + len(gone) > max(_FEW, len(pages) // 10):
        searched, fresh = {}, sorted(sources)
        postings = all_postings(db, index, fresh, workers)
        terms, found = _put_shards(files, cut(postings.words)), postings.pages
    else:
        changed, found = changes(db, fresh, [(searched[path].number, before.words(path)) for path in gone])
        terms = _put_shards(files, cut_again(*_read_shards(before), changed))
    for path in gone:
        searched.pop(path, None)
    words_of = {}
    for source, page in zip(fresh, found, strict=True):
        searched[source.path] = Searched(source.number, keys[source.path], page.length)
        words_of[source.path] = page.words
    directory = {
        "numbers": numbers(source.number for source in sources),
        "lengths": numbers(searched[source.path].length for source in sources),
        "terms": terms,
        "pages": [(start, _put(files, rows)) for start, rows in _page_files(pages)],
        **_overview(wiki, pages),
        "texts": _texts(language),
        "rules": rules(),
    }
    files[DIRECTORY] = script("search/index", safe_json(directory))
    return Files(files, searched, words_of)


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


def _sources(pages: Sequence[PageRow]) -> list[Source]:
    numbered = zip(_numbers([page.path for page in pages]), pages, strict=True)
    return [
        Source(number, page.id, page.path, page.title, page.aliases, page.tags, page.summary, page.lifecycle)
        for number, page in numbered
    ]


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
