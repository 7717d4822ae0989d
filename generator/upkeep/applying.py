"""Proposals are carried out: the edits are written, with undo copies, and the log says so."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from generator.model import Edit
from generator.upkeep.edits import Applied, apply_edits
from generator.upkeep.log import LogEntry, log_edit
from generator.upkeep.snapshot import Snapshot
from generator.vault import Layout, apply_edit

_MOST_NAMED = 10


def apply_logged(
    vault: Path,
    layout: Layout,
    wiki: Snapshot,
    edits: Sequence[Edit],
    operation: str,
    subject: str,
    *,
    now: datetime | None = None,
) -> Applied:
    """Write the edits, all or none, and add an entry to the vault's log if it keeps one.

    The files as they were are in `Applied.undo`. `now` is the local time, which dates the entry. Raises `StaleEdit`
    and `Unreadable` (for the log) before anything is written, OSError.
    """
    now = now or datetime.now().astimezone()
    # A log that cannot be added to is found out before anything is written.
    log_edit(vault, layout, LogEntry(now.date().isoformat(), operation, subject))
    applied = apply_edits(vault, edits, now=now.astimezone(UTC))
    if not applied.changed:
        return applied
    details = (f"Changed {_named(wiki, applied.changed)}", f"Undo copies: {applied.undo}" if applied.undo else "")
    entry = LogEntry(now.date().isoformat(), operation, subject, tuple(filter(None, details)))
    logged = log_edit(vault, layout, entry)
    if logged is not None:
        apply_edit(vault, logged)
    return applied


def _named(wiki: Snapshot, paths: Sequence[str]) -> str:
    pages = [wiki.by_path.get(path) for path in paths[:_MOST_NAMED]]
    names = [f"[[{wiki.link_name(page, '')}]]" if page else path for page, path in zip(pages, paths, strict=False)]
    more = len(paths) - len(names)
    return ", ".join(names) + (f" and {more} more" if more > 0 else "")
