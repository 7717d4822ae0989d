"""The read side of the index: queries and programs of queries as values, run alike by sqlite3 and by aiosqlite.

A program is a generator: it yields a `Query`, is sent the list of its rows, and in the end returns its result. It
does no I/O of its own, so the command line and the asynchronous bridge share every line of it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from generator.model import Block, Heading, WikiPage
from generator.packed import read_blocks, read_headings, unpacked

if TYPE_CHECKING:
    import aiosqlite

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Query(Generic[T]):
    """One SQL statement with its parameters; `row` makes a value of each row."""

    sql: str
    params: tuple[Any, ...]
    row: Callable[[tuple[Any, ...]], T]


Program = Generator[Query[Any], list[Any], T]


def run(connection: sqlite3.Connection, program: Program[T]) -> T:
    """Run a program on a sqlite3 connection."""
    try:
        query = next(program)
        while True:
            query = program.send([query.row(row) for row in connection.execute(query.sql, query.params)])
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]


async def run_async(connection: aiosqlite.Connection, program: Program[T]) -> T:
    """Run a program on an aiosqlite connection, on one state of the index.

    All of it runs in the connection's thread: a hop for every query would cost more than most queries do.
    """
    return await connection._execute(_run_on_one_state, connection._conn, program)  # type: ignore[no-untyped-call, no-any-return]


def _run_on_one_state(connection: sqlite3.Connection, program: Program[T]) -> T:
    connection.execute("BEGIN")
    try:
        return run(connection, program)
    finally:
        connection.rollback()


_PAGE_COLUMNS = (
    "id, path, url, title, category, tags, aliases, summary, content_hash, lifecycle, created_at, updated_at,"
    " indexed_at, sources, word_count, language, published, special"
)


def _page(row: tuple[Any, ...]) -> WikiPage:
    id_, path, url, title, category, tags, aliases, summary, digest, lifecycle, *rest = row
    created, updated, indexed, sources, words, language, published, special = rest
    return WikiPage(
        id_, path, url, title, category, _texts(tags), _texts(aliases), summary, digest, lifecycle,
        created, updated, indexed, _texts(sources), words, language, bool(published), bool(special),
    )  # fmt: skip


def _texts(column: str) -> tuple[str, ...]:
    return tuple(json.loads(column)) if column != "[]" else ()


def _first(row: tuple[Any, ...]) -> Any:
    return row[0]


def page_at(path: str) -> Program[WikiPage | None]:
    """The page with exactly this path."""
    pages = yield Query(f"SELECT {_PAGE_COLUMNS} FROM wiki_pages WHERE path = ?", (path,), _page)
    return pages[0] if pages else None


def recent_pages(limit: int = 20, *, since: str = "", special: bool = False) -> Program[list[WikiPage]]:
    """The most recently updated pages (not before `since`, an ISO date), newest first, then by path."""
    where = "updated_at >= ?" + ("" if special else " AND NOT special")
    sql = f"SELECT {_PAGE_COLUMNS} FROM wiki_pages WHERE {where} ORDER BY updated_at DESC, path LIMIT ?"
    return (yield Query(sql, (since, limit), _page))


@dataclass(frozen=True, slots=True)
class PageText:
    """The visible plain text of a page, and its structure."""

    text: str
    headings: tuple[Heading, ...]
    blocks: tuple[Block, ...]


def page_text(page_id: int) -> Program[PageText]:
    """The text, headings and blocks of a page that exists."""
    sql = "SELECT content, headings, blocks FROM wiki_content WHERE id = ?"
    rows = yield Query(sql, (page_id,), tuple)
    content, headings, blocks = rows[0]
    return PageText(
        unpacked(content),
        read_headings(headings),
        read_blocks(blocks),
    )


@dataclass(frozen=True, slots=True)
class PageLink:
    """A link of a page, as written and as resolved. `resolved` is a vault path or None; `status` as in the schema."""

    target: str
    subpath: str
    label: str | None
    kind: str
    embed: bool
    line: int
    context: str
    resolved: str | None
    status: frozenset[str]
    candidates: tuple[str, ...]


def _link(row: tuple[Any, ...]) -> PageLink:
    *written, resolved, status, candidates = row
    name, subpath, label, kind, embed, line, context = written
    return PageLink(
        name, subpath, label, kind, bool(embed), line, context, resolved,
        frozenset(status.split()), tuple(candidates.split("\n")) if candidates else (),
    )  # fmt: skip


def links_of(page_id: int) -> Program[list[PageLink]]:
    """The links of a page in their order on it."""
    sql = (
        "SELECT l.name, l.subpath, l.label, l.kind, l.embed, l.line, l.context, f.path, l.status, l.candidates"
        " FROM wiki_links l LEFT JOIN wiki_files f ON f.id = l.target WHERE l.source = ? ORDER BY l.n"
    )
    return (yield Query(sql, (page_id,), _link))


@dataclass(frozen=True, slots=True)
class Backlink:
    """A link from another page: where it stands, and the sentence around it."""

    path: str
    title: str
    line: int
    context: str
    embed: bool
    kind: str


def _backlink(row: tuple[Any, ...]) -> Backlink:
    path, title, line, context, embed, kind = row
    return Backlink(path, title, line, context, bool(embed), kind)


# Index, log and hot list everything, and Obsidian keeps the nodes of diagrams out of its graph: neither counts.
_COUNTED_LINK = "l.source != l.target AND l.kind != 'diagram' AND NOT p.special"


def backlinks_of(page_id: int) -> Program[list[Backlink]]:
    """Links and embeds of other content pages to this page, by path and place."""
    sql = (
        "SELECT p.path, p.title, l.line, l.context, l.embed, l.kind FROM wiki_links l"
        f" JOIN wiki_pages p ON p.id = l.source WHERE l.target = ? AND {_COUNTED_LINK} ORDER BY p.path, l.n"
    )
    return (yield Query(sql, (page_id,), _backlink))


def orphans() -> Program[list[str]]:
    """Paths of the content pages that no other content page links to or embeds."""
    return (yield Query(f"SELECT path FROM wiki_pages WHERE {_IS_ORPHAN} ORDER BY path", (), _first))


_IS_ORPHAN = (
    "NOT special AND id NOT IN (SELECT l.target FROM wiki_links l JOIN wiki_pages p ON p.id = l.source"
    f" WHERE l.target IS NOT NULL AND {_COUNTED_LINK})"
)


@dataclass(frozen=True, slots=True)
class TagCount:
    """A tag, or a parent of tags. `count` pages carry exactly it, `total` pages it or a tag below it."""

    key: str
    label: str
    count: int
    total: int


def tag_counts() -> Program[list[TagCount]]:
    """Every tag and every parent of one, by key."""
    labels = dict((yield Query("SELECT tag, label FROM wiki_tags", (), tuple)))
    own: dict[str, int] = {}
    nested: dict[str, set[int]] = {}
    spelled: dict[str, str] = {}
    members: Iterable[tuple[str, int]] = yield Query("SELECT tag, page FROM wiki_page_tags ORDER BY tag", (), tuple)
    for tag, page in members:
        own[tag] = own.get(tag, 0) + 1
        parts, written = tag.split("/"), labels.get(tag, tag).split("/")
        for depth in range(1, len(parts) + 1):
            key = "/".join(parts[:depth])
            nested.setdefault(key, set()).add(page)
            spelled.setdefault(key, "/".join(written[:depth]))
    return [TagCount(key, labels.get(key, spelled[key]), own.get(key, 0), len(nested[key])) for key in sorted(nested)]


@dataclass(frozen=True, slots=True)
class Counts:
    """The state of the wiki in numbers. `broken` links miss their file, `missing_subpaths` only their heading or block,
    `ambiguous` ones may mean several files; `stale` pages were last updated before the asked date."""

    pages: int
    links: int
    tags: int
    orphans: int
    broken: int
    missing_subpaths: int
    ambiguous: int
    stale: int
    by_category: dict[str, int]
    by_lifecycle: dict[str, int]


def count_all(stale_before: str) -> Program[Counts]:
    """Count pages (special ones too), links, tags and what is amiss. `stale_before` is an ISO date."""
    sql = f"""SELECT
        (SELECT count(*) FROM wiki_pages), (SELECT count(*) FROM wiki_links), (SELECT count(*) FROM wiki_tags),
        (SELECT count(*) FROM wiki_pages WHERE {_IS_ORPHAN}),
        (SELECT count(*) FROM wiki_links WHERE status = 'missing'),
        (SELECT count(*) FROM wiki_links WHERE status LIKE '%subpath%'),
        (SELECT count(*) FROM wiki_links WHERE status = 'ambiguous' OR status LIKE '%tied%'),
        (SELECT count(*) FROM wiki_pages WHERE updated_at < ? AND NOT special)"""
    numbers = (yield Query(sql, (stale_before,), tuple))[0]
    groups = []
    for column in ("category", "lifecycle"):
        sql = f"SELECT {column}, count(*) FROM wiki_pages WHERE NOT special GROUP BY {column} ORDER BY {column}"
        groups.append(dict((yield Query(sql, (), tuple))))
    return Counts(*numbers, *groups)
