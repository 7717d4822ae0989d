"""The wiki for other programs: one file a format. All are made from the same selection of published pages."""

from __future__ import annotations

from generator.exports import canvas, csv_tables, cypher, dot, gexf, graphml, html, json_graph, jsonl, llms
from generator.exports.format import Format

EXPORTS: tuple[Format, ...] = (
    json_graph.FORMAT,
    graphml.FORMAT,
    gexf.FORMAT,
    dot.FORMAT,
    cypher.FORMAT,
    csv_tables.FORMAT,
    canvas.FORMAT,
    html.FORMAT,
    llms.FORMAT,
    jsonl.FORMAT,
)

__all__ = ["EXPORTS", "Format"]
