"""The published wiki in memory: what all pages of a build are made from, read from the index by a few queries.

Rows stay plain tuples and contexts stay in the index: at 100,000 pages that is the difference between a second and
many. Only published pages are here, so that nothing private can reach a page.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from generator.collation import title_key
from generator.graph import Graph, graph_of
from generator.layout import Layout, layout_of
from generator.query_fence import Answer, read_answers, read_queries
from generator.urls import file_urls

if TYPE_CHECKING:
    from generator.upkeep.lint.issue import Issue


_MONTH = re.compile(r"\d{4}-\d{2}")


class PageRow(NamedTuple):
    """A published page, as wiki_pages has it. `tags`, `aliases` and `sources` are JSON lists."""

    id: int
    path: str
    url: str
    title: str
    category: str
    tags: str
    aliases: str
    summary: str
    content_hash: str
    lifecycle: str
    created_at: str
    updated_at: str
    sources: str
    word_count: int
    language: str
    special: int
    links_state: str

    @property
    def folder(self) -> str:
        """The vault folder that the page stands in; "" for the root."""
        return self.path.rpartition("/")[0]


class Attachment(NamedTuple):
    """A file that a published page refers to; `disk` is its real relative name."""

    path: str
    disk: str
    mtime_ns: int
    size: int
    url: str


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag with the ids of the pages that carry exactly it, sorted by path. `first_seen` as in the schema."""

    key: str
    label: str
    pages: tuple[int, ...]
    first_seen: str


@dataclass(frozen=True)
class Wiki:
    """Pages by id in order of path. `targets` and `embeds` are the files that a page's links open, in the order of the
    links, `drawn` those that the nodes of its diagrams open, which Obsidian keeps out of its graph; what else is known
    of a link stays in the index. `permalinks` are the addresses that pages ask for, `issues` what is amiss with
    them."""

    pages: Mapping[int, PageRow]
    targets: Mapping[int, Sequence[int]]
    embeds: Mapping[int, Sequence[int]]
    drawn: Mapping[int, Sequence[int]]
    link_count: int
    attachments: Mapping[int, Attachment]
    tags: Mapping[str, Tag]
    permalinks: Mapping[int, str]
    issues: Sequence[Issue] = ()
    queries: Mapping[int, Sequence[str]] = field(default_factory=dict)  # the searches that pages embed
    answers: Mapping[str, Answer] = field(default_factory=dict)  # to each of them
    kept_layout: str = ""  # of the graph as it was when the site was last made: see `layout`

    @cached_property
    def by_path(self) -> Mapping[str, PageRow]:
        """The pages by path."""
        return {page.path: page for page in self.pages.values()}

    @cached_property
    def backlinks(self) -> Mapping[int, Sequence[int]]:
        """The pages that link to each page, by path, once a link; those of index, log and hot do not count."""
        found: dict[int, list[int]] = {}
        for page in self.content_pages:
            for target in self.targets.get(page.id, ()):
                if target != page.id and target in self.pages:
                    found.setdefault(target, []).append(page.id)
        return found

    @cached_property
    def orphans(self) -> tuple[PageRow, ...]:
        """Pages that no other page links to or embeds."""
        linked = self.backlinks
        return tuple(page for page in self.pages.values() if not page.special and page.id not in linked)

    @cached_property
    def content_pages(self) -> tuple[PageRow, ...]:
        """All pages but the special ones."""
        return tuple(page for page in self.pages.values() if not page.special)

    @cached_property
    def graph(self) -> Graph:
        """Which content pages link to or embed each other, in the order of `content_pages`."""
        number = {page.id: at for at, page in enumerate(self.content_pages)}
        links = (
            (at, number[target])
            for page, at in number.items()
            for target in self.targets.get(page, ())
            if target in number
        )
        return graph_of([page.path for page in self.content_pages], links)

    @cached_property
    def layout(self) -> Layout:
        """Where the pages stand in the picture of the graph, and their communities."""
        return layout_of(self.graph, self.kept_layout)

    @cached_property
    def folders(self) -> Mapping[str, Folder]:
        """Every folder that holds published pages, at any depth; "" is the vault."""
        return _folders(self.pages.values())

    @cached_property
    def neighbours(self) -> Mapping[int, tuple[PageRow | None, PageRow | None]]:
        """The pages before and after each page in its folder, by title; None at the ends."""
        found: dict[int, tuple[PageRow | None, PageRow | None]] = {}
        for folder in self.folders.values():
            pages: list[PageRow | None] = [None, *by_title(folder.pages), None]
            for before, page, after in zip(pages, pages[1:], pages[2:], strict=False):
                if page is not None:
                    found[page.id] = (before, after)
        return found

    @cached_property
    def months(self) -> Mapping[str, Sequence[PageRow]]:
        """The content pages by the month in which they were made (`2026-01`), the latest first in both."""
        found: dict[str, list[PageRow]] = {}
        for page in self.content_pages:
            if _MONTH.match(page.created_at):
                found.setdefault(page.created_at[:7], []).append(page)
        for pages in found.values():
            pages.sort(key=lambda page: page.created_at[:10], reverse=True)
        return dict(sorted(found.items(), reverse=True))

    @cached_property
    def attachment_urls(self) -> Mapping[str, str]:
        """The output path of each attachment, by its path in the vault."""
        return {file.path: file.url for file in self.attachments.values()}

    @cached_property
    def nested_tags(self) -> Mapping[str, frozenset[int]]:
        """The pages of each tag and of the tags below it; parents that no page carries are here too."""
        found: dict[str, set[int]] = {}
        for key, tag in self.tags.items():
            parts = key.split("/")
            for depth in range(1, len(parts) + 1):
                found.setdefault("/".join(parts[:depth]), set()).update(tag.pages)
        return {key: frozenset(ids) for key, ids in found.items()}

    @cached_property
    def child_tags(self) -> Mapping[str, Sequence[str]]:
        """The tags directly below each tag, in order; "" holds the top ones."""
        children: dict[str, list[str]] = {}
        for key in sorted(self.nested_tags):
            children.setdefault(key.rpartition("/")[0], []).append(key)
        return children

    @cached_property
    def tag_labels(self) -> Mapping[str, str]:
        """How each tag, or parent of a tag, is spelled."""
        labels: dict[str, str] = {}
        for key in sorted(self.tags):
            parts, spelled = key.split("/"), self.tags[key].label.split("/")
            for depth in range(1, len(parts) + 1):
                labels.setdefault("/".join(parts[:depth]), "/".join(spelled[:depth]))
        return labels | {key: tag.label for key, tag in self.tags.items()}

    def url_of(self, file_id: int | None) -> str:
        """The output path of a page or attachment; "" if it is not in the site."""
        return "" if file_id is None else self._urls.get(file_id, "")

    @cached_property
    def _urls(self) -> Mapping[int, str]:
        urls = {attachment: self.attachments[attachment].url for attachment in self.attachments}
        return urls | {page.id: page.url for page in self.pages.values()}


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder with its direct subfolders (full paths) and pages, and how many pages it holds at any depth."""

    path: str
    subfolders: tuple[str, ...]
    pages: tuple[PageRow, ...]
    count: int

    @property
    def name(self) -> str:
        """Its last segment."""
        return self.path.rpartition("/")[2]


def _folders(pages: Iterable[PageRow]) -> dict[str, Folder]:
    direct: dict[str, list[PageRow]] = {"": []}
    counts: dict[str, int] = {"": 0}
    children: dict[str, set[str]] = {"": set()}
    for page in pages:
        folder = page.folder
        direct.setdefault(folder, []).append(page)
        while True:
            counts[folder] = counts.get(folder, 0) + 1
            children.setdefault(folder, set())
            if not folder:
                break
            parent = folder.rpartition("/")[0]
            children.setdefault(parent, set()).add(folder)
            folder = parent
    return {
        path: Folder(path, tuple(sorted(children[path])), tuple(direct.get(path, ())), counts[path])
        for path in sorted(children)
    }


def by_title(pages: Iterable[PageRow]) -> list[PageRow]:
    """Pages in the order of their titles."""
    return sorted(pages, key=lambda page: (title_key(page.title), page.path))


def load_wiki(db: sqlite3.Connection, issues: Sequence[Issue] = ()) -> Wiki:
    """Read the published wiki. `issues` are those that its readers may know of."""
    columns = ", ".join(PageRow._fields)
    rows = map(PageRow._make, db.execute(f"SELECT {columns} FROM wiki_pages WHERE published ORDER BY path"))
    pages = {row.id: row for row in rows}
    targets: dict[int, list[int]] = {}
    embeds: dict[int, list[int]] = {}
    drawn: dict[int, list[int]] = {}
    wanted: set[int] = set()
    for source, target, embed, kind in db.execute(
        "SELECT source, target, embed, kind FROM wiki_links WHERE target IS NOT NULL ORDER BY source, n"
    ):
        if source in pages:
            (drawn if kind == "diagram" else targets).setdefault(source, []).append(target)
            if target not in pages:
                wanted.add(target)
            elif embed:
                embeds.setdefault(source, []).append(target)
    link_count = db.execute("SELECT count(*) FROM wiki_links l JOIN wiki_pages p ON p.id = l.source WHERE p.published")
    return Wiki(
        pages=pages,
        targets=targets,
        embeds=embeds,
        drawn=drawn,
        link_count=link_count.fetchone()[0],
        attachments=_attachments(db, pages, wanted),
        tags=_tags(db, pages),
        permalinks=dict(db.execute(_PERMALINKS)),
        issues=issues,
        queries=read_queries(db, pages),
        answers={query: _by_title(pages, answer) for query, answer in read_answers(db).items()},
        kept_layout=next((text for (text,) in db.execute(_LAYOUT, (LAYOUT,))), ""),
    )


def _by_title(pages: Mapping[int, PageRow], answer: Answer) -> Answer:
    return replace(answer, pages=tuple(page.id for page in by_title(map(pages.__getitem__, answer.pages))))


LAYOUT = "graph_layout"  # its key in wiki_meta
_LAYOUT = "SELECT value FROM wiki_meta WHERE key = ?"
_PERMALINKS = """
SELECT id, json_extract(meta, '$.permalink') FROM wiki_pages
WHERE published AND json_type(meta, '$.permalink') = 'text'
"""


def _attachments(db: sqlite3.Connection, pages: Mapping[int, PageRow], wanted: set[int]) -> dict[int, Attachment]:
    """Files that a published page refers to; notes that are not published are not among them."""
    notes = {row[0] for row in db.execute("SELECT id FROM wiki_pages")}
    files: dict[int, tuple[str, str, int, int]] = {}
    for file_id in sorted(wanted - notes):
        row = db.execute("SELECT path, disk, mtime_ns, size FROM wiki_files WHERE id = ?", (file_id,)).fetchone()
        if row is not None and not row[0].lower().endswith(".md"):
            files[file_id] = row
    urls = file_urls((row[0] for row in files.values()), [page.url for page in pages.values()])
    return {file_id: Attachment(*row, urls[row[0]]) for file_id, row in files.items()}


def _tags(db: sqlite3.Connection, pages: Mapping[int, PageRow]) -> dict[str, Tag]:
    members: dict[str, list[int]] = {}
    spelled: dict[str, dict[int, str]] = {}
    for tag, page, label in db.execute("SELECT tag, page, label FROM wiki_page_tags"):
        if page in pages:
            members.setdefault(tag, []).append(page)
            spelled.setdefault(tag, {})[page] = label
    result = {}
    for tag in sorted(members):
        ids = tuple(sorted(members[tag], key=lambda page: pages[page].path))
        first_seen = min(pages[page].created_at for page in ids)
        result[tag] = Tag(tag, spelled[tag][ids[0]], ids, first_seen)
    return result


def json_list(text: str) -> list[str]:
    """A JSON column of texts."""
    return json.loads(text) if text != "[]" else []
