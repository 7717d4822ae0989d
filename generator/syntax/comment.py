"""`%%comment%%`: what stands inside is nowhere in the output, since it never becomes a token.

A mark is exactly two `%`. The mark that comes first opens, the next one closes, wherever that is: within the line,
or after blank lines, lists and headings. Code is opaque, so marks in it count for nothing, and neither does a mark
within a fenced block that the comment holds. What follows the closing mark goes on as a new block. A mark that is
never closed is text; so is one in a table cell that the same cell does not close.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable

from markdown_it import MarkdownIt
from markdown_it.common.utils import MD_TRIM_CHARS
from markdown_it.rules_block import StateBlock, blockquote, heading, lheading, paragraph
from markdown_it.rules_inline import StateInline

_MARK = re.compile(r"(?<!%)%%(?!%)")
_FENCE_OR_MARK = re.compile(r"^[ \t>]*(`{3,}(?=[^`\n]*$)|~{3,})|(?<!%)%%(?!%)", re.MULTILINE)
_RESUMED = "comment_resumed"  # in env: (line, offset) where the parse went on after the last comment
_BREAKS = frozenset({"softbreak", "hardbreak"})

_BlockRule = Callable[[StateBlock, int, int, bool], bool]


def comment(md: MarkdownIt) -> None:
    """Register comments as blocks and in running text, and let text blocks end where a comment opens."""
    rules = md.block.ruler
    rules.before("table", "comment", _block, {"alt": ["blockquote"]})  # ends tables too
    rules.at("heading", _ending_at_comment(heading), {"alt": ["paragraph", "reference", "blockquote"]})
    rules.at("lheading", _setext_heading)
    rules.at("paragraph", _ending_at_comment(paragraph))
    rules.at("blockquote", _blockquote, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    md.inline.ruler.push("comment", _inline)
    # Says how many lines a comment in running text took (`meta["lines"]`), for whoever counts lines.
    md.add_render_rule("comment", lambda *_: "")


def _closing_mark(src: str, pos: int) -> int | None:
    """The offset after the first mark from `pos` on that is not in a fenced block."""
    while match := _FENCE_OR_MARK.search(src, pos):
        fence: str | None = match[1]
        if fence is None:
            return match.end()
        closing = re.compile(rf"^[ \t>]*{fence[0]}{{{len(fence)},}}[ \t]*$", re.MULTILINE)
        end = closing.search(src, match.end())
        pos = end.end() if end else match.end()
    return None


def _block(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """A comment at the start of a block, unless it ends in its first line with text behind it."""
    start = state.bMarks[start_line] + state.tShift[start_line]
    if not state.src.startswith("%%", start) or state.is_code_block(start_line):
        return False
    if _MARK.match(state.src, start) is None or (end := _closing_mark(state.src, start + 2)) is None:
        return False
    if end < state.eMarks[start_line] and not _is_blank(state.src, end, state.eMarks[start_line]):
        return False
    if not silent:
        state.line = start_line
        _resume(state, end)
    return True


def _ending_at_comment(rule: _BlockRule) -> _BlockRule:
    """A rule for a block of text: where a comment opens in it and closes in a later block, it ends there."""

    def parse(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
        if not rule(state, start_line, end_line, silent):
            return False
        if not silent and "%%" in state.tokens[-2].content:
            _hide_tail(state)
        return True

    return parse


def _setext_heading(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """An underline inside a comment makes no heading."""
    if not lheading(state, start_line, end_line, silent):
        return False
    content = state.tokens[-2].content
    if "%%" in content:
        opening, shown = _open_mark(state, content)
        if opening is not None and _closing_mark(state.src, state.eMarks[state.line - 1]) is not None:
            del state.tokens[-3:]
            state.line = start_line
            return False
        if not shown:
            del state.tokens[-3:]
    return True


def _blockquote(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """A quote puts back the line starts that it moved: those that a comment moved must stay moved."""
    if not blockquote(state, start_line, end_line, silent):
        return False
    line, pos = state.env.get(_RESUMED, (-1, 0))
    if not silent and line == state.line:
        _resume(state, pos)
    return True


def _hide_tail(state: StateBlock) -> None:
    """Look at the text block that was just pushed: cut it where a comment opens, drop it if nothing is shown."""
    inline = state.tokens[-2]
    opening, shown = _open_mark(state, inline.content)
    if opening is not None:
        end = _closing_mark(state.src, state.eMarks[state.line - 1])
        if end is None:
            return
        inline.content = inline.content[:opening].rstrip(MD_TRIM_CHARS)
        _resume(state, end)
    if not shown:
        del state.tokens[-3:]


def _open_mark(state: StateBlock, content: str) -> tuple[int | None, bool]:
    """Where in `content` a comment opens that does not close there, and whether anything is shown before it."""
    inline = StateInline(content, state.md, state.env, [])
    shown = False
    while inline.pos < inline.posMax:
        start = inline.pos
        is_mark = content[start] == "%" and _MARK.match(content, start) is not None
        state.md.inline.skipToken(inline)
        if is_mark and inline.pos == start + 1:
            return start, shown
        shown = shown or not (is_mark or content[start : inline.pos].isspace())
    return None, shown


def _resume(state: StateBlock, pos: int) -> None:
    """Let the parse go on at offset `pos`: in the rest of that line, or in the next line if the rest is blank."""
    line = bisect_left(state.eMarks, pos, state.line)
    if _is_blank(state.src, pos, state.eMarks[line]):
        state.line = line + 1
        return
    state.env[_RESUMED] = (line, pos)
    state.line = line
    state.bMarks[line] = state.skipSpaces(pos)
    state.tShift[line] = 0
    # Not deeper than the block around it (it would be code), and not a lazy continuation of a quote either (-1).
    state.sCount[line] = max(0, min(state.sCount[line], state.blkIndent))


def _is_blank(src: str, start: int, end: int) -> bool:
    return not src[start:end].strip()


def _inline(state: StateInline, silent: bool) -> bool:
    src, start, maximum = state.src, state.pos, state.posMax
    if src[start] != "%" or _MARK.match(src, start) is None:
        return False
    closing = _MARK.search(src, start + 2, maximum)
    if closing is None:
        return False
    end = closing.end()
    state.pos = end if silent else _close_gap(state, end)
    return True


def _close_gap(state: StateInline, end: int) -> int:
    """Drop the line break or the space that would stand there twice without the comment; return where text goes on."""
    src, start = state.src, state.pos
    before = src[start - 1] if start else "\n"
    if end == state.posMax:
        state.pending = state.pending.rstrip(" ")
        if before == "\n" and state.tokens and state.tokens[-1].type in _BREAKS:
            state.tokens.pop()
            state.tokens_meta.pop()
        return end
    if (before == "\n" and src[end] in "\n ") or before == src[end] == " ":
        end += 1
    if lines := src.count("\n", start, end):
        state.push("comment", "", 0).meta["lines"] = lines
    return end
