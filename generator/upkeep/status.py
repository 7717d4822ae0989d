"""The state of the wiki in numbers, and what to do next: the same for people and for agents."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from generator.model import Finding
from generator.properties import lower_keys
from generator.query import Counts, Program, Query, count_all, orphans
from generator.retrieval import STALE_AFTER
from generator.sources.keys import key_of
from generator.upkeep.flagged import contradictions

_MOST_STEPS = 6
_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to do: `count` places need it, `examples` names at most three of them (paths, with a line if known)."""

    action: str
    count: int
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Status:
    """The counts, when the index was last brought up to date (ISO 8601, UTC), its versions, and at most six steps,
    the most pressing first."""

    counts: Counts
    disputed: int
    last_indexed: str
    index_version: int
    data_version: int
    next_steps: tuple[Step, ...]


def wiki_status(
    today: date, findings: Sequence[Finding] = (), sources: Mapping[str, str] | None = None
) -> Program[Status]:
    """The state of the index. `findings` are those of `vault_findings`, which the first step is about; `sources` the
    states of the manifest's sources by key, which tell what waits to be read."""
    stale_before = (today - STALE_AFTER).isoformat()
    counts = yield from count_all(stale_before)
    meta = dict((yield Query("SELECT key, value FROM wiki_meta", (), tuple)))
    disputed = [path for path, is_disputed in (yield Query(_DISPUTED, (), _dispute)) if is_disputed]
    waiting = yield from _source_steps(sources or {})
    steps = yield from _steps(counts, disputed, stale_before, findings, waiting)
    return Status(
        counts=counts,
        disputed=len(disputed),
        last_indexed=meta.get("last_indexed", ""),
        index_version=int(meta.get("index_version", "0")),
        data_version=int(meta.get("data_version", "0")),
        next_steps=tuple([step for step in steps if step.count][:_MOST_STEPS]),
    )


_DISPUTED = (
    "SELECT path, lifecycle, meta FROM wiki_pages WHERE (lifecycle = 'disputed' OR meta LIKE '%contradicts%')"
    " AND NOT special ORDER BY path"
)
_STALE = "SELECT path FROM wiki_pages WHERE updated_at < ? AND NOT special ORDER BY updated_at, path LIMIT ?"
_LINKS = (
    "SELECT DISTINCT p.path, l.line FROM wiki_links l JOIN wiki_pages p ON p.id = l.source"
    " WHERE l.status {condition} ORDER BY p.path, l.line LIMIT ?"
)


def _path(row: tuple[str]) -> str:
    return row[0]


def _dispute(row: tuple[str, str, str]) -> tuple[str, bool]:
    path, lifecycle, meta = row
    return path, lifecycle == "disputed" or bool(contradictions(lower_keys(json.loads(meta))))


def _place(row: tuple[str, int]) -> str:
    return f"{row[0]}:{row[1]}"


def _source_steps(states: Mapping[str, str]) -> Program[list[Step]]:
    """What is to be done about raw sources."""
    keys = yield Query("SELECT path FROM raw_pages ORDER BY path", (), lambda row: key_of(row[0]))
    new = [key for key in keys if key not in states]
    failed, pending = ([key for key in sorted(states) if states[key] == state] for state in ("failed", "pending"))
    return [
        Step("see why sources have failed", len(failed), tuple(failed[:_EXAMPLES])),
        Step("ingest the sources that wait", len(pending), tuple(pending[:_EXAMPLES])),
        Step("queue the sources that are new", len(new), tuple(new[:_EXAMPLES])),
    ]


def _steps(
    counts: Counts, disputed: Sequence[str], stale_before: str, findings: Sequence[Finding], sources: Sequence[Step]
) -> Program[list[Step]]:
    """Every step, the most pressing first: what is wrong, then what waits or is unclear, then what is merely old."""
    errors = tuple(_finding_places(findings))
    broken = yield Query(_LINKS.format(condition="= 'missing'"), (_EXAMPLES,), _place)
    ambiguous = yield Query(
        _LINKS.format(condition="IN ('ambiguous', 'tied', 'tied subpath', 'alias tied')"), (_EXAMPLES,), _place
    )
    subpaths = yield Query(_LINKS.format(condition="LIKE '%subpath%'"), (_EXAMPLES,), _place)
    lonely = (yield from orphans())[:_EXAMPLES]
    stale = yield Query(_STALE, (stale_before, _EXAMPLES), _path)
    return [
        Step("write the first page", int(counts.pages == 0)),
        Step("mend what cannot be read as it was meant", len(errors), errors[:_EXAMPLES]),
        Step("mend links that lead nowhere", counts.broken, tuple(broken)),
        Step("say which page is meant by links with several candidates", counts.ambiguous, tuple(ambiguous)),
        Step("settle disputed pages", len(disputed), tuple(disputed[:_EXAMPLES])),
        *sources,
        Step("mend links whose heading or block is gone", counts.missing_subpaths, tuple(subpaths)),
        Step("link to pages that no other page links to", counts.orphans, tuple(lonely)),
        Step(f"look again at pages older than {STALE_AFTER.days} days", counts.stale, tuple(stale)),
    ]


def _finding_places(findings: Sequence[Finding]) -> Iterator[str]:
    for finding in findings:
        if finding.severity != "info" and finding.path:
            yield f"{finding.path}:{finding.line}" if finding.line else finding.path
