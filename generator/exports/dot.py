"""Graphviz. Nodes have numbers for names, since a quoted name of that language cannot end in a backslash."""

from __future__ import annotations

from collections.abc import Mapping

from generator.exports.format import PALETTE, Format, Pieces
from generator.exports.selection import Selection


def _files(selection: Selection) -> Mapping[str, Pieces]:
    return {"graph.dot": _text(selection)}


def _text(selection: Selection) -> Pieces:
    names = {node.id: f"n{number}" for number, node in enumerate(selection.nodes)}
    yield f"digraph wiki {{\ngraph [label={_quoted(selection.title)}];\nnode [shape=box, style=filled];\n"
    for node in selection.nodes:
        values: dict[str, object] = {
            **node.flat_attributes,
            "fillcolor": PALETTE[node.colour] if node.colour >= 0 else "#DDDDDD",
            "pos": f"{node.x},{-node.y}",
        }
        yield f"{names[node.id]} [{_list(values)}];\n"
    for edge in selection.edges:
        values = {"relation": edge.relation, "weight": edge.weight, "context": edge.context}
        yield f"{names[edge.source]} -> {names[edge.target]} [{_list(values)}];\n"
    yield "}\n"


def _list(values: Mapping[str, object]) -> str:
    return ", ".join(f"{name}={_quoted(str(value))}" for name, value in values.items())


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\0", "\ufffd")
    return '"' + " ".join(escaped.splitlines()) + '"'


FORMAT = Format("dot", "Graphviz", _files)
