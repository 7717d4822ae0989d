"""The start page: the vault's own home note if it has one, its folders, what changed last, its commonest tags."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from generator.digest import digest
from generator.look import Look
from generator.pages.hot import newest_first
from generator.pages.kind import Kind, Planned, drawn, entry, entry_digest
from generator.pages.note import embedded_pages, own_state, text_states, without_title
from generator.render import Renderer
from generator.syntax.tag import tag_file
from generator.urls import folder_url
from generator.wiki import PageRow, Wiki

_HOME_NOTES = ("overview", "home", "readme", "index")
_RECENT = 10
_TAGS = 40


def home_note(wiki: Wiki) -> PageRow | None:
    """The note that introduces the vault: overview, home, readme or index, at the root or at the pages' root."""
    ranked = [
        (rank, page.path.count("/"), page)
        for page in wiki.pages.values()
        if page.folder in {"", "wiki"}
        for rank, name in enumerate(_HOME_NOTES)
        if page.path.rpartition("/")[2].lower() == f"{name}.md" and not (name == "index" and page.special)
    ]
    return min(ranked, key=lambda item: item[:2])[2] if ranked else None


def _stats(wiki: Wiki) -> dict[str, int]:
    return {
        "pages": len(wiki.pages),
        "links": wiki.link_count,
        "tags": len(wiki.tags),
        "orphans": len(wiki.orphans),
    }


def _top_tags(wiki: Wiki) -> list[str]:
    return sorted(wiki.tags, key=lambda key: (-len(wiki.nested_tags[key]), key))[:_TAGS]


def _plan(wiki: Wiki, look: Look) -> Iterator[Planned]:
    note = home_note(wiki)
    recent = newest_first(list(wiki.content_pages))[:_RECENT]
    tags = [f"{wiki.tag_labels[key]}\x1e{len(wiki.nested_tags[key])}" for key in _top_tags(wiki)]
    folders = [f"{path}\x1e{wiki.folders[path].count}" for path in wiki.folders[""].subfolders]
    shown = [note, *(wiki.pages[page] for page in embedded_pages(wiki, note.id))] if note else []
    texts = text_states(wiki, look, {target for page in shown for target in wiki.targets.get(page.id, ())})
    intro = [own_state(wiki, texts, page) for page in shown]
    parts = [str(_stats(wiki)), *intro, "", *map(entry_digest, recent), *tags, *folders]
    yield Planned("index.html", "", digest(parts))


def _context(renderer: Renderer, subject: str, url: str) -> Mapping[str, Any]:
    from markupsafe import Markup

    wiki = renderer.wiki
    note = home_note(wiki)
    body, anchor = without_title(renderer, note, url) if note else ("", "")
    if anchor:
        body = f'<span id="{escape(anchor)}"></span>\n{body}'  # links within the note may lead to its title
    folders = [wiki.folders[path] for path in wiki.folders[""].subfolders]
    return {
        "title": renderer.look.title,
        "intro_html": Markup(body) if body else None,
        "intro_lang": note.language if note else renderer.look.language,
        "folders": [
            {"name": folder.name, "path": folder_url(folder.path), "count": folder.count} for folder in folders
        ],
        "recent": [entry(page) for page in newest_first(list(wiki.content_pages))[:_RECENT]],
        "top_tags": [
            {"label": wiki.tag_labels[key], "path": tag_file(key), "count": len(wiki.nested_tags[key])}
            for key in _top_tags(wiki)
        ],
        "stats": _stats(wiki),
    }


KIND = Kind("home", _plan, drawn("home.html", _context))
