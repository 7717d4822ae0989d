"""Pages that no other page links to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.digest import digest
from generator.look import Look
from generator.pages.kind import Kind, Planned, drawn, entry, entry_digest
from generator.render import Renderer
from generator.wiki import Wiki, by_title


def _plan(wiki: Wiki, look: Look) -> Iterator[Planned]:
    yield Planned("orphans.html", "", digest(map(entry_digest, wiki.orphans)))


def _context(renderer: Renderer, subject: str, url: str) -> Mapping[str, Any]:
    entries = [entry(page) for page in by_title(renderer.wiki.orphans)]
    return {"title": renderer.translate("orphans"), "entries": entries}


KIND = Kind("orphans", _plan, drawn("orphans.html", _context))
