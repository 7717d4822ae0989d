"""`llms.txt`: the wiki as a list for language models, each page with its Markdown and one sentence (llmstxt.org)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from generator.digest import digest
from generator.look import Look
from generator.pages.home import home_note
from generator.pages.kind import Kind, Planned
from generator.render import Renderer
from generator.urls import LLMS, absolute_url, markdown_url, quote_path
from generator.wiki import PageRow, Wiki, by_title


def _plan(wiki: Wiki, look: Look) -> Iterator[Planned]:
    pages = wiki.content_pages
    home = home_note(wiki)
    rows = (f"{page.url}\x1e{page.title}\x1e{page.category}\x1e{page.summary}" for page in pages)
    yield Planned(LLMS, "", digest([home.summary if home else "", *rows]))


def _make(renderer: Renderer, subject: Any, url: str) -> bytes:
    wiki, look = renderer.wiki, renderer.look
    home = home_note(wiki)
    lines = [f"# {_line(look.title)}", ""]
    if home and home.summary:
        lines += [f"> {_line(home.summary)}", ""]
    pages = sorted(by_title(wiki.content_pages), key=lambda page: page.category)
    for category, members in groupby(pages, key=lambda page: page.category):
        lines += [f"## {_line(category) or renderer.translate('pages')}", ""]
        lines += [_entry(page, look) for page in members]
        lines.append("")
    return "\n".join(lines).encode("utf-8", "replace")


def _entry(page: PageRow, look: Look) -> str:
    url = markdown_url(page.url)
    href = absolute_url(look.base_url, url) if look.base_url else quote_path(url)
    title = _line(page.title).replace("[", "\\[").replace("]", "\\]")
    summary = f": {_line(page.summary)}" if page.summary else ""
    return f"- [{title}]({href.replace('(', '%28').replace(')', '%29')}){summary}"


def _line(text: str) -> str:
    return " ".join(text.split())


KIND = Kind("llms", _plan, _make)
