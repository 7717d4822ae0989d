"""The tree of folders and pages beside every page: a script for each folder, loaded when the folder is opened."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import md5
from typing import Any

from generator.digest import digest
from generator.look import Look
from generator.pages.kind import Kind, Planned
from generator.render import Renderer
from generator.script_data import safe_json, script
from generator.urls import ASSETS, folder_url
from generator.wiki import Folder, Wiki, by_title

_MOST = 500  # pages of one folder: of more, the folder's own page tells


def _url(folder: str) -> str:
    return f"{ASSETS}/{_name(folder)}.js"


def _name(folder: str) -> str:
    key = md5(folder.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()[:12]
    return f"tree/{key if folder else 'root'}"


def _plan(wiki: Wiki, look: Look) -> Iterator[Planned]:
    for path, folder in wiki.folders.items():
        below = [f"{child}\x1e{wiki.folders[child].count}" for child in folder.subfolders]
        yield Planned(_url(path), path, digest([*below, "", *(f"{p.title}\x1e{p.url}" for p in folder.pages)]))


def _make(renderer: Renderer, path: str, url: str) -> bytes:
    wiki = renderer.wiki
    folder = wiki.folders[path]
    pages = by_title(folder.pages)
    value: dict[str, Any] = {
        "folders": [_row(wiki.folders[child]) for child in folder.subfolders],
        "pages": [(page.title, page.url) for page in pages[:_MOST]],
        "more": max(0, len(pages) - _MOST),
    }
    return script(_name(path), safe_json(value))


def _row(folder: Folder) -> tuple[str, str, str, int]:
    """Its name, its script, its page, and how many pages it holds at any depth."""
    return folder.name, _name(folder.path), folder_url(folder.path), folder.count


KIND = Kind("tree", _plan, _make)
