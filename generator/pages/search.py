"""The page of the search, for addresses that carry a query (`search.html?q=…`) and for browsers without script."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.look import Look
from generator.pages.kind import Kind, Planned, drawn
from generator.render import Renderer
from generator.wiki import Wiki


def _plan(wiki: Wiki, look: Look) -> Iterator[Planned]:
    yield Planned("search.html", "", "")


def _context(renderer: Renderer, subject: str, url: str) -> Mapping[str, Any]:
    return {"title": renderer.translate("search")}


KIND = Kind("search", _plan, drawn("search.html", _context))
