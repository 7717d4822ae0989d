"""The end of an ingest: the pages are there, the source has its summary page, the manifest and the log say so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from unicodedata import normalize

from generator.errors import PageNotFound
from generator.sources.errors import SourceRefused
from generator.sources.fallback import fallback_page
from generator.sources.journal import note
from generator.sources.manifest import Source, load
from generator.sources.queue import finish, finish_source
from generator.sources.removal import source_names, summary_pages
from generator.upkeep.snapshot import Snapshot
from generator.vault import Layout, apply_edit


@dataclass(frozen=True, slots=True)
class Ingested:
    """A source that is done; `fallback` is the path of the summary page that the program wrote, "" for none; `problem`
    says why the log has no entry."""

    key: str
    source: Source
    fallback: str
    problem: str


def finish_ingest(
    vault: Path,
    layout: Layout,
    wiki: Snapshot,
    key: str,
    pages: Sequence[str],
    now: datetime,
    *,
    raw_keys: Sequence[str] = (),
    text: Callable[[], str] | None = None,
    language: str = "en",
) -> Ingested:
    """Record the pages that were made from a source, and that it is done. The index must be up to date.

    `text` yields the source's text for a summary page that the program writes where there is none; without it, that is
    refused. Raises `SourceNotFound`, `SourceRefused`, `PageNotFound`, and what `text` raises: nothing is recorded then.
    """
    manifest = load(vault)
    source = manifest.get(key)
    made = [_page_path(wiki, layout, name) for name in pages]
    finish(manifest, key, made, now)  # refused before anything is written
    summaries = [page.path for page in summary_pages(wiki, source_names(manifest, raw_keys), key)]
    fallback = ""
    if not summaries:
        if text is None:
            message = "there is no summary page: one of the category `sources` whose only source is this"
            raise SourceRefused(message, path=key, hint=f"write one with `sources: [{key}]`, or use --fallback-summary")
        day = now.astimezone().date()
        edit = fallback_page(vault, layout, key, source.title, text(), day, language)
        apply_edit(vault, edit)
        fallback, summaries = edit.path, [edit.path]
    done = finish_source(vault, key, [*summaries, *made], now)
    linked = [f"[[{_name(wiki, path)}]]" for path in dict.fromkeys([*summaries, *made])]
    problem = note(vault, layout, now, "ingest", key, [f"Pages: {', '.join(linked)}"])
    return Ingested(key, done, fallback, problem)


def _page_path(wiki: Snapshot, layout: Layout, name: str) -> str:
    """The vault path of a page that a worker names, with or without the pages root and `.md`."""
    written = normalize("NFC", name.strip()).removeprefix("./")
    root = f"{layout.pages_root}/" if layout.pages_root else ""
    for path in (written, f"{written}.md", f"{root}{written}", f"{root}{written}.md"):
        if path in wiki.by_path:
            return path
    raise PageNotFound("there is no such page", path=name, hint="write it first, then say that the source is done")


def _name(wiki: Snapshot, path: str) -> str:
    page = wiki.by_path.get(path)
    return wiki.link_name(page, "") if page else path.rpartition("/")[2].removesuffix(".md")
