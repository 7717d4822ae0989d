"""Resources: pages for clients that let the user pick what the model reads, and names as they are typed."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from mcp_types import Completion, Resource, ResourceTemplate

from generator.analyser import fold
from generator.errors import PageNotFound
from generator.lookup import find_page
from generator.query import Program, Query, tag_counts
from generator.vault import detect_layout, safe_path
from mcp_bridge.envelope import as_json
from mcp_bridge.paging import place_of
from mcp_bridge.tools.read_page import note_source
from mcp_bridge.tools.status import hubs, wiki_status

if TYPE_CHECKING:
    from mcp_bridge.index import Bridge

PAGE = "wiki://page/"
MARKDOWN = "text/markdown"
_SPECIAL = {
    "index": "The index of the wiki: every page with a line about it",
    "hot": "What is new and in work",
    "log": "What was done, newest last",
}
_STATUS = "wiki://status"
_MOST_LISTED = 100
_A_PART = 50
_MOST_COMPLETIONS = 100
_MOST_CHARACTERS = 400_000

TEMPLATE = ResourceTemplate(
    uri_template="wiki://page/{+path}",
    name="page",
    title="A page of the wiki",
    description="The Markdown of a page, by its path in the vault, such as wiki://page/concepts/Tea.md",
    mime_type=MARKDOWN,
)


async def listed(bridge: Bridge, cursor: str) -> tuple[list[Resource], str | None]:
    """A part of the list, and the cursor of the next: the fixed resources, then the pages most linked to."""
    await bridge.fresh()
    place = place_of(cursor, "resources")
    fixed = [
        Resource(uri=f"wiki://{name}", name=name, description=text, mime_type=MARKDOWN)
        for name, text in _SPECIAL.items()
    ]
    fixed.append(
        Resource(uri=_STATUS, name="status", description="Counts and next steps, as JSON", mime_type="application/json")
    )
    pages = await bridge.read(partial(hubs, _MOST_LISTED))
    found = [*fixed, *(Resource(uri=page_uri(page.path), name=page.title, mime_type=MARKDOWN) for page in pages)]
    part = found[place.offset : place.offset + _A_PART]
    return part, place.after(len(part), len(found))


async def text_of(bridge: Bridge, uri: str) -> tuple[str, str]:
    """The text of a resource and its media type. Raises PageNotFound, PathForbidden, Unreadable."""
    import json

    if uri == _STATUS:
        return json.dumps(as_json(await wiki_status(bridge)), ensure_ascii=False), "application/json"
    await bridge.fresh()
    vault = bridge.config.wiki.vault_path
    name = uri.removeprefix("wiki://")
    if name in _SPECIAL:
        return await asyncio.to_thread(_special, bridge, name), MARKDOWN
    if not uri.startswith(PAGE):
        known = ", ".join([*(f"wiki://{each}" for each in _SPECIAL), _STATUS, TEMPLATE.uri_template])
        raise PageNotFound("there is no such resource", hint=f"there are {known}")
    path = unquote(uri.removeprefix(PAGE))
    safe_path(vault, path)
    page = await bridge.read(partial(find_page, path))
    return (await asyncio.to_thread(note_source, vault, page.path))[:_MOST_CHARACTERS], MARKDOWN


async def completed(bridge: Bridge, argument: str, value: str) -> Completion:
    """Names that the user may be about to type: paths of pages for `path`, tags for `tag`."""
    if argument not in ("path", "tag"):
        return Completion(values=[], total=0, has_more=False)
    await bridge.fresh()
    names = await bridge.read(_paths if argument == "path" else _tags)
    wanted = fold(value)
    first = [name for name in names if fold(name).startswith(wanted)]
    within = [name for name in names if wanted in fold(name) and not fold(name).startswith(wanted)]
    values = [*first, *within]
    return Completion(values=values[:_MOST_COMPLETIONS], total=len(values), has_more=len(values) > _MOST_COMPLETIONS)


def page_uri(path: str) -> str:
    """The URI of a page."""
    return PAGE + quote(path.encode("utf-8", "replace"), safe="/")


def _special(bridge: Bridge, name: str) -> str:
    from generator.upkeep.special_files import special_path  # the parser

    vault = bridge.config.wiki.vault_path
    path = special_path(detect_layout(vault), f"{name}.md")
    if not safe_path(vault, path).is_file():
        hint = "`llmwiki init` makes a vault that has one" if name == "log" else "daily_update makes it"
        raise PageNotFound(f"this vault has no {name}.md", hint=hint)
    return note_source(vault, path)[:_MOST_CHARACTERS]


def _paths() -> Program[list[str]]:
    return (yield Query("SELECT path FROM wiki_pages ORDER BY path", (), lambda row: str(row[0])))


def _tags() -> Program[list[str]]:
    return [tag.label for tag in (yield from tag_counts())]
