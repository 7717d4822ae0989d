"""Headings: their text, and an id that is unique on the page and stays the same wherever the note is shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any
from unicodedata import normalize

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from generator.syntax.marks import ID_MARK
from generator.syntax.plain import plain_text

# What Obsidian removes from a heading before it compares it with a link's subpath.
_STRIPPED = re.compile(r"[!\"#$%&()*+,.:;<=>?@^`{|}~/\[\]\\\s]+")
# ASCII, general, CJK and full-width punctuation; marks stay, since whole scripts are written with them.
_NOT_SLUG = re.compile(
    "[\x00-,./:-@\\[-^`{-\xa0\u2000-\u206f\u3000-\u303f\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]+"
)


# Ids of footnotes and diagrams; those of the page around the note, and of embedded copies, begin with `_`.
_GENERATED = re.compile(r"_|(?:fn|fnref|mermaid)-[0-9]")
_HTML_ID = re.compile(f'id="{ID_MARK}([^"]*)"')


@lru_cache(maxsize=1 << 16)
def heading_key(text: str) -> str:
    """How headings are compared: special characters and runs of space become one space, case is folded."""
    return _STRIPPED.sub(" ", text).strip().casefold()


def slugify(text: str) -> str:
    """An id for a heading: letters of any script, digits, `_` and `-`; "section" where nothing is left."""
    return _NOT_SLUG.sub("-", normalize("NFC", text).strip().lower()).strip("-") or "section"


class Anchors:
    """Gives each heading of a page its own id: `intro`, `intro-1`, `intro-2`."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._next: dict[str, int] = {}
        self._taken = set(taken)

    def claim(self, text: str) -> str:
        """An unused id for a heading with this text."""
        slug = slugify(text)
        if _GENERATED.match(slug):
            slug = f"section-{slug.lstrip('_')}"
        anchor, number = slug, self._next.get(slug, 0)
        while anchor in self._taken:
            number += 1
            anchor = f"{slug}-{number}"
        self._next[slug] = number
        self._taken.add(anchor)
        return anchor


def heading(md: MarkdownIt) -> None:
    """Register the ids and the copyable link behind each heading."""
    md.core.ruler.push("heading_ids", _assign)
    md.add_render_rule("heading_open", _render_open)
    md.add_render_rule("heading_close", _render_close)


def _assign(state: StateCore) -> None:
    """Put `anchor`, `text` and `raw` into the meta of every heading_open token."""
    tokens = state.tokens
    anchors = Anchors(_html_ids(tokens))
    for i, token in enumerate(tokens):
        if token.type == "heading_open":
            inline = tokens[i + 1]
            text = " ".join(plain_text(inline.children).split())
            anchor = anchors.claim(text)
            token.meta["anchor"] = tokens[i + 2].meta["anchor"] = anchor
            token.meta["text"] = text
            token.meta["raw"] = inline.content


def _html_ids(tokens: Iterable[Token]) -> Iterator[str]:
    """The ids that the note's own HTML uses."""
    for token in tokens:
        if token.type == "html_block":
            yield from _HTML_ID.findall(token.content)
        elif token.children and "<" in token.content:
            yield from _html_ids(child for child in token.children)
        elif token.type == "html_inline":
            yield from _HTML_ID.findall(token.content)


def _render_open(self: Any, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
    token = tokens[idx]
    return f'<{token.tag} id="{ID_MARK}{token.meta["anchor"]}">'


def _render_close(self: Any, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
    token = tokens[idx]
    anchor = token.meta["anchor"]
    return f'<a class="heading-anchor" href="#{ID_MARK}{anchor}" aria-hidden="true" tabindex="-1">#</a></{token.tag}>\n'
