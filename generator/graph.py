"""The graph of a wiki: which pages have to do with which, and how much. Pages are numbered in the order of their paths.

Pure structure, without a thought of how it is drawn (that is `layout`) or what it was read from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import md5
from math import log

from generator.relevance import COMMON_NEIGHBOUR, HUB, relevance

Pair = tuple[int, int]


@dataclass(frozen=True)
class Graph:
    """`paths` of the pages, sorted; `edges` are the pairs of pages of which one links to the other, the smaller number
    first, sorted, each once; no page is its own neighbour."""

    paths: tuple[str, ...]
    edges: tuple[Pair, ...]

    @cached_property
    def near(self) -> tuple[tuple[int, ...], ...]:
        """The neighbours of each page, in order."""
        found: list[list[int]] = [[] for _ in self.paths]
        for one, other in self.edges:
            found[one].append(other)
            found[other].append(one)
        return tuple(tuple(sorted(pages)) for pages in found)

    @cached_property
    def degrees(self) -> tuple[int, ...]:
        """How many neighbours each page has."""
        return tuple(map(len, self.near))

    @cached_property
    def digest(self) -> str:
        """Changes with every page and every edge, and with nothing else."""
        edges = " ".join(f"{one},{other}" for one, other in self.edges)
        text = "\n".join((*self.paths, "", edges))
        return md5(text.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()

    def within(self, start: int, depth: int) -> dict[int, int]:
        """The pages at most `depth` links away from `start`, either way, each with its distance."""
        found = {start: 0}
        level = [start]
        for distance in range(1, depth + 1):
            level = [
                page
                for page in dict.fromkeys(other for each in level for other in self.near[each])
                if page not in found
            ]
            found.update(dict.fromkeys(level, distance))
            if not level:
                break
        return found


def graph_of(paths: Sequence[str], links: Iterable[Pair]) -> Graph:
    """The graph of pages by `paths` (sorted) and links between their numbers, in either direction and any number."""
    edges = {(one, other) if one < other else (other, one) for one, other in links if one != other}
    return Graph(tuple(paths), tuple(sorted(edges)))


def edge_relevance(graph: Graph, categories: Sequence[str], sources: Sequence[frozenset[str]]) -> Mapping[Pair, float]:
    """The four-signal relevance of the two ends of every edge (see `relevance`); `categories` and `sources` by page.

    All edges at once and in linear time: pages with more than 200 neighbours, and sources of more than 200 pages, say
    nothing of two pages that both know them.
    """
    common: dict[Pair, float] = {}
    for pair, degree in _triangles(graph):
        common[pair] = common.get(pair, 0.0) + COMMON_NEIGHBOUR / log(max(2, degree))
    known = _telling(sources)
    return {
        (one, other): relevance(len(known[one] & known[other]), True, (), categories[one] == categories[other] != "")
        + common.get((one, other), 0.0)
        for one, other in graph.edges
    }


def _triangles(graph: Graph) -> Iterator[tuple[Pair, int]]:
    """Every edge together with the number of neighbours of each common neighbour of its ends that is no hub. A page
    below the bound is held against each of its neighbours, which costs as many steps as the smaller of the two has."""
    sets = [frozenset(pages) for pages in graph.near]
    for pages in graph.near:
        if 2 <= len(pages) <= HUB:
            own = frozenset(pages)
            for one in pages:
                for other in sorted(own & sets[one]):
                    if one < other:
                        yield (one, other), len(pages)


def _telling(sources: Sequence[frozenset[str]]) -> list[frozenset[str]]:
    """The sources of each page without those that too many pages share."""
    counts: dict[str, int] = {}
    for names in sources:
        for name in names:
            counts[name] = counts.get(name, 0) + 1
    return [frozenset(name for name in names if counts[name] <= HUB) for names in sources]
