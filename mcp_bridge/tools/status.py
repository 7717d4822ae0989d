"""wiki_status: what the wiki holds, and whether its index is up to date."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

from generator.errors import IndexBusy
from mcp_bridge.arguments import AsList
from mcp_bridge.index import Bridge

if TYPE_CHECKING:
    from generator.model import Finding
    from generator.query import Program
    from generator.sources.manifest import Manifest
    from generator.upkeep.status import Status

_Part = Literal["sources", "queue", "hubs"]
_PATIENCE_S = 20.0
_MOST_HUBS = 10
_MOST_WAITING = 5
_MOST_PROBLEMS = 20


@dataclass(frozen=True, slots=True)
class StatusAnswer:
    """`stats` is empty while the vault is indexed for the first time; the last three are there on request."""

    stats: dict[str, Any]
    pending: dict[str, int]
    index: dict[str, Any]
    next_steps: tuple[dict[str, Any], ...]
    sources: dict[str, Any] | None = None
    queue: dict[str, Any] | None = None
    hubs: tuple[dict[str, Any], ...] | None = None


async def wiki_status(bridge: Bridge, include: Annotated[tuple[_Part, ...], AsList] = ()) -> StatusAnswer:
    """Tell what the wiki holds and how well it is: use it when a search finds less than expected.

    Returns `stats` (pages, links, tags, orphans, broken, ambiguous, stale, disputed, by category and lifecycle),
    `pending` (notes still to be taken in), `index` (state: current, updating, building; versions; `problems`: files
    that could not be read as meant), `next_steps`, most pressing first; with `include` `sources` (by kind, tool),
    `queue` (by state, next keys), `hubs` (most linked pages).

    Example: {"include": ["queue"]}"""
    from generator.sources.queue import queue_as_it_is

    living = bridge.living
    try:
        is_fresh = await living.fresh(bridge.tell, patience=_PATIENCE_S)
    except IndexBusy:
        if living.ready or living.problem:
            raise
        return StatusAnswer({}, _pending(bridge), {"state": "building"}, ())
    manifest = await asyncio.to_thread(queue_as_it_is, bridge.config.wiki.vault_path, datetime.now(UTC))
    states = {key: source.state for key, source in manifest.sources.items()}
    state, findings = await bridge.read(partial(_state, living.passed_over, states))
    problems = [finding for finding in findings if finding.severity != "info"]
    index = {
        "state": "current" if is_fresh else "updating",
        "version": state.index_version,
        "data_version": state.data_version,
        "last_indexed": state.last_indexed,
        "bytes": bridge.config.wiki.index_path.stat().st_size,
        "problem_count": len(problems),
        "problems": [
            {"path": finding.path, "line": finding.line, "code": finding.code, "message": finding.message}
            for finding in problems[:_MOST_PROBLEMS]
        ],
    }
    stats = asdict(state.counts) | {"disputed": state.disputed}
    sources, queue = _sources(manifest)
    return StatusAnswer(
        stats,
        _pending(bridge),
        index,
        tuple(asdict(step) for step in state.next_steps),
        sources if "sources" in include else None,
        queue if "queue" in include else None,
        tuple(asdict(hub) for hub in await bridge.read(partial(hubs, _MOST_HUBS))) if "hubs" in include else None,
    )


def _state(passed_over: Sequence[Finding], sources: Mapping[str, str]) -> Program[tuple[Status, Sequence[Finding]]]:
    """The state, and the files that could not be read as they were meant, as the same index has them. `sources` are the
    states of the raw sources."""
    from generator.update import findings_beside
    from generator.upkeep.status import wiki_status as state_of_wiki  # with it the parser: not for `initialize`

    findings = yield from findings_beside(passed_over)
    return (yield from state_of_wiki(date.today(), findings, sources)), findings


def _sources(manifest: Manifest) -> tuple[dict[str, Any], dict[str, Any]]:
    """What is known of the raw sources, and what of their queue."""
    from generator.sources.queue import counts

    known = manifest.sources.values()
    waiting = sorted((source.added_at, key) for key, source in manifest.sources.items() if source.state == "pending")
    sources = {
        "total": len(known),
        "by_kind": dict(Counter(source.kind for source in known)),
        "by_tool": dict(Counter(source.tool for source in known if source.tool)),
    }
    return sources, {"counts": counts(manifest), "next": [key for _, key in waiting[:_MOST_WAITING]]}


@dataclass(frozen=True, slots=True)
class Hub:
    """A page that many others link to."""

    path: str
    title: str
    backlinks: int


def hubs(limit: int) -> Program[list[Hub]]:
    """The pages that most other pages link to; index, log and hot, which link to everything, do not count."""
    from generator.query import Query

    sql = (
        "SELECT p.path, p.title, l.n FROM wiki_pages p JOIN (SELECT l.target, count(DISTINCT l.source) AS n"
        " FROM wiki_links l JOIN wiki_pages s ON s.id = l.source AND NOT s.special"
        " WHERE l.target IS NOT NULL AND l.source != l.target GROUP BY l.target) l ON l.target = p.id"
        " WHERE NOT p.special ORDER BY l.n DESC, p.path LIMIT ?"
    )
    return (yield Query(sql, (limit,), lambda row: Hub(*row)))


def _pending(bridge: Bridge) -> dict[str, int]:
    done, total = bridge.living.progress
    return {"notes": total - done} if total else {}
