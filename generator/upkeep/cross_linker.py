"""Places where a page names another one without linking to it, and links that lead nowhere.

All names are looked for in one pass over each text (Aho–Corasick), first in the plain texts of the index, to learn how
common each name is, then in the prose of those sources that name a page which they do not link to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from generator.analyser import fold_aligned
from generator.model import Edit
from generator.packed import unpacked
from generator.parse_options import ParseOptions
from generator.parser import parse_note
from generator.query import Program, Query
from generator.syntax.tag import tag_key
from generator.syntax.wikilink import WrittenLink, find_wikilinks
from generator.upkeep.edits import (
    Replacement,
    disjoint,
    edit_of,
    read_indexed,
    refuse_unknown,
    replaced,
    suggestion_id,
)
from generator.upkeep.mentions import MOST_TEXT, Job, Mention, Name, NameFinder, find_mentions, names_of
from generator.upkeep.snapshot import PageFacts, Snapshot, take_snapshot

STRONG, LIKELY = 6, 3
COMMON_SHARE, COMMON_FROM = 0.10, 50
_EXACT, _PARTIAL, _TWO_TAGS, _PROJECT, _CATEGORY, _TO_HUB = 4, 1, 2, 2, 2, 2
_FEW_LINKS, _HUB_LINKS = 2, 8
_CHUNK = 500


@dataclass(frozen=True, slots=True)
class MissingLink:
    """A link whose target does not resolve: the page's path, the target as written, the line."""

    source: str
    target: str
    line: int


@dataclass(frozen=True, slots=True)
class LinkSuggestion:
    """A mention that could be a link: `text` at `start:end` of the source (LF line ends, no byte order mark) names
    `target`, and would become `replacement`. `score` is 3 or more; `reasons` say what it is made of."""

    id: str
    source: str
    target: str
    line: int
    text: str
    score: int
    reasons: tuple[str, ...]
    start: int
    end: int
    replacement: str

    @property
    def is_strong(self) -> bool:
        """Whether it is as good as certain."""
        return self.score >= STRONG


@dataclass(frozen=True, slots=True)
class CrossLinks:
    """`suggestions` by falling score, then by place; `skipped` are names that are too common to mean their page."""

    missing: tuple[MissingLink, ...]
    suggestions: tuple[LinkSuggestion, ...]
    skipped: tuple[str, ...]


def cross_link(
    vault: Path, *, path: str = "", min_score: int = LIKELY, nearest: bool = False, workers: int = 1
) -> Program[CrossLinks]:
    """Everything that could be linked, on all pages, or on the page or below the folder `path`.

    Reads the index, which must be up to date, and the sources that name pages; a source that has changed since, or
    cannot be read, is passed over. `workers` processes share the reading of many sources.
    """
    wiki = yield from take_snapshot(nearest=nearest, links="lean")
    finders: list[NameFinder] = []
    jobs: list[Job] = []
    for pages in wiki.trees:
        below = [page for page in pages if _is_below(page.path, path)]
        mentions, names = yield from _mentions(wiki, pages, {page.id for page in below})
        below = [page for page in below if page.id in mentions]
        jobs += (Job(len(finders), page.path, page.content_hash, frozenset(mentions[page.id])) for page in below)
        finders.append(names)
    found: list[LinkSuggestion] = []
    for job, places in zip(jobs, find_mentions(vault, finders, jobs, workers), strict=True):
        proposed = _suggestions(finders[job.names], wiki, wiki.by_path[job.path], places)
        found += (item for item in proposed if item.score >= min_score)
    missing = tuple(
        MissingLink(wiki.pages[link.source].path, link.name, link.line)
        for link in wiki.links
        if link.status == "missing" and _is_below(wiki.pages[link.source].path, path)
    )
    ranked = sorted(found, key=lambda item: (-item.score, item.source, item.start))
    return CrossLinks(missing, tuple(ranked), tuple(name for names in finders for name in names.skipped))


def _is_below(path: str, folder: str) -> bool:
    return not folder or path == folder or path.startswith(folder.rstrip("/") + "/")


def _mentions(
    wiki: Snapshot, pages: Sequence[PageFacts], wanted: Set[int]
) -> Program[tuple[dict[int, set[int]], NameFinder]]:
    """The pages that each of the `wanted` ones (ids) names and does not link to, and the names but those that are too
    common among all `pages`."""
    names = names_of(pages)
    pages_with: dict[int, int] = {}
    by_page: dict[int, set[int]] = {}
    ids = [page.id for page in pages]
    for at in range(0, len(ids) if names.names else 0, _CHUNK):
        chunk = ids[at : at + _CHUNK]
        sql = f"SELECT id, content FROM wiki_content WHERE id IN ({', '.join('?' * len(chunk))})"
        rows = yield Query(sql, tuple(chunk), tuple)
        for page_id, content in rows:
            numbers = {number for number, _, _ in names.find(fold_aligned(unpacked(content)[:MOST_TEXT]))}
            for number in numbers:
                pages_with[number] = pages_with.get(number, 0) + 1
            if page_id in wanted:
                by_page[page_id] = numbers
    bound = COMMON_SHARE * len(ids) if len(ids) >= COMMON_FROM else len(ids) + 1
    common = {number for number, count in pages_with.items() if count > bound}
    linked = wiki.linked(wanted)
    mentions: dict[int, set[int]] = {}
    for page_id, numbers in by_page.items():
        targets = (
            {names.names[number].page for number in numbers - common} - linked.get(page_id, frozenset()) - {page_id}
        )
        if targets:
            mentions[page_id] = targets
    return mentions, names.without(common)


def _suggestions(
    names: NameFinder, wiki: Snapshot, page: PageFacts, mentions: Sequence[Mention]
) -> Iterator[LinkSuggestion]:
    for mention in mentions:
        name = names.names[mention.name]
        target = wiki.pages[name.page]
        score, reasons = _score(wiki, page, target, name)
        written = wiki.link_name(target, page.path)
        bar = "\\|" if mention.prose.place == "cell" else "|"
        link = f"[[{written}]]" if written == mention.text else f"[[{written}{bar}{mention.text}]]"
        yield LinkSuggestion(
            suggestion_id(page.content_hash, page.path, target.path, mention.start),
            page.path, target.path, mention.prose.line, mention.text, score, reasons, mention.start, mention.end, link,
        )  # fmt: skip


def _score(wiki: Snapshot, page: PageFacts, target: PageFacts, name: Name) -> tuple[int, tuple[str, ...]]:
    parts = [(_EXACT, "exact name") if name.is_whole else (_PARTIAL, "part of the name")]
    if len({*map(tag_key, page.tags)} & {*map(tag_key, target.tags)}) >= 2:
        parts.append((_TWO_TAGS, "shared tags"))
    project = _project(page)
    if project and project == _project(target):
        parts.append((_PROJECT, "same project"))
    if page.category != target.category:
        parts.append((_CATEGORY, "other category"))
    if wiki.degree(page.id) <= _FEW_LINKS and wiki.degree(target.id) >= _HUB_LINKS:
        parts.append((_TO_HUB, "few links here, many there"))
    return sum(points for points, _ in parts), tuple(f"+{points} {why}" for points, why in parts)


def _project(page: PageFacts) -> str:
    """The property `project`, else the folder below `projects/`."""
    named = page.meta.get("project") if "project" in page.meta_json else None
    if isinstance(named, str) and named.strip():
        return named.strip().casefold()
    parts = page.path.casefold().split("/")
    below = parts[parts.index("projects") + 1 :] if "projects" in parts else []
    return below[0] if len(below) > 1 else ""


def link_edits(
    vault: Path, wiki: Snapshot, suggestions: Sequence[LinkSuggestion], ids: Sequence[str] = ()
) -> list[Edit]:
    """The suggestions, or those of them with `ids`, as one edit a page; by path.

    Each edit is read again: where an inserted link would not be one, the page is left out. Raises `StaleEdit` for an id
    that no suggestion has, and for a page that has changed since it was indexed.
    """
    refuse_unknown(ids, [item.id for item in suggestions])
    by_page: dict[str, list[LinkSuggestion]] = {}
    for item in suggestions:
        if not ids or item.id in ids:
            by_page.setdefault(item.source, []).append(item)
    edits = []
    for path, items in sorted(by_page.items()):
        source = read_indexed(vault, path, wiki.by_path[path].content_hash)
        changes = [*disjoint(Replacement(item.start, item.end, item.replacement) for item in items)]
        edit = edit_of(source, changes)
        if edit is not None and _is_sound(source.text, changes):
            edits.append(edit)
    return edits


def _is_sound(text: str, changes: Sequence[Replacement]) -> bool:
    """Whether the parser finds, in the edited text, the links of before and the inserted ones, and no others."""
    inserted = [("wikilink", False, link) for change in changes for link in find_wikilinks(change.text)]
    return _links(replaced(text, changes)) == _links(text) + Counter(inserted)


def _links(text: str) -> Counter[tuple[str, bool, WrittenLink]]:
    links = parse_note("", b"", text, ParseOptions()).links
    return Counter((link.kind, link.embed, WrittenLink(link.target, link.subpath, link.label)) for link in links)
