"""Tokens become a body: HTML that depends on the note's text alone, with marks where links go.

The body is kept in the index. Filling its slots costs a fraction of a parse, so a page whose neighbours changed
is rendered again without reading its note, and sections and blocks are embedded by cutting the body at the
offsets that are recorded here.
"""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from typing import Any

from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from generator.syntax.marks import ID_MARK

# Blocks whose opening tag carries their id (`syntax/block_id.py` sets it); all others are wrapped.
OWN_ID = frozenset({"paragraph_open", "list_item_open", "blockquote_open"})


class FragmentRenderer(RendererHTML):
    """markdown-it's renderer, recording in `env["offsets"]` where the output of each block token starts."""

    def render(self, tokens: Sequence[Token], options: OptionsDict, env: EnvType) -> str:
        """HTML of `tokens`; `env["offsets"]` gets `len(tokens) + 1` character offsets."""
        out: list[str] = []
        offsets: list[int] = []
        length = 0
        wrapped: list[int] = []  # nesting levels of the wrapped blocks that are open
        rules = self.rules
        for i, token in enumerate(tokens):
            offsets.append(length)
            kind = token.type
            if kind == "inline":
                piece = self.renderInline(token.children or (), options, env)
            elif kind in rules:
                piece = rules[kind](tokens, i, options, env)
            else:
                piece = self.renderToken(tokens, i, options, env)
            if "block_id" in token.meta and kind not in OWN_ID:
                before = f'<div id="{ID_MARK}^{token.meta["block_id"]}" class="block">'
                piece = f"{before}\n{piece}" if kind != "html_block" else f"{before}</div>\n{piece}"
                if kind == "html_block":
                    pass  # it may leave elements open, so nothing can be put around it
                elif token.nesting == 1:
                    wrapped.append(token.level)
                else:
                    piece += "</div>\n"
            elif wrapped and token.nesting == -1 and wrapped[-1] == token.level:
                piece += "</div>\n"
                wrapped.pop()
            out.append(piece)
            length += len(piece)
        offsets.append(length)
        if isinstance(env, MutableMapping):
            env["offsets"] = offsets
        return "".join(out)

    def renderInline(self, tokens: Sequence[Token], options: OptionsDict, env: EnvType) -> str:  # noqa: N802
        """HTML of inline tokens; plain text, the commonest of them, without a look-up."""
        out: list[str] = []
        rules = self.rules
        for i, token in enumerate(tokens):
            kind = token.type
            if kind == "text":
                out.append(escapeHtml(token.content))
            elif kind in rules:
                out.append(rules[kind](tokens, i, options, env))
            else:
                out.append(self.renderToken(tokens, i, options, env))
        return "".join(out)

    def paragraph_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        """A paragraph that holds an embedded note is no `<p>`: that could not hold the note's blocks."""
        token = tokens[idx]
        if token.hidden:
            return "" if idx == 0 or not tokens[idx - 1].hidden else "\n"
        if token.meta.get("holds_blocks"):
            return f'<div class="paragraph"{self.renderAttrs(token)}>'
        return f"<p{self.renderAttrs(token)}>"

    def paragraph_close(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        """Close what `paragraph_open` opened."""
        if tokens[idx].hidden:
            return ""
        return "</div>\n" if tokens[idx - 2].meta.get("holds_blocks") else "</p>\n"
