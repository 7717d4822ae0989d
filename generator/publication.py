"""What a build would make public, told before anything is written."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from generator.config import Config
from generator.look import look_of
from generator.pages import PAGES, note
from generator.update import open_and_update
from generator.upkeep.health import examine
from generator.urls import ASSETS, SEARCH
from generator.wiki import load_wiki


class Published(NamedTuple):
    """A file of the vault and its place in the site."""

    path: str
    url: str


@dataclass(frozen=True, slots=True)
class Publication:
    """The notes that become pages, the files that are copied because pages show them, the tags, all other files that
    are made of these, and the notes that stay private."""

    pages: tuple[Published, ...]
    attachments: tuple[Published, ...]
    tags: tuple[str, ...]
    files: tuple[str, ...]
    private: tuple[str, ...]


def publication(config: Config, today: date) -> Publication:
    """What the site of the vault as it is now would hold. Brings the index up to date, and writes nothing else.

    The files of the search, named after what is in them, and the look of the site are told by their folders alone.
    Raises `VaultError`, `IndexBusy`.
    """
    store, _, scan = open_and_update(config)
    try:
        _, health = examine(config, store, scan, today)
        wiki = load_wiki(store.db, health.published)
        private = store.db.execute("SELECT path FROM wiki_pages WHERE NOT published ORDER BY path").fetchall()
    finally:
        store.close()
    look = look_of(config, today)
    made = {planned.url for kind in PAGES if kind is not note.KIND for planned in kind.plan(wiki, look)}
    attachments = sorted(wiki.attachments.values(), key=lambda file: file.path)
    return Publication(
        pages=tuple(Published(page.path, page.url) for page in wiki.pages.values()),
        attachments=tuple(Published(file.path, file.url) for file in attachments),
        tags=tuple(wiki.tag_labels[key] for key in sorted(wiki.nested_tags)),
        files=tuple(sorted({*made, f"{ASSETS}/", f"{SEARCH}/"})),
        private=tuple(path for (path,) in private),
    )
