"""Two tables, of nodes and of edges (RFC 4180)."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence

from generator.exports.format import Format, Pieces
from generator.exports.selection import Selection

_NODES = ("id", "label", "path", "category", "tags", "summary", "community", "degree", "lifecycle")
_EDGES = ("source", "target", "relation", "weight", "context")


class _Line:
    """Takes what a csv writer writes, one row at a time."""

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> None:
        self.text = text


def _files(selection: Selection) -> Mapping[str, Pieces]:
    nodes = ((node.id, *node.flat_attributes.values()) for node in selection.nodes)
    return {"nodes.csv": _table(_NODES, nodes), "edges.csv": _table(_EDGES, selection.edges)}


def _table(names: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    line = _Line()
    writer = csv.writer(line)
    for row in (names, *rows):
        writer.writerow(row)
        yield line.text


FORMAT = Format("csv", "spreadsheets, Pandas, Gephi's import: nodes.csv and edges.csv", _files)
