"""What is exported: the chosen pages of the published wiki and the links between them, in order of path."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from generator.errors import PageNotFound
from generator.graph import edge_relevance
from generator.packed import unpacked
from generator.render import Renderer
from generator.syntax.tag import tag_key
from generator.syntax.wikilink import find_wikilinks
from generator.urls import absolute_url
from generator.wiki import PageRow, Wiki, json_list

RELATIONS = frozenset({"extends", "implements", "contradicts", "derived_from", "uses", "replaces", "related_to"})


class Node(NamedTuple):
    """A page. `id` is its vault path; `community` the path of its community's most linked page, "" without neighbours;
    `degree` counts its neighbours in the whole published wiki; `x`, `y` its place in the picture."""

    id: str
    label: str
    category: str
    tags: tuple[str, ...]
    summary: str
    community: str
    degree: int
    lifecycle: str
    created: str
    updated: str
    language: str
    url: str
    x: int
    y: int
    colour: int

    @property
    def attributes(self) -> dict[str, object]:
        """What the formats for programs say of a page beside its id."""
        return {
            "label": self.label,
            "path": self.id,
            "category": self.category,
            "tags": self.tags,
            "summary": self.summary,
            "community": self.community,
            "degree": self.degree,
            "lifecycle": self.lifecycle,
        }

    @property
    def flat_attributes(self) -> dict[str, object]:
        """The same where there are no lists."""
        return self.attributes | {"tags": ", ".join(self.tags)}


class Edge(NamedTuple):
    """A link from one page to another, once a relation: `wikilink`, `embed` or the type in `relationships`. `weight` is
    the four-signal relevance of the two, `context` the sentence of the first such link."""

    source: str
    target: str
    relation: str
    weight: float
    context: str


@dataclass(frozen=True, slots=True)
class Choice:
    """Which pages: those of all these tags (or ones below them), of the category, and within `depth` links of the page
    with the id `page`."""

    tags: tuple[str, ...] = ()
    category: str = ""
    page: int | None = None
    depth: int = 1


@dataclass(frozen=True)
class Selection:
    """The chosen part of a wiki; `chosen` are the numbers of its pages in the graph, in the order of `nodes`."""

    renderer: Renderer
    chosen: tuple[int, ...]
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]

    @property
    def title(self) -> str:
        """The name of the wiki."""
        return self.renderer.look.title

    def texts(self) -> Iterator[tuple[Node, str]]:
        """The nodes with what a reader sees of them, comments left out."""
        pages = self.renderer.wiki.content_pages
        for node, at in zip(self.nodes, self.chosen, strict=True):
            sql = "SELECT content FROM wiki_content WHERE id = ?"
            (content,) = self.renderer.db.execute(sql, (pages[at].id,)).fetchone()
            yield node, unpacked(content)


def select(renderer: Renderer, choice: Choice) -> Selection:
    """The chosen pages. Raises `PageNotFound` for one that is not in the published wiki."""
    wiki = renderer.wiki
    chosen = _chosen(wiki, choice)
    nodes = tuple(_node(wiki, at, renderer.look.base_url) for at in chosen)
    edges = tuple(_edges(wiki, renderer.db, set(chosen)))
    return Selection(renderer, tuple(chosen), nodes, edges)


def _chosen(wiki: Wiki, choice: Choice) -> list[int]:
    pages = wiki.content_pages
    chosen = set(range(len(pages)))
    if choice.page is not None:
        start = next((at for at, page in enumerate(pages) if page.id == choice.page), None)
        if start is None:
            raise PageNotFound("this page is not part of the published wiki", hint="only published pages are exported")
        chosen &= wiki.graph.within(start, choice.depth).keys()
    for tag in choice.tags:
        carriers = wiki.nested_tags.get(tag_key(tag.lstrip("#")), frozenset())
        chosen = {at for at in chosen if pages[at].id in carriers}
    if choice.category:
        key = choice.category.casefold()
        chosen = {at for at in chosen if pages[at].category.casefold() == key}
    return sorted(chosen)


def _node(wiki: Wiki, at: int, base_url: str) -> Node:
    page, layout = wiki.content_pages[at], wiki.layout
    community = layout.communities[layout.members[at]] if layout.members[at] >= 0 else None
    return Node(
        id=page.path,
        label=page.title,
        category=page.category,
        tags=tuple(json_list(page.tags)),
        summary=page.summary,
        community=wiki.graph.paths[community.hub] if community else "",
        degree=wiki.graph.degrees[at],
        lifecycle=page.lifecycle,
        created=page.created_at,
        updated=page.updated_at,
        language=page.language,
        url=absolute_url(base_url, page.url) if base_url else page.url,
        x=layout.xs[at],
        y=layout.ys[at],
        colour=community.colour if community else -1,
    )


_LINKS = """
    SELECT source, target, kind, embed, name, context FROM wiki_links
    WHERE target IS NOT NULL AND source != target AND kind != 'diagram' ORDER BY source, n
"""


def _edges(wiki: Wiki, db: sqlite3.Connection, chosen: set[int]) -> Iterator[Edge]:
    pages = wiki.content_pages
    number = {page.id: at for at, page in enumerate(pages)}
    typed = _relationships(db)
    found: dict[tuple[int, int, str], str] = {}
    for source, target, kind, embed, name, context in db.execute(_LINKS):
        one, other = number.get(source, -1), number.get(target, -1)
        if one in chosen and other in chosen:
            relation = typed.get(source, {}).get(name) if kind == "property" else None
            key = (one, other, relation or ("embed" if embed else "wikilink"))
            found[key] = found.get(key) or context
    weights = edge_relevance(wiki.graph, [page.category for page in pages], _sources(db, pages))
    for one, other, relation in sorted(found):
        weight = round(weights[min(one, other), max(one, other)], 2)
        yield Edge(pages[one].path, pages[other].path, relation, weight, found[one, other, relation])


def _sources(db: sqlite3.Connection, pages: Sequence[PageRow]) -> list[frozenset[str]]:
    """The sources of each page, as they are compared."""
    by_page: dict[int, set[str]] = {}
    for source, page in db.execute("SELECT source, page FROM wiki_page_sources"):
        by_page.setdefault(page, set()).add(source)
    return [frozenset(by_page.get(page.id, ())) for page in pages]


def _relationships(db: sqlite3.Connection) -> Mapping[int, Mapping[str, str]]:
    """The types of the typed relations of each page, by target as written."""
    columns = "id, json_extract(meta, '$.relationships')"
    sql = f"SELECT {columns} FROM wiki_pages WHERE published AND instr(meta, 'relationships')"
    found: dict[int, dict[str, str]] = {}
    for page, text in db.execute(sql):
        for relation in json.loads(text) if text and text.startswith("[") else ():
            kind = relation.get("type") if isinstance(relation, dict) else None
            if kind in RELATIONS:
                for link in find_wikilinks(str(relation.get("target", ""))):
                    found.setdefault(page, {}).setdefault(link.target, kind)
    return found


_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def xml(text: str) -> str:
    """Text for an XML element or attribute; what XML cannot hold becomes U+FFFD."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    return _NOT_XML.sub("\ufffd", escaped).replace("\n", "&#10;").replace("\r", "&#13;").replace("\t", "&#9;")


def one_line(value: object) -> str:
    """A value as JSON without line breaks."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def listed(items: Iterable[str]) -> Iterator[str]:
    """The items of a JSON list, each on its line."""
    before = ""
    for item in items:
        yield before + item
        before = ",\n"
