"""GEXF 1.3, with places and colours as in the site's picture."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt

from generator.exports.format import PALETTE, Format, Pieces
from generator.exports.selection import Node, Selection, xml

_NODE_KEYS = {
    "path": "string", "category": "string", "tags": "string", "summary": "string", "community": "string",
    "degree": "integer", "lifecycle": "string",
}  # fmt: skip
_EDGE_KEYS = {"relation": "string", "context": "string"}


def _files(selection: Selection) -> Mapping[str, Pieces]:
    return {"graph.gexf": _text(selection)}


def _text(selection: Selection) -> Pieces:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield '<gexf xmlns="http://gexf.net/1.3" xmlns:viz="http://gexf.net/1.3/viz" version="1.3">\n'
    yield '<graph mode="static" defaultedgetype="directed">\n'
    for kind, keys in (("node", _NODE_KEYS), ("edge", _EDGE_KEYS)):
        yield f'<attributes class="{kind}">\n'
        yield from (f'<attribute id="{name}" title="{name}" type="{type_}"/>\n' for name, type_ in keys.items())
        yield "</attributes>\n"
    yield "<nodes>\n"
    yield from map(_node, selection.nodes)
    yield "</nodes>\n<edges>\n"
    for number, edge in enumerate(selection.edges):
        ends = f'source="{xml(edge.source)}" target="{xml(edge.target)}"'
        values = _values({"relation": edge.relation, "context": edge.context})
        yield f'<edge id="{number}" {ends} kind="{edge.relation}" weight="{edge.weight}">{values}</edge>\n'
    yield "</edges>\n</graph>\n</gexf>\n"


def _node(node: Node) -> str:
    values = {name: value for name, value in node.flat_attributes.items() if name in _NODE_KEYS}
    colour = PALETTE[node.colour] if node.colour >= 0 else "#999999"
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return (
        f'<node id="{xml(node.id)}" label="{xml(node.label)}">{_values(values)}'
        f'<viz:color r="{red}" g="{green}" b="{blue}"/><viz:position x="{node.x}" y="{-node.y}" z="0"/>'
        f'<viz:size value="{4 + 3 * sqrt(node.degree):.1f}"/></node>\n'
    )


def _values(values: Mapping[str, object]) -> str:
    inner = "".join(f'<attvalue for="{name}" value="{xml(str(value))}"/>' for name, value in values.items())
    return f"<attvalues>{inner}</attvalues>"


FORMAT = Format("gexf", "Gephi, with places and colours", _files)
