"""One page a line, with its text and what it links to: for other search engines."""

from __future__ import annotations

from collections.abc import Mapping

from generator.exports.format import Format, Pieces
from generator.exports.selection import Selection, one_line


def _files(selection: Selection) -> Mapping[str, Pieces]:
    return {"pages.jsonl": _text(selection)}


def _text(selection: Selection) -> Pieces:
    links: dict[str, dict[str, None]] = {}
    for edge in selection.edges:
        links.setdefault(edge.source, {})[edge.target] = None
    for node, text in selection.texts():
        yield one_line(
            {
                "path": node.id,
                "title": node.label,
                "url": node.url,
                "category": node.category,
                "tags": node.tags,
                "summary": node.summary,
                "lifecycle": node.lifecycle,
                "created": node.created,
                "updated": node.updated,
                "language": node.language,
                "links": list(links.get(node.id, ())),
                "text": text,
            }
        ) + "\n"  # fmt: skip


FORMAT = Format("jsonl", "search engines and language models: one page a line, with its text", _files)
