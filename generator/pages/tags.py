"""The index of all tags, nested below their parents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from generator.digest import digest
from generator.look import Look
from generator.pages.kind import Kind, Planned, drawn, initial
from generator.render import Renderer
from generator.syntax.tag import tag_file
from generator.wiki import Wiki


def _plan(wiki: Wiki, look: Look) -> Iterator[Planned]:
    rows = (f"{key}\x1e{wiki.tag_labels[key]}\x1e{len(ids)}" for key, ids in sorted(wiki.nested_tags.items()))
    yield Planned("tags.html", "", digest(rows))


def _context(renderer: Renderer, subject: str, url: str) -> Mapping[str, Any]:
    wiki = renderer.wiki
    keys = sorted(wiki.nested_tags, key=lambda key: (initial(key), key.split("/")))
    groups = [
        {
            "initial": letter,
            "tags": [
                {
                    "label": wiki.tag_labels[key],
                    "path": tag_file(key),
                    "count": len(wiki.nested_tags[key]),
                    "depth": key.count("/"),
                }
                for key in members
            ],
        }
        for letter, members in groupby(keys, key=initial)
    ]
    return {"title": renderer.translate("tags"), "groups": groups}


KIND = Kind("tags", _plan, drawn("tags.html", _context))
