"""What the files of the search in an output folder were made from, kept in the index until the next build."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from generator import analyser
from generator.postings import Source
from generator.search_shards import VERSION, Before, Files, Searched
from generator.store import Store


@dataclass(frozen=True, slots=True)
class Kept:
    """The state of the pages that files were made from (see `search_shards.state`), how their words were made, and the
    output paths of the files."""

    state: str
    making: str
    urls: tuple[str, ...]


def making(store: Store) -> str:
    """How words are made of pages: files that were made otherwise are of no use."""
    return f"{VERSION} {analyser.ANALYSER_VERSION} {store.meta('parse_state')}"


def kept(store: Store, folder: str) -> Kept:
    """What was kept of the folder's files; empty if nothing was."""
    try:
        state, made, urls = json.loads(store.meta(_key(folder)))
    except ValueError:
        return Kept("", "", ())
    return Kept(state, made, tuple(urls))


def before(store: Store, folder: str, read: Callable[[str], bytes]) -> Before:
    """The pages in the folder's files; `read` gives a file by its output path."""
    pages = _pages(store, folder)

    def source(path: str) -> Source | None:
        """The page as it was, or as it is, should only its number be another."""
        known = pages[path]
        for sql in (_OUTDATED, _CURRENT):
            row = store.db.execute(sql, (path, known.content_hash)).fetchone()
            if row is not None:
                return Source(known.number, path, *row)
        return None

    return Before(pages, source, read)


_FACTS = "title, aliases, tags, summary, lifecycle, headings, content"
_OUTDATED = f"SELECT {_FACTS} FROM wiki_outdated WHERE path = ? AND content_hash = ?"
_CURRENT = f"SELECT {_FACTS} FROM wiki_pages JOIN wiki_content USING (id) WHERE path = ? AND content_hash = ?"


def keep(store: Store, folder: str, state: str, made: Files) -> None:
    """Keep what files were made from, in one transaction."""
    db = store.db
    known = _pages(store, folder)
    with store.transaction():
        db.executemany(
            "DELETE FROM wiki_searched WHERE path = ? AND folder = ?",
            [(path, folder) for path in known.keys() - made.pages.keys()],
        )
        db.executemany(
            "INSERT OR REPLACE INTO wiki_searched (path, folder, number, content_hash, length) VALUES (?, ?, ?, ?, ?)",
            [(path, folder, *facts) for path, facts in made.pages.items() if known.get(path) != facts],
        )
        db.execute(
            "DELETE FROM wiki_outdated WHERE NOT EXISTS (SELECT 1 FROM wiki_searched s"
            " WHERE s.path = wiki_outdated.path AND s.content_hash = wiki_outdated.content_hash)"
        )
        store.set_meta({_key(folder): json.dumps([state, making(store), sorted(made.files)])})


def _pages(store: Store, folder: str) -> dict[str, Searched]:
    rows = store.db.execute("SELECT path, number, content_hash, length FROM wiki_searched WHERE folder = ?", (folder,))
    return {path: Searched(*facts) for path, *facts in rows}


def _key(folder: str) -> str:
    return f"search_state {folder}"
