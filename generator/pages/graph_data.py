"""The graph as script files: the whole of it for the page of the graph, and the neighbourhoods of a few pages each for
the small graphs beside notes.

Pages know by their own address which file of neighbourhoods is theirs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any
from zlib import crc32

from generator.digest import digest
from generator.layout import UNLINKED, stable_colours
from generator.look import Look
from generator.pages.kind import Kind, Planned
from generator.relevance import HUB
from generator.render import Renderer
from generator.script_data import safe_json, script
from generator.urls import ASSETS
from generator.wiki import PageRow, Wiki, json_list

FOLDER = f"{ASSETS}/graph"
LIFECYCLES = ("draft", "verified", "archived", "disputed")
WHOLE = 12_000  # pages that are handed over at once; of larger wikis the communities are shown first
_PART = 3_000  # pages in one file of a larger wiki
_NEAR = 64  # pages whose neighbourhoods are in one file
_COLOURED = 10


# ── the whole graph ─────────────────────────────────────────────────────────────────────────────────────


def _plan_map(wiki: Wiki, look: Look) -> Iterator[Planned]:
    shown = digest(
        [wiki.graph.digest]
        + [f"{p.title}\x1e{p.url}\x1e{p.category}\x1e{p.lifecycle}\x1e{p.tags}" for p in wiki.content_pages]
    )
    yield Planned(f"{FOLDER}/map.js", -1, shown)
    for part in range(part_count(len(wiki.content_pages))):
        yield Planned(f"{FOLDER}/map-{part}.js", part, shown)


def _make_map(renderer: Renderer, part: int, url: str) -> bytes:
    wiki = renderer.wiki
    parts = part_count(len(wiki.content_pages))
    everything = range(len(wiki.content_pages))
    if part < 0:
        rows: dict[str, Any] = {"between": _between(wiki)} if parts else map_rows(wiki, everything)
        return script("graph/map", safe_json(map_frame(wiki, parts) | rows))
    members = wiki.layout.members
    chosen = [at for at in everything if members[at] != UNLINKED and members[at] % parts == part]
    return script(f"graph/map-{part}", safe_json(map_rows(wiki, chosen)))


def part_count(pages: int) -> int:
    """Into how many files the pages of the map go beside the first; 0 if they are all in that."""
    return 0 if pages <= WHOLE else -(-pages // _PART)


def map_frame(wiki: Wiki, parts: int = 0) -> dict[str, Any]:
    """What the map says of the wiki as a whole: names with their colours, and communities with their places."""
    pages = wiki.content_pages
    return {
        "parts": parts,
        "count": len(pages),
        "linkCount": len(wiki.graph.edges),
        "categories": list(coloured(page.category for page in pages).items()),
        "tags": [(wiki.tags[tag].label, colour) for tag, colour in _tag_colours(wiki).items()],
        "lifecycles": LIFECYCLES,
        "communities": [(pages[c.hub].title, c.colour, c.size, c.x, c.y) for c in wiki.layout.communities],
    }


def map_rows(wiki: Wiki, chosen: Iterable[int]) -> dict[str, Any]:
    """The pages by their numbers in the graph, each as a row, and the links among them as a flat list of pairs of row
    numbers."""
    numbers = {at: number for number, at in enumerate(chosen)}
    categories = {name: number for number, name in enumerate(coloured(page.category for page in wiki.content_pages))}
    tags = _tags_by_page(wiki)
    layout = wiki.layout
    rows = []
    for at in numbers:
        page = wiki.content_pages[at]
        place = (layout.xs[at], layout.ys[at])
        kind = (categories[page.category], LIFECYCLES.index(page.lifecycle), layout.members[at], tags.get(page.id, ()))
        rows.append((page.title, page.url, *place, *kind))
    links = [
        end
        for one, other in wiki.graph.edges
        if one in numbers and other in numbers
        for end in (numbers[one], numbers[other])
    ]
    return {"rows": rows, "links": links}


def coloured(names: Iterable[str]) -> dict[str, int]:
    """A colour for each of the ten names that occur most, -1 for the others and for ""; the most common first."""
    counts = Counter(names)
    order = sorted(counts, key=lambda name: (-counts[name], name))
    first = [name for name in order if name][:_COLOURED]
    colours = dict(zip(first, stable_colours(first), strict=True))
    return {name: colours.get(name, -1) for name in order}


def _tag_colours(wiki: Wiki) -> dict[str, int]:
    content = {page.id for page in wiki.content_pages}
    return coloured(key for key, tag in wiki.tags.items() for page in tag.pages if page in content)


def _tags_by_page(wiki: Wiki) -> Mapping[int, Sequence[int]]:
    found: dict[int, list[int]] = {}
    for number, key in enumerate(_tag_colours(wiki)):
        for page in wiki.tags[key].pages:
            found.setdefault(page, []).append(number)
    return found


def _between(wiki: Wiki) -> list[int]:
    """The pairs of communities with links between them, as a flat list."""
    members = wiki.layout.members
    pairs = {tuple(sorted((members[one], members[other]))) for one, other in wiki.graph.edges}
    return [end for one, other in sorted(pairs) if one != other for end in (one, other)]


# ── neighbourhoods ──────────────────────────────────────────────────────────────────────────────────────


def near_count(pages: int) -> int:
    """How many files of neighbourhoods there are: a power of two, so that they are seldom dealt anew."""
    return 1 << max(0, -(-pages // _NEAR) - 1).bit_length()


def _plan_near(wiki: Wiki, look: Look) -> Iterator[Planned]:
    pages = wiki.content_pages
    count = near_count(len(pages))
    yield Planned(f"{FOLDER}/near.js", (), str(count))
    own: list[list[int]] = [[] for _ in range(count)]
    for at, page in enumerate(pages):
        own[crc32(page.url.encode("utf-8", "replace")) % count].append(at)
    colours = coloured(page.category for page in pages)
    degrees = wiki.graph.degrees
    shown = [
        f"{page.title}\x1e{page.url}\x1e{page.category}\x1e{colours[page.category]}\x1e{degrees[at]}"
        for at, page in enumerate(pages)
    ]
    shared = _sharing(pages)
    for number, group in enumerate(own):
        parts = []
        for at in group:
            sharing = shared.get(at, {})
            parts += [shown[at], *(shown[near] for near in wiki.graph.near[at]), "\x1d"]
            parts += [f"{shown[other]}\x1e{count}" for other, count in sharing.items()]
        held = {at: shared[at] for at in group if at in shared}
        yield Planned(f"{FOLDER}/near-{number}.js", (tuple(group), colours, held), digest(parts))


def _sharing(pages: Sequence[PageRow]) -> dict[int, dict[int, int]]:
    """For each page those that were made from the same sources, with the number of these. A source of very many pages
    says nothing of them."""
    by_source: dict[str, list[int]] = {}
    for at, page in enumerate(pages):
        for source in set(json_list(page.sources)):
            by_source.setdefault(source, []).append(at)
    found: dict[int, dict[int, int]] = {}
    for members in by_source.values():
        for one, other in permutations(members if len(members) <= HUB else (), 2):
            of_one = found.setdefault(one, {})
            of_one[other] = of_one.get(other, 0) + 1
    return {one: dict(sorted(others.items())) for one, others in found.items()}


def _make_near(renderer: Renderer, subject: Any, url: str) -> bytes:
    pages, graph = renderer.wiki.content_pages, renderer.wiki.graph
    name = url.removeprefix(f"{ASSETS}/").removesuffix(".js")
    if not subject:
        return script(name, safe_json({"shards": near_count(len(pages))}))
    group, colours, shared = subject
    numbers = {at: number for number, at in enumerate(group)}
    near, sharing = [], []
    for at in group:
        known = sorted(graph.near[at], key=lambda page: (-graph.degrees[page], page))[:HUB]
        near.append([numbers.setdefault(page, len(numbers)) for page in known])
        sharing.append([(numbers.setdefault(o, len(numbers)), count) for o, count in shared.get(at, {}).items()])
    rows = [_near_row(pages[at], colours, graph.degrees[at]) for at in numbers]
    value = {"pages": rows, "near": near, "sharing": sharing if any(sharing) else []}
    return script(name, safe_json(value))


def _near_row(page: PageRow, colours: Mapping[str, int], degree: int) -> tuple[str, str, int, int, int]:
    """Title, address, colour, number of neighbours, and a number for the category, 0 for none."""
    kind = crc32(page.category.encode("utf-8", "replace")) if page.category else 0
    return page.title, page.url, colours[page.category], degree, kind


MAP = Kind("graph-map", _plan_map, _make_map)
NEAR = Kind("graph-near", _plan_near, _make_near)
