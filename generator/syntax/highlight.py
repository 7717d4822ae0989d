"""`==highlighted==`: a `<mark>` with inline Markdown inside, never across blocks."""

from __future__ import annotations

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter

from generator.syntax.emphasis import push_pair

_MARKER = ord("=")


def highlight(md: MarkdownIt) -> None:
    """Register the marker, and the step that turns paired markers into `mark_open` and `mark_close`."""
    md.inline.ruler.push("highlight", _parse)
    md.inline.ruler2.before("fragments_join", "highlight", _pair)


def _parse(state: StateInline, silent: bool) -> bool:
    if silent or state.src[state.pos] != "=":
        return False
    push_pair(state)
    return True


def _pair(state: StateInline) -> None:
    if "==" not in state.src:
        return
    _make_marks(state, state.delimiters)
    for meta in state.tokens_meta:
        if meta:
            _make_marks(state, meta["delimiters"])


def _make_marks(state: StateInline, delimiters: list[Delimiter]) -> None:
    for opener in delimiters:
        if opener.marker == _MARKER and opener.end != -1:
            for index, kind in ((opener.token, "open"), (delimiters[opener.end].token, "close")):
                token = state.tokens[index]
                token.type, token.tag, token.nesting = f"mark_{kind}", "mark", 1 if kind == "open" else -1
                token.markup, token.content = "==", ""
