"""Decide what every stored link opens, and keep the outcome beside it.

All links are resolved on every update of the index, and only rows whose outcome differs are written: that is what
makes an incremental index equal a clean one.
"""

from __future__ import annotations

import json
from generator.links import NameTable, find_anchor
from generator.model import Ambiguous, Block, Found, Heading, Resolution
from generator.store import Store
from generator.urls import page_urls

_Outline = tuple[tuple[Heading, ...], tuple[Block, ...]]


def relink(store: Store, *, nearest: bool = False) -> int:
    """Resolve all links and count all tags; returns how many links changed their outcome."""
    ids = dict(store.db.execute("SELECT path, id FROM wiki_files"))
    aliases = {
        path: json.loads(text) for path, text in store.db.execute("SELECT path, aliases FROM wiki_pages WHERE aliases != '[]'")
    }
    names = NameTable(ids, aliases, nearest=nearest)
    pages = dict(store.db.execute("SELECT path, id FROM wiki_pages"))
    outlines = _Outlines(store)
    changed = []
    rows = store.db.execute(
        "SELECT l.source, l.n, p.path, l.name, l.subpath, l.kind, l.target, l.anchor, l.status, l.candidates"
        " FROM wiki_links l JOIN wiki_pages p ON p.id = l.source"
    )
    for source, n, path, name, subpath, kind, *known in rows:
        resolution, rest = _resolve(names, name, subpath, kind, path)
        outcome = _outcome(resolution, rest, kind, ids, pages, outlines)
        if outcome != tuple(known):
            changed.append((*outcome, source, n))
    store.db.executemany(
        "UPDATE wiki_links SET target = ?, anchor = ?, status = ?, candidates = ? WHERE source = ? AND n = ?", changed
    )
    _count_tags(store)
    _assign_urls(store)
    return len(changed)


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
    resolution: Resolution, subpath: str, kind: str, ids: dict[str, int], pages: dict[str, int], outlines: _Outlines
) -> tuple[int | None, str, str, str]:
    """A resolution as the columns `target, anchor, status, candidates`."""
    if not isinstance(resolution, Found):
        ambiguous = isinstance(resolution, Ambiguous)
        candidates = "\n".join(resolution.candidates) if isinstance(resolution, Ambiguous) else ""
        return None, "", "ambiguous" if ambiguous else "missing", candidates
    words = ["alias"] if resolution.via_alias else []
    if resolution.tied:
        words.append("tied")
    anchor: str | None = subpath
    if subpath and resolution.path in pages:
        anchor = find_anchor(subpath, *outlines.of(pages[resolution.path]), slugs=kind == "markdown")
        if anchor is None:
            words.append("subpath")
    return ids[resolution.path], anchor or "", " ".join(words), "\n".join(resolution.tied)


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


def read_headings(text: str) -> tuple[Heading, ...]:
    """The headings of wiki_content's JSON column."""
    return tuple(Heading(*row) for row in json.loads(text)) if text != "[]" else ()


def read_blocks(text: str) -> tuple[Block, ...]:
    """The blocks (or footnotes) of wiki_content's JSON column."""
    return tuple(Block(*row) for row in json.loads(text)) if text != "[]" else ()


def _count_tags(store: Store) -> None:
    """Derive wiki_tags: its label is the spelling on the first page by path."""
    rows = store.db.execute(
        "SELECT t.tag, t.label, p.path, p.created_at FROM wiki_page_tags t JOIN wiki_pages p ON p.id = t.page"
    ).fetchall()
    tags: dict[str, tuple[str, str, int, str]] = {}  # key → path, label, count, first seen
    for tag, label, path, created in rows:
        known = tags.get(tag)
        if known is None:
            tags[tag] = (path, label, 1, created)
        else:
            first = min((known[0], known[1]), (path, label))
            tags[tag] = (*first, known[2] + 1, min(known[3], created))
    wanted = {tag: (label, count, seen) for tag, (_, label, count, seen) in tags.items()}
    stored = {tag: tuple(rest) for tag, *rest in store.db.execute("SELECT tag, label, count, first_seen FROM wiki_tags")}
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
