"""When pages were made: an index of months, and a page for each month."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.digest import digest
from generator.look import Look
from generator.pages.kind import Kind, Planned, drawn, entry, entry_digest
from generator.render import Renderer
from generator.wiki import Wiki


def _month_url(month: str) -> str:
    return f"timeline/{month}.html"


def _plan(wiki: Wiki, look: Look) -> Iterator[Planned]:
    found = wiki.months
    yield Planned("timeline.html", "", digest(f"{month}\x1e{len(pages)}" for month, pages in found.items()))
    for month, pages in found.items():
        yield Planned(_month_url(month), month, digest(f"{entry_digest(page)}\x1e{page.created_at}" for page in pages))


def _context(renderer: Renderer, month: str, url: str) -> Mapping[str, Any]:
    found = renderer.wiki.months
    if month:
        entries = [entry(page) | {"updated": page.created_at} for page in found[month]]
        return {"title": month_name(renderer, month), "entries": entries, "years": []}
    years: dict[str, list[dict[str, Any]]] = {}
    most = max(map(len, found.values()), default=1)
    for name, pages in found.items():
        years.setdefault(name[:4], []).append(
            {
                "name": month_name(renderer, name),
                "path": _month_url(name),
                "count": len(pages),
                "share": round(100 * len(pages) / most),
            }
        )
    groups = [{"name": year, "months": members} for year, members in years.items()]
    return {"title": renderer.translate("timeline"), "entries": [], "years": groups}


def month_name(renderer: Renderer, month: str) -> str:
    """`2026-01` as people say it."""
    year, _, number = month.partition("-")
    return renderer.translate(f"month.{number}", year=year) if 1 <= int(number) <= 12 else month


KIND = Kind("timeline", _plan, drawn("timeline.html", _context))
