"""The page that a server shows for an address that is not there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.look import Look
from generator.pages.kind import Kind, Planned, drawn
from generator.render import Renderer
from generator.wiki import Wiki


def _plan(wiki: Wiki, look: Look) -> Iterator[Planned]:
    yield Planned("404.html", "", "")


def _context(renderer: Renderer, subject: str, url: str) -> Mapping[str, Any]:
    return {"title": renderer.translate("missing.title")}


KIND = Kind("missing", _plan, drawn("404.html", _context))
