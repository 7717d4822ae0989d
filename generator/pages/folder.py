"""A page for each folder: its subfolders and its pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.digest import digest
from generator.look import Look
from generator.pages.kind import Kind, Planned, drawn, entry, entry_digest
from generator.pages.note import breadcrumbs
from generator.render import Renderer
from generator.urls import folder_url
from generator.wiki import Wiki, by_title


def _plan(wiki: Wiki, look: Look) -> Iterator[Planned]:
    for path, folder in wiki.folders.items():
        if path:  # the root's page is the home page
            parts = [f"{sub}\x1e{wiki.folders[sub].count}" for sub in folder.subfolders]
            yield Planned(folder_url(path), path, digest([*parts, "", *map(entry_digest, folder.pages)]))


def _context(renderer: Renderer, path: str, url: str) -> Mapping[str, Any]:
    folders = renderer.wiki.folders
    folder = folders[path]
    return {
        "title": folder.name,
        "folder": folder.name,
        "breadcrumbs": breadcrumbs(path.rpartition("/")[0], folder.name),
        "subfolders": [
            {"name": folders[sub].name, "path": folder_url(sub), "count": folders[sub].count}
            for sub in folder.subfolders
        ],
        "entries": [entry(page) for page in by_title(folder.pages)],
        "intro_html": None,
    }


KIND = Kind("folder", _plan, drawn("folder.html", _context))
