"""Where a link's label and its destination end: what markdown-it finds, at a bounded cost a bracket.

markdown-it looks for the `]` of every `[` by reading on, also where no `]` is left, and reads a destination character
by character. A note of brackets alone then costs seconds; here, a fraction of one. A test compares the answers.
"""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import unescapeAll
from markdown_it.helpers import parseLinkDestination, parseLinkTitle
from markdown_it.rules_inline import StateInline

# Up to what ends a destination, or makes it one with parentheses.
_RUN = re.compile(r"(?:[^\x00-\x20\x7f()\\]|\\[^ ]|\\\Z)*+", re.DOTALL)
_MOST_PARENTHESES = 32


def quick_labels(md: MarkdownIt) -> None:
    """Let all rules for links use the two searches of this file."""
    md.helpers = SimpleNamespace(  # type: ignore[assignment]
        parseLinkLabel=find_label_end, parseLinkDestination=find_destination, parseLinkTitle=parseLinkTitle
    )


def find_label_end(state: StateInline, start: int, disable_nested: bool = False) -> int:
    """The offset of the `]` that closes the `[` at `start`; -1 if none does, or if the label holds a link and
    `disable_nested` forbids it."""
    if state.html_terminator_last("]") <= start:
        return -1
    src, maximum, known, skip = state.src, state.posMax, state.cache, state.md.inline.skipToken
    before, pos, level = state.pos, start + 1, 1
    while pos < maximum:
        character = src[pos]
        if character == "]":
            level -= 1
            if level == 0:
                state.pos = before
                return pos
        end = known.get(pos)
        if end is None:
            state.pos = pos
            skip(state)
            end = state.pos
        if character == "[":
            if end == pos + 1:
                level += 1  # a bracket that is text
            elif disable_nested:
                break
        pos = end
    state.pos = before
    return -1


def find_destination(string: str, pos: int, maximum: int) -> Any:
    """markdown-it's `parseLinkDestination`: the plain destinations, which nearly all are, by one expression."""
    if string.startswith("<", pos):
        return parseLinkDestination(string, pos, maximum)
    result = parseLinkDestination("", 0, 0)
    start, level = pos, 0
    while True:
        run = _RUN.match(string, pos, maximum)
        pos = run.end() if run else pos
        character = string[pos] if pos < maximum else ""
        if character == "(":
            level += 1
            if level > _MOST_PARENTHESES:
                return result
        elif character == ")" and level:
            level -= 1
        else:
            break
        pos += 1
    if start != pos and level == 0:
        result.ok, result.pos, result.str = True, pos, unescapeAll(string[start:pos])
    return result
