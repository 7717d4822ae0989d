"""The page of the graph: a canvas that a script draws on, and the same in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from generator.digest import digest
from generator.look import Look
from generator.pages.graph_data import LIFECYCLES
from generator.pages.kind import Kind, Planned, drawn
from generator.render import Renderer
from generator.urls import ASSETS
from generator.wiki import Wiki

_COMMUNITIES, _OF_EACH = 24, 6  # that are described in words


def _plan(wiki: Wiki, look: Look) -> Iterator[Planned]:
    names = (f"{page.title}\x1e{page.url}\x1e{page.language}" for page in wiki.content_pages)
    yield Planned("graph.html", "", digest([wiki.graph.digest, *names]))


def _context(renderer: Renderer, subject: str, url: str) -> Mapping[str, Any]:
    wiki = renderer.wiki
    return {
        "title": renderer.translate("graph"),
        "texts": graph_texts(renderer.translate),
        "assets": f"{ASSETS}/",
        "count": len(wiki.content_pages),
        "links": len(wiki.graph.edges),
        "communities": _in_words(wiki),
    }


def graph_texts(translate: Any) -> Mapping[str, Any]:
    """What the script says, in the site's language."""
    names = ("neighbours", "summary", "shown", "nothing", "loading", "failed", "none")
    texts: dict[str, Any] = {name: translate(f"graph.{name}") for name in names}
    return texts | {"lifecycles": {name: translate(f"lifecycle.{name}") for name in LIFECYCLES}}


def _in_words(wiki: Wiki) -> Sequence[Mapping[str, Any]]:
    """The largest communities, each with its most linked pages."""
    members: dict[int, list[int]] = {}
    for page, community in enumerate(wiki.layout.members):
        if 0 <= community < _COMMUNITIES:
            members.setdefault(community, []).append(page)
    degrees, pages = wiki.graph.degrees, wiki.content_pages
    return [
        {
            "count": len(members[community]),
            "entries": [
                {"title": pages[at].title, "path": pages[at].url, "lang": pages[at].language, "degree": degrees[at]}
                for at in sorted(members[community], key=lambda at: (-degrees[at], at))[:_OF_EACH]
            ],
        }
        for community in sorted(members)
    ]


KIND = Kind("graph", _plan, drawn("graph.html", _context))
