"""A page for each tag, with the pages of the tags below it; and one for each parent that no page carries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.digest import digest
from generator.look import Look
from generator.pages.kind import Kind, Planned, drawn, entry, entry_digest
from generator.render import Renderer
from generator.syntax.tag import tag_file
from generator.wiki import Wiki, by_title


def _parents(key: str) -> list[str]:
    """The tags above a tag, outermost first."""
    parts = key.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts))]


def _plan(wiki: Wiki, look: Look) -> Iterator[Planned]:
    shown = {page.id: entry_digest(page) for page in wiki.pages.values()}
    for key, ids in wiki.nested_tags.items():
        labels = [wiki.tag_labels[tag] for tag in (*_parents(key), key)]
        below = [
            f"{child}\x1e{wiki.tag_labels[child]}\x1e{len(wiki.nested_tags[child])}"
            for child in wiki.child_tags.get(key, ())
        ]
        pages = [shown[page] for page in sorted(ids, key=lambda page: wiki.pages[page].path)]
        yield Planned(tag_file(key), key, digest([*labels, "", *below, "", *pages]))


def _context(renderer: Renderer, key: str, url: str) -> Mapping[str, Any]:
    wiki = renderer.wiki
    return {
        "title": f"#{wiki.tag_labels[key]}",
        "tag": wiki.tag_labels[key],
        "parents": [{"label": wiki.tag_labels[parent], "path": tag_file(parent)} for parent in _parents(key)],
        "children": [
            {"label": wiki.tag_labels[child], "path": tag_file(child), "count": len(wiki.nested_tags[child])}
            for child in wiki.child_tags.get(key, ())
        ],
        "entries": [entry(page) for page in by_title(wiki.pages[i] for i in wiki.nested_tags[key])],
    }


KIND = Kind("tag", _plan, drawn("tag.html", _context))
