"""`[label](Note.md#Heading)`, `![alt|200](image.png)`: Markdown links into the vault.

A destination without a scheme names a file of the vault as a wikilink does; its percent-encoding is undone once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from generator.syntax.marks import slot
from generator.syntax.remote import remote_embed
from generator.syntax.wikilink import WrittenLink

_OBSIDIAN = "obsidian://"
_LOCAL_PATH = re.compile(r"obsidian://[^?#]*\?(?:[^#]*&)?path=", re.IGNORECASE)
_EXTERNAL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")


def vault_link(destination: str, label: str | None = None) -> WrittenLink | None:
    """The link that a destination (percent-encoded or not) writes; None where it leaves the vault or is empty."""
    if not destination or _EXTERNAL.match(destination):
        return None
    target, _, subpath = destination.partition("#")
    # A blank before the `#` stays: both may be of the file's name (`Sub/part%20#1.md`), which only the vault can tell.
    target, subpath = unquote(target).lstrip(), unquote(subpath).strip().strip("#").strip()
    if not subpath:
        target = target.rstrip()
    return WrittenLink(target, subpath, label) if target.strip() or subpath else None


def link(md: MarkdownIt) -> None:
    """Register how links and images are rendered; `meta["slot"]` marks those into the vault."""
    md.core.ruler.after("inline", "local_paths", _note_local_paths)
    md.add_render_rule("link_open", _render_open)
    md.add_render_rule("image", _render_image)


def _note_local_paths(state: StateCore) -> None:
    """`obsidian://open?path=/home/…` opens nothing for a reader, and tells where the vault lies."""
    if _OBSIDIAN not in state.src:
        return
    for block in state.tokens:
        for token in block.children or ():
            if token.type == "link_open" and _LOCAL_PATH.match(str(token.attrs.get("href", ""))):
                line = block.map[0] + 1 if block.map else 1
                message = "this link names a path on your computer: use its `vault` and `file` instead"
                state.env.setdefault("problems", []).append(("local-path", message, line))


def _render_open(self: Any, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
    token = tokens[idx]
    if "slot" in token.meta:
        return f"<a {slot(token.meta['slot'])}>"
    href, title = str(token.attrs.get("href", "")), token.attrs.get("title")
    shown = f' title="{escapeHtml(str(title))}"' if title else ""
    if not href:
        return f'<a class="external-link is-empty"{shown}>'
    kind = "external-link obsidian-link" if href.startswith(_OBSIDIAN) else "external-link"
    return f'<a class="{kind}" href="{escapeHtml(href)}" rel="noopener"{shown}>'


def _render_image(self: Any, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
    token = tokens[idx]
    if "slot" in token.meta:
        return slot(token.meta["slot"])
    alt, width, height = image_size(token.content)
    src = str(token.attrs.get("src", ""))
    other = remote_embed(src, alt, width)
    if other is not None:
        return other
    return image_tag(escapeHtml(src), alt, width, height, "external-embed")


_SIZE = re.compile(r"\s*(\d{1,5})(?:x(\d{1,5}))?\s*")


def image_size(label: str) -> tuple[str, str, str]:
    """Split `alt|200x100`, `alt|200`, `200`: alt text, width, height (each "" where not given)."""
    alt, bar, last = label.rpartition("|")
    match = _SIZE.fullmatch(last)
    if match is None:
        return label, "", ""
    return (alt.strip() if bar else ""), match[1], match[2] or ""


def image_tag(src: str, alt: str, width: str, height: str, css_class: str) -> str:
    """An `<img>`; `src` is escaped already."""
    size = (f' width="{width}"' if width else "") + (f' height="{height}"' if height else "")
    return f'<img class="{css_class}" src="{src}" alt="{escapeHtml(alt)}"{size} loading="lazy">'
