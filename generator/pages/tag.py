"""A page for each tag, with the pages of the tags below it; and one for each parent that no page carries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.pages.kind import Kind, Planned, by_title, digest, entry, entry_digest
from generator.render import Look, Renderer
from generator.syntax.tag import tag_file
from generator.wiki import Wiki


def children_of(wiki: Wiki) -> dict[str, list[str]]:
    """The tags directly below each tag, in order; "" holds the top ones."""
    children: dict[str, list[str]] = {}
    for key in sorted(wiki.nested_tags):
        children.setdefault(key.rpartition("/")[0], []).append(key)
    return children


def _plan(wiki: Wiki, look: Look) -> Iterator[Planned]:
    shown = {page.id: entry_digest(page) for page in wiki.pages.values()}
    children = children_of(wiki)
    for key, ids in wiki.nested_tags.items():
        below = [f"{child}\x1e{wiki.tag_labels[child]}\x1e{len(wiki.nested_tags[child])}" for child in children.get(key, ())]
        pages = [shown[page] for page in sorted(ids, key=lambda page: wiki.pages[page].path)]
        yield Planned(tag_file(key), key, digest([wiki.tag_labels[key], *below, "", *pages]))


def _context(renderer: Renderer, key: str, url: str) -> Mapping[str, Any]:
    wiki = renderer.wiki
    parents = key.split("/")[:-1]
    parent_keys = ["/".join(parents[: i + 1]) for i in range(len(parents))]
    prefix = key + "/"
    below = [k for k in sorted(wiki.nested_tags) if k.startswith(prefix) and "/" not in k[len(prefix) :]]
    return {
        "title": f"#{wiki.tag_labels[key]}",
        "tag": wiki.tag_labels[key],
        "parents": [{"label": wiki.tag_labels[parent], "path": tag_file(parent)} for parent in parent_keys],
        "children": [
            {"label": wiki.tag_labels[child], "path": tag_file(child), "count": len(wiki.nested_tags[child])}
            for child in below
        ],
        "entries": [entry(page) for page in by_title(wiki.pages[i] for i in wiki.nested_tags[key])],
    }


KIND = Kind("tag", "tag.html", _plan, _context)
