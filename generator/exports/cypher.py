"""Cypher: statements that can be run again without doubling anything, each on its line."""

from __future__ import annotations

from collections.abc import Mapping

from generator.exports.format import Format, Pieces
from generator.exports.selection import Selection


def _files(selection: Selection) -> Mapping[str, Pieces]:
    return {"graph.cypher": _text(selection)}


def _text(selection: Selection) -> Pieces:
    yield "CREATE CONSTRAINT page_id IF NOT EXISTS FOR (p:Page) REQUIRE p.id IS UNIQUE;\n"
    for node in selection.nodes:
        yield f"MERGE (p:Page {{id: {literal(node.id)}}}) SET p += {_map(node.attributes)};\n"
    for edge in selection.edges:
        ends = f"MATCH (a:Page {{id: {literal(edge.source)}}}), (b:Page {{id: {literal(edge.target)}}})"
        values = {"relation": edge.relation, "weight": edge.weight, "context": edge.context}
        yield f"{ends} MERGE (a)-[r:{edge.relation.upper()}]->(b) SET r += {_map(values)};\n"


def _map(values: Mapping[str, object]) -> str:
    return "{" + ", ".join(f"{name}: {literal(value)}" for name, value in values.items()) + "}"


def literal(value: object) -> str:
    """A value as Cypher writes it. Besides quotes and backslashes, control characters and everything that some reader
    takes for a line end are escaped, so that a statement stays on its line."""
    if isinstance(value, str):
        return "'" + "".join(map(_escaped, value)) + "'"
    if isinstance(value, tuple):
        return "[" + ", ".join(map(literal, value)) + "]"
    return repr(value)


def _escaped(char: str) -> str:
    if char in "'\\":
        return "\\" + char
    if char < " " or char in "\x7f\x85\u2028\u2029" or "\ud800" <= char <= "\udfff":
        return f"\\u{ord(char):04x}"
    return char


FORMAT = Format("cypher", "Neo4j and other graph databases", _files)
