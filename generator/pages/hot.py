"""What is hot: pages updated in the last seven days, new tags, pages that wait for links, disputed pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.digest import digest
from generator.look import Look
from generator.pages.kind import Kind, Planned, days_since, drawn, entry, entry_digest
from generator.render import Renderer
from generator.syntax.tag import tag_file
from generator.wiki import PageRow, Tag, Wiki, by_title

_DAYS = 7
_MOST = 100


def recent_pages(wiki: Wiki, look: Look) -> list[PageRow]:
    """Pages updated in the last seven days, newest first."""
    pages = [page for page in wiki.content_pages if 0 <= days_since(page.updated_at, look.today) < _DAYS]
    return newest_first(pages)[:_MOST]


def newest_first(pages: list[PageRow]) -> list[PageRow]:
    """By date of change, then by path."""
    return sorted(sorted(pages, key=lambda page: page.path), key=lambda page: page.updated_at, reverse=True)


def _new_tags(wiki: Wiki, look: Look) -> list[Tag]:
    return [tag for tag in wiki.tags.values() if 0 <= days_since(tag.first_seen, look.today) < _DAYS][:_MOST]


def _flagged(wiki: Wiki) -> list[PageRow]:
    return [page for page in wiki.content_pages if page.lifecycle == "disputed"]


def _plan(wiki: Wiki, look: Look) -> Iterator[Planned]:
    groups = (recent_pages(wiki, look), _flagged(wiki), wiki.orphans)
    parts = ["\x1d".join(map(entry_digest, group)) for group in groups]
    tags = (f"{tag.label}\x1e{len(tag.pages)}" for tag in _new_tags(wiki, look))
    yield Planned("hot.html", "", digest([*parts, *tags]))


def _context(renderer: Renderer, subject: str, url: str) -> Mapping[str, Any]:
    wiki, look = renderer.wiki, renderer.look
    return {
        "title": renderer.translate("hot"),
        "recent": [entry(page) for page in recent_pages(wiki, look)],
        "new_tags": [
            {"label": tag.label, "path": tag_file(tag.key), "count": len(tag.pages)} for tag in _new_tags(wiki, look)
        ],
        "waiting": [entry(page) for page in by_title(wiki.orphans)[:_MOST]],
        "flagged": [entry(page) for page in by_title(_flagged(wiki))],
    }


KIND = Kind("hot", _plan, drawn("hot.html", _context))
