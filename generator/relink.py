"""Decide what every stored link opens, and keep the outcome beside it.

An outcome depends on three things: the link as written, the names in the vault, and, where it has a subpath, the
headings and blocks of the page that it opens. When the names are as they were, only the links of changed pages and the
subpaths into them are resolved again; otherwise all are. Only rows whose outcome differs are written. A test holds that
the index then equals a clean one.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from hashlib import md5

from generator.links import NameTable, find_anchor, last_segment
from generator.model import Ambiguous, Block, Found, Heading, Resolution
from generator.packed import read_blocks, read_headings
from generator.store import Store
from generator.urls import page_urls

_Outline = tuple[tuple[Heading, ...], tuple[Block, ...]]
_LINKS = (
    "SELECT l.source, l.n, p.path, l.name, l.subpath, l.kind, l.target, l.anchor, l.status, l.candidates"
    " FROM wiki_links l JOIN wiki_pages p ON p.id = l.source"
)
_MOST_CHANGED = 500  # pages: beyond that, one pass over all links is quicker


def relink(store: Store, changed: Collection[int], *, nearest: bool = False, force: bool = False) -> int:
    """Resolve links after the pages `changed` were stored; returns how many have another outcome than before.

    `force` resolves all of them, whatever changed. Tags are counted and pages given their places in the site.
    """
    names_state = _names_state(store, nearest)
    same_names = names_state == store.meta("names_state") and not force
    partly = same_names and len(changed) <= _MOST_CHANGED
    rows = list(_links_about(store, changed) if partly else _all_links(store))
    names = _names_for(store, rows, nearest) if partly else _all_names(store, nearest)
    updates = _outcomes(store, names, rows)
    store.db.executemany(
        "UPDATE wiki_links SET target = ?, anchor = ?, status = ?, candidates = ? WHERE source = ? AND n = ?", updates
    )
    _note_states(store, {update[-2] for update in updates} | set(changed))
    _count_tags(store)
    if not same_names:
        _assign_urls(store)
        store.set_meta({"names_state": names_state})
    return len(updates)


def _names_state(store: Store, nearest: bool) -> str:
    """A digest of all that a name may open: paths, aliases, and which pages are published."""
    digest = md5(str(nearest).encode(), usedforsecurity=False)
    for row in store.db.execute(
        "SELECT f.path, p.aliases, p.published FROM wiki_files f LEFT JOIN wiki_pages p USING (id) ORDER BY f.path"
    ):
        digest.update(repr(row).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _all_links(store: Store) -> Iterable[tuple[object, ...]]:
    return store.db.execute(_LINKS)


def _links_about(store: Store, changed: Collection[int]) -> Iterator[tuple[object, ...]]:
    """The links of the changed pages, and the links with a subpath into them."""
    for page in changed:
        yield from store.db.execute(f"{_LINKS} WHERE l.source = ?", (page,))
    for page in changed:
        for row in store.db.execute(f"{_LINKS} WHERE l.target = ? AND l.subpath != ''", (page,)):
            if row[0] not in changed:
                yield row


def _all_names(store: Store, nearest: bool) -> NameTable:
    return NameTable(
        (path for (path,) in store.db.execute("SELECT path FROM wiki_files")), _aliases(store), nearest=nearest
    )


def _names_for(store: Store, rows: Iterable[tuple[object, ...]], nearest: bool) -> NameTable:
    """The part of the names that these links can ask for: files of the same last segment, and all aliases."""
    wanted = set()
    for _, _, source, name, subpath, *_ in rows:
        wanted |= {last_segment(str(name), str(source)), last_segment(f"{name}#{subpath}", str(source))}
    paths: list[str] = []
    for name in sorted(wanted):
        paths += (path for (path,) in store.db.execute("SELECT path FROM wiki_files WHERE name = ?", (name,)))
    return NameTable(paths, _aliases(store), nearest=nearest)


def _aliases(store: Store) -> dict[str, list[str]]:
    rows = store.db.execute("SELECT path, aliases FROM wiki_pages WHERE aliases != '[]'")
    return {path: json.loads(text) for path, text in rows}


def _outcomes(store: Store, names: NameTable, rows: Iterable[tuple[object, ...]]) -> list[tuple[object, ...]]:
    """The columns `target, anchor, status, candidates, source, n` of the links whose outcome has changed."""
    files = _FileIds(store)
    outlines = _Outlines(store)
    changed: list[tuple[object, ...]] = []
    for source, n, path, name, subpath, kind, *known in rows:
        resolution, rest = _resolve(names, str(name), str(subpath), str(kind), str(path))
        outcome = _outcome(resolution, rest, str(kind), files, outlines)
        if outcome != tuple(known):
            changed.append((*outcome, source, n))
    return changed


def _note_states(store: Store, pages: Iterable[object]) -> None:
    """Keep, for each of the pages, a digest of what its links open now."""
    for page in pages:
        rows = store.db.execute(
            "SELECT n, target, anchor, status FROM wiki_links WHERE source = ? ORDER BY n", (page,)
        ).fetchall()
        state = md5(repr(rows).encode(), usedforsecurity=False).hexdigest() if rows else ""
        store.db.execute("UPDATE wiki_pages SET links_state = ? WHERE id = ?", (state, page))


def _resolve(names: NameTable, name: str, subpath: str, kind: str, source: str) -> tuple[Resolution, str]:
    """The outcome for the name, and what is left of the subpath."""
    resolution = names.resolve(name, source)
    if not isinstance(resolution, Found) and kind == "markdown" and subpath and name:
        # Obsidian writes `#` in a file name as it is: `[x](Sub/name%20#1.md)`.
        whole = names.resolve(f"{name}#{subpath}", source)
        if isinstance(whole, Found):
            return whole, ""
    return resolution, subpath


def _outcome(
    resolution: Resolution, subpath: str, kind: str, files: _FileIds, outlines: _Outlines
) -> tuple[int | None, str, str, str]:
    """A resolution as the columns `target, anchor, status, candidates`."""
    if not isinstance(resolution, Found):
        if isinstance(resolution, Ambiguous):
            return None, "", "ambiguous", "\n".join(resolution.candidates)
        return None, "", "missing", ""
    words = ["alias"] if resolution.via_alias else []
    if resolution.tied:
        words.append("tied")
    file, is_page = files.of(resolution.path)
    anchor: str | None = subpath
    if subpath and is_page:
        anchor = find_anchor(subpath, *outlines.of(file), slugs=kind == "markdown")
        if anchor is None:
            words.append("subpath")
    return file, anchor or "", " ".join(words), "\n".join(resolution.tied)


class _FileIds:
    """The id of a file, and whether it is a page, by path."""

    def __init__(self, store: Store) -> None:
        self._db = store.db
        self._known: dict[str, tuple[int, bool]] = {}

    def of(self, path: str) -> tuple[int, bool]:
        known = self._known.get(path)
        if known is None:
            row = self._db.execute(
                "SELECT f.id, p.id FROM wiki_files f LEFT JOIN wiki_pages p USING (id) WHERE f.path = ?", (path,)
            ).fetchone()
            known = self._known[path] = (row[0], row[1] is not None)
        return known


class _Outlines:
    """The headings and blocks of pages, read when a link first asks for them."""

    def __init__(self, store: Store) -> None:
        self._db = store.db
        self._known: dict[int, _Outline] = {}

    def of(self, page_id: int) -> _Outline:
        outline = self._known.get(page_id)
        if outline is None:
            row = self._db.execute("SELECT headings, blocks FROM wiki_content WHERE id = ?", (page_id,)).fetchone()
            outline = self._known[page_id] = (read_headings(row[0]), read_blocks(row[1]))
        return outline


_TAGS = "SELECT t.tag, {}, count(*), min({}) FROM wiki_page_tags t JOIN wiki_pages p ON p.id = t.page GROUP BY t.tag"


def _count_tags(store: Store) -> None:
    """Derive wiki_tags: its label is the spelling on the first page by path."""
    # With one min() SQLite takes the other columns from the row that has it.
    labels = {tag: (label, count) for tag, label, count, _ in store.db.execute(_TAGS.format("t.label", "p.path"))}
    seen = {tag: first for tag, _, _, first in store.db.execute(_TAGS.format("''", "p.created_at"))}
    wanted = {tag: (*facts, seen[tag]) for tag, facts in labels.items()}
    stored = {
        tag: tuple(rest) for tag, *rest in store.db.execute("SELECT tag, label, count, first_seen FROM wiki_tags")
    }
    store.db.executemany("DELETE FROM wiki_tags WHERE tag = ?", [(tag,) for tag in stored.keys() - wanted.keys()])
    store.db.executemany(
        "INSERT OR REPLACE INTO wiki_tags (tag, label, count, first_seen) VALUES (?, ?, ?, ?)",
        [(tag, *values) for tag, values in wanted.items() if stored.get(tag) != values],
    )


def _assign_urls(store: Store) -> None:
    """Give every published page its place in the site."""
    rows = store.db.execute("SELECT id, path, published, url FROM wiki_pages").fetchall()
    urls = page_urls(path for _, path, published, _ in rows if published)
    changed = [(urls.get(path, ""), page_id) for page_id, path, _, known in rows if urls.get(path, "") != known]
    store.db.executemany("UPDATE wiki_pages SET url = ? WHERE id = ?", changed)
