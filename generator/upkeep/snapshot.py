"""What upkeep knows of the wiki: the index, read once by a few queries, and what follows from it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

from generator.analyser import name_key
from generator.links import NameTable
from generator.model import Found
from generator.query import Program, Query


class PageFacts(NamedTuple):
    """A page, as wiki_pages has it; `tags`, `aliases`, `sources`, `meta` and `problems` are JSON."""

    id: int
    path: str
    title: str
    category: str
    tags_json: str
    aliases_json: str
    summary: str
    content_hash: str
    lifecycle: str
    created_at: str
    updated_at: str
    sources_json: str
    word_count: int
    published: int
    special: int
    meta_json: str

    @property
    def stem(self) -> str:
        """The file name without `.md`."""
        return self.path.rpartition("/")[2][:-3]

    @property
    def folder(self) -> str:
        """The folder, "" for the vault's own."""
        return self.path.rpartition("/")[0]

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags as spelled on the page, without `#`."""
        return _texts(self.tags_json)

    @property
    def aliases(self) -> tuple[str, ...]:
        """The aliases."""
        return _texts(self.aliases_json)

    @property
    def sources(self) -> tuple[str, ...]:
        """The keys of its sources."""
        return _texts(self.sources_json)

    @property
    def meta(self) -> dict[str, Any]:
        """The front matter, its keys in lower case."""
        if self.meta_json == "{}":
            return {}
        found: dict[str, Any] = {}
        for key, value in json.loads(self.meta_json).items():
            found.setdefault(key.strip().lower(), value)
        return found


class LinkFacts(NamedTuple):
    """A link, as wiki_links has it; `target` is the id of a file, `status` words as in the schema.

    A lean one, with nothing amiss, is empty from `name` to `line`, but for the `kind` "diagram".
    """

    source: int
    name: str
    subpath: str
    label: str | None
    kind: str
    embed: int
    line: int
    target: int | None
    status: str
    candidates: str


@dataclass(frozen=True)
class Snapshot:
    """Pages by id in order of path, all files of the vault by id, and links in their order: all, or those alone that
    something is amiss with. `unused` are the files that no page refers to."""

    pages: Mapping[int, PageFacts]
    files: Mapping[int, str]
    links: Sequence[LinkFacts]
    nearest: bool = False
    unused: frozenset[int] = frozenset()

    def published(self) -> Snapshot:
        """The part that anyone may see: no private page, and nothing that names one."""
        pages = {page_id: page for page_id, page in self.pages.items() if page.published}
        if len(pages) == len(self.pages):
            return self
        files = {file: path for file, path in self.files.items() if file in pages or file not in self.pages}
        links = [link for link in self.links if link.source in pages and (link.target is None or link.target in files)]
        return replace(self, pages=pages, files=files, links=links)

    @cached_property
    def paths(self) -> frozenset[str]:
        """The paths of all files."""
        return frozenset(self.files.values())

    @cached_property
    def by_path(self) -> Mapping[str, PageFacts]:
        """The pages by path."""
        return {page.path: page for page in self.pages.values()}

    @cached_property
    def content_pages(self) -> tuple[PageFacts, ...]:
        """All pages but the special ones."""
        return tuple(page for page in self.pages.values() if not page.special)

    @cached_property
    def counted(self) -> tuple[LinkFacts, ...]:
        """The links that count: those of content pages to other files, the nodes of diagrams left out."""
        return tuple(
            link
            for link in self.links
            if link.target is not None
            and link.target != link.source
            and link.kind != "diagram"
            and not self.pages[link.source].special
        )

    @cached_property
    def outgoing(self) -> Mapping[int, frozenset[int]]:
        """The pages that each page links to."""
        return self._grouped((link.source, link.target) for link in self.counted if link.target in self.pages)

    @cached_property
    def incoming(self) -> Mapping[int, frozenset[int]]:
        """The pages that link to each page."""
        return self._grouped((link.target, link.source) for link in self.counted if link.target in self.pages)

    @cached_property
    def orphans(self) -> tuple[PageFacts, ...]:
        """Content pages that no other content page links to or embeds."""
        return tuple(page for page in self.content_pages if page.id not in self.incoming)

    @cached_property
    def names(self) -> NameTable:
        """The one resolver, over all names of the vault."""
        aliases = {page.path: page.aliases for page in self.pages.values() if page.aliases_json != "[]"}
        return NameTable(self.files.values(), aliases, nearest=self.nearest)

    def linked(self, pages: Set[int]) -> Mapping[int, frozenset[int]]:
        """The files that each of the pages (ids) opens in any way."""
        return self._grouped(
            (link.source, link.target) for link in self.links if link.target is not None and link.source in pages
        )

    @cached_property
    def trees(self) -> tuple[tuple[PageFacts, ...], ...]:
        """The content pages; with one tree a language (`site.nearest_links`), those of each top folder by itself."""
        found: dict[str, list[PageFacts]] = {}
        for page in self.content_pages:
            found.setdefault(page.folder.partition("/")[0] if self.nearest else "", []).append(page)
        return tuple(map(tuple, found.values()))

    def degree(self, page_id: int) -> int:
        """How many other pages a page is linked with, in either direction."""
        return len(self.outgoing.get(page_id, frozenset()) | self.incoming.get(page_id, frozenset()))

    def link_name(self, target: PageFacts, source: str) -> str:
        """The shortest name that opens `target` from the page `source`, and nothing else that could be meant."""
        parts = target.path[:-3].split("/")
        for count in range(1, len(parts) + 1):
            name = "/".join(parts[-count:])
            found = self.names.resolve(name, source)
            if isinstance(found, Found) and found.path == target.path and not found.tied and not found.via_alias:
                if count == 1 and not self._is_only(name):
                    continue
                return name
        return "/".join(parts)

    def _is_only(self, name: str) -> bool:
        """Whether one file has that name: else the link would depend on where it is read."""
        return self._stems.get(name_key(name), 0) < 2

    @cached_property
    def _stems(self) -> Mapping[str, int]:
        counts: dict[str, int] = {}
        for path in self.files.values():
            name = name_key(path.rpartition("/")[2])
            key = name.removesuffix(".md")
            counts[key] = counts.get(key, 0) + 1
        return counts

    @staticmethod
    def _grouped(pairs: Iterable[tuple[Any, Any]]) -> Mapping[int, frozenset[int]]:
        found: dict[int, set[int]] = {}
        for key, value in pairs:
            found.setdefault(key, set()).add(value)
        return {key: frozenset(values) for key, values in found.items()}


def take_snapshot(
    *, nearest: bool = False, links: Literal["all", "lean", "flagged", "none"] = "all"
) -> Program[Snapshot]:
    """Read the index. `nearest` is the setting `site.nearest_links`.

    What links say takes more room than all else of a large wiki: `lean` ones say it only where they have a status, and
    `flagged` are only those that have one.
    """
    pages = yield Query(_PAGES, (), PageFacts._make)
    files = dict((yield Query("SELECT id, path FROM wiki_files ORDER BY path", (), tuple)))
    taken = (yield Query(_LINKS[links], (), LinkFacts._make)) if links != "none" else ()
    unused: list[tuple[int]] = yield Query(_UNUSED, (), tuple)
    return Snapshot({page.id: page for page in pages}, files, taken, nearest, frozenset(file for (file,) in unused))


_PAGES = (
    "SELECT id, path, title, category, tags, aliases, summary, content_hash, lifecycle, created_at, updated_at,"
    " sources, word_count, published, special, meta FROM wiki_pages ORDER BY path"
)
_LINK = {"name": "''", "subpath": "''", "label": "NULL", "kind": "iif(l.kind = 'diagram', l.kind, '')",
         "embed": "0", "line": "0"}  # fmt: skip
_WORDS = ", ".join(f"l.{column}" for column in _LINK)
_FEWER = ", ".join(f"iif(l.status = '', {instead}, l.{column})" for column, instead in _LINK.items())
_LINKS = {
    links: f"SELECT l.source, {words}, l.target, l.status, l.candidates"
    f" FROM wiki_links l JOIN wiki_pages p ON p.id = l.source {where} ORDER BY p.path, l.n"
    for links, words, where in (
        ("all", _WORDS, ""),
        ("lean", _FEWER, ""),
        ("flagged", _WORDS, "WHERE l.status != ''"),
    )
}
_UNUSED = "SELECT id FROM wiki_files f WHERE NOT EXISTS (SELECT 1 FROM wiki_links l WHERE l.target = f.id)"


def _texts(column: str) -> tuple[str, ...]:
    return tuple(json.loads(column)) if column != "[]" else ()
