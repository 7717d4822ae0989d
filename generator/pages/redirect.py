"""Old addresses: a page's `permalink`, and its aliases, which are its full old paths where a page was moved.

Each is a page that leads on without server and without script. Where a page stands already, or where several claim
one address, the first by path has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.analyser import name_key
from generator.look import Look
from generator.pages.kind import Kind, Planned, drawn
from generator.render import Renderer
from generator.urls import folder_url, is_generated, safe_path
from generator.wiki import PageRow, Wiki, json_list


def _old_addresses(wiki: Wiki, page: PageRow) -> Iterator[str]:
    permalink = wiki.permalinks.get(page.id)
    for old in (*((permalink,) if permalink else ()), *json_list(page.aliases)):
        parts = [part for part in old.removesuffix(".html").removesuffix(".md").split("/") if part.strip()]
        if parts:
            yield safe_path("/".join(parts)) + ".html"


def _plan(wiki: Wiki, look: Look) -> Iterator[Planned]:
    taken = {name_key(page.url) for page in wiki.pages.values()}
    taken.update(name_key(file.url) for file in wiki.attachments.values())
    taken.update(name_key(folder_url(path)) for path in wiki.folders)
    for page in wiki.pages.values():
        for url in _old_addresses(wiki, page):
            key = name_key(url)
            if key not in taken and not is_generated(url):
                taken.add(key)
                yield Planned(url, page.id, f"{page.url}\x1e{page.title}\x1e{page.language}")


def _context(renderer: Renderer, page_id: int, url: str) -> Mapping[str, Any]:
    page = renderer.wiki.pages[page_id]
    return {"title": page.title, "lang": page.language, "target": page.url}


KIND = Kind("redirect", _plan, drawn("redirect.html", _context))
