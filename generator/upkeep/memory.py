"""Which AI tool a page's knowledge came from: the bridge between the memories of several tools."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from generator.errors import ConfigError
from generator.properties import as_list
from generator.query import Program
from generator.upkeep.snapshot import PageFacts, Snapshot, take_snapshot

MANUAL = "manual"
NO_SOURCES = (
    "no source is recorded yet: the skill wiki-ingest fills the manifest (`llmwiki ingest`), and a page can name its"
    " tool in the property `source_tool`"
)
_ADDRESS = re.compile(r"https?://", re.IGNORECASE)
_TOOL_PROPERTIES = ("tool", "source_tool")


class InvalidRange(ConfigError):
    """A date range that is none."""

    code = "INVALID_ARGUMENTS"


class SourceTool(NamedTuple):
    """What the manifest knows of a source's origin: its tool ("" for none) and its kind."""

    tool: str
    kind: str


@dataclass(frozen=True, slots=True)
class MemoryEntry:
    """A page with knowledge from a tool. `relevance_score` (0 to 1): the share of its sources that are from the tool,
    times how recent it is within the range."""

    path: str
    title: str
    summary: str
    updated_at: str
    relevance_score: float


@dataclass(frozen=True, slots=True)
class Memory:
    """The pages of one tool, newest first, `total` of them; or, where no tool was named, the `tools` with their counts
    of pages. `note` says what to do where nothing is known."""

    tool_name: str
    date_range: str
    entries: tuple[MemoryEntry, ...]
    total: int
    tools: Mapping[str, int]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The pages of two tools: those of one only, of the other only, and of both."""

    tool_name: str
    other_tool: str
    only_in: Mapping[str, tuple[MemoryEntry, ...]]
    shared: tuple[MemoryEntry, ...]


def memory(
    sources: Mapping[str, SourceTool],
    today: date,
    *,
    tool_name: str = "",
    date_range: str = "",
    topic: str = "",
    limit: int = 20,
    offset: int = 0,
) -> Program[Memory]:
    """The pages whose knowledge came from a tool; without a name, the tools there are.

    `date_range` is `YYYY-MM-DD:YYYY-MM-DD`, either end may be missing; `topic` keeps pages with the word in title, tags
    or summary. Raises `InvalidRange`.
    """
    wiki = yield from take_snapshot(links="none")
    first, last = read_range(date_range)
    shares = _shares(wiki, sources)
    tools: dict[str, int] = {}
    for page_id, by_tool in shares.items():
        if _is_in(wiki.pages[page_id], first, last, topic):
            for tool in by_tool:
                tools[tool] = tools.get(tool, 0) + 1
    note = "" if any(tool != MANUAL for tool in tools) else NO_SOURCES
    ordered = dict(sorted(tools.items(), key=lambda item: (-item[1], item[0])))
    if not tool_name:
        return Memory("", date_range, (), sum(tools.values()), ordered, note)
    entries = _entries(wiki, shares, tool_name, first, last, topic, today)
    return Memory(tool_name, date_range, tuple(entries[offset : offset + limit]), len(entries), {}, note)


def compare_memories(
    sources: Mapping[str, SourceTool],
    today: date,
    tool_name: str,
    other_tool: str,
    *,
    date_range: str = "",
    topic: str = "",
) -> Program[Comparison]:
    """What two tools know: pages only of the one, only of the other, and of both. Raises `InvalidRange`."""
    wiki = yield from take_snapshot(links="none")
    first, last = read_range(date_range)
    shares = _shares(wiki, sources)
    mine, theirs = (
        {entry.path: entry for entry in _entries(wiki, shares, tool, first, last, topic, today)}
        for tool in (tool_name, other_tool)
    )
    return Comparison(
        tool_name,
        other_tool,
        {
            tool_name: tuple(entry for path, entry in mine.items() if path not in theirs),
            other_tool: tuple(entry for path, entry in theirs.items() if path not in mine),
        },
        tuple(entry for path, entry in mine.items() if path in theirs),
    )


def read_range(text: str) -> tuple[str, str]:
    """The two ends of a range as ISO dates; open ends are "" and "9999-12-31". Raises `InvalidRange`."""
    if not text.strip():
        return "", "9999-12-31"
    first, colon, last = (part.strip() for part in text.partition(":"))
    for part in (first, last):
        try:
            date.fromisoformat(part or "2000-01-01")
        except ValueError:
            raise InvalidRange(f"{part!r} is not a date", hint="write 2026-01-01:2026-03-31") from None
    if not colon or (first and last and first > last):
        raise InvalidRange(f"{text!r} is not a range of dates", hint="write 2026-01-01:2026-03-31, earlier day first")
    return first, last or "9999-12-31"


def tool_of(key: str, sources: Mapping[str, SourceTool]) -> str:
    """The tool of a source: what the manifest says, else what its key says, else its kind, else `manual`."""
    known = sources.get(key) or sources.get(key.partition("#")[0])
    if known and known.tool:
        return known.tool.lower()
    if key.startswith("agent:"):
        return key.removeprefix("agent:").partition("/")[0].strip().lower() or MANUAL
    if key.startswith("conversation:"):
        return "conversation"
    if _ADDRESS.match(key):
        return "url"
    return known.kind if known and known.kind else "document"


def _shares(wiki: Snapshot, sources: Mapping[str, SourceTool]) -> dict[int, dict[str, float]]:
    """For each page the tools of its sources, each with its share; a page without any source is `manual`."""
    found: dict[int, dict[str, float]] = {}
    for page in wiki.content_pages:
        tools = [tool_of(key, sources) for key in page.sources]
        if "tool" in page.meta_json:
            tools += [name.lower() for field in _TOOL_PROPERTIES for name in as_list(page.meta.get(field))]
        tools = tools or [MANUAL]
        found[page.id] = {tool: tools.count(tool) / len(tools) for tool in dict.fromkeys(tools)}
    return found


def _is_in(page: PageFacts, first: str, last: str, topic: str) -> bool:
    if not first <= page.updated_at[:10] <= last:
        return False
    text = f"{page.title}\n{' '.join(page.tags)}\n{page.summary}".casefold()
    return not topic or topic.casefold().strip() in text


def _entries(
    wiki: Snapshot,
    shares: Mapping[int, Mapping[str, float]],
    tool: str,
    first: str,
    last: str,
    topic: str,
    today: date,
) -> list[MemoryEntry]:
    """The pages of a tool in the range, newest first."""
    name = tool.strip().lower()
    pages = [
        wiki.pages[page_id]
        for page_id, by_tool in shares.items()
        if name in by_tool and _is_in(wiki.pages[page_id], first, last, topic)
    ]
    days = [_ordinal(page.updated_at) for page in pages]
    start = _ordinal(first) if first else min(days, default=0)
    end = min(_ordinal(last), today.toordinal()) if last < "9999" else max([*days, today.toordinal()])
    entries = [
        MemoryEntry(
            page.path, page.title, page.summary, page.updated_at,
            round(shares[page.id][name] * _recency(day, start, end), 3),
        )
        for page, day in zip(pages, days, strict=True)
    ]  # fmt: skip
    return sorted(sorted(entries, key=lambda entry: entry.path), key=lambda entry: entry.updated_at, reverse=True)


def _recency(day: int, start: int, end: int) -> float:
    """1 at the end of the range, falling to one half at its start."""
    if end <= start:
        return 1.0
    return 0.5 + 0.5 * min(1.0, max(0.0, (day - start) / (end - start)))


def _ordinal(day: str) -> int:
    try:
        return date.fromisoformat(day[:10]).toordinal()
    except ValueError:
        return 0
