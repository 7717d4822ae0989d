"""The vault's health: what the linter finds on published pages, a page for each kind of finding, and their overview."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from generator.digest import digest
from generator.look import Look
from generator.pages.kind import Kind, Planned, drawn
from generator.render import Renderer
from generator.upkeep.lint import reading
from generator.upkeep.lint.issue import Issue
from generator.wiki import Wiki

_READING = "reading"
# By how much they matter; the codes of what could not be read as it was meant are one section.
SECTIONS = (
    *("broken-link", "missing-heading", "missing-block", "ambiguous-link", _READING),
    *("disputed", "stale", "alias-link", "unused-attachment"),
)


def _sections(wiki: Wiki) -> Mapping[str, Sequence[Issue]]:
    found: dict[str, list[Issue]] = {name: [] for name in SECTIONS}
    for issue in wiki.issues:
        found[_READING if issue.code in reading.CODES else issue.code].append(issue)
    return found


def _url(section: str) -> str:
    return f"_health/{section}.html"


def _plan(wiki: Wiki, look: Look) -> Iterator[Planned]:
    sections = _sections(wiki)
    counts = [str(len(issues)) for issues in sections.values()]
    yield Planned("health.html", "", digest([*counts, str(len(wiki.orphans))]))
    for name, issues in sections.items():
        if issues:
            yield Planned(_url(name), name, digest(map(repr, _by_page(wiki, name, issues))))


def _by_page(wiki: Wiki, section: str, issues: Sequence[Issue]) -> Iterator[dict[str, Any]]:
    """The issues page by page: `lines` are the numbers, 0 for none, with what is amiss there."""
    for path, group in groupby(issues, key=lambda issue: issue.path):
        page = wiki.by_path.get(path)
        lines = [{"line": i.line, "about": i.message if section == _READING else i.about} for i in group]
        yield {
            "path": path,
            "url": page.url if page else "",
            "title": page.title if page else path,
            "lang": page.language if page else "",
            "lines": lines,
        }


def _context(renderer: Renderer, section: str, url: str) -> Mapping[str, Any]:
    wiki, sections = renderer.wiki, _sections(renderer.wiki)
    if section:
        pages = [*_by_page(wiki, section, sections[section])]
        return {"title": renderer.translate(f"health.{section}"), "section": section, "pages": pages}
    counts = [{"name": name, "count": len(issues), "path": _url(name)} for name, issues in sections.items()]
    orphans = {"name": "orphans", "count": len(wiki.orphans), "path": "orphans.html"}
    return {"title": renderer.translate("health"), "section": "", "sections": [*counts, orphans]}


KIND = Kind("health", _plan, drawn("health.html", _context))
