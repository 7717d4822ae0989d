"""All pages by title."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from generator.digest import digest
from generator.look import Look
from generator.pages.kind import Kind, Planned, drawn, initial
from generator.render import Renderer
from generator.wiki import Wiki, by_title


def _plan(wiki: Wiki, look: Look) -> Iterator[Planned]:
    yield Planned(
        "pages.html", "", digest(f"{page.path}\x1e{page.title}\x1e{page.url}" for page in wiki.pages.values())
    )


def _context(renderer: Renderer, subject: str, url: str) -> Mapping[str, Any]:
    pages = sorted(by_title(renderer.wiki.pages.values()), key=lambda page: initial(page.title))
    groups = [
        {
            "initial": letter,
            "entries": [{"title": page.title, "path": page.url, "folder": page.folder} for page in members],
        }
        for letter, members in groupby(pages, key=lambda page: initial(page.title))
    ]
    return {"title": renderer.translate("pages.all"), "groups": groups}


KIND = Kind("pages", _plan, drawn("pages.html", _context))
