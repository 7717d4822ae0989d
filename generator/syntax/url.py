"""Bare `https://…` and `http://…` become links. No guessing: `www.…`, `Note.md` and addresses of mail stay text.

A URL ends at white space, brackets, quotes and at Chinese, Japanese or Korean text and punctuation, which is never
part of a URL that is copied from a browser. Punctuation at its end belongs to the sentence.
"""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.common.utils import unescapeAll
from markdown_it.rules_inline import StateInline

_CJK = (
    "\u1100-\u11ff\u2e80-\u303f\u3040-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe10-\ufe1f\ufe30-\ufe6f"
    "\uff00-\uffef\U0001f000-\U0010ffff"
)
_REST = re.compile(rf"://[A-Za-z0-9\u00c0-\u024f](?:[^\s<>\[\]\"`{{}}|\\^%\u2000-\u206f{_CJK}]|%(?!%))*")
_SCHEME = re.compile(r"(?<![A-Za-z0-9+.-])https?\Z", re.IGNORECASE)
_TRAILING = frozenset("?!.,:;*_~'")


def url(md: MarkdownIt) -> None:
    """Register the rule; it pushes `link_open`, the URL as text, and `link_close`."""
    md.inline.ruler.push("url", _parse)


def _parse(state: StateInline, silent: bool) -> bool:
    src, colon = state.src, state.pos
    if src[colon] != ":" or state.linkLevel or not src.startswith("://", colon):
        return False
    scheme = _SCHEME.search(src[max(0, colon - 6) : colon])
    match = _REST.match(src, colon, state.posMax)
    if scheme is None or match is None:
        return False
    start = colon - len(scheme[0])
    end = _end(src, start, match.end())
    if end < match.start() + 4:
        return False
    if not silent:
        if not state.pending.endswith(scheme[0]):
            return False  # an escape or an entity wrote it
        written = src[start:end]
        href = state.md.normalizeLink(unescapeAll(written))
        if not state.md.validateLink(href):
            return False
        state.pending = state.pending[: -len(scheme[0])]
        opening = state.push("link_open", "a", 1)
        opening.attrs, opening.markup, opening.info = {"href": href}, "url", "auto"
        state.push("text", "", 0).content = unescapeAll(written)
        closing = state.push("link_close", "a", -1)
        closing.markup, closing.info = "url", "auto"
    state.pos = end
    return True


def _end(src: str, start: int, end: int) -> int:
    """Where the URL ends without the punctuation, and the closing parentheses, that belong to the sentence."""
    surplus = src.count(")", start, end) - src.count("(", start, end)
    highlighted = src.startswith("==", start - 2) if start >= 2 else False
    while True:
        last = src[end - 1]
        if last in _TRAILING:
            end -= 1
        elif last == ")" and surplus > 0:
            end -= 1
            surplus -= 1
        elif highlighted and src.startswith("==", end - 2):
            end -= 2
        else:
            return end
