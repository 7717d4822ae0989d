"""The picture of the graph as one file that needs nothing else, and no network."""

from __future__ import annotations

from collections.abc import Mapping

from generator.exports.format import Format, Pieces
from generator.exports.selection import Selection
from generator.look import template_files
from generator.pages.graph import graph_texts
from generator.pages.graph_data import map_frame, map_rows
from generator.script_data import safe_json


def _files(selection: Selection) -> Mapping[str, Pieces]:
    return {"graph.html": _text(selection)}


def _text(selection: Selection) -> Pieces:
    from markupsafe import Markup

    renderer = selection.renderer
    templates = template_files(renderer.look.templates)
    texts = {name: Markup(templates[name].read_text("utf-8")) for name in ("style.css", "graph.js", "graph-page.js")}
    rows = map_rows(renderer.wiki, selection.chosen)
    counts = {"count": len(selection.nodes), "linkCount": len(rows["links"]) // 2}
    base = renderer.look.base_url
    context = {
        "title": selection.title,
        "texts": graph_texts(renderer.translate),
        "graph_root": f"{base.rstrip('/')}/" if base else "none",
        "assets": "",
        "style": texts["style.css"],
        "engine": texts["graph.js"],
        "page": texts["graph-page.js"],
        "data": Markup(safe_json(map_frame(renderer.wiki) | rows | counts)),
    }
    yield renderer.draw("graph-export.html", "graph.html", context).decode()


FORMAT = Format("html", "people: the picture of the graph as one file that needs no network", _files)
