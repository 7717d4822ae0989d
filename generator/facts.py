"""What the index wants to know of a note, read off its tokens in one walk.

The walk also numbers the links: the number of a link is its place in `Document.links` and its slot in the body.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markdown_it.token import Token

from generator.model import Link, LinkKind, Problem
from generator.syntax.link import vault_link
from generator.syntax.marks import SLOT_CLOSE, SLOT_OPEN, slot
from generator.syntax.media import MEDIA_EXTENSIONS, extension, may_be_note, may_bring_blocks
from generator.syntax.plain import plain_text
from generator.syntax.remote import is_card
from generator.syntax.wikilink import WrittenLink, find_wikilinks, split_wikilink

_CONTEXT = 240
_SENTENCE_END = re.compile(r"[.!?…]['\"”’)\]]*\s|[。！？；]|\n")
_BREAKS = frozenset({"softbreak", "hardbreak"})
_CODE = frozenset({"fence", "code_block", "math_block", "math_block_label", "mermaid"})
_PICTURES = frozenset({"image", "cover"})
_EMBEDS = frozenset({"embed", "image"})
_LINK_TAGS = frozenset({"link_open", "link_close", "wikilink_open", "wikilink_close"})
# What a `<p>` cannot hold: HTML ends it there.
_BLOCK_TAG = re.compile(
    r"<(?:address|article|aside|blockquote|center|details|dialog|dir|div|dl|fieldset|figcaption|figure|footer|form|h[1-6]"
    r"|header|hgroup|hr|main|menu|nav|ol|p|pre|search|section|summary|table|ul)[\s/>]",
    re.IGNORECASE,
)
_HTML_TAG = re.compile(r"<[^<>]*>")
_META_SLOT = re.compile(f"{SLOT_OPEN}([HM])([0-9]+){SLOT_CLOSE}")


@dataclass(slots=True)
class HeadingFact:
    """A heading token at `index`, with its line and the place of its text."""

    index: int
    level: int
    text: str
    raw: str
    anchor: str
    line: int
    offset: int


@dataclass(slots=True)
class Facts:
    """The result of `collect`. `block_spans` and `footnote_spans` are `(name, line, first token, last token, tag)`."""

    links: list[Link] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    headings: list[HeadingFact] = field(default_factory=list)
    block_spans: list[tuple[str, int, int, int, str]] = field(default_factory=list)
    footnote_spans: list[tuple[str, int, int, int, str]] = field(default_factory=list)
    text: str = ""
    first_paragraph: str = ""
    title_heading: str = ""
    footnotes_start: int | None = None
    queries: list[str] = field(default_factory=list)


def collect(tokens: Sequence[Token], first_line: int) -> Facts:
    """Walk the tokens of one note whose body starts at `first_line` of its file."""
    return _Walk(first_line).run(tokens)


def property_links(meta: Mapping[str, Any], line: int = 1) -> list[Link]:
    """The wikilinks in the values of the front matter, in order; nested values count too. Behind them the files that
    `image` and `cover` name by their paths."""
    links: list[Link] = []

    def visit(value: Any) -> None:
        if isinstance(value, str):
            links.extend(
                Link(written.target, written.subpath, written.label, "property", False, line, value[:_CONTEXT])
                for written in find_wikilinks(value)
            )
        elif isinstance(value, Mapping):
            for item in value.values():
                visit(item)
        elif isinstance(value, list):
            for item in value:
                visit(item)

    visit(meta)
    for name, value in meta.items():
        if name.strip().lower() in _PICTURES and isinstance(value, str) and "[[" not in value:
            written = vault_link(value.strip())
            if written is not None:
                links.append(Link(written.target, "", None, "property", False, line, value[:_CONTEXT]))
    return links


def sentence_around(text: str, start: int, end: int) -> str:
    """The sentence of `text` that holds `start:end`, on one line, at most 240 characters."""
    left = max(0, start - _CONTEXT)
    for match in _SENTENCE_END.finditer(text, left, start):
        left = match.end()
    stop = _SENTENCE_END.search(text, end, min(len(text), end + _CONTEXT))
    right = stop.end() if stop else min(len(text), end + _CONTEXT)
    sentence = " ".join(text[left:right].split())
    if len(sentence) <= _CONTEXT:
        return sentence
    begin = max(0, min(start - left - _CONTEXT // 3, len(sentence) - _CONTEXT))
    return ("…" if begin else "") + sentence[begin : begin + _CONTEXT - 2].strip() + "…"


class _Walk:
    def __init__(self, first_line: int) -> None:
        self.facts = Facts()
        self.first_line = first_line
        self.parts: list[str] = []
        self.size = 0
        self.seen_tags: set[str] = set()
        self.line = first_line

    def run(self, tokens: Sequence[Token]) -> Facts:
        facts = self.facts
        opens: list[int] = []
        for i, token in enumerate(tokens):
            if token.map:
                self.line = self.first_line + token.map[0]
            kind = token.type
            if kind == "inline":
                self._inline(tokens, i)
            elif token.nesting == 1:
                opens.append(i)
                if kind == "heading_open" and token.level == 0 and facts.footnotes_start is None:
                    self._heading(token, i)
                elif kind == "footnote_block_open":
                    facts.footnotes_start = i
            elif token.nesting == -1:
                if opens:
                    self._close(tokens, opens.pop(), i)
            else:
                self._leaf(token, i)
        facts.text = "\n".join(self.parts)
        return facts

    def _heading(self, token: Token, index: int) -> None:
        meta = token.meta
        raw = meta["raw"] if meta["raw"] != meta["text"] else ""
        self.facts.headings.append(
            HeadingFact(index, int(token.tag[1]), meta["text"], raw, meta["anchor"], self.line, self.size)
        )
        if token.tag == "h1" and not self.facts.title_heading:
            self.facts.title_heading = meta["text"]

    def _close(self, tokens: Sequence[Token], start: int, end: int) -> None:
        opening = tokens[start]
        line = self.first_line + opening.map[0] if opening.map else self.line
        if "block_id" in opening.meta:
            self.facts.block_spans.append((opening.meta["block_id"], line, start, end, opening.tag))
        if opening.type == "footnote_open":
            name = str(opening.meta.get("id", len(self.facts.footnote_spans)))
            self.facts.footnote_spans.append((name, line, start, end, "li"))

    def _leaf(self, token: Token, index: int) -> None:
        if token.type in _CODE:
            self._add(token.content.strip("\n"))
        elif token.type == "query":
            self.facts.queries.append(token.content)  # its words are no text: a page is not to find itself by them
        elif token.type == "html_block":
            self._add(" ".join(_HTML_TAG.sub(" ", token.content).split()))
        if "block_id" in token.meta:
            self.facts.block_spans.append((token.meta["block_id"], self.line, index, index, token.tag))
        self._meta_links(token)

    def _add(self, text: str) -> None:
        if text:
            self.parts.append(text)
            self.size += len(text) + 1

    def _inline(self, tokens: Sequence[Token], index: int) -> None:
        token = tokens[index]
        children = token.children
        if not children:
            return
        opening = tokens[index - 1]
        if len(children) == 1 and children[0].type == "text":
            text = children[0].content
        else:
            text = self._children(token, opening)
        self._add(text)
        if not self.facts.first_paragraph and opening.type == "paragraph_open" and opening.level == 0:
            self.facts.first_paragraph = " ".join(text.split())

    def _children(self, inline: Token, opening: Token) -> str:
        """The plain text of an inline token; its links, embeds and tags become facts."""
        if any(token.type in _EMBEDS for token in inline.children or ()):
            inline.children = list(_confined(inline.children or (), opening.type == "heading_open"))
        facts, parts, size, line = self.facts, [], 0, self.line
        spans: list[tuple[int, int, int]] = []  # link number, start, end in the text
        open_links: list[tuple[int, int]] = []
        for token in inline.children or ():
            kind = token.type
            piece = ""
            if kind in ("text", "code_inline", "math_inline", "math_inline_double"):
                piece = token.content
            elif kind in _BREAKS:
                piece, line = "" if token.hidden else "\n", line + 1
            elif kind == "comment":
                line += token.meta["lines"]
            elif kind == "wikilink_open":
                open_links.append((self._link(token, token.meta["link"], "wikilink", False, line), size))
            elif kind == "link_open":
                written = vault_link(str(token.attrs.get("href", "")))
                number = self._link(token, written, "markdown", False, line) if written else -1
                open_links.append((number, size))
            elif kind in ("wikilink_close", "link_close"):
                if open_links:
                    number, start = open_links.pop()
                    if number >= 0:
                        spans.append((number, start, size))
            elif kind in _EMBEDS:
                piece = self._embed(token, opening, line, spans, size)
            elif kind == "tag":
                piece = "#" + token.content
                self._tag(token.content)
            elif kind == "html_inline":
                if opening.type == "paragraph_open" and _BLOCK_TAG.match(token.content):
                    opening.meta["holds_blocks"] = True
                if token.meta:
                    self._meta_links(token)
            parts.append(piece)
            size += len(piece)
        text = "".join(parts)
        for number, start, end in spans:
            facts.links[number] = _with_context(facts.links[number], sentence_around(text, start, end), text[start:end])
        return text

    def _embed(self, token: Token, opening: Token, line: int, spans: list[tuple[int, int, int]], size: int) -> str:
        if token.type == "image":
            token.content = token.content or plain_text(token.children)
            written = vault_link(str(token.attrs.get("src", "")), token.content)
            if written is None:
                return token.content
            token.type = "embed"
            number = self._link(token, written, "markdown", True, line)
        else:
            written = token.meta["link"]
            number = self._link(token, written, "wikilink", True, line)
        if may_bring_blocks(written.target) and opening.type == "paragraph_open":
            opening.meta["holds_blocks"] = True
        piece = "" if written.label is None or may_be_note(written.target) else written.label.rpartition("|")[0]
        spans.append((number, size, size + len(piece)))
        return piece

    def _link(self, token: Token, written: WrittenLink, kind: LinkKind, embed: bool, line: int) -> int:
        number = len(self.facts.links)
        token.meta["slot"] = number
        self.facts.links.append(Link(written.target, written.subpath, written.label, kind, embed, line, ""))
        return number

    def _tag(self, name: str) -> None:
        if name not in self.seen_tags:
            self.seen_tags.add(name)
            self.facts.tags.append(name)

    def _meta_links(self, token: Token) -> None:
        """HTML attributes and nodes of diagrams that name files: `␂H0␃` and `␂M0␃` become numbered slots."""
        meta = token.meta
        if "html_links" in meta:
            slots = [self._attribute(destination, attribute) for destination, attribute, _tag in meta["html_links"]]
            token.content = _META_SLOT.sub(lambda match: slots[int(match[2])], token.content)
        if "internal_links" in meta:
            slots = [self._node(text) for text in meta["internal_links"]]
            meta["svg"] = _META_SLOT.sub(lambda match: slots[int(match[2])], meta["svg"])

    def _attribute(self, destination: str, attribute: str) -> str:
        """The slot of an HTML attribute; "" where it names no file of the vault."""
        written = vault_link(destination)
        return self._unlabelled(written, "html", attribute != "href", destination) if written else ""

    def _node(self, text: str) -> str:
        """The slot of a diagram's node; "" where its text is no name."""
        written = split_wikilink(text)
        return self._unlabelled(written, "diagram", False, text) if written else ""

    def _unlabelled(self, written: WrittenLink, kind: LinkKind, embed: bool, context: str) -> str:
        number = len(self.facts.links)
        self.facts.links.append(Link(written.target, written.subpath, None, kind, embed, self.line, context[:_CONTEXT]))
        return slot(number)


def _with_context(link: Link, context: str, label: str) -> Link:
    label_text = link.label if link.kind == "wikilink" or link.embed else label
    return Link(link.target, link.subpath, label_text, link.kind, link.embed, link.line, context)


def _confined(children: Iterable[Token], in_heading: bool) -> Iterable[Token]:
    """A heading cannot hold another note's blocks, nor a link another link: there, what is embedded becomes a link, or
    its text alone. Images stay."""
    depth = 0
    for token in children:
        depth += token.nesting if token.type in _LINK_TAGS else 0
        written = _embedded(token) if in_heading or depth else None
        if depth and token.type == "image" and is_card(str(token.attrs.get("src", ""))):
            text = Token("text", "", 0)
            text.content = token.content or str(token.attrs["src"])
            yield text
            continue
        if written is None or extension(written.target) in MEDIA_EXTENSIONS["image"]:
            yield token
            continue
        text = Token("text", "", 0)
        text.content = token.content or written.target
        if depth:
            yield text
        elif may_bring_blocks(written.target):
            opening = Token("wikilink_open", "a", 1)
            opening.meta["link"] = written
            yield from (opening, text, Token("wikilink_close", "a", -1))
        else:
            yield token


def _embedded(token: Token) -> WrittenLink | None:
    """What a token embeds of the vault."""
    if token.type == "embed":
        link: WrittenLink = token.meta["link"]
        return link
    return vault_link(str(token.attrs.get("src", "")), token.content or None) if token.type == "image" else None


def problems_of(env: Mapping[str, Any], first_line: int) -> list[Problem]:
    """What the syntaxes could not accept: `env["problems"]` holds `(code, message, line of the body)`."""
    return [Problem(code, message, line + first_line - 1) for code, message, line in env.get("problems", ())]
