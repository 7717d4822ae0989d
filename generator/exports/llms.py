"""`llms.txt` (what there is, by category) and `llms-full.txt` (all texts), as llmstxt.org describes them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from urllib.parse import quote

from generator.exports.format import Format, Pieces
from generator.exports.selection import Node, Selection


def _files(selection: Selection) -> Mapping[str, Pieces]:
    return {"llms.txt": _list(selection), "llms-full.txt": _texts(selection)}


def _list(selection: Selection) -> Pieces:
    yield f"# {_line(selection.title)}\n"
    for category, nodes in groupby(sorted(selection.nodes, key=_by_category), key=lambda node: node.category):
        yield f"\n## {_line(category) or 'Pages'}\n\n"
        yield from map(_entry, nodes)


def _by_category(node: Node) -> tuple[str, str]:
    return node.category, node.id


def _entry(node: Node) -> str:
    label = _line(node.label).replace("[", "\\[").replace("]", "\\]")
    href = node.url if "://" in node.url else quote(node.url, safe="/-_.~!$&'*+,;=@")
    summary = f": {_line(node.summary)}" if node.summary else ""
    return f"- [{label}]({href.replace('(', '%28').replace(')', '%29')}){summary}\n"


def _texts(selection: Selection) -> Pieces:
    for node, text in selection.texts():
        yield f"# {_line(node.label)}\n\nSource: {node.url}\n\n{text.strip()}\n\n"


def _line(text: str) -> str:
    return " ".join(text.split())


FORMAT = Format("llms", "language models: llms.txt and llms-full.txt", _files)
