"""The daily round: what is new, index.md, hot.md, and an entry in the log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from generator.model import Edit
from generator.query import Program
from generator.upkeep.edits import read_source
from generator.upkeep.log import LogEntry, log_edit, log_path, read_log
from generator.upkeep.snapshot import Snapshot, take_snapshot
from generator.upkeep.special_files import hot_edit, index_edit
from generator.vault import Layout, apply_edit

OPERATION = "daily"


@dataclass(frozen=True, slots=True)
class DailyPlan:
    """What the round found: paths of pages updated and new since the one before (`since`, ISO date), sources by state,
    and the edits that are due: index.md, hot.md, log.md."""

    since: str
    updated: tuple[str, ...]
    new: tuple[str, ...]
    sources: Mapping[str, int]
    edits: tuple[Edit, ...]


def plan_daily(
    vault: Path,
    layout: Layout,
    today: date,
    *,
    language: str = "en",
    nearest: bool = False,
    source_states: Sequence[str] = (),
) -> Program[DailyPlan]:
    """What is due today. The index must be up to date; `source_states` are the states of the manifest's sources.

    Once it has been written, a second plan of the same day has no edits. Raises `Unreadable` for a special file that
    is not UTF-8.
    """
    wiki = yield from take_snapshot(nearest=nearest, links="lean")
    entries = _entries(vault, layout)
    since = _since(entries, today)
    updated, new = _fresh(wiki, since)
    edits = [index_edit(vault, layout, wiki, language), hot_edit(vault, layout, wiki, today, language)]
    states = {state: source_states.count(state) for state in sorted(set(source_states))}
    due = [edit for edit in edits if edit is not None]
    if due or not any(entry.operation == OPERATION and entry.date == today.isoformat() for entry in entries):
        waiting = states.get("pending", 0) + states.get("failed", 0)
        details = [f"{len(updated)} updated, {len(new)} of them new, since {since}"]
        details += [f"Wrote {edit.path}" for edit in due]
        details += [f"{waiting} source{'s wait' if waiting > 1 else ' waits'} to be ingested"] if waiting else []
        written = log_edit(vault, layout, LogEntry(today.isoformat(), OPERATION, _subject(language), tuple(details)))
        due += [written] if written else []
    return DailyPlan(since, updated, new, states, tuple(due))


def write_daily(vault: Path, plan: DailyPlan) -> tuple[str, ...]:
    """Write what the plan holds, each file whole or not at all; returns the paths. Raises `StaleEdit`, OSError."""
    for edit in plan.edits:
        apply_edit(vault, edit)
    return tuple(edit.path for edit in plan.edits)


def _subject(language: str) -> str:
    return "每日更新" if language == "zh" else "daily update"


def _entries(vault: Path, layout: Layout) -> list[LogEntry]:
    path = log_path(vault, layout)
    return read_log(read_source(vault, path).text) if path and (vault / path).exists() else []


def _since(entries: Sequence[LogEntry], today: date) -> str:
    """The day of the last round before today; yesterday where there was none."""
    days = [entry.date for entry in entries if entry.operation == OPERATION and entry.date < today.isoformat()]
    return max(days, default=(today - timedelta(days=1)).isoformat())


def _fresh(wiki: Snapshot, since: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    updated = tuple(page.path for page in wiki.content_pages if page.updated_at[:10] >= since)
    new = tuple(path for path in updated if wiki.by_path[path].created_at[:10] >= since)
    return updated, new
