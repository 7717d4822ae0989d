"""A stored body becomes the HTML of a page: slots filled with what links open, embeds with what they bring in."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape, unescape
from pathlib import Path
from typing import NamedTuple

from generator.balance import balanced
from generator.links import find_heading
from generator.model import Block, Heading
from generator.packed import read_blocks, read_headings, unpacked
from generator.syntax.code import highlighted
from generator.syntax.link import image_size, image_tag
from generator.syntax.marks import ID_MARK, ROOT_MARK, SLOT_CLOSE, SLOT_OPEN
from generator.syntax.media import MEDIA_EXTENSIONS, extension
from generator.urls import relative_href
from generator.wiki import Attachment, Wiki

_SLOT = re.compile(f"{SLOT_OPEN}(?:([0-9]+)|T([a-z.-]+)|Q([^{SLOT_CLOSE}]*)){SLOT_CLOSE}")
_FOOTNOTE_REF = re.compile(f'href="#{ID_MARK}(fn-[^"]+)"')
_FOOTNOTE_ID = re.compile(f'id="{ID_MARK}(fn-[^"]+)"')
_FOOTNOTE_BACK_ID = re.compile(f'id="{ID_MARK}(fnref-[^"]+)"')
_BACK_LINK = re.compile(f' ?<a href="#{ID_MARK}(fnref-[^"]+)"[^>]*>[^<]*</a>')
MAX_DEPTH = 5
_MOST_FOUND = 500  # pages that the answer to one embedded search lists
_MAX_TEXT_FILE = 200_000  # bytes of a text file that is shown where it is embedded
_MAX_EMBEDDED = 2_000_000  # characters that embeds may add to one page
Translate = Callable[..., str]


class LinkRow(NamedTuple):
    """A link of a page; `target` is a file id, or None; `name`, `subpath` and `label` are as written."""

    n: int
    kind: str
    embed: int
    target: int | None
    anchor: str
    name: str
    subpath: str
    label: str | None


@dataclass(frozen=True, slots=True)
class Body:
    """What the index keeps of a page for rendering; a link's place in `links` is its slot's number."""

    html: str
    links: tuple[LinkRow, ...]
    headings: tuple[Heading, ...]
    blocks: tuple[Block, ...]
    footnotes: tuple[Block, ...]


_LINK_COLUMNS = ", ".join(LinkRow._fields)


class BodyReader:
    """Reads bodies from the index, keeping the latest: embedded pages are asked for again and again."""

    def __init__(self, db: sqlite3.Connection, size: int = 256) -> None:
        self._db = db
        self.read = lru_cache(maxsize=size)(self._read)

    def _read(self, page_id: int) -> Body:
        row = self._db.execute(
            "SELECT headings, blocks, footnotes, html FROM wiki_content WHERE id = ?", (page_id,)
        ).fetchone()
        headings, blocks, footnotes, html = row
        links = self._db.execute(f"SELECT {_LINK_COLUMNS} FROM wiki_links WHERE source = ? ORDER BY n", (page_id,))
        return Body(
            unpacked(html),
            tuple(map(LinkRow._make, links)),
            read_headings(headings),
            read_blocks(blocks),
            read_blocks(footnotes),
        )


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a body is shown: `chain` names the pages that embed it, outermost first; `prefix` keeps ids apart."""

    page: int
    chain: tuple[tuple[int, str], ...]
    prefix: str


class BodyRenderer:
    """Fills the bodies shown on one page, whose root prefix is `root`."""

    def __init__(self, wiki: Wiki, reader: BodyReader, root: str, translate: Translate, vault: Path) -> None:
        self._wiki = wiki
        self._reader = reader
        self._root = root
        self._t = translate
        self._vault = vault
        self._embeds = 0
        self._embedded = 0

    def page(self, page_id: int) -> str:
        """The body of a page on its own page."""
        return self._fill(self._reader.read(page_id).html, _Place(page_id, ((page_id, ""),), ""))

    def inline(self, page_id: int, links: Sequence[LinkRow], labels: Sequence[str]) -> list[str]:
        """Links outside of the body, such as those in properties, each as an element."""
        place = _Place(page_id, ((page_id, ""),), "")
        return [f"<a {self._link(row, place)}>{label}</a>" for row, label in zip(links, labels, strict=True)]

    def _fill(self, html: str, place: _Place) -> str:
        rows = self._reader.read(place.page).links
        html = html.replace(ID_MARK, place.prefix).replace(ROOT_MARK, self._root)
        if SLOT_OPEN not in html:
            return html
        return _SLOT.sub(lambda match: self._mark(match, rows, place), html)

    def _mark(self, match: re.Match[str], rows: Sequence[LinkRow], place: _Place) -> str:
        if match[1]:
            return self._slot(rows[int(match[1])], place)
        return escape(self._t(match[2])) if match[2] else self._answer(unescape(match[3]))

    def _slot(self, row: LinkRow, place: _Place) -> str:
        if row.kind == "html":
            return escape(self._href(row, place))
        return self._embed(row, place) if row.embed else self._link(row, place)

    def _answer(self, query: str) -> str:
        """What an embedded search finds, or its source under a line that says why it finds nothing."""
        answer = self._wiki.answers.get(query)
        if answer is None or answer.problem:
            notice = self._t(f"query.bad.{answer.problem if answer else 'empty'}")
            source = f'<pre class="highlight"><code class="language-query">{escape(query)}</code></pre>'
            return f'<p class="fence-notice" data-fence="query">{escape(notice)}</p>\n{source}'
        pages = [self._wiki.pages[page] for page in answer.pages]
        count = self._t("query.one") if len(pages) == 1 else self._t("query.count", count=len(pages))
        items = "".join(
            f'<li><a class="internal-link" href="{escape(relative_href(self._root, page.url))}" lang="{page.language}"'
            f' dir="auto">{escape(page.title)}</a></li>'
            for page in pages[:_MOST_FOUND]
        )
        if len(pages) > _MOST_FOUND:
            items += f"<li>{escape(self._t('query.more', count=len(pages) - _MOST_FOUND))}</li>"
        head = f'<p class="query-head"><code>{escape(query)}</code> <span>{escape(count)}</span></p>'
        return f'<div class="query-result">{head}{f"<ul>{items}</ul>" if items else ""}</div>'

    def _href(self, row: LinkRow, place: _Place) -> str:
        """The target's href; "" where there is none, or where it is not published."""
        url = self._wiki.url_of(row.target)
        if not url:
            return ""
        if row.target == place.page and not place.prefix and row.anchor:
            return relative_href("", "", row.anchor)
        return relative_href(self._root, url, row.anchor)

    def _link(self, row: LinkRow, place: _Place) -> str:
        """The attributes of a link. One that opens nothing has no href; a private target looks the same."""
        href = self._href(row, place)
        if not href:
            return 'class="internal-link is-unresolved"'
        return f'class="internal-link" href="{escape(href)}"'

    def _embed(self, row: LinkRow, place: _Place) -> str:
        page = self._wiki.pages.get(row.target) if row.target is not None else None
        if page is not None:
            return self._note(row, page.id, page.title, place)
        href = self._href(row, place)
        kind = extension(row.name)
        if not href:
            return self._missing(row)
        alt, width, height = image_size(row.label or "")
        if kind in MEDIA_EXTENSIONS["image"]:
            name = row.name.rpartition("/")[2]
            return image_tag(escape(href), alt or name.rpartition(".")[0], width, height, "image-embed")
        shown = escape(alt or row.name.rpartition("/")[2])
        source = f'src="{escape(href)}"'
        if kind in MEDIA_EXTENSIONS["audio"]:
            return f'<audio class="media-embed" controls preload="metadata" {source} title="{shown}"></audio>'
        if kind in MEDIA_EXTENSIONS["video"]:
            size = f' width="{width}"' if width else ""
            return f'<video class="media-embed" controls preload="metadata"{size} {source} title="{shown}"></video>'
        if kind == "pdf":
            return self._pdf(row, place, shown)
        if kind in MEDIA_EXTENSIONS["text"] and (text := self._text(row)) is not None:
            link = f'<a class="internal-link file-embed" href="{escape(href)}">{shown}</a>'
            return (
                f'<div class="text-embed"><div class="markdown-embed-title">{link}</div>{highlighted(text, kind)}</div>'
            )
        return f'<a class="internal-link file-embed" href="{escape(href)}">{shown}</a>'

    def _pdf(self, row: LinkRow, place: _Place, shown: str) -> str:
        """A viewer with a plain link inside; of the subpath, `page` goes to the viewer and `height` to its frame."""
        options = dict(part.partition("=")[::2] for part in row.subpath.split("&"))
        page = f"page={options['page']}" if options.get("page", "").isdigit() else ""
        href = escape(relative_href(self._root, self._wiki.url_of(row.target), page))
        height = f' style="height:{options["height"]}px"' if options.get("height", "").isdigit() else ""
        link = f'<a class="internal-link" href="{href}">{shown}</a>'
        return f'<object class="pdf-embed" type="application/pdf" data="{href}"{height}>{link}</object>'

    def _text(self, row: LinkRow) -> str | None:
        file = self._wiki.attachments.get(row.target) if row.target is not None else None
        return shown_text_of(self._vault, file) if file is not None else None

    def _missing(self, row: LinkRow) -> str:
        name = f"{row.name}#{row.subpath}" if row.subpath else row.name
        private = row.target is not None and not self._wiki.url_of(row.target)
        text = self._t("embed.private") if private else self._t("embed.missing", name=name)
        return f'<span class="embed-missing">{escape(text)}</span>'

    def _note(self, row: LinkRow, page_id: int, title: str, place: _Place) -> str:
        link = f'<a class="internal-link" href="{escape(self._href(row, place))}">{escape(title)}</a>'
        step = (page_id, row.subpath)
        if step in place.chain:
            names = " → ".join(self._wiki.pages[page].title for page, _ in (*place.chain, step))
            return (
                f'<span class="embed-missing embed-cycle">{escape(self._t("embed.cycle", chain=names))} {link}</span>'
            )
        if len(place.chain) > MAX_DEPTH or self._embedded > _MAX_EMBEDDED:
            return f'<span class="embed-missing embed-deep">{link}</span>'
        body = self._reader.read(page_id)
        part = cut(body, row.subpath)
        if part is None:
            return self._missing(row)
        self._embeds += 1
        self._embedded += len(part)
        inner = self._fill(part, _Place(page_id, (*place.chain, step), f"_e{self._embeds}-"))
        return (
            f'<div class="markdown-embed"><div class="markdown-embed-title">{link}</div>'
            f'<div class="markdown-embed-content">{inner}</div></div>'
        )


def shown_text_of(vault: Path, file: Attachment) -> str | None:
    """The text of an embedded file; None where it is too large to be shown, no text, or gone."""
    if file.size > _MAX_TEXT_FILE:
        return None
    try:
        data = (vault / file.disk).read_bytes()
        return None if b"\0" in data else data.decode("utf-8-sig").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError):
        return None


def cut(body: Body, subpath: str) -> str | None:
    """The part of a body that a subpath names: everything, a section with its heading, or a block; None if missing.

    Footnotes that the part refers to come with it.
    """
    if not subpath:
        return body.html
    if subpath.startswith("^"):
        wanted = subpath[1:].strip().lower()
        block = next((item for item in body.blocks if item.id == wanted), None)
        if block is None:
            return None
        part = balanced(body.html[block.start : block.end])
        if block.tag == "li":
            part = f"<ul>{part}</ul>"
    else:
        heading = find_heading(subpath, body.headings)
        if heading is None:
            return None
        part = body.html[heading.start : heading.end]
    return _with_footnotes(body, balanced(part))


def _with_footnotes(body: Body, part: str) -> str:
    """The part with the notes that it refers to, and those that these refer to; links back lead to what is shown."""
    if f"{ID_MARK}fn" not in part:
        return part
    notes = {match[1]: text for text in _notes(body) if (match := _FOOTNOTE_ID.search(text))}
    kept: set[str] = set()
    pending = _FOOTNOTE_REF.findall(part)
    while pending:
        name = pending.pop()
        if name in notes and name not in kept:
            kept.add(name)
            pending += _FOOTNOTE_REF.findall(notes[name])
    if kept:
        items = (_FOOTNOTE_ID.sub(_numbered, notes[name], count=1) for name in notes if name in kept)
        part += f'<section class="footnotes"><ol>{"".join(items)}</ol></section>'
    shown = set(_FOOTNOTE_BACK_ID.findall(part))
    return _BACK_LINK.sub(lambda match: match[0] if match[1] in shown else "", part)


def _notes(body: Body) -> Iterator[str]:
    return (body.html[note.start : note.end] for note in body.footnotes)


def _numbered(match: re.Match[str]) -> str:
    """The id of a note with the number that its references show."""
    return f'{match[0]} value="{match[1].rpartition("-")[2]}"'
