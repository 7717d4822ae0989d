"""The plain text of each page as a script, for what is shown of it elsewhere: passages found by the search, and
previews of links. Long texts are in several parts, so that few of them need the whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from unicodedata import is_normalized, normalize

from generator.digest import digest
from generator.look import Look
from generator.packed import read_headings, unpacked
from generator.pages.kind import Kind, Planned
from generator.render import Renderer
from generator.script_data import safe_json, script
from generator.urls import ASSETS, text_url
from generator.wiki import PageRow, Wiki, json_list

_WORDS = 1200  # in one part


def _part_count(page: PageRow) -> int:
    return 1 + max(0, page.word_count - 1) // _WORDS


def _plan(wiki: Wiki, look: Look) -> Iterator[Planned]:
    for page in wiki.pages.values():
        shown = digest([page.content_hash, page.title, page.tags, page.summary, page.lifecycle, page.updated_at])
        for part in range(_part_count(page)):
            yield Planned(text_url(page.url, part), (page.id, part), shown)


def _make(renderer: Renderer, subject: tuple[int, int], url: str) -> bytes:
    page_id, part = subject
    page = renderer.wiki.pages[page_id]
    headings, content = renderer.db.execute(
        "SELECT headings, content FROM wiki_content WHERE id = ?", (page_id,)
    ).fetchone()
    text = unpacked(content)
    parts = _split(normalize("NFC", text), _part_count(page))
    name = url.removeprefix(f"{ASSETS}/").removesuffix(".js")
    if part:
        return script(name, safe_json(parts[part]))
    starts = [0]
    for before in parts[:-1]:
        starts.append(starts[-1] + _width(before))
    value = {
        "title": page.title,
        "lang": page.language,
        "tags": json_list(page.tags),
        "summary": page.summary,
        "updated": page.updated_at[:10],
        "lifecycle": page.lifecycle,
        "headings": [(_place(text, h.offset), h.text, h.anchor) for h in read_headings(headings)],
        "starts": starts,
        "text": parts[0],
    }
    return script(name, safe_json(value))


def _split(text: str, count: int) -> Sequence[str]:
    """The text in parts of about one length, cut at line ends where there are some."""
    parts, start = [], 0
    for part in range(1, count):
        end = max(start, len(text) * part // count)
        end = text.rfind("\n", start, end) + 1 or end
        parts.append(text[start:end])
        start = end
    return [*parts, text[start:]]


def _place(text: str, offset: int) -> int:
    """Where a character stands in the text as a browser counts it, in UTF-16, composed."""
    before = text[:offset]
    return _width(before if is_normalized("NFC", before) else normalize("NFC", before))


def _width(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


KIND = Kind("text", _plan, _make)
