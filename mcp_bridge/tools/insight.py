"""wiki_synthesize, memory_bridge and daily_update: what no single page says, whence it came, and the daily round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from mcp_bridge.arguments import AsList, Text
from mcp_bridge.index import Bridge
from mcp_bridge.paging import fitting, place_of
from mcp_bridge.writing import require

if TYPE_CHECKING:  # the rules and the parser behind them: `initialize` need not wait for these
    from generator.query import Program
    from generator.upkeep.daily import DailyPlan
    from generator.upkeep.memory import Memory, MemoryEntry
    from generator.upkeep.synthesis import Synthesis, SynthesisProposal

_MOST_PATHS = 100  # listed by daily_update


@dataclass(frozen=True, slots=True)
class SynthesisAnswer:
    """Pairs of pages that could be joined, and the titles of the next ones; `total` counts all pairs."""

    synthesis: tuple[SynthesisProposal, ...]
    others: tuple[tuple[str, str], ...]
    total: int
    next_cursor: str | None = None


async def wiki_synthesize(
    bridge: Bridge,
    concepts: Annotated[tuple[str, ...], AsList] = (),
    threshold: Annotated[int, Field(ge=1, le=1000, description="Least number of joining pages.")] = 3,
    limit: Annotated[int, Field(ge=1, le=20)] = 5,
    cursor: Text = "",
) -> SynthesisAnswer:
    """Find pairs of pages that others link together again and again, and that no synthesis joins yet: use it to see
    which page to write next.

    Returns `synthesis` (concepts, titles, co_occurrence, score, reasons, evidence, outline), `others`, `total`,
    `next_cursor`.

    Example: {"concepts": ["Tea", "Water"], "threshold": 1}"""
    place = place_of(cursor, sorted(concepts), threshold)
    most = place.offset + limit
    with bridge.naming(*concepts):
        found = await bridge.examine(partial(_synthesis, bridge, concepts, threshold, most))
    kept = fitting(found.proposals[place.offset : most])
    return SynthesisAnswer(kept, found.others, found.total, place.after(len(kept), found.total))


def _synthesis(bridge: Bridge, concepts: Sequence[str], threshold: int, limit: int) -> Program[Synthesis]:
    from generator.upkeep.synthesis import synthesize

    site = bridge.config.site
    return (
        yield from synthesize(
            concepts, threshold=threshold, limit=limit, nearest=site.nearest_links, language=site.language
        )
    )


@dataclass(frozen=True, slots=True)
class MemoryAnswer:
    """The pages of one tool, newest first; of two tools, those of one only and those shared; of none, the tools."""

    tool_name: str
    date_range: str
    entries: tuple[MemoryEntry, ...]
    total: int
    tools: dict[str, int] | None = None
    only_in: dict[str, Any] | None = None
    shared: tuple[dict[str, Any], ...] | None = None
    next_cursor: str | None = None
    hint: str | None = None


async def memory_bridge(
    bridge: Bridge,
    tool_name: Annotated[Text, Field(description="Such as `claude`; empty: list the tools.")] = "",
    date_range: Annotated[Text, Field(description="`2026-01-01:2026-03-31`; an end may be missing.")] = "",
    other_tool: Text = "",
    topic: Text = "",
    limit: Annotated[int, Field(ge=1, le=200)] = 20,
    cursor: Text = "",
) -> MemoryAnswer:
    """Tell which AI tool knowledge came from: use it when the user asks what was worked out with another assistant.

    Returns `entries` (path, title, summary, updated_at, relevance_score), `total`; with `other_tool` (compare)
    `only_in`, `shared`; without `tool_name` the `tools`.

    Example: {"tool_name": "claude", "date_range": "2026-01-01:"}"""
    from generator.upkeep.memory import compare_memories, memory
    from generator.upkeep.origins import source_tools

    tools = source_tools(bridge.config.wiki.vault_path)
    today = date.today()
    if tool_name and other_tool:
        ask = partial(compare_memories, tools, today, tool_name, other_tool, date_range=date_range, topic=topic)
        both = await bridge.examine(ask)
        only = {tool: [asdict(each) for each in fitting(found[:limit], beside=30_000)]
                for tool, found in both.only_in.items()}  # fmt: skip
        shared = tuple(asdict(each) for each in fitting(both.shared[:limit], beside=30_000))
        total = len(both.shared) + sum(map(len, both.only_in.values()))
        return MemoryAnswer(tool_name, date_range, (), total, only_in=only, shared=shared)
    place = place_of(cursor, tool_name, date_range, topic)
    found: Memory = await bridge.examine(
        partial(memory, tools, today, tool_name=tool_name, date_range=date_range, topic=topic, limit=limit,
                offset=place.offset)
    )  # fmt: skip
    kept = fitting(found.entries)
    following = place.after(len(kept), found.total) if tool_name else None
    listed = None if tool_name else dict(found.tools)
    return MemoryAnswer(
        tool_name, date_range, kept, found.total, listed, next_cursor=following, hint=found.note or None
    )


@dataclass(frozen=True, slots=True)
class DailyAnswer:
    """Pages `updated` and `new` since the round before (`since`), the files that are due, and those `written`."""

    since: str
    updated: tuple[str, ...]
    new: tuple[str, ...]
    due: tuple[str, ...]
    written: tuple[str, ...]
    counts: dict[str, int]


async def daily_update(bridge: Bridge, dry_run: bool = False) -> DailyAnswer:
    """Do the daily round: bring index.md, hot.md and log.md up to date. Use it at the end of a session that wrote
    pages.

    Returns `since`, `updated` and `new` pages (up to 100; all in `counts`), files `due` and `written`.

    Example: {"dry_run": true}"""
    if not dry_run:
        require(bridge, "generated", "dry_run=true")
    ask = partial(_daily, bridge, dry_run)
    plan, written = await (bridge.examine(ask) if dry_run else bridge.change(ask))
    return DailyAnswer(
        plan.since,
        plan.updated[:_MOST_PATHS],
        plan.new[:_MOST_PATHS],
        tuple(edit.path for edit in plan.edits),
        written,
        {"updated": len(plan.updated), "new": len(plan.new)},
    )


def _daily(bridge: Bridge, dry_run: bool) -> Program[tuple[DailyPlan, tuple[str, ...]]]:
    from generator.upkeep.daily import plan_daily, write_daily
    from generator.upkeep.origins import source_states
    from generator.vault import detect_layout

    vault, site = bridge.config.wiki.vault_path, bridge.config.site
    plan = yield from plan_daily(
        vault,
        detect_layout(vault),
        date.today(),
        language=site.language,
        nearest=site.nearest_links,
        source_states=source_states(vault),
    )
    return plan, () if dry_run else write_daily(vault, plan)
