"""JSON Canvas 1.0: every page a file card, placed as in the picture of the graph but further apart."""

from __future__ import annotations

from collections.abc import Mapping

from generator.exports.format import PALETTE, Format, Pieces
from generator.exports.selection import Edge, Node, Selection, listed, one_line

_WIDTH, _HEIGHT = 320, 160
_APART = 6  # canvas pixels for one unit of the picture


def _files(selection: Selection) -> Mapping[str, Pieces]:
    return {"graph.canvas": _text(selection)}


def _text(selection: Selection) -> Pieces:
    numbers = {node.id: number for number, node in enumerate(selection.nodes)}
    yield '{"nodes": [\n'
    yield from listed(_card(number, node) for number, node in enumerate(selection.nodes))
    yield '\n],\n"edges": [\n'
    yield from listed(_line(number, edge, numbers) for number, edge in enumerate(selection.edges))
    yield "\n]}\n"


def _card(number: int, node: Node) -> str:
    place = {
        "x": _APART * node.x - _WIDTH // 2,
        "y": _APART * node.y - _HEIGHT // 2,
        "width": _WIDTH,
        "height": _HEIGHT,
    }
    card = {"id": f"n{number}", "type": "file", "file": node.id, **place}
    return one_line(card | ({"color": PALETTE[node.colour]} if node.colour >= 0 else {}))


def _line(number: int, edge: Edge, numbers: Mapping[str, int]) -> str:
    ends = {"fromNode": f"n{numbers[edge.source]}", "toNode": f"n{numbers[edge.target]}"}
    label = {} if edge.relation == "wikilink" else {"label": edge.relation}
    return one_line({"id": f"e{number}", **ends, **label})


FORMAT = Format("canvas", "Obsidian's canvas (JSON Canvas 1.0)", _files)
