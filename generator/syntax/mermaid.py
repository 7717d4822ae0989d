"""Fences of `mermaid` become SVG when the note is parsed: a page needs no script to show a diagram.

Tokens: a `mermaid` token keeps the source as its content. `meta["svg"]` is the drawing, or "" if it failed.
`meta["internal_links"]` lists the texts of the nodes that were given the class `internal-link`; in the SVG node
number i stands inside `<a ␂M{i}␃>`, whose mark the parser turns into a link's slot, attributes and all. The drawing's
ids begin with ID_MARK, so that a copy in another page has its own.

The drawing's colours follow the page's `color-scheme` (`generator/syntax/dark.py`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from generator.syntax.marks import ID_MARK
from generator.syntax.svg import Drawing, clean_svg

MAX_SOURCE = 50_000
"""Characters of the largest diagram, the limit of Mermaid itself. The renderer bounds its own work below that."""

_FIRST_WORD = re.compile(r"\s*mermaid(?![^\s{])", re.IGNORECASE)
_FRONT_MATTER = re.compile(r"\s*---[^\S\n]*\n.*?\n[^\S\n]*---[^\S\n]*\n", re.DOTALL)
# Labels are drawn as SVG text, which has line breaks and no other HTML.
_INLINE_TAG = re.compile(
    r"</?(?:b|i|u|s|em|strong|small|big|sub|sup|span|font|code|kbd|mark|center|div|p)\b[^<>\n]*>", re.IGNORECASE
)
_PLAIN_LABELS: dict[str, Any] = {"htmlLabels": False} | {
    kind: {"htmlLabels": False} for kind in ("flowchart", "class", "state")
}
_LOOK = {"theme": "default", "look": "classic"}
_UNWRAPPED = 1_000_000  # a width at which no label is broken into lines


@dataclass(frozen=True, slots=True)
class _Diagram:
    """A drawing with its nodes' texts, or a problem."""

    svg: str = ""
    internal_links: tuple[str, ...] = ()
    problem: str = ""


def mermaid(md: MarkdownIt) -> None:
    """Register the core rule that draws the diagrams, and how they are shown."""
    md.core.ruler.after("block", "mermaid", _draw_all)
    md.add_render_rule("mermaid", _render_mermaid)


def _draw_all(state: StateCore) -> None:
    count = 0
    for token in state.tokens:
        if token.type != "fence" or not _FIRST_WORD.match(token.info):
            continue
        count += 1
        diagram = _draw(token.content)
        token.type = "mermaid"
        token.meta["svg"] = diagram.svg.replace(ID_MARK, f"{ID_MARK}mermaid-{count}-")
        token.meta["internal_links"] = list(diagram.internal_links)
        if diagram.problem:
            line = token.map[0] + 1 if token.map else 1
            state.env.setdefault("problems", []).append(("bad-mermaid", diagram.problem, line))


def _render_mermaid(self: Any, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
    token = tokens[idx]
    if not token.meta["svg"]:
        return f'<pre class="mermaid-error"><code>{escapeHtml(token.content)}</code></pre>\n'
    return f'<figure class="mermaid">{token.meta["svg"]}</figure>\n'


@lru_cache(maxsize=256)
def _draw(source: str) -> _Diagram:
    if len(source) > MAX_SOURCE:
        return _Diagram(problem=f"this diagram is shown as its source: it has more than {MAX_SOURCE} characters")
    try:
        drawing = _drawing(source, {})
        links: tuple[str, ...] = ()
        if drawing.nodes:
            # The text of a node names a page: read it from a drawing whose labels are not broken into lines.
            whole = _drawing(source, {"flowchart": {"htmlLabels": False, "wrappingWidth": _UNWRAPPED}}).nodes
            links = tuple(whole.get(node, text) for node, text in drawing.nodes.items())
    except ImportError:
        return _Diagram(
            problem="this diagram is shown as its source: drawing needs the package mmdr (pip install mmdr)"
        )
    except ValueError as error:
        return _Diagram(problem=f"this diagram is shown as its source: {' '.join(str(error).split())[:300]}")
    return _Diagram(drawing.svg, links)


def _drawing(source: str, settings: dict[str, Any]) -> Drawing:
    """Raises ValueError for a source that is no diagram, ImportError where there is no renderer."""
    from mmdr import render

    try:
        svg = render(_with_settings(source, settings)).svg()
    except BaseException as error:
        # A panic of the Rust library is a BaseException, and its class can be known by name only.
        if type(error).__name__ == "PanicException":
            raise ValueError("the renderer failed") from error
        raise
    return clean_svg(svg)


def _with_settings(source: str, settings: dict[str, Any]) -> str:
    """Put our settings before the note's own directives, which win, but after its front matter, which must be first."""
    if "<" in source:
        source = _INLINE_TAG.sub("", source)
    front = _FRONT_MATTER.match(source)
    if front is None:
        return f"%%{{init: {json.dumps(_LOOK | _PLAIN_LABELS | settings)}}}%%\n{source}"
    # A directive is stronger than front matter: only what we cannot do without.
    return f"{front[0]}%%{{init: {json.dumps(_PLAIN_LABELS | settings)}}}%%\n{source[front.end() :]}"
