"""Which page a person or an agent means by a name: its path, file name, title, alias, wikilink or URL."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from generator.analyser import fold, name_key
from generator.errors import AmbiguousPage, PageNotFound
from generator.model import WikiPage
from generator.query import Program, Query, page_at

_LONGEST_NAME = 500
_NEAREST = 3
_LEAST_LIKENESS = 0.3


@dataclass(frozen=True, slots=True)
class _Names:
    """All that one page is called, as `name_key` has it; `path` is without `.md`."""

    page: str
    path: str
    title: str
    aliases: frozenset[str]
    url: str

    @property
    def stem(self) -> str:
        return self.path.rpartition("/")[2]


def find_page(name: str) -> Program[WikiPage]:
    """The page that `name` means, whatever its case and Unicode form, with or without `.md` or `[[ ]]`.

    The first of these that any page fits decides: path, file name, end of a path, title, alias, URL. Raises
    `AmbiguousPage` (with `details["candidates"]`) where several pages fit it, and `PageNotFound` (with
    `details["nearest"]`, at most three paths).
    """
    page = yield from page_at(name)
    if page is not None:
        return page
    key = _key(name)
    rows: list[_Names] = yield Query("SELECT path, title, aliases, url FROM wiki_pages ORDER BY path", (), _names)
    found = _fitting(key, name, rows) if key else []
    if len(found) == 1:
        page = yield from page_at(found[0])
        if page is not None:
            return page
    shown = name if len(name) <= 80 else name[:79] + "…"
    if found:
        raise AmbiguousPage(
            f"{len(found)} pages are called {shown!r}",
            hint=f"give the path of one: {', '.join(found[:5])}",
            details={"candidates": found},
        )
    nearest = _nearest(key, rows)
    hint = f"did you mean {', '.join(nearest)}?" if nearest else "search for it to see what there is"
    raise PageNotFound(f"no page is called {shown!r}", hint=hint, details={"nearest": nearest})


def _names(row: tuple[str, str, str, str]) -> _Names:
    path, title, aliases, url = row
    others = frozenset(map(name_key, json.loads(aliases))) if aliases != "[]" else frozenset()
    return _Names(path, name_key(path.removesuffix(".md")), name_key(title), others, name_key(url))


def _key(name: str) -> str:
    """The name proper: without brackets of a link, label, part, leading `./` and `.md`."""
    bare = name.strip()[:_LONGEST_NAME]
    if bare.startswith(("[[", "![[")) and bare.endswith("]]"):
        bare = bare.lstrip("!")[2:-2].partition("|")[0].partition("#")[0]
    key = name_key(bare).removeprefix("./").strip("/")
    return key.removesuffix(".md")


def _fitting(key: str, written: str, rows: list[_Names]) -> list[str]:
    url = name_key(unquote(written.strip()[:_LONGEST_NAME].partition("#")[0].partition("?")[0]))
    is_address = "://" in url
    url = url.strip("/")
    rules: tuple[Callable[[_Names], bool], ...] = (
        lambda names: names.path == key,
        lambda names: names.stem == key,
        lambda names: names.path.endswith("/" + key),
        lambda names: names.title == key,
        lambda names: key in names.aliases,
        lambda names: bool(names.url) and (names.url == url or (is_address and url.endswith("/" + names.url))),
    )
    for rule in rules:
        found = [names.page for names in rows if rule(names)]
        if found:
            return found
    return []


def _nearest(key: str, rows: list[_Names]) -> list[str]:
    """Paths of the pages with the likest names: the share of letter pairs that two names have in common."""
    wanted = _pairs(key.rpartition("/")[2])
    ranked = sorted((-_likeness(wanted, names), names.page) for names in rows) if wanted else []
    return [path for likeness, path in ranked[:_NEAREST] if -likeness >= _LEAST_LIKENESS]


def _likeness(wanted: set[str], names: _Names) -> float:
    return max(2 * len(wanted & pairs) / (len(wanted) + len(pairs)) for pairs in _name_pairs(names))


def _name_pairs(names: _Names) -> Iterator[set[str]]:
    yield _pairs(names.stem)
    if names.title != names.stem:
        yield _pairs(names.title)
    yield from map(_pairs, names.aliases)


def _pairs(name: str) -> set[str]:
    padded = f" {fold(name)} "
    return {padded[at : at + 2] for at in range(len(padded) - 1)}
