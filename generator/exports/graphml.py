"""GraphML, with typed keys."""

from __future__ import annotations

from collections.abc import Mapping

from generator.exports.format import Format, Pieces
from generator.exports.selection import Edge, Selection, xml

_NODE_KEYS = ("label", "path", "category", "tags", "summary", "community", "degree", "lifecycle", "x", "y")
_EDGE_KEYS = ("relation", "weight", "context")
_TYPES = {"degree": "int", "x": "int", "y": "int", "weight": "double"}


def _files(selection: Selection) -> Mapping[str, Pieces]:
    return {"graph.graphml": _text(selection)}


def _text(selection: Selection) -> Pieces:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    for kind, names in (("node", _NODE_KEYS), ("edge", _EDGE_KEYS)):
        for name in names:
            yield f'<key id="{name}" for="{kind}" attr.name="{name}" attr.type="{_TYPES.get(name, "string")}"/>\n'
    yield '<graph id="wiki" edgedefault="directed">\n'
    for node in selection.nodes:
        yield f'<node id="{xml(node.id)}">{_data(node.flat_attributes | {"x": node.x, "y": node.y})}</node>\n'
    for number, edge in enumerate(selection.edges):
        ends = f'source="{xml(edge.source)}" target="{xml(edge.target)}"'
        yield f'<edge id="e{number}" {ends}>{_data(_edge_values(edge))}</edge>\n'
    yield "</graph>\n</graphml>\n"


def _edge_values(edge: Edge) -> dict[str, object]:
    return {name: getattr(edge, name) for name in _EDGE_KEYS}


def _data(values: Mapping[str, object]) -> str:
    return "".join(f'<data key="{name}">{xml(str(value))}</data>' for name, value in values.items())


FORMAT = Format("graphml", "Gephi, yEd, Cytoscape, NetworkX, igraph", _files)
