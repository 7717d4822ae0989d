"""wiki_status: what the wiki holds, and whether its index is up to date."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import date
from functools import partial
from typing import Any

from generator.errors import IndexBusy
from mcp_bridge.index import Bridge

_PATIENCE_S = 20.0
_MOST_PROBLEMS = 20


@dataclass(frozen=True, slots=True)
class StatusAnswer:
    """`stats` is empty while the vault is indexed for the first time."""

    stats: dict[str, Any]
    pending: dict[str, int]
    index: dict[str, Any]
    next_steps: tuple[dict[str, Any], ...]


async def wiki_status(bridge: Bridge) -> StatusAnswer:
    """Tell what the wiki holds and how well it is: use it when a search finds less than expected.

    Returns `stats` (pages, links, tags, orphans, broken and ambiguous links, stale and disputed pages, counts by
    category and lifecycle), `pending` (how many notes the index still has to take in), `index` (state: current,
    updating or building; versions; `problems`: files that could not be read as meant) and `next_steps`, the most
    pressing first.

    Example: {}"""
    from generator.upkeep.status import Status  # with it the parser, which `initialize` need not wait for
    from generator.upkeep.status import wiki_status as state_of_wiki

    living = bridge.living
    try:
        is_fresh = await living.fresh(bridge.tell, patience=_PATIENCE_S)
    except IndexBusy:
        if living.ready or living.problem:
            raise
        return StatusAnswer({}, _pending(bridge), {"state": "building"}, ())
    state: Status = await bridge.read(partial(state_of_wiki, date.today(), living.findings))
    problems = [finding for finding in living.findings if finding.severity != "info"]
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
    return StatusAnswer(stats, _pending(bridge), index, tuple(asdict(step) for step in state.next_steps))


def _pending(bridge: Bridge) -> dict[str, int]:
    done, total = bridge.living.progress
    return {"notes": total - done} if total else {}
