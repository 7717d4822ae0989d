"""Pairs of pages that are linked together again and again, and that no synthesis joins yet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from generator.analyser import fold
from generator.lookup import find_page
from generator.packed import unpacked
from generator.query import Program, Query
from generator.syntax.tag import tag_key
from generator.upkeep.flagged import contradictions
from generator.upkeep.snapshot import PageFacts, Snapshot, take_snapshot

DEFAULT_THRESHOLD = 3
SHOWN, NAMED = 5, 10
_MANY, _SOME = (5, 3), (3, 2)  # co-occurrence, points
_HUB_SHARE = 0.05
_MOST_TARGETS = 60  # of one page: one that links to more is a list, and says nothing of any two
_MOST_EVIDENCE = 5
_LEFT_OUT = frozenset({"synthesis", "sources"})
_HEADINGS = {
    "en": ("Connection", "Where they meet", "Insight", "Tensions", "Open questions", "Related"),
    "zh": ("联系", "交汇之处", "洞见", "张力", "待解的问题", "相关页面"),
}


@dataclass(frozen=True, slots=True)
class Evidence:
    """A page that joins the two, with the sentences in which it names them."""

    path: str
    title: str
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SynthesisProposal:
    """Two pages (by path) that could be joined, why, and the outline of the page that an agent would write."""

    concepts: tuple[str, str]
    titles: tuple[str, str]
    co_occurrence: int
    score: int
    reasons: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    outline: str


@dataclass(frozen=True, slots=True)
class Synthesis:
    """The best pairs with their evidence, and the next ten by their titles. `total` counts all that were found."""

    proposals: tuple[SynthesisProposal, ...]
    others: tuple[tuple[str, str], ...]
    total: int


def synthesize(
    concepts: Sequence[str] = (),
    *,
    threshold: int = DEFAULT_THRESHOLD,
    limit: int = SHOWN,
    nearest: bool = False,
    language: str = "en",
) -> Program[Synthesis]:
    """Pairs of pages that at least `threshold` other pages link to together; best first.

    With `concepts` (names of pages), only pairs of these are looked at (of one: its pairs with any other), and pages
    that mention both by name count too. Raises `PageNotFound`, `AmbiguousPage` for a name.
    """
    wiki = yield from take_snapshot(nearest=nearest, links="lean")
    chosen: list[int] = []
    for name in concepts:
        page = yield from find_page(name)
        chosen.append(page.id)
    meetings = _meetings(wiki, frozenset(chosen), 1 if len(chosen) > 1 else threshold)
    if len(chosen) > 1:
        for pair, pages in (yield from _mentioning(wiki, chosen)).items():
            meetings.setdefault(pair, set()).update(pages)
    done, hubs = _joined(wiki), _hubs(wiki)
    ranked = sorted(
        (
            (_score(wiki, hubs, pair, pages), pair)
            for pair, pages in meetings.items()
            if len(pages) >= threshold and pair not in done
        ),
        key=lambda item: (-item[0][0], -len(meetings[item[1]]), _paths(wiki, item[1])),
    )
    proposals = []
    for (score, reasons), pair in ranked[:limit]:
        evidence = yield from _evidence(wiki, pair, meetings[pair])
        proposals.append(_proposal(wiki, pair, len(meetings[pair]), score, reasons, evidence, language))
    others = tuple(_titles(wiki, pair) for _, pair in ranked[limit : limit + NAMED])
    return Synthesis(tuple(proposals), others, len(ranked))


_Pair = tuple[int, int]


def _pair(one: int, other: int) -> _Pair:
    return (one, other) if one < other else (other, one)


def _is_concept(page: PageFacts) -> bool:
    return not page.special and page.category not in _LEFT_OUT and "/synthesis/" not in f"/{page.path}"


def _meetings(wiki: Snapshot, chosen: frozenset[int], least: int) -> dict[_Pair, set[int]]:
    """The pages that link to both of two, by pair, where at least `least` do.

    Page by page, the pairs of a large wiki would be millions, nearly all of which meet once: so concept by concept.
    """
    concepts = {
        page_id: frozenset(
            target for target in targets if len(wiki.incoming[target]) >= least and _is_concept(wiki.pages[target])
        )
        for page_id, targets in wiki.outgoing.items()
        if len(targets) <= _MOST_TARGETS and wiki.pages[page_id].category != "synthesis"
    }
    found: dict[_Pair, set[int]] = {}
    for one in sorted(set().union(*concepts.values())):
        together: dict[int, set[int]] = {}
        for page_id in wiki.incoming[one]:
            for other in concepts.get(page_id, ()):
                if one < other and (not chosen or _fits(one, other, chosen)):
                    together.setdefault(other, set()).add(page_id)
        found |= {(one, other): pages for other, pages in together.items() if len(pages) >= least}
    return found


def _fits(one: int, other: int, chosen: frozenset[int]) -> bool:
    return (one in chosen and other in chosen) or (len(chosen) == 1 and (one in chosen or other in chosen))


def _mentioning(wiki: Snapshot, chosen: Sequence[int]) -> Program[dict[_Pair, set[int]]]:
    """The pages whose text names both of two of the chosen pages."""
    names = {
        page_id: {
            fold(name) for name in (wiki.pages[page_id].stem, wiki.pages[page_id].title, *wiki.pages[page_id].aliases)
        }
        for page_id in chosen
    }
    found: dict[_Pair, set[int]] = {}
    ids = [page.id for page in wiki.content_pages if page.category != "synthesis"]
    for at in range(0, len(ids), 500):
        chunk = ids[at : at + 500]
        sql = f"SELECT id, content FROM wiki_content WHERE id IN ({', '.join('?' * len(chunk))})"
        rows = yield Query(sql, tuple(chunk), tuple)
        for page_id, content in rows:
            text = fold(unpacked(content))
            here = sorted(
                {c for c, spelled in names.items() if c != page_id and any(name in text for name in spelled if name)}
            )
            for pair in combinations(here, 2):
                found.setdefault(pair, set()).add(page_id)
    return found


def _joined(wiki: Snapshot) -> set[_Pair]:
    """The pairs that a page below `synthesis/` links to already."""
    return {
        pair
        for page_id, targets in wiki.outgoing.items()
        if wiki.pages[page_id].category == "synthesis" or "/synthesis/" in f"/{wiki.pages[page_id].path}"
        for pair in combinations(sorted(targets), 2)
    }


def _score(wiki: Snapshot, hubs: frozenset[int], pair: _Pair, pages: set[int]) -> tuple[int, tuple[str, ...]]:
    one, other = (wiki.pages[page_id] for page_id in pair)
    points = next((points for least, points in (_MANY, _SOME) if len(pages) >= least), 1)
    parts = [(points, f"{len(pages)} pages join them")]
    if one.category != other.category:
        parts.append((2, "different categories"))
    if one.folder != other.folder and {*map(tag_key, one.tags)} & {*map(tag_key, other.tags)}:
        parts.append((1, "a shared tag in different folders"))
    if {one.id, other.id} & hubs:
        parts.append((1, "one of them is a hub"))
    if _disagree(one, other):
        parts.append((2, "they disagree"))
    return sum(points for points, _ in parts), tuple(f"+{points} {why}" for points, why in parts)


def _hubs(wiki: Snapshot) -> frozenset[int]:
    """The top five percent by degree."""
    ranked = sorted(wiki.content_pages, key=lambda page: (-wiki.degree(page.id), page.path))
    return frozenset(page.id for page in ranked[: int(len(ranked) * _HUB_SHARE)] if wiki.degree(page.id))


def _disagree(one: PageFacts, other: PageFacts) -> bool:
    """Whether one of them says that it contradicts the other."""
    for page, rival in ((one, other), (other, one)):
        against = contradictions(page.meta) if "contradicts" in page.meta_json else ()
        names = {fold(name) for name in (rival.stem, rival.title, rival.path[:-3], *rival.aliases)}
        if any(fold(name) in names for name in against):
            return True
    return False


def _evidence(wiki: Snapshot, pair: _Pair, pages: Iterable[int]) -> Program[tuple[Evidence, ...]]:
    """The pages that join the two, the newest first, with the sentences around their links."""
    ranked = sorted((wiki.pages[page_id] for page_id in pages), key=lambda page: page.path)
    ranked.sort(key=lambda page: page.updated_at, reverse=True)
    found = []
    for page in ranked[:_MOST_EVIDENCE]:
        sql = "SELECT context FROM wiki_links WHERE source = ? AND target IN (?, ?) ORDER BY n"
        contexts: list[str] = yield Query(sql, (page.id, *pair), lambda row: row[0])
        sentences = tuple(dict.fromkeys(text for text in contexts if text))[:3]
        found.append(Evidence(page.path, page.title, sentences))
    return tuple(found)


def _proposal(
    wiki: Snapshot,
    pair: _Pair,
    count: int,
    score: int,
    reasons: tuple[str, ...],
    evidence: tuple[Evidence, ...],
    language: str,
) -> SynthesisProposal:
    outline = "\n".join(_outline(wiki, pair, evidence, language))
    return SynthesisProposal(_paths(wiki, pair), _titles(wiki, pair), count, score, reasons, evidence, outline)


def _outline(wiki: Snapshot, pair: _Pair, evidence: Sequence[Evidence], language: str) -> Iterator[str]:
    """A page to be written: its headings, with the links that belong below them."""
    one, other = (wiki.pages[page_id] for page_id in pair)
    connection, where, insight, tensions, questions, related = _HEADINGS[language]
    links: Mapping[str, str] = {page.path: f"[[{wiki.link_name(page, '')}]]" for page in (one, other)}
    joint = " · " if language == "en" else "、"
    yield f"# {one.title}{joint}{other.title}"
    yield f"\n## {connection}\n\n{links[one.path]}{joint}{links[other.path]}"
    yield f"\n## {where}\n"
    for item in evidence:
        name = wiki.link_name(wiki.by_path[item.path], "")
        yield f"- [[{name}]]" + (f": {item.sentences[0]}" if item.sentences else "")
    for title in (insight, tensions, questions):
        yield f"\n## {title}\n"
    yield f"## {related}\n\n- {links[one.path]}\n- {links[other.path]}"


def _paths(wiki: Snapshot, pair: _Pair) -> tuple[str, str]:
    one, other = sorted(wiki.pages[page_id].path for page_id in pair)
    return one, other


def _titles(wiki: Snapshot, pair: _Pair) -> tuple[str, str]:
    one, other = (wiki.by_path[path].title for path in _paths(wiki, pair))
    return one, other
