"""`**bold**`, `_italic_` and `~~struck~~`, next to Chinese, Japanese and Korean text too.

CommonMark lets a run of markers open or close only next to white space or punctuation, taking for granted
that words are set apart by spaces: `**强调。**后文` is not bold there. Here a CJK character beside the run
counts as such a border too, and CJK punctuation never hinders a run.
"""

from __future__ import annotations

from functools import lru_cache
from unicodedata import category, east_asian_width

from markdown_it import MarkdownIt
from markdown_it.common.utils import isMdAsciiPunct, isWhiteSpace
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter

_SPACE, _PUNCTUATION, _CJK = 1, 2, 4
_BORDER = _SPACE | _PUNCTUATION | _CJK


@lru_cache(maxsize=4096)
def _kind(character: str) -> int:
    """What a character is to a run of markers beside it: a sum of `_SPACE`, `_PUNCTUATION` and `_CJK`."""
    code = ord(character)
    if isWhiteSpace(code):
        return _SPACE
    kind = _PUNCTUATION if isMdAsciiPunct(code) or category(character)[0] in "PS" else 0
    return kind | _CJK if is_cjk(character) else kind


def is_cjk(character: str) -> bool:
    """Whether a character belongs to a script that is written without spaces; emoji, though wide, do not."""
    code = ord(character)
    if code < 0x1100 or 0x2000 <= code < 0x2E80 or 0x1F000 <= code < 0x20000:
        return False
    return east_asian_width(character) in "WFH"


def scan_run(state: StateInline, split_words: bool) -> tuple[int, bool, bool]:
    """The run of equal markers at the current position: its length, and whether it can open and close a span."""
    src, start = state.src, state.pos
    end, maximum, marker = start + 1, state.posMax, src[start]
    while end < maximum and src[end] == marker:
        end += 1
    before = _kind(src[start - 1]) if start else _SPACE
    after = _kind(src[end]) if end < maximum else _SPACE
    opens = after != _SPACE and (after != _PUNCTUATION or bool(before & _BORDER))
    closes = before != _SPACE and (before != _PUNCTUATION or bool(after & _BORDER))
    if not split_words:
        opens, closes = (
            opens and (not closes or bool(before & _PUNCTUATION)),
            closes and (not opens or bool(after & _PUNCTUATION)),
        )
    return end - start, opens, closes


def push_pair(state: StateInline) -> None:
    """Read the run at the current position as one marker of a pair like `~~` or `==`.

    Exactly two characters make a marker: a longer or shorter run is text.
    """
    length, opens, closes = scan_run(state, split_words=True)
    if length == 2 and (opens or closes):
        _push_delimiters(state, 1, 2, 0, opens, closes)
    else:
        state.append_pending(state.src[state.pos] * length)
    state.pos += length


def emphasis(md: MarkdownIt) -> None:
    """Replace markdown-it's reading of the markers; it still pairs them."""
    md.inline.ruler.at("emphasis", _emphasis)
    md.inline.ruler.at("strikethrough", _strikethrough)


def _emphasis(state: StateInline, silent: bool) -> bool:
    marker = state.src[state.pos]
    if silent or (marker != "*" and marker != "_"):
        return False
    length, opens, closes = scan_run(state, split_words=marker == "*")
    if opens or closes:
        _push_delimiters(state, length, 1, length, opens, closes)
    else:
        state.append_pending(marker * length)
    state.pos += length
    return True


def _strikethrough(state: StateInline, silent: bool) -> bool:
    if silent or state.src[state.pos] != "~":
        return False
    push_pair(state)
    return True


def _push_delimiters(state: StateInline, count: int, width: int, length: int, opens: bool, closes: bool) -> None:
    """Push `count` markers of `width` characters; `length` is what CommonMark's rule of three looks at."""
    marker = state.src[state.pos]
    for _ in range(count):
        state.push("text", "", 0).content = marker * width
        state.delimiters.append(Delimiter(ord(marker), length, len(state.tokens) - 1, -1, opens, closes))
