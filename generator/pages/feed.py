"""The Atom feed: what changed last (RFC 4287). Entries are told apart by the page's address where `site.base_url` is
set, else by a name made from its path, which stays the same on every machine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import NAMESPACE_URL, uuid5
from xml.etree import ElementTree

from generator.digest import digest
from generator.look import Look
from generator.pages.hot import newest_first
from generator.pages.kind import Kind, Planned, entry_digest
from generator.render import Renderer
from generator.urls import FEED, absolute_url, quote_path
from generator.wiki import PageRow, Wiki, json_list
from generator.xml_text import xml_bytes, xml_text

_MOST = 50
_ATOM = "http://www.w3.org/2005/Atom"


def _entries(wiki: Wiki) -> list[PageRow]:
    return newest_first([page for page in wiki.content_pages if page.updated_at])[:_MOST]


def _plan(wiki: Wiki, look: Look) -> Iterator[Planned]:
    yield Planned(
        FEED, "", digest(f"{entry_digest(page)}\x1e{page.created_at}\x1e{page.tags}" for page in _entries(wiki))
    )


def _make(renderer: Renderer, subject: Any, url: str) -> bytes:
    look = renderer.look
    pages = _entries(renderer.wiki)
    feed = ElementTree.Element("feed", {"xmlns": _ATOM, "xml:lang": look.language})
    _add(feed, "title", look.title)
    _add(feed, "id", absolute_url(look.base_url, FEED) if look.base_url else _name(look, FEED))
    _add(feed, "updated", timestamp(pages[0].updated_at) if pages else "1970-01-01T00:00:00Z")
    _add(_add(feed, "author"), "name", look.title)
    _add(feed, "generator", "sanguo-llmwiki")
    if look.base_url:
        _add(feed, "link", rel="self", type="application/atom+xml", href=absolute_url(look.base_url, FEED))
    _add(feed, "link", rel="alternate", type="text/html", href=_href(look, "index.html"))
    for page in pages:
        _add_page(feed, page, look)
    return xml_bytes(feed)


def _add_page(feed: ElementTree.Element, page: PageRow, look: Look) -> None:
    item = _add(feed, "entry", **{"xml:lang": page.language})
    _add(item, "title", page.title)
    _add(item, "id", _href(look, page.url) if look.base_url else _name(look, page.path))
    _add(item, "link", rel="alternate", type="text/html", href=_href(look, page.url))
    _add(item, "updated", timestamp(page.updated_at))
    if page.created_at:
        _add(item, "published", timestamp(page.created_at))
    _add(item, "summary", page.summary)
    for tag in json_list(page.tags):
        _add(item, "category", term=tag)


def _add(parent: ElementTree.Element, name: str, text: str = "", **attributes: str) -> ElementTree.Element:
    child = ElementTree.SubElement(parent, name, {key: xml_text(value) for key, value in attributes.items()})
    child.text = xml_text(text)
    return child


def _href(look: Look, url: str) -> str:
    return absolute_url(look.base_url, url) if look.base_url else quote_path(url)


def _name(look: Look, path: str) -> str:
    return uuid5(NAMESPACE_URL, f"{look.title}/{path}").urn


def timestamp(moment: str) -> str:
    """An ISO 8601 date or time as RFC 3339 wants it: with a time, and with a zone (UTC where none is known)."""
    if len(moment) == 10:
        return f"{moment}T00:00:00Z"
    zone = moment[19:]
    return moment if zone.startswith(("Z", "+", "-")) else f"{moment[:19]}Z"


KIND = Kind("feed", _plan, _make)
