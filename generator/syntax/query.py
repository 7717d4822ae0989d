"""Fences of `query`, Obsidian's embedded search: answered when a page is drawn (`generator.query_fence`).

A `query` token keeps the search as its content. In the body it is `␂Q…␃`, since an answer depends on the whole vault.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from generator.query_terms import BadQueryError, understand
from generator.syntax.marks import query_slot

_FIRST_WORD = re.compile(r"\s*query(?![^\s{])", re.IGNORECASE)


def query(md: MarkdownIt) -> None:
    """Register the core rule that finds the fences and names those that cannot be understood."""
    md.core.ruler.after("block", "query", _find)
    md.add_render_rule("query", _render)


def _find(state: StateCore) -> None:
    for token in state.tokens:
        if token.type != "fence" or not _FIRST_WORD.match(token.info):
            continue
        token.type, token.content = "query", " ".join(token.content.split())
        try:
            understand(token.content)
        except BadQueryError as error:
            line = token.map[0] + 1 if token.map else 1
            message = f"this embedded search is shown as its source: {error}"
            state.env.setdefault("problems", []).append(("bad-query", message, line))


def _render(self: Any, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
    return f"{query_slot(tokens[idx].content)}\n"
