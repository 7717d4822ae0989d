"""The index as script files for the browser: the postings of all words, cut by word into small files, and a directory.

A script that hands over its data by calling a function can be loaded from everywhere, also where a page was opened with
a double click. Files are named after what they hold: a changed page changes the names of the files that hold its words,
and no reader meets an old one. Where the words are cut depends on the words beside the cut alone, so that files far from
a change stay as they are.

Beside words there are entries for names (`=tea time`), tags (`#tea/green`) and lifecycles (`!draft`). Pages are numbered
by path, which is how equal scores are parted, and which makes a folder a range.
"""

from __future__ import annotations

import json
import sqlite3
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import md5
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

from generator import analyser, stop_words, words
from generator.analyser import fts_text, name_key, path_key
from generator.pages.graph_data import safe_json
from generator.pages.kind import digest
from generator.postings import BASE, DIGITS, TOKEN, Postings, Source, all_postings, listed, numbers
from generator.render import messages
from generator.urls import SEARCH
from generator.wiki import PageRow, Wiki, json_list

VERSION = 1  # of the files: raise it when they are written differently
DIRECTORY = f"{SEARCH}/index.js"
# A file is cut before one word in 64, once it has the least size: 20 kB on average, most but for single words.
_LEAST, _MOST, _ONE_IN = 12_000, 32_000, 64
_TOGETHER = 32  # addresses in one file, on average
_MOST_CHOICES = 300  # tags and folders to choose from
_LONGEST_NAME = 300


def state(wiki: Wiki, language: str) -> str:
    """A digest of all that the files are made from."""
    pages = (repr(page[1:]) for page in wiki.pages.values())
    return digest([str((VERSION, analyser.ANALYSER_VERSION, language)), *pages])


def search_files(wiki: Wiki, db: sqlite3.Connection, index: Path, language: str, workers: int) -> dict[str, bytes]:
    """All files of the search, by output path."""
    pages = tuple(wiki.pages.values())
    sources = [
        Source(number, page.id, page.path, page.title, page.aliases, page.tags, page.summary)
        for number, page in enumerate(pages)
    ]
    postings = all_postings(db, index, sources, workers)
    files: dict[str, bytes] = {}
    directory = {
        "count": len(pages),
        "lengths": numbers(postings.lengths),
        "special": numbers(number for number, page in enumerate(pages) if page.special),
        "newest": numbers(_newest(pages)),
        "terms": [(first, *_put(files, held)) for first, *held in _term_files(_entries(wiki, pages, postings))],
        "pages": [(start, *_put(files, (rows,))) for start, rows in _page_files(pages)],
        "tags": _tag_choices(wiki),
        "folders": _folder_choices(wiki, [page.path for page in pages]),
        "texts": _texts(language),
        "rules": rules(),
    }
    files[DIRECTORY] = script("search/index", safe_json(directory))
    return files


def script(name: str, value: str) -> bytes:
    """A script that hands over a value, given as safe JSON."""
    return f"llmwiki.take({safe_json(name)},{value});\n".encode("utf-8", "replace")


def _put(files: dict[str, bytes], values: Iterable[Any]) -> list[str]:
    """Add files named after the values that they hold; returns the names."""
    names = []
    for value in values:
        text = safe_json(value)
        name = md5(text.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()[:10]
        files[f"{SEARCH}/{name}.js"] = script(f"search/{name}", text)
        names.append(name)
    return names


# ── words ───────────────────────────────────────────────────────────────────────────────────────────────


class _Entry(NamedTuple):
    """A word, or what else is looked up, with its pages and its places on them as `generator.postings` writes them."""

    term: str
    pages: str
    places: str


def _entries(wiki: Wiki, pages: Sequence[PageRow], postings: Postings) -> list[_Entry]:
    """All that can be looked up, in the order in which a browser compares texts."""
    found = [_Entry(word, each.text(), each.places.decode("ascii")) for word, each in postings.words.items()]
    found += (_Entry(f"={name}", listed(sorted(held.items())), "") for name, held in _names(pages).items())
    numbered = {page.id: number for number, page in enumerate(pages)}
    for key, tag in wiki.tags.items():
        found.append(_Entry(f"#{key}", listed((number, 1) for number in sorted(map(numbered.get, tag.pages))), ""))
    lifecycles: dict[str, list[tuple[int, int]]] = {}
    for number, page in enumerate(pages):
        lifecycles.setdefault(page.lifecycle, []).append((number, 1))
    found += (_Entry(f"!{name}", listed(held), "") for name, held in lifecycles.items())
    return sorted(found, key=lambda entry: entry.term.encode("utf-16-be", "surrogatepass"))


def _names(pages: Sequence[PageRow]) -> dict[str, dict[int, int]]:
    """What pages are called, each name with its pages: 1 for title, file name or path, 2 for an alias."""
    names: dict[str, dict[int, int]] = {}
    for number, page in enumerate(pages):
        proper = {name_key(page.title)}
        if _is_searched_by_file(page):
            whole = name_key(page.path.removesuffix(".md"))
            proper |= {whole, whole.rpartition("/")[2]}
        for name in proper:
            names.setdefault(name, {})[number] = 1
        for alias in map(name_key, json_list(page.aliases)):
            names.setdefault(alias, {}).setdefault(number, 2)
    return {name: held for name, held in names.items() if 0 < len(name) <= _LONGEST_NAME}


def _is_searched_by_file(page: PageRow) -> bool:
    """Whether the index finds the page by its file's name: it knows that by itself only if the title lacks a word."""
    name = path_key(page.path).rpartition("/")[2]
    title, words_of_name = fts_text(page.title).split(), fts_text(name).split()
    if not set(title).issuperset(words_of_name):
        return True
    size = len(words_of_name)
    return any(title[at : at + size] == words_of_name for at in range(len(title) - size + 1))


def _term_files(entries: Iterable[_Entry]) -> Iterator[tuple[str, list[str], list[str]]]:
    """The first term of each pair of files; what the one holds: terms and their pages in turn; and the other: their
    places."""
    first, pages, places = "", list[str](), list[str]()
    size = 0
    for entry in entries:
        added = len(entry.term) + max(len(entry.pages), len(entry.places))
        may_cut = size >= _LEAST and crc32(entry.term.encode("utf-8", "replace")) % _ONE_IN == 0
        if pages and (may_cut or size + added > _MOST):
            yield first, pages, places
            pages, places, size = [], [], 0
        if not pages:
            first = entry.term
        pages += (entry.term, entry.pages)
        places.append(entry.places)
        size += added
    if pages:
        yield first, pages, places


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


def kept_urls(kept: str, wanted: str) -> Sequence[str]:
    """The output paths that were kept with a state (see `remembered`), if it is the wanted one."""
    try:
        found, urls = json.loads(kept)
    except ValueError:
        return ()
    return tuple(urls) if found == wanted else ()


def remembered(wanted: str, urls: Iterable[str]) -> str:
    """A state with the paths of its files, to be kept until the next build."""
    return json.dumps([wanted, sorted(urls)])
