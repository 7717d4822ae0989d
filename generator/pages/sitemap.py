"""`sitemap.xml` for search engines: absolute addresses, so there is one only where `site.base_url` is set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.etree import ElementTree

from generator.digest import digest
from generator.look import Look
from generator.pages.kind import Kind, Planned
from generator.render import Renderer
from generator.urls import SITEMAP, absolute_url
from generator.wiki import PageRow, Wiki
from generator.xml_text import xml_bytes

_SITEMAPS = "http://www.sitemaps.org/schemas/sitemap/0.9"
_MOST = 50_000  # addresses in one file, by the protocol


def _parts(wiki: Wiki) -> list[Sequence[PageRow]]:
    pages = list(wiki.pages.values())
    return [pages[start : start + _MOST] for start in range(0, len(pages), _MOST)]


def _part_url(number: int) -> str:
    return SITEMAP.replace(".xml", f"-{number}.xml")


def _plan(wiki: Wiki, look: Look) -> Iterator[Planned]:
    if not look.base_url:
        return
    parts = [digest(f"{page.url}\x1e{page.updated_at}" for page in part) for part in _parts(wiki)]
    yield Planned(SITEMAP, 0, digest(parts))
    if len(parts) > 1:
        for number, part in enumerate(parts, 1):
            yield Planned(_part_url(number), number, part)


def _make(renderer: Renderer, number: int, url: str) -> bytes:
    """File 0 lists the pages, or the other files where there are several."""
    base, parts = renderer.look.base_url, _parts(renderer.wiki)
    if len(parts) > 1 and not number:
        root = ElementTree.Element("sitemapindex", xmlns=_SITEMAPS)
        for part in range(1, len(parts) + 1):
            _add(ElementTree.SubElement(root, "sitemap"), "loc", absolute_url(base, _part_url(part)))
        return xml_bytes(root)
    root = ElementTree.Element("urlset", xmlns=_SITEMAPS)
    for page in parts[max(0, number - 1)] if parts else ():
        item = ElementTree.SubElement(root, "url")
        _add(item, "loc", absolute_url(base, page.url))
        if page.updated_at:
            _add(item, "lastmod", page.updated_at[:10])
    return xml_bytes(root)


def _add(parent: ElementTree.Element, name: str, text: str) -> None:
    ElementTree.SubElement(parent, name).text = text


KIND = Kind("sitemap", _plan, _make)
