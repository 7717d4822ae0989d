"""wiki_query: search."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import partial
from typing import Annotated, Any, Literal
from unicodedata import normalize

from pydantic import Field

from generator.errors import QueryTimeout
from generator.query import Program, page_at
from generator.retrieval import Hit, Scope, SearchResult, search
from generator.vault import safe_path
from mcp_bridge.arguments import AsList, Text, refused
from mcp_bridge.envelope import as_json
from mcp_bridge.index import Bridge
from mcp_bridge.paging import fitting, place_of

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
_Folder = Annotated[Text, Field(description="Only below this folder.")]
_Since = Annotated[Text, Field(description="Updated on or after this date (2026-01-31), or in the last `7d`.")]
_Detail = Annotated[
    Literal["concise", "detailed"],
    Field(description="detailed: more fields."),
]
_Cursor = Annotated[Text, Field(description="`next_cursor` of the same call before.")]


async def wiki_query(
    bridge: Bridge,
    query: _Query = "",
    tags: _Tags = (),
    limit: Annotated[int, Field(ge=1, le=50)] = 10,
    folder: _Folder = "",
    lifecycle: Literal["any", "draft", "verified", "archived", "disputed"] = "any",
    since: _Since = "",
    scope: Annotated[Scope, Field(description="Pages, raw sources, or both.")] = "wiki",
    expand: Annotated[bool, Field(description="Add linked pages.")] = False,
    detail: _Detail = "concise",
    cursor: _Cursor = "",
) -> QueryAnswer:
    """Search the user's wiki by words, tags, folder or date. Use it first for any question about what the user has
    noted, and to find the path of a page. English and Chinese, any word form.

    Returns `results` (path, title, score, heading and snippet of the best passage with **matches** marked, summary,
    tags, updated, stale = older than 90 days), `citations` to quote as they are, `total`, `relaxed` (the last results
    lack some words), `next_cursor`. Read pages before you rely on them.

    Example: {"query": "赤壁 fire attack", "tags": ["battle"], "limit": 5}"""
    if folder:
        safe_path(bridge.config.wiki.vault_path, folder)
    ask = partial(
        search,
        tags=tags,
        folder=normalize("NFC", folder).removeprefix("./"),
        lifecycle="" if lifecycle == "any" else lifecycle,
        since=_since(since),
        scope=scope,
        expand=expand,
        decay=bridge.config.retrieval.decay,
    )
    place = place_of(cursor, query, sorted(tags), folder, lifecycle, since, scope, expand)
    is_fresh = await bridge.fresh()
    page = partial(ask, query, limit=limit, offset=place.offset)
    try:
        results, found = await bridge.read(partial(_answers, page, detailed=detail == "detailed"))
    except QueryTimeout as error:
        error.details["partial"] = await _by_title(bridge, query, ask, limit)
        raise
    kept = fitting(results, size_beside=(len(_citation(each.path, each.title)) + 4 for each in results))
    hint = _RELAXED if found.relaxed else "" if kept or place.offset else _NOTHING
    return QueryAnswer(
        kept,
        tuple(_citation(result.path, result.title) for result in kept),
        found.total,
        found.relaxed,
        place.after(len(kept), found.total),
        " ".join(filter(None, (hint, "" if is_fresh else _BEHIND))) or None,
    )


def _answers(ask: partial[Program[SearchResult]], *, detailed: bool) -> Program[tuple[list[Result], SearchResult]]:
    found = yield from ask()
    results = [_result(hit) for hit in found.hits]
    if detailed:
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
    return results, found


def _result(hit: Hit) -> Result:
    return Result(
        hit.path, hit.title, hit.score, hit.heading, _marked(hit.snippet, hit.marks),
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


async def _by_title(bridge: Bridge, query: str, ask: partial[Program[SearchResult]], limit: int) -> list[Any]:
    """What can be had quickly when a query takes too long: pages with the words in their names."""
    words = " ".join(f"title:{word}" for word in re.findall(r"\w+", query)[:8])
    try:
        found = await bridge.read(partial(ask, words, limit=limit))
    except QueryTimeout:
        return []
    return [as_json(_result(hit)) for hit in found.hits] if words else []
