"""Tables: GFM's, but the row under the header holds two hyphens at least (`|-|-|`, `|--|`, not `|-|`).

A wrapper lets a wide table scroll.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_block import table as gfm_table
from markdown_it.token import Token


def table(md: MarkdownIt) -> None:
    """Register the stricter rule and the wrapper."""
    md.block.ruler.at("table", _table, {"alt": ["paragraph", "reference"]})
    md.add_render_rule("table_open", _render_open)
    md.add_render_rule("table_close", _render_close)


def _table(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    ruler_line = start_line + 1
    if ruler_line >= end_line:
        return False
    start, end = state.bMarks[ruler_line] + state.tShift[ruler_line], state.eMarks[ruler_line]
    if start >= end or state.src[start] not in "|-:" or state.src.count("-", start, end) < 2:
        return False
    return gfm_table(state, start_line, end_line, silent)


def _render_open(self: Any, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
    return f'<div class="table-wrapper">\n{self.renderToken(tokens, idx, options, env)}'


def _render_close(self: Any, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
    return f"{self.renderToken(tokens, idx, options, env)}</div>\n"
