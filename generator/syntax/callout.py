"""`> [!type|metadata]± Title`: a quote with a title, an icon and, with `+` or `-`, a fold.

The marker line is read as a block of its own at the start of the quote; what follows it is parsed as usual.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

# No bracket within: `> [![badge](img)](url)` is a linked image.
_MARKER = re.compile(r"\[!([^\[\]|\n]+)(?:\|([^\[\]\n]*))?\]([+-]?)[ \t]*(.*)")

_ALIASES = {
    "abstract": ("summary", "tldr"),
    "bug": (),
    "danger": ("error",),
    "example": (),
    "failure": ("fail", "missing"),
    "info": (),
    "note": (),
    "question": ("help", "faq"),
    "quote": ("cite",),
    "success": ("check", "done"),
    "tip": ("hint", "important"),
    "todo": (),
    "warning": ("caution", "attention"),
}
CALLOUT_KINDS = {name: kind for kind, aliases in _ALIASES.items() for name in (kind, *aliases)}
"""Each type that Obsidian knows, with the one of the 13 kinds whose look it has. Any other type looks like a note."""


def callout(md: MarkdownIt) -> None:
    """Register the marker line, the step that finds where callouts end, and how they are rendered."""
    md.block.ruler.before("table", "callout", _marker_line)
    md.core.ruler.after("block", "callout", _close)
    md.add_render_rule("callout_open", _render_open)
    md.add_render_rule("callout_title_open", _render_title_open)
    md.add_render_rule("callout_title_close", _render_title_close)
    md.add_render_rule("callout_close", _render_close)


def _marker_line(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """The first line of a quote, if it is a marker, turns the quote into a callout and becomes its title."""
    if silent or not state.tokens or state.tokens[-1].type != "blockquote_open":
        return False
    opening = state.tokens[-1]
    start = state.bMarks[start_line] + state.tShift[start_line]
    if not state.src.startswith("[!", start) or state.is_code_block(start_line):
        return False
    match = _MARKER.match(state.src, start, state.eMarks[start_line])
    # The quote's first line may be empty: then this is not its first line.
    if match is None or opening.map is None or opening.map[0] != start_line or not (typed := match[1].strip()):
        return False
    _make_callout(opening, typed, match)
    _push_title(state, start_line, match[4].strip() or _default_title(typed), is_default=not match[4].strip())
    state.line = start_line + 1
    # A line without `>` goes on with the quote's paragraph: here it starts one.
    if state.line < end_line and state.sCount[state.line] < 0:
        state.sCount[state.line] = 0
    return True


def _make_callout(opening: Token, typed: str, match: re.Match[str]) -> None:
    name, fold = typed.lower(), match[3]
    opening.type, opening.tag = "callout_open", "details" if fold else "div"
    opening.attrs = {
        "class": "callout",
        "data-callout": name,
        "data-callout-kind": CALLOUT_KINDS.get(name, "note"),
        "data-callout-metadata": (match[2] or "").strip().lower(),
        "data-callout-fold": fold,
    }
    if fold == "+":
        opening.attrs["open"] = ""


def _push_title(state: StateBlock, line: int, title: str, *, is_default: bool) -> None:
    tag = "summary" if state.tokens[-1].tag == "details" else "div"
    opening = state.push("callout_title_open", tag, 1)
    opening.map = [line, line + 1]
    inline = state.push("inline", "", 0)
    inline.map = [line, line + 1]
    inline.children = []
    if is_default:  # a type is no Markdown
        text = Token("text", "", 0)
        text.content = title
        inline.children.append(text)
    else:
        inline.content = title
    state.push("callout_title_close", tag, -1)


def _default_title(typed: str) -> str:
    return " ".join(word[:1].upper() + word[1:].lower() for word in typed.replace("-", " ").split())


def _close(state: StateCore) -> None:
    """Turn the end of each quote that became a callout into the callout's end."""
    if "[!" not in state.src:
        return
    quotes: list[Token] = []
    for token in state.tokens:
        if token.type in {"blockquote_open", "callout_open"}:
            quotes.append(token)
        elif token.type == "blockquote_close":
            opening = quotes.pop()
            if opening.type == "callout_open":
                token.type, token.tag = "callout_close", opening.tag


def _render_open(self: Any, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
    return f"<{tokens[idx].tag}{self.renderAttrs(tokens[idx])}>\n"


def _render_title_open(self: Any, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
    # Spans, because a <summary> holds no block.
    icon = '<span class="callout-icon" aria-hidden="true"></span>'
    return f'<{tokens[idx].tag} class="callout-title">{icon}<span class="callout-title-inner">'


def _render_title_close(self: Any, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
    content = "" if tokens[idx + 1].type == "callout_close" else '<div class="callout-content">\n'
    return f"</span></{tokens[idx].tag}>\n{content}"


def _render_close(self: Any, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
    content = "" if tokens[idx - 1].type == "callout_title_close" else "</div>\n"
    return f"{content}</{tokens[idx].tag}>\n"
