"""NetworkX' node-link JSON."""

from __future__ import annotations

from collections.abc import Mapping

from generator.exports.format import Format, Pieces
from generator.exports.selection import Selection, listed, one_line


def _files(selection: Selection) -> Mapping[str, Pieces]:
    return {"graph.json": _text(selection)}


def _text(selection: Selection) -> Pieces:
    yield f'{{"directed": true, "multigraph": true, "graph": {one_line({"name": selection.title})},\n"nodes": [\n'
    yield from listed(one_line({"id": node.id} | node.attributes) for node in selection.nodes)
    yield '\n],\n"links": [\n'
    yield from listed(one_line(edge._asdict() | {"key": edge.relation}) for edge in selection.edges)
    yield "\n]}\n"


FORMAT = Format("json", "NetworkX (node-link), D3 and your own programs", _files)
