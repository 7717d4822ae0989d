"""The Markdown of each page beside it, for agents and for people who want to take it along: what the page shows, so
without comments (Obsidian's `%%…%%`, those of HTML and of YAML), scripts, styles, and links to private pages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from hashlib import md5

from generator.digest import digest
from generator.look import Look
from generator.packed import unpacked
from generator.pages.kind import Kind, Planned
from generator.render import Renderer
from generator.source_map import map_source
from generator.syntax.wikilink import shown_text
from generator.urls import markdown_url
from generator.vault import decode
from generator.wiki import Wiki

# In the order of the text: what is opaque to comments, then comments.
_PIECE = re.compile(
    r"^[ \t>]*(?P<fence>`{3,}(?=[^`\n]*$)|~{3,})"
    r"|(?<![`\\])(?P<ticks>`+)(?!`)(?P<code>[^|\n]*?[^`|\n])(?P=ticks)(?!`)"
    r"|(?P<html><!--|<(?i:script|style)\b)|(?<!%)(?P<mark>%%)(?!%)",
    re.MULTILINE,
)
_HIDDEN = re.compile(r"%%|<!--|<(?:script|style)\b", re.IGNORECASE)
_FENCE_OR_MARK = re.compile(r"^[ \t>]*(?P<fence>`{3,}(?=[^`\n]*$)|~{3,})|(?<!%)(?P<mark>%%)(?!%)", re.MULTILINE)
_FRONT = re.compile(r"\A---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_BLANK_LINES = re.compile(r"\n{3,}")


def without_comments(text: str, shown: str) -> str:
    """A note's text without its comments. `shown` is the visible text of its page: code that seems to hold a comment
    stays only if the page shows it."""
    kept: list[str] = []
    pos = 0
    while piece := _PIECE.search(text, pos):
        end = _piece_end(text, piece, shown)
        if end is None:  # a comment that is never closed is text
            kept.append(text[pos : piece.end()])
            pos = piece.end()
            continue
        is_comment = piece["html"] is not None or piece["mark"] is not None
        kept.append(text[pos : piece.start()] if is_comment else text[pos:end])
        pos = end
    if not pos:
        return text
    return _BLANK_LINES.sub("\n\n", "".join(kept) + text[pos:])


def _piece_end(text: str, piece: re.Match[str], shown: str) -> int | None:
    if piece["fence"] is not None:
        return _fence_end(text, piece["fence"], piece.end())
    if piece["code"] is not None:
        held = piece["code"].strip()
        return piece.end() if "%%" not in held or held in shown else piece.start("code")
    if piece["html"] is not None:
        closing = "-->" if piece["html"] == "<!--" else f"</{piece['html'][1:].lower()}>"
        end = text.lower().find(closing, piece.end())
        return end + len(closing) if end >= 0 else None
    pos = piece.end()
    while match := _FENCE_OR_MARK.search(text, pos):
        if match["mark"] is not None:
            return match.end()
        pos = _fence_end(text, match["fence"], match.end())
    return None


def _fence_end(text: str, fence: str, start: int) -> int:
    closing = re.compile(rf"^[ \t>]*{fence[0]}{{{len(fence)},}}[ \t]*$", re.MULTILINE).search(text, start)
    return closing.end() if closing else len(text)


def _plan(wiki: Wiki, look: Look) -> Iterator[Planned]:
    for page in wiki.pages.values():
        hidden = [str(target) for target in wiki.targets.get(page.id, ()) if not wiki.url_of(target)]
        yield Planned(markdown_url(page.url), page.id, digest([page.content_hash, *hidden]))


def _make(renderer: Renderer, page_id: int, url: str) -> bytes:
    page = renderer.wiki.pages[page_id]
    disk, meta, content = renderer.db.execute(_PARTS, (page_id,)).fetchone()
    try:
        data = (renderer.look.vault / disk).read_bytes()
    except OSError:
        data = b""
    if md5(data, usedforsecurity=False).hexdigest() != page.content_hash:
        return unpacked(content).encode()  # changed since the index was made: the next build has the new text
    text = decode(data)[0]
    private = renderer.db.execute(_PRIVATE, (page_id,)).fetchall()
    if private:
        without = _without_links(text, [name for (name,) in private])
        if without is None:
            return unpacked(content).encode("utf-8", "replace")
        text = without
    if _HIDDEN.search(text):
        text = without_comments(text, unpacked(content))
    return _without_yaml_comments(text, meta).encode("utf-8", "replace")


def _without_links(text: str, names: Sequence[str]) -> str | None:
    """The text with the words of each link to one of the names in its place, and without such embeds; None where not
    all of them can be found."""
    links = [link for link in map_source(text).links if link.written.target in names]
    if len(links) < len(names):
        return None
    for link in sorted(links, key=lambda link: -link.start):
        shown = "" if link.embed else link.written.label or shown_text(link.written)
        text = text[: link.start] + shown + text[link.end :]
    return text


def _without_yaml_comments(text: str, meta: str) -> str:
    front = _FRONT.match(text)
    if front is None or "#" not in front[1]:
        return text
    import yaml

    properties = json.loads(meta)
    block = yaml.safe_dump(properties, allow_unicode=True, sort_keys=False, width=10_000) if properties else ""
    return f"---\n{block}---\n{text[front.end() :]}" if block else text[front.end() :]


_PARTS = (
    "SELECT f.disk, p.meta, c.content FROM wiki_pages p JOIN wiki_files f USING (id) JOIN wiki_content c USING (id)"
    " WHERE p.id = ?"
)
_PRIVATE = (
    "SELECT l.name FROM wiki_links l JOIN wiki_pages t ON t.id = l.target"
    " WHERE l.source = ? AND NOT t.published AND l.kind != 'diagram'"
)
KIND = Kind("markdown", _plan, _make)
