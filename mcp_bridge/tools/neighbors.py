"""wiki_neighbors: what lies around a page."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from mcp_bridge.arguments import Text
from mcp_bridge.index import Bridge
from mcp_bridge.paging import fitting

if TYPE_CHECKING:
    from generator.query import Program
    from generator.relevance import Related

_MOST_CONTEXT = 240
_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class LinkedPage:
    """A link from or to the page: the other page, the line on which the link stands, the sentence around it."""

    path: str
    line: int
    context: str


@dataclass(frozen=True, slots=True)
class RelatedPage:
    """A page that has to do with this one, and why."""

    path: str
    title: str
    score: float
    hops: int
    linked: bool
    shared_sources: tuple[str, ...]
    common: tuple[str, ...]
    same_category: bool


@dataclass(frozen=True, slots=True)
class NeighborsAnswer:
    """What lies around the page `path`; `counts` tells how many of each there are in all."""

    path: str
    title: str
    links: tuple[LinkedPage, ...]
    backlinks: tuple[LinkedPage, ...]
    related: tuple[RelatedPage, ...]
    counts: dict[str, int]


async def wiki_neighbors(
    bridge: Bridge,
    page: Text,
    depth: Annotated[int, Field(ge=1, le=2, description="Links to `related`.")] = 1,
    limit: Annotated[int, Field(ge=1, le=100)] = 20,
) -> NeighborsAnswer:
    """Show what lies around a page: use it after wiki_read_page, to find what else bears on a question.

    Returns `links` and `backlinks` (path, line, sentence around the link), `related` (path, title, score, and why:
    linked, shared sources, common neighbours, same category), `counts` of each.

    Example: {"page": "concepts/Tea.md", "depth": 2}"""
    await bridge.fresh()
    with bridge.naming(page):
        return await bridge.read(partial(_around, page, depth, limit))


def _around(name: str, depth: int, limit: int) -> Program[NeighborsAnswer]:
    from generator.lookup import find_page
    from generator.query import backlinks_of, links_of
    from generator.relevance import related

    page = yield from find_page(name)
    links = yield from links_of(page.id)
    outgoing = {each.resolved: each for each in reversed(links) if each.resolved and each.resolved != page.path}
    forward = [LinkedPage(path, each.line, _short(each.context)) for path, each in reversed(outgoing.items())]
    back = [LinkedPage(each.path, each.line, _short(each.context)) for each in (yield from backlinks_of(page.id))]
    near = [each for each in (yield from related(page.id, 1000)) if each.hops <= depth]
    shown = fitting([_related(each) for each in near[:limit]])
    room = sum(len(str(each)) for each in shown)
    links_shown = fitting(forward[:limit], beside=room)
    room += sum(len(str(each)) for each in links_shown)
    counts = {"links": len(forward), "backlinks": len(back), "related": len(near)}
    return NeighborsAnswer(page.path, page.title, links_shown, fitting(back[:limit], beside=room), shown, counts)


def _related(page: Related) -> RelatedPage:
    return RelatedPage(
        page.path, page.title, round(page.score, 3), page.hops, page.linked,
        page.shared_sources[:_MOST_NAMED], page.common[:_MOST_NAMED], page.same_category,
    )  # fmt: skip


def _short(context: str) -> str:
    text = " ".join(context.split())
    return text if len(text) <= _MOST_CONTEXT else f"{text[: _MOST_CONTEXT - 1]}…"
