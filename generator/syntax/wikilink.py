"""`[[target#subpath|label]]` and `![[target|size]]`, as Obsidian reads them.

Only `]]` ends a link; a line break, an inner `[[` or an empty target makes it plain text. The token's `meta` holds a
`WrittenLink`; what it opens is decided later, by `generator.links`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from generator.syntax.marks import slot

# The inside of a link: no line break, no `[[`, up to the first `]]`. Stops at the next `[[`, so that a run of
# them is read once.
_WIKILINK = re.compile(r"\[\[(?!\[)([^\[\]\n]*(?:(?:\[(?!\[)|\](?!\]))[^\[\]\n]*)*)\]\]")
_MARKUP = re.compile(r"[\\*_~=`$&<!:\[%^]")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
# What may stand inside the label of a link: everything but another link.
_NESTED = frozenset({"link_open", "link_close", "wikilink_open", "wikilink_close"})


@dataclass(frozen=True, slots=True)
class WrittenLink:
    """The parts of a link as written: `label` is None where no `|` was written."""

    target: str
    subpath: str
    label: str | None


def split_wikilink(inner: str) -> WrittenLink | None:
    """Split the text between the brackets; None where it names nothing.

    The first `|` (or `\\|`, which table cells need) splits off the label, then the first `#` the subpath.
    """
    left, bar, label = inner.partition("|")
    if bar and left.endswith("\\"):
        left = left[:-1]
    target, _, subpath = left.partition("#")
    target, subpath = target.strip(), subpath.strip().strip("#").strip()
    if not target and not subpath:
        return None
    label = label.strip()
    return WrittenLink(target, subpath, label if bar and label else None)


def shown_text(link: WrittenLink) -> str:
    """What a link without label shows: the target as typed, or the heading for a link within the page."""
    if link.label is not None:
        return link.label
    if not link.target:
        return link.subpath.lstrip("^") if link.subpath.startswith("^") else link.subpath.replace("#", " > ")
    return f"{link.target}#{link.subpath}" if link.subpath else link.target


def wikilink(md: MarkdownIt) -> None:
    """Register the rules for links and embeds."""
    md.inline.ruler.before("link", "wikilink", _parse)
    md.add_render_rule("wikilink_open", _render_open)
    md.add_render_rule("wikilink_close", _render_close)
    md.add_render_rule("embed", _render_embed)


def _parse(state: StateInline, silent: bool) -> bool:
    start = state.pos
    first = state.src[start]
    embed = first == "!"
    if first != "[" and not embed:
        return False
    if not state.src.startswith("![[" if embed else "[[", start):
        return False
    match = _WIKILINK.match(state.src, start + embed, state.posMax)
    if match is None:
        return False
    link = split_wikilink(match[1])
    if link is None:
        return False
    if not silent:
        if embed:
            token = state.push("embed", "", 0)
            token.content = shown_text(link)
            token.meta["link"] = link
        elif state.linkLevel or _SCHEME.match(link.target):
            _push_external(state, link)
        else:
            _push_link(state, link)
    state.pos = match.end()
    return True


def _push_link(state: StateInline, link: WrittenLink) -> None:
    state.push("wikilink_open", "a", 1).meta["link"] = link
    if link.label is None or not _MARKUP.search(link.label):
        state.push("text", "", 0).content = shown_text(link)
    else:
        _push_label(state, link.label)
    state.push("wikilink_close", "a", -1)


def _push_label(state: StateInline, label: str) -> None:
    """Parse a label by itself, so that its marks pair with each other only; links and tags in it are its text."""
    tokens: list[Token] = []
    state.md.inline.parse(label, state.md, state.env, tokens)
    for token in tokens:
        if token.type in _NESTED:
            continue
        if token.type == "tag":
            token.type, token.content = "text", "#" + token.content
        token.level += state.level
        state.tokens.append(token)
        state.tokens_meta.append(None)


def _push_external(state: StateInline, link: WrittenLink) -> None:
    """`[[https://x]]` is meant as an external link; a wikilink inside a link's label is its text."""
    if state.linkLevel:
        state.push("text", "", 0).content = shown_text(link)
        return
    url = f"{link.target}#{link.subpath}" if link.subpath else link.target
    href = state.md.normalizeLink(url)
    if not state.md.validateLink(href):
        href = ""
    state.push("link_open", "a", 1).attrs = {"href": href}
    state.push("text", "", 0).content = link.label or url
    state.push("link_close", "a", -1)


def _render_open(self: Any, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
    return f"<a {slot(tokens[idx].meta['slot'])}>"


def _render_close(self: Any, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
    return "</a>"


def _render_embed(self: Any, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
    return slot(tokens[idx].meta["slot"])


def find_wikilinks(text: str) -> list[WrittenLink]:
    """The links in a text that is not Markdown, such as a property's value."""
    found = (split_wikilink(match[1]) for match in _WIKILINK.finditer(text)) if "[[" in text else ()
    return [link for link in found if link is not None]
