"""Entries of log.md about sources: written while nobody else writes one, so that none is lost."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from generator.errors import WikiError
from generator.sources.lock import locked
from generator.sources.manifest import LOCK
from generator.upkeep.log import LogEntry, log_edit
from generator.vault import Layout, apply_edit


def note(vault: Path, layout: Layout, now: datetime, operation: str, subject: str, details: Sequence[str] = ()) -> str:
    """Add an entry to the vault's log, if it keeps one. Returns why that could not be done, "" where it was: what the
    entry tells of has been done all the same."""
    line = " ".join(subject.split()).replace("|", "/")
    entry = LogEntry(now.astimezone().date().isoformat(), operation, line, tuple(details))
    try:
        with locked(vault / LOCK):
            edit = log_edit(vault, layout, entry)
            if edit is not None:
                apply_edit(vault, edit)
    except (WikiError, OSError) as error:
        return f"log.md could not be written: {error.message if isinstance(error, WikiError) else error.strerror}"
    return ""
