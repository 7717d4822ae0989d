"""What the files of the search in an output folder were made from, kept in the index until the next build."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from generator import analyser
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
    rows = store.db.execute("SELECT path, number, key, length FROM wiki_searched WHERE folder = ?", (folder,))
    pages = {path: Searched(*facts) for path, *facts in rows}

    def words(path: str) -> bytes:
        sql = "SELECT words FROM wiki_searched WHERE folder = ? AND path = ?"
        return bytes(store.db.execute(sql, (folder, path)).fetchone()[0])

    return Before(pages, words, read)


def keep(store: Store, folder: str, state: str, made: Files) -> None:
    """Keep what files were made from, in one transaction."""
    known = store.db.execute("SELECT path FROM wiki_searched WHERE folder = ?", (folder,)).fetchall()
    gone: Iterable[tuple[str, str]] = ((folder, path) for (path,) in known if path not in made.pages)
    with store.transaction():
        store.db.executemany("DELETE FROM wiki_searched WHERE folder = ? AND path = ?", gone)
        store.db.executemany(
            "INSERT OR REPLACE INTO wiki_searched VALUES (?, ?, ?, ?, ?, ?)",
            [(folder, path, *made.pages[path], words) for path, words in made.words.items()],
        )
        store.set_meta({_key(folder): json.dumps([state, making(store), sorted(made.files)])})


def _key(folder: str) -> str:
    return f"search_state {folder}"
