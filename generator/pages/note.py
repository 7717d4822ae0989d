"""A page for each published note: its body, properties, tags, outline and backlinks."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any

from generator.body import MAX_DEPTH, LinkRow, shown_text_of
from generator.digest import digest
from generator.look import Look
from generator.pages import head
from generator.pages.kind import Kind, Planned, drawn, is_stale
from generator.properties import as_text, lower_keys, read_classes
from generator.render import Renderer
from generator.syntax.media import MEDIA_EXTENSIONS, extension
from generator.syntax.tag import tag_file, tag_key
from generator.syntax.wikilink import find_wikilinks, shown_text
from generator.urls import folder_url, markdown_url
from generator.wiki import PageRow, Wiki, json_list

# Shown elsewhere on the page, or meant for the program alone.
_HIDDEN = frozenset(
    "title tags tag aliases alias summary description cssclasses cssclass publish draft lifecycle created created_at"
    " date updated updated_at modified sources permalink lang language".split()
)
_WITH_CONTEXT = 50  # linking pages whose sentences are shown; the rest by title alone
_SHORTEST_NAME, _SHORTEST_CJK_NAME = 3, 2  # that is looked for where no link stands
_CONTEXTS = 3  # sentences shown of one linking page


def _plan(wiki: Wiki, look: Look) -> Iterator[Planned]:
    texts = text_states(wiki, look, wiki.attachments)
    own = {page.id: own_state(wiki, texts, page) for page in wiki.pages.values()}
    beside = {page.id: f"{page.title}\x1e{page.url}\x1e{page.language}" for page in wiki.pages.values()}
    # What a page shows of one that links to it: its sentences change with its text, and with what its links open.
    linking = {
        page.id: f"{page.url}\x1e{page.title}\x1e{page.content_hash}\x1e{page.links_state}"
        for page in wiki.pages.values()
    }
    for page in wiki.pages.values():
        parts = [own[page.id], str(is_stale(page, look.today))]
        parts += [beside[other.id] if other else "" for other in wiki.neighbours[page.id]]
        if page.id in wiki.embeds:
            parts += [own[embedded] for embedded in embedded_pages(wiki, page.id)]
        parts += [linking[source] for source in wiki.backlinks.get(page.id, ())]
        yield Planned(page.url, page.id, digest(parts))


def own_state(wiki: Wiki, texts: Mapping[int, str], page: PageRow) -> str:
    """What a page shows of itself: its facts, its text, and what its links open; `texts` are the `text_states`."""
    targets, nodes = wiki.targets.get(page.id, ()), wiki.drawn.get(page.id, ())
    parts = ["\x1e".join(page[1:13]), str(page[13:]), *map(wiki.url_of, targets), "", *map(wiki.url_of, nodes), ""]
    parts += [wiki.pages[target].title for target in wiki.embeds.get(page.id, ())]
    parts += [repr(_answer_state(wiki, query)) for query in wiki.queries.get(page.id, ())]
    if texts:
        parts += [texts[target] for target in targets if target in texts]
    return "\x1f".join(parts)


def text_states(wiki: Wiki, look: Look, files: Iterable[int]) -> dict[int, str]:
    """What is shown of those files that are texts, should they be embedded. Each is read."""
    return {
        file: digest([shown_text_of(look.vault, wiki.attachments[file]) or ""])
        for file in files
        if file in wiki.attachments and extension(wiki.attachments[file].path) in MEDIA_EXTENSIONS["text"]
    }


def _answer_state(wiki: Wiki, query: str) -> tuple[str, list[tuple[str, str, str]]]:
    """What the answer to an embedded search shows."""
    answer = wiki.answers[query]
    return answer.problem, [(page.url, page.title, page.language) for page in map(wiki.pages.__getitem__, answer.pages)]


def embedded_pages(wiki: Wiki, page_id: int) -> list[int]:
    """The pages that are embedded in a page, down to the depth that is rendered."""
    found: dict[int, None] = {}
    level = [page_id]
    for _ in range(MAX_DEPTH + 1):
        if not level:
            break
        level = [target for page in level for target in wiki.embeds.get(page, ()) if target not in found]
        found.update(dict.fromkeys(level))
    return list(found)


def _context(renderer: Renderer, page_id: int, url: str) -> Mapping[str, Any]:
    from markupsafe import Markup

    wiki = renderer.wiki
    page = wiki.pages[page_id]
    meta_json, problems_json = renderer.db.execute(
        "SELECT meta, problems FROM wiki_pages WHERE id = ?", (page_id,)
    ).fetchone()
    meta = lower_keys(json.loads(meta_json))
    body = renderer.bodies.read(page_id)
    html, title_anchor = without_title(renderer, page, url)
    previous, following = wiki.neighbours[page_id]
    return {
        "title": page.title,
        "lang": page.language,
        "special": page.special,
        "page": {
            "title": page.title,
            "anchor": title_anchor,
            "summary": page.summary,
            "category": page.category,
            "lifecycle": page.lifecycle if as_text(meta.get("lifecycle")) else "",
            "created": page.created_at,
            "updated": page.updated_at,
            "word_count": page.word_count,
            "minutes": reading_minutes(page),
            "markdown": markdown_url(url),
            "image": head.image(renderer, page, meta),
            "json_ld": head.json_ld(renderer.look, page),
            "stale": is_stale(page, renderer.look.today),
            "aliases": json_list(page.aliases),
            "names": json.dumps(_telling_names(page), ensure_ascii=False),
            "sources": json_list(page.sources),
        },
        "tags": [{"label": tag, "path": tag_file(tag_key(tag))} for tag in json_list(page.tags)],
        "breadcrumbs": breadcrumbs(page.folder, page.title),
        "outline": [h for h in body.headings if h.anchor != title_anchor],
        "properties": _properties(renderer, page, meta, url),
        "html": Markup(html),
        "backlinks": _backlinks(renderer, page_id),
        "previous": _beside(previous),
        "next": _beside(following),
        "problems": [_problem(renderer, code, message, line) for code, message, line in json.loads(problems_json)
                     if code in _SHOWN_PROBLEMS],
        "cssclasses": " ".join(read_classes(meta)),
    }  # fmt: skip


def _beside(page: PageRow | None) -> dict[str, str] | None:
    return {"title": page.title, "path": page.url, "lang": page.language} if page else None


def reading_minutes(page: PageRow) -> int:
    """How long a reader needs: about 230 words a minute, or 400 characters where each counts as a word."""
    return max(1, round(page.word_count / (400 if page.language in _CHARACTER_LANGUAGES else 230)))


_CHARACTER_LANGUAGES = frozenset({"zh", "ja"})


def without_title(renderer: Renderer, page: PageRow, url: str) -> tuple[str, str]:
    """The body of a page as shown at `url`, and the id of its first heading where that is the title: the template
    shows the title, so the body does not show it again."""
    html = renderer.body(url).page(page.id)
    headings = renderer.bodies.read(page.id).headings
    first = headings[0] if headings else None
    if first and first.start == 0 and first.level == 1 and first.text == page.title and html.startswith("<h1"):
        return html.partition("</h1>\n")[2], first.anchor
    return html, ""


_SHOWN_PROBLEMS = frozenset({"invalid-frontmatter", "oversized-page", "bad-encoding"})


def _problem(renderer: Renderer, code: str, message: str, line: int) -> str:
    return renderer.translate(f"page.problem.{code}", line=line, message=message)


def breadcrumbs(folder: str, last: str | None = None) -> list[dict[str, str | None]]:
    """The way from the root to a folder, each step with its page; `last` is the current page."""
    parts = folder.split("/") if folder else []
    crumbs: list[dict[str, str | None]] = [
        {"name": part, "path": folder_url("/".join(parts[: i + 1]))} for i, part in enumerate(parts)
    ]
    return [*crumbs, {"name": last, "path": None}] if last is not None else crumbs


def _telling_names(page: PageRow) -> list[str]:
    """What the page is called, without names so short that they stand in many texts by chance."""
    names = dict.fromkeys([page.title, *json_list(page.aliases)])
    return [name for name in names if len(name) >= (_SHORTEST_NAME if name.isascii() else _SHORTEST_CJK_NAME)]


def _backlinks(renderer: Renderer, page_id: int) -> list[dict[str, Any]]:
    """The pages that link here, with the sentences in which they do."""
    linking = renderer.wiki.backlinks.get(page_id, ())
    if not linking:
        return []
    sources: dict[int, list[str]] = {source: [] for source in linking}
    with_context = set(list(sources)[:_WITH_CONTEXT])
    for source, context in renderer.db.execute(
        "SELECT source, context FROM wiki_links WHERE target = ? AND kind != 'diagram' ORDER BY source, n", (page_id,)
    ):
        if source in with_context and context and len(sources[source]) < _CONTEXTS and context not in sources[source]:
            sources[source].append(context)
    pages = renderer.wiki.pages
    return [
        {"title": pages[source].title, "path": pages[source].url, "contexts": sentences, "lang": pages[source].language}
        for source, sentences in sources.items()
    ]


def _properties(renderer: Renderer, page: PageRow, meta: Mapping[str, Any], url: str) -> list[dict[str, Any]]:
    """The properties that are worth a row, with links in their values."""
    from markupsafe import Markup

    rows = [row for row in renderer.bodies.read(page.id).links if row.kind == "property"]
    filler = _PropertyFiller(renderer, page.id, url, rows)
    shown = []
    for key, value in meta.items():
        html = filler.value(value)
        if key not in _HIDDEN and html:
            shown.append({"key": key, "html": Markup(html)})
    return shown


class _PropertyFiller:
    """Turns values into HTML; takes the page's property links in the order in which the parser numbered them."""

    def __init__(self, renderer: Renderer, page_id: int, url: str, rows: Sequence[LinkRow]) -> None:
        self._renderer, self._page_id, self._url = renderer, page_id, url
        self._rows = iter(rows)

    def value(self, value: Any) -> str:
        if isinstance(value, bool):
            return "☑" if value else "☐"
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, list):
            parts = [self.value(item) for item in value]
            return ", ".join(part for part in parts if part)
        if isinstance(value, Mapping):
            parts = [f"{escape(str(key))}: {inner}" for key, item in value.items() if (inner := self.value(item))]
            return "; ".join(parts)
        return "" if value is None else escape(str(value))

    def _text(self, text: str) -> str:
        written = find_wikilinks(text)
        if not written:
            if text.startswith(("https://", "http://")) and " " not in text:
                return f'<a class="external-link" href="{escape(text)}" rel="noopener">{escape(text)}</a>'
            return escape(text)
        rows = [row for row in (next(self._rows, None) for _ in written) if row is not None]
        labels = [escape(shown_text(link)) for link in written]
        links = self._renderer.body(self._url).inline(self._page_id, rows, labels[: len(rows)])
        rest = text
        out = []
        for link in links:
            before, _, rest = rest.partition("[[")
            out.append(escape(before) + link)
            rest = rest.partition("]]")[2]
        return "".join(out) + escape(rest)


KIND = Kind("note", _plan, drawn("note.html", _context))
