"""wiki_query: search."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal
from unicodedata import normalize

from pydantic import Field

from generator.errors import IndexBusy, IndexCorrupted, IndexMissing, QueryTimeout
from generator.vectors.meaning import Meaning
from generator.vectors.near import near_in_meaning
from mcp_bridge.arguments import AsList, Scope, Text, refused
from mcp_bridge.envelope import as_json
from mcp_bridge.index import Bridge, index_state
from mcp_bridge.paging import fitting, place_of

if TYPE_CHECKING:
    from generator.query import Program
    from generator.retrieval import Hit, Narrowing, SearchResult

Near = Sequence[tuple[str, float]]
_DAYS = re.compile(r"(\d{1,5})\s*d(?:ays?)?", re.IGNORECASE)
_BEHIND = "The index is still taking in changes: the newest ones may be missing."
_RELAXED = "Too few pages hold all of the words: the last ones hold only some."
_NOTHING = "Nothing found. Try fewer or other words, a name's other spelling, or the other language."


@dataclass(frozen=True, slots=True)
class Result:
    """One page found. `through` is the page over which `expand` led here; what follows it is there with
    `detail="detailed"` only."""

    path: str
    title: str
    score: float
    heading: str
    snippet: str
    summary: str
    tags: tuple[str, ...]
    updated: str
    stale: bool
    scope: str
    through: str | None = None
    lifecycle: str | None = None
    category: str | None = None
    aliases: tuple[str, ...] | None = None
    created: str | None = None
    sources: tuple[str, ...] | None = None
    words: int | None = None
    relaxed: bool | None = None


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """The pages of one call; `total` counts all that were found."""

    results: tuple[Result, ...]
    citations: tuple[str, ...]
    total: int
    relaxed: bool
    next_cursor: str | None = None
    hint: str | None = None


_Query = Annotated[
    Text,
    Field(description='Words (all must match), "a phrase", -word, word*, a OR b, tag:x, title:x. Empty: newest pages.'),
]
_Tags = Annotated[tuple[str, ...], AsList, Field(description="All of these, or tags below them.")]
_Since = Annotated[Text, Field(description="Updated on or after this date (2026-01-31), or in the last `7d`.")]
_Detail = Annotated[Literal["concise", "detailed"], Field(description="detailed: more fields.")]


async def wiki_query(
    bridge: Bridge,
    query: _Query = "",
    tags: _Tags = (),
    limit: Annotated[int, Field(ge=1, le=50)] = 10,
    folder: Text = "",
    lifecycle: Literal["any", "draft", "verified", "archived", "disputed"] = "any",
    since: _Since = "",
    scope: Scope = "wiki",
    expand: Annotated[bool, Field(description="Add linked pages.")] = False,
    detail: _Detail = "concise",
    cursor: Text = "",
) -> QueryAnswer:
    """Search the user's wiki by words, tags, folder or date. Use it first for any question about what the user has
    noted, and to find the path of a page. English and Chinese, any word form.

    Returns `results` (path, title, score, heading, snippet with **matches**, summary, tags, updated, stale = over 90
    days old, scope), `citations` to quote as they are, `total`, `relaxed` (the last results lack some words),
    `next_cursor`. Read pages before you rely on them.

    Example: {"query": "赤壁 fire attack", "tags": ["battle"]}"""
    from generator.retrieval import Narrowing
    from generator.vault import safe_path

    if folder:
        safe_path(bridge.config.wiki.vault_path, folder)
    folder = normalize("NFC", folder).removeprefix("./")
    narrowing = Narrowing(tags, folder, "" if lifecycle == "any" else lifecycle, _since(since))
    place = place_of(cursor, query, sorted(tags), folder, lifecycle, since, scope, expand)
    asked = _Asked(query, narrowing, scope, expand, limit, place.offset, detail == "detailed")
    found, hint = await _found(bridge, asked)
    kept = fitting(found.results, size_beside=(len(_citation(each.path, each.title)) + 4 for each in found.results))
    hints = [_RELAXED if found.relaxed else "" if kept or place.offset else _NOTHING, hint]
    return QueryAnswer(
        kept,
        tuple(_citation(result.path, result.title) for result in kept),
        found.total,
        found.relaxed,
        place.after(len(kept), found.total),
        " ".join(filter(None, hints)) or None,
    )


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is looked for; hashable, since answers are kept by it."""

    query: str
    narrowing: Narrowing
    scope: Scope
    expand: bool
    limit: int
    offset: int
    detailed: bool

    def search(self, decay: float, near: Near = (), query: str | None = None) -> Program[SearchResult]:
        """The program that finds it, or `query` in its place."""
        from generator.retrieval import search

        return search(
            self.query if query is None else query, limit=self.limit, offset=self.offset, tags=self.narrowing.tags,
            folder=self.narrowing.folder, lifecycle=self.narrowing.lifecycle, since=self.narrowing.since,
            scope=self.scope, expand=self.expand, decay=decay, near=near,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Found:
    """What was found, of one state of the index; `note` tells why pages near in meaning are missing."""

    results: tuple[Result, ...]
    total: int
    relaxed: bool
    note: str = ""


async def _found(bridge: Bridge, asked: _Asked) -> tuple[_Found, str]:
    """What the index has, or the files where there is no index to be had, and what the agent should know of that."""
    try:
        is_fresh = await bridge.fresh()
        found = await _indexed(bridge, asked)
    except QueryTimeout as error:
        error.details["partial"] = await _by_title(bridge, asked)
        raise
    except (IndexBusy, IndexCorrupted, IndexMissing):
        if not bridge.is_down:
            raise
        from mcp_bridge.plain import SLOWLY, search_files

        files = partial(search_files, bridge.config, asked.query, asked.narrowing, asked.limit, asked.offset)
        plain = await asyncio.to_thread(files)
        return _Found(tuple(map(_result, plain.hits)), plain.total, False), SLOWLY
    return found, " ".join(filter(None, (found.note, "" if is_fresh else _BEHIND)))


async def _indexed(bridge: Bridge, asked: _Asked) -> _Found:
    """From what is kept of this state of the index, else from the index itself."""
    version, since = await bridge.read(index_state)
    key = (since, date.today(), asked)
    kept: _Found | None = bridge.cache.get(version, key)
    if kept is not None:
        return kept
    near = await asyncio.to_thread(near_in_meaning, bridge.config, asked.query) if asked.query else Meaning()
    (version, since), found = await bridge.read(partial(_answers, asked, bridge.config.retrieval.decay, near))
    if bridge.config.embeddings.provider == "off":  # vectors change without the index
        bridge.cache.put(version, (since, *key[1:]), found, sum(len(str(each)) for each in found.results))
    return found


def _answers(asked: _Asked, decay: float, near: Meaning) -> Program[tuple[tuple[int, str], _Found]]:
    """What is found, and in which state of the index."""
    from generator.query import page_at

    state = yield from index_state()
    found = yield from asked.search(decay, near.pages)
    results = [_result(hit) for hit in found.hits]
    if asked.detailed:
        for at, hit in enumerate(found.hits):
            page = yield from page_at(hit.path)
            if page is not None:
                results[at] = replace(
                    results[at],
                    lifecycle=page.lifecycle,
                    category=page.category,
                    aliases=page.aliases,
                    created=page.created_at,
                    sources=page.sources,
                    words=page.word_count,
                    relaxed=hit.relaxed,
                )
    return state, _Found(tuple(results), found.total, found.relaxed, near.note)


def _result(hit: Hit) -> Result:
    return Result(
        hit.path, hit.title, round(hit.score, 2), hit.heading, _marked(hit.snippet, hit.marks),
        hit.summary, hit.tags, hit.updated, hit.stale, hit.scope, hit.through or None,
    )  # fmt: skip


def _marked(snippet: str, marks: Sequence[tuple[int, int]]) -> str:
    for start, end in reversed(marks):
        snippet = f"{snippet[:start]}**{snippet[start:end]}**{snippet[end:]}"
    return snippet


def _citation(path: str, title: str) -> str:
    """A wikilink; what would end it early is left out of its label."""
    label = re.sub(r"[\[\]|]+", " ", title)
    return f"[[{path.removesuffix('.md')}|{' '.join(label.split())}]]"


def _since(text: str) -> str:
    """The ISO date that `since` means. Raises InvalidArguments."""
    text = text.strip()
    try:
        if days := _DAYS.fullmatch(text):
            return (date.today() - timedelta(days=int(days[1]))).isoformat()
        return date.fromisoformat(text[:10]).isoformat() if text else ""
    except (ValueError, OverflowError):
        raise refused({"since": "should be a date such as 2026-01-31, or days such as 7d"}, ["since"]) from None


async def _by_title(bridge: Bridge, asked: _Asked) -> list[Any]:
    """What can be had quickly when a query takes too long: pages with the words in their names."""
    words = " ".join(f"title:{word}" for word in re.findall(r"\w+", asked.query)[:8])
    try:
        found = await bridge.read(partial(asked.search, bridge.config.retrieval.decay, query=words))
    except QueryTimeout:
        return []
    return [as_json(_result(hit)) for hit in found.hits] if words else []
