"""Where each page stands in the picture of the graph, and the communities that the pages form.

The picture is a function of the graph alone, and a gentle one: a new page must not shuffle it. So nothing begins with
chance. Every page is anchored at a place that its path decides (pages of a folder near each other), is drawn towards
its neighbours by averaging, a computation with one answer that differs little where the graph differs little, and only
then do a few cool rounds of Fruchterman and Reingold, in which no page can go far, push apart what stands too close.
"""

from __future__ import annotations

import random
from cmath import rect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import md5
from json import dumps, loads
from math import pi, sqrt
from operator import itemgetter
from typing import Any
from zlib import crc32

from generator.graph import Graph

VERSION = 1  # raise it when the same graph comes out differently
SPACING = 100  # the distance at which neighbours come to rest, in units of the picture
UNLINKED = -1  # the community of pages without neighbours
COLOURS = 10

_AVERAGED = 24  # rounds: the pull of an anchor then reaches as far as it ever will
_PULL = 0.15  # of its own anchor on a page, the rest is that of its neighbours
_COOL_ROUNDS = 40
_LEIDEN_ROUNDS = 4


@dataclass(frozen=True, slots=True)
class Community:
    """Pages that link to each other more than to others. `hub` is the one with most neighbours, after which the
    community is called; `x`, `y` its middle; `colour` a number below COLOURS."""

    hub: int
    size: int
    x: int
    y: int
    colour: int


@dataclass(frozen=True, slots=True)
class Layout:
    """Of each page, in the order of the graph: its place in whole units, and the number of its community in
    `communities` (the largest first), or UNLINKED. `state` tells which graph this is the layout of."""

    xs: tuple[int, ...]
    ys: tuple[int, ...]
    members: tuple[int, ...]
    communities: tuple[Community, ...]
    state: str

    def kept(self) -> str:
        """As text, from which `layout_of` makes it again."""
        return dumps([self.state, self.xs, self.ys, self.members], separators=(",", ":"))


def layout_of(graph: Graph, kept: str = "") -> Layout:
    """The layout of a graph: from `kept`, where that is of the same graph, else worked out."""
    state = f"{VERSION} {graph.digest}"
    if kept.startswith(f'["{state}"'):
        _, xs, ys, members = loads(kept)
    else:
        members = _members(graph)
        xs, ys = _places(graph)
    return Layout(tuple(xs), tuple(ys), tuple(members), _communities(graph, xs, ys, members), state)


# ── places ──────────────────────────────────────────────────────────────────────────────────────────────


def _places(graph: Graph) -> tuple[list[int], list[int]]:
    """Linked pages fill a disc, the others stand around it, each on the side where its folder is."""
    linked = [page for page, degree in enumerate(graph.degrees) if degree]
    anchors = [_anchor(path) for path in graph.paths]
    places = dict(zip(linked, _relaxed(graph, linked, _averaged(graph, anchors, linked)), strict=True))
    alone = [page for page, degree in enumerate(graph.degrees) if not degree]
    inner = sqrt(len(linked)) + 2 if linked else 0.0
    for at, page in enumerate(sorted(alone, key=lambda page: (abs(anchors[page]), graph.paths[page]))):
        places[page] = _direction(anchors[page]) * sqrt(inner * inner + 2 * at + 1)
    ordered = [places[page] * SPACING for page in range(len(graph.paths))]
    return [round(place.real) for place in ordered], [round(place.imag) for place in ordered]


def _anchor(path: str) -> complex:
    """The place of a folder below its parent's is half as far off as that is; a page stands near its folder."""
    *folders, _ = path.split("/")
    place, reach = 0j, 1.0
    for depth in range(1, len(folders) + 1):
        place += reach * _chance("/".join(folders[:depth]))
        reach /= 2
    return place + (reach if folders else 1.0) * _chance(path)


def _chance(text: str) -> complex:
    """A place in the unit disc, evenly spread over all texts."""
    number = md5(text.encode("utf-8", "replace"), usedforsecurity=False).digest()
    radius = sqrt(int.from_bytes(number[:4], "big") / 2**32)
    return rect(radius, 2 * pi * int.from_bytes(number[4:8], "big") / 2**32)


def _averaged(graph: Graph, anchors: Sequence[complex], linked: Sequence[int]) -> list[complex]:
    """Every page between its anchor and the middle of its neighbours."""
    neighbours: list[Callable[[Sequence[complex]], tuple[complex, ...]]] = [
        _picker(graph.near[page]) for page in linked
    ]
    shares = [(1 - _PULL) / graph.degrees[page] for page in linked]
    fixed = [_PULL * anchors[page] for page in linked]
    places = list(anchors)
    for _ in range(_AVERAGED):
        moved = [own + share * sum(pick(places)) for own, share, pick in zip(fixed, shares, neighbours, strict=True)]
        for page, place in zip(linked, moved, strict=True):
            places[page] = place
    return [places[page] for page in linked]


def _picker(pages: Sequence[int]) -> Callable[[Sequence[complex]], tuple[complex, ...]]:
    if len(pages) == 1:
        (only,) = pages
        return lambda places: (places[only],)
    return itemgetter(*pages)


def _relaxed(graph: Graph, linked: Sequence[int], places: Sequence[complex]) -> list[complex]:
    """The same picture with room between the pages, in a disc that they fill evenly."""
    if len(linked) < 2:
        return list(places)
    number = {page: at for at, page in enumerate(linked)}
    spread = _spread(places)
    with _seeded() as igraph:
        drawn = igraph.Graph(len(linked), [(number[one], number[other]) for one, other in graph.edges])
        relaxed = drawn.layout_fruchterman_reingold(
            niter=_COOL_ROUNDS,
            start_temp=sqrt(len(linked)) / (4 * _COOL_ROUNDS),
            seed=[[place.real, place.imag] for place in spread],
            grid="auto",
        )
    moved = _turned(spread, [complex(x, y) for x, y in relaxed.coords])
    return [(one + other) / 2 for one, other in zip(_spread(moved), _bounded(moved), strict=True)]


def _turned(before: Sequence[complex], after: Sequence[complex]) -> list[complex]:
    """`after`, turned and if need be mirrored so that it lies on `before` as well as it can: igraph turns what it draws
    along its longest side, which a single page may change."""
    middle = sum(after) / len(after)
    plain = [place - middle for place in after]
    mirrored = [place.conjugate() for place in plain]
    fits = [sum(one * other.conjugate() for one, other in zip(before, side, strict=True)) for side in (plain, mirrored)]
    side, fit = max(((plain, fits[0]), (mirrored, fits[1])), key=lambda pair: abs(pair[1]))
    turn = _direction(fit)
    return [place * turn for place in side]


def _spread(places: Sequence[complex]) -> list[complex]:
    """Each place in its direction from the middle, as far off as makes them fill a disc evenly."""
    middle = sum(places) / len(places)
    result = [0j] * len(places)
    for rank, at in enumerate(sorted(range(len(places)), key=lambda at: (abs(places[at] - middle), at))):
        result[at] = sqrt(rank + 0.5) * _direction(places[at] - middle)
    return result


def _bounded(places: Sequence[complex]) -> list[complex]:
    """Each place at its own distance from the middle, scaled so that half of them fill half of the disc's area, and
    none beyond its edge."""
    middle = sum(places) / len(places)
    distances = sorted(abs(place - middle) for place in places)
    scale = sqrt(len(places) / 2) / (distances[len(places) // 2] or 1.0)
    edge = sqrt(len(places))
    return [_direction(place - middle) * min(edge, scale * abs(place - middle)) for place in places]


def _direction(place: complex) -> complex:
    return place / abs(place) if place else 1 + 0j


# ── communities ─────────────────────────────────────────────────────────────────────────────────────────


def _members(graph: Graph) -> list[int]:
    """The community of each page, the largest first, those of one size by their first page."""
    if not graph.edges:
        return [UNLINKED] * len(graph.paths)
    with _seeded() as igraph:
        found = igraph.Graph(len(graph.paths), graph.edges).community_leiden("modularity", n_iterations=_LEIDEN_ROUNDS)
    groups = [group for group in found if graph.degrees[group[0]]]
    members = [UNLINKED] * len(graph.paths)
    for number, group in enumerate(sorted(groups, key=lambda group: (-len(group), min(group)))):
        for page in group:
            members[page] = number
    return members


def _communities(graph: Graph, xs: Sequence[int], ys: Sequence[int], members: Sequence[int]) -> tuple[Community, ...]:
    groups: dict[int, list[int]] = {}
    for page, number in enumerate(members):
        if number != UNLINKED:
            groups.setdefault(number, []).append(page)
    hubs = [max(groups[number], key=lambda page: (graph.degrees[page], -page)) for number in sorted(groups)]
    colours = stable_colours([graph.paths[hub] for hub in hubs])
    return tuple(
        Community(
            hub,
            len(groups[number]),
            round(sum(xs[page] for page in groups[number]) / len(groups[number])),
            round(sum(ys[page] for page in groups[number]) / len(groups[number])),
            colour,
        )
        for number, (hub, colour) in enumerate(zip(hubs, colours, strict=True))
    )


def stable_colours(names: Sequence[str]) -> list[int]:
    """A colour for each name, the most important first: that which the name itself decides or, while others are free,
    the next free one. So a new name rarely takes another's colour."""
    result: list[int] = []
    for number, name in enumerate(names):
        colour = crc32(name.encode("utf-8", "replace")) % COLOURS
        taken = set(result[number - number % COLOURS :])
        while colour in taken:
            colour = (colour + 1) % COLOURS
        result.append(colour)
    return result


@contextmanager
def _seeded() -> Iterator[Any]:
    """igraph with its chance decided, as long as this lasts. It is loaded only here: few commands draw a graph."""
    import igraph  # type: ignore[import-untyped]

    igraph.set_random_number_generator(random.Random(20))
    try:
        yield igraph
    finally:
        igraph.set_random_number_generator(random)
