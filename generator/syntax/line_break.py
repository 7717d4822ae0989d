"""Line breaks inside a paragraph, where they are not shown as `<br>` ("Strict line breaks").

A break between two words is then a space. Chinese and Japanese text has none, so there the lines are joined.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from generator.syntax.emphasis import is_cjk


def line_break(md: MarkdownIt) -> None:
    """Register the step that marks the breaks which vanish as `hidden`."""
    md.inline.ruler2.push("line_break", _join_lines)
    md.add_render_rule("softbreak", _render)


def _join_lines(state: StateInline) -> None:
    if state.md.options.breaks or "\n" not in state.src:
        return
    tokens = state.tokens
    for i in range(1, len(tokens) - 1):
        before, after = tokens[i - 1], tokens[i + 1]
        if tokens[i].type == "softbreak" and before.type == after.type == "text" and before.content and after.content:
            tokens[i].hidden = _without_spaces(before.content[-1]) and _without_spaces(after.content[0])


def _without_spaces(character: str) -> bool:
    return is_cjk(character) and not "\u1100" <= character <= "\u11ff" and not "\uac00" <= character <= "\ud7ff"


def _render(self: Any, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
    if tokens[idx].hidden:
        return ""
    return "<br>\n" if options.breaks else "\n"
