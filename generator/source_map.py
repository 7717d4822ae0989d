"""Where the pieces of a note stand in its source: what may be edited, to the character.

The parser's own rules are asked, one piece after the other, how far they reach; what they make of it is not kept. A
piece whose place cannot be told for sure (a table that tabs have shifted, a comment that cuts a line twice) is left
out: what is not here is never edited.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from generator import frontmatter
from generator.syntax import build_parser
from generator.syntax.html import LINK_ENDS
from generator.syntax.link import vault_link
from generator.syntax.marks import FORBIDDEN
from generator.syntax.wikilink import WrittenLink, split_wikilink

Place = Literal["text", "heading", "cell", "property"]
_BLOCK_STEPS = frozenset({"normalize", "block"})
_TITLES = frozenset({"heading_open", "callout_title_open"})
_CELLS = frozenset({"td_open", "th_open"})
# Marks that pair with each other: a name never reaches across them.
_PAIRED = frozenset("*~=[]")
# Elements whose text is not prose, or is part of a link already.
_OPAQUE = re.compile(r"<(/?)(a|code|pre|kbd|samp|script|style|button|svg|math)\b", re.IGNORECASE)
_DEEPEST = 3  # labels within labels
_OPENING_OR_BREAK = re.compile(r"\[{2,}|\n")
_LONGEST_LINK = 2000  # in the front matter: a bound, since brackets that are never closed cost each a look ahead


@dataclass(frozen=True, slots=True)
class Prose:
    """A stretch of running text within a line, `start:end` of the source: no markup, link, code or math in it."""

    start: int
    end: int
    line: int
    place: Place


@dataclass(frozen=True, slots=True)
class LinkSpan:
    """A link or embed into the vault as it stands at `start:end` of the source.

    `written` is what it says; `destination` the place of a Markdown link's address (0, 0 for wikilinks).
    """

    start: int
    end: int
    line: int
    place: Place
    kind: Literal["wikilink", "markdown", "property"]
    embed: bool
    written: WrittenLink
    destination: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class TagSpan:
    """A tag in the text at `start:end`, its `#` included; `name` is without it."""

    start: int
    end: int
    line: int
    name: str


@dataclass(frozen=True, slots=True)
class SourceMap:
    """The pieces of a note by their place; `body` is the offset at which the text begins, after the front matter."""

    body: int
    prose: tuple[Prose, ...]
    links: tuple[LinkSpan, ...]
    tags: tuple[TagSpan, ...]


def map_source(text: str, *, only: Callable[[str], bool] | None = None) -> SourceMap:
    """The pieces of a note. `text` has LF line ends and no byte order mark; offsets are into it.

    `only` says of a block's text whether it is worth looking at: the pieces of all others are left out.
    """
    front = frontmatter.split(text)
    offset = len(text) - len(front.body)
    found = _Pieces([], [], [])
    md = _markdown()
    _map_properties(text[:offset], found)
    state = StateCore(FORBIDDEN.sub("\ufffd", front.body), md, {})
    for rule in md.core.ruler.__rules__:
        if rule.name in _BLOCK_STEPS:
            rule.fn(state)
    lines = _Lines(text, front.body_line)
    row = (-1, 0)  # a table's line, and how far its cells have been found
    for i, token in enumerate(state.tokens):
        if token.type != "inline" or not token.content or token.map is None:
            continue
        opening, is_wanted = state.tokens[i - 1].type, only is None or only(token.content)
        if opening in _CELLS:
            cell = _cell(token, lines, row)
            if cell is not None:
                row = (token.map[0], cell.end)
                if is_wanted:
                    _map_inline(cell, md, state.env, found, "cell")
        elif is_wanted:
            place: Place = "heading" if opening in _TITLES else "text"
            for stretch in _stretches(token, lines):
                _map_inline(stretch, md, state.env, found, place)
    return SourceMap(offset, tuple(found.prose), tuple(found.links), tuple(found.tags))


@lru_cache(maxsize=1)
def _markdown() -> MarkdownIt:
    return build_parser()


@dataclass(frozen=True, slots=True)
class _Pieces:
    prose: list[Prose]
    links: list[LinkSpan]
    tags: list[TagSpan]


class _Lines:
    """The lines of a source, and the line that an offset stands in."""

    def __init__(self, text: str, first: int) -> None:
        self.text = text
        self.first = first
        self.starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def bounds(self, body_line: int) -> tuple[int, int]:
        """Start and end of a line that the parser counts from 0, its line break left out."""
        at = body_line + self.first - 1
        if at >= len(self.starts):
            return len(self.text), len(self.text)
        end = self.starts[at + 1] - 1 if at + 1 < len(self.starts) else len(self.text)
        return self.starts[at], end

    def number(self, offset: int) -> int:
        """The line of an offset, from 1."""
        return bisect_right(self.starts, offset)


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Inline source: character `i` of `content` stands at `places[k] + i - offsets[k]` of the note."""

    content: str
    offsets: Sequence[int]
    places: Sequence[int]
    lines: _Lines

    @property
    def end(self) -> int:
        return self.place(len(self.content) - 1) + 1

    def place(self, at: int) -> int:
        segment = bisect_right(self.offsets, at) - 1
        return self.places[segment] + at - self.offsets[segment]

    def span(self, start: int, end: int) -> tuple[int, int]:
        return self.place(start), self.place(end - 1) + 1


def _stretches(token: Token, lines: _Lines) -> Iterator[_Stretch]:
    """The content of a block of text with its place; nothing where a line of it cannot be found for sure."""
    assert token.map is not None
    offsets, places, at = [], [], 0
    written = token.content.split("\n")
    last = len(written) - 1
    for number, line in enumerate(written):
        start, end = lines.bounds(token.map[0] + number)
        place = _find(lines.text[start:end], line, cut=number in {0, last})
        if place is None:
            return
        offsets.append(at)
        places.append(start + place)
        at += len(line) + 1
    yield _Stretch(token.content, offsets, places, lines)


def _find(line: str, content: str, *, cut: bool) -> int | None:
    """Where `content`, which the parser took from `line`, stands in it: at its end, unless a comment cut that off."""
    bare = line.rstrip() if cut else line
    for candidate in (line, bare, bare.rstrip("#").rstrip()):
        if candidate.endswith(content):
            return len(candidate) - len(content)
    at = line.find(content)
    return at if at >= 0 and line.find(content, at + 1) < 0 else None


def _cell(token: Token, lines: _Lines, row: tuple[int, int]) -> _Stretch | None:
    """A table cell: its `\\|` stand there as `|` once the parser has split the row."""
    assert token.map is not None
    start, end = lines.bounds(token.map[0])
    pos = row[1] if row[0] == token.map[0] else start
    written = token.content.replace("|", "\\|")
    place = lines.text.find(written, pos, end)
    if place < 0 or lines.text[pos:place].strip(" \t>|"):
        return None
    offsets, places, at = [0], [place], place
    for match in re.finditer(r"\|", token.content):
        at += 1
        offsets.append(match.start())
        places.append(at + match.start())
    return _Stretch(token.content, offsets, places, lines)


def _map_inline(stretch: _Stretch, md: MarkdownIt, env: Any, found: _Pieces, place: Place) -> None:
    """Walk through the inline source by asking the rules how far each piece reaches."""
    content = stretch.content
    state = StateInline(content, md, env, [])
    stops = md.inline.terminator_re
    if not stops.search(content):
        _add_prose(stretch, 0, len(content), found, place)
        return
    run, anchors, opaque = -1, 0, 0  # where the prose began, how many `<a>` and how many opaque elements are open
    last_end = max(content.rfind(end) for end in LINK_ENDS)
    while state.pos < state.posMax:
        start, first = state.pos, content[state.pos]
        is_special = stops.match(content, start) is not None
        md.inline.skipToken(state)
        if not (anchors or opaque) and (
            not is_special or (state.pos == start + 1 and first not in _PAIRED and first != "\n")
        ):
            run = start if run < 0 else run
            continue
        if run >= 0:
            _add_prose(stretch, run, start, found, place)
            run = -1
        if first == "<" and (match := _OPAQUE.match(content, start, state.pos)):
            step = 0 if content[state.pos - 2] == "/" else -1 if match[1] else 1
            if match[2].lower() == "a":  # as for the parser: one that is never ended is none
                is_ended = step < 0 or last_end >= state.pos
                anchors = max(0, anchors + step) if is_ended else anchors
            else:
                opaque = max(0, opaque + step)
        elif state.pos > start + 1 and not (anchors and content.startswith(("[[", "#"), start)):
            _map_piece(stretch, start, state.pos, md, env, found, place)
    if run >= 0:
        _add_prose(stretch, run, state.posMax, found, place)


def _add_prose(stretch: _Stretch, start: int, end: int, found: _Pieces, place: Place) -> None:
    first, last = stretch.span(start, end)
    found.prose.append(Prose(first, last, stretch.lines.number(first), place))


def _map_piece(
    stretch: _Stretch, start: int, end: int, md: MarkdownIt, env: Any, found: _Pieces, place: Place, depth: int = 0
) -> None:
    """A link, an image, an embed or a tag at `start:end` of the content; code, math and the like are nothing to us."""
    piece = stretch.content[start:end]
    first, last = stretch.span(start, end)
    line = stretch.lines.number(first)
    if piece.startswith("#"):
        found.tags.append(TagSpan(first, last, line, piece[1:]))
        return
    embed = piece.startswith("!")
    if piece.startswith("[[", embed) and piece.endswith("]]") and "]]" not in piece[2:-2]:
        written = split_wikilink(piece[2 + embed : -2])
        if written is not None:
            found.links.append(LinkSpan(first, last, line, place, "wikilink", embed, written))
    elif piece.startswith("[", embed) and piece.endswith(")"):
        _map_markdown_link(stretch, start, end, md, env, found, place, depth)


def _map_markdown_link(
    stretch: _Stretch, start: int, end: int, md: MarkdownIt, env: Any, found: _Pieces, place: Place, depth: int
) -> None:
    content = stretch.content
    embed = content[start] == "!"
    state = StateInline(content, md, env, [])
    label_end = md.helpers.parseLinkLabel(state, start + embed, not embed)
    if label_end < 0 or content[label_end + 1 : label_end + 2] != "(":
        return
    at = label_end + 2
    while at < end and content[at] in " \n\t":
        at += 1
    destination = md.helpers.parseLinkDestination(content, at, end)
    label_start = start + embed + 1
    written = vault_link(destination.str, content[label_start:label_end]) if destination.ok else None
    if written is not None:
        first, last = stretch.span(start, end)
        span = stretch.span(at, destination.pos) if destination.pos > at else (0, 0)
        line = stretch.lines.number(first)
        found.links.append(LinkSpan(first, last, line, place, "markdown", embed, written, span))
    if depth < _DEEPEST and "[" in content[label_start:label_end]:
        _map_label(stretch, label_start, label_end, md, env, found, place, depth + 1)


def _map_label(
    stretch: _Stretch, start: int, end: int, md: MarkdownIt, env: Any, found: _Pieces, place: Place, depth: int
) -> None:
    """Images and embeds in a link's label."""
    state = StateInline(stretch.content, md, env, [])
    state.pos, state.posMax, state.linkLevel = start, end, 1
    while state.pos < end:
        at = state.pos
        md.inline.skipToken(state)
        if stretch.content[at] == "!" and state.pos > at + 1:
            _map_piece(stretch, at, state.pos, md, env, found, place, depth)


def _map_properties(block: str, found: _Pieces) -> None:
    """The wikilinks in the front matter, which is no Markdown: up to the first `]]`, no `[[` and no break inside."""
    start = close = line = 0
    for match in _OPENING_OR_BREAK.finditer(block):
        if match[0] == "\n":
            line += 1
            continue
        start = match.end() - 2
        if close < match.end():
            close = block.find("]]", match.end())
        if close < 0:
            return
        inner = block[match.end() : close] if close - start < _LONGEST_LINK else "\n"
        written = split_wikilink(inner) if "\n" not in inner and "[[" not in inner else None
        if written is not None:
            found.links.append(LinkSpan(start, close + 2, line + 1, "property", "property", False, written))
