"""The index as the reading commands see it: brought up to date first, so that what they say is true."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from generator.cli.failure import explain
from generator.cli.terminal import dim, progress_bar, say
from generator.errors import IndexBusy
from generator.wording import counted

if TYPE_CHECKING:
    import sqlite3

    from generator.config import Config
    from generator.store import Store
    from generator.vault import Scan


class Reading(NamedTuple):
    """The index and what the vault holds. `dirty` counts files whose change is not in the index."""

    store: Store
    scan: Scan
    dirty: int


@contextmanager
def reading(config: Config) -> Iterator[Reading]:
    """The index of the vault, up to date; where it cannot be written, as it is, and a note on standard error says so.

    Raises `IndexMissing` or `IndexCorrupted` where there is none to fall back on.
    """
    import sqlite3

    from generator.update import open_and_update

    try:
        with progress_bar() as progress:
            store, _, scan = open_and_update(config, progress=progress)
    except (IndexBusy, OSError, sqlite3.OperationalError) as error:
        current = _as_it_is(config)
        behind = f"behind by {counted(current.dirty, 'file')}" if current.dirty else "up to date"
        say(dim(f"The index is {behind}, and cannot be written: {explain(error).message}"), to_stderr=True)
        close = current.store.db.close
    else:
        current, close = Reading(store, scan, 0), store.close
    try:
        yield current
    finally:
        close()


def _as_it_is(config: Config) -> Reading:
    from generator.store import Store
    from generator.vault import diff, scan

    wiki = config.wiki
    found = scan(wiki.vault_path, exclude=wiki.exclude, output=config.site.output, index=wiki.index_path)
    store = Store(wiki.index_path, _connect(wiki.index_path))
    changes = diff(store.fingerprints(), found.files)
    return Reading(store, found, len(changes.added) + len(changes.modified) + len(changes.removed))


def _connect(index: Path) -> sqlite3.Connection:
    import sqlite3

    from generator.store import open_reader

    if not index.exists() or os.access(index.parent, os.W_OK):
        return open_reader(index)
    # Even to read, SQLite writes beside the file, unless it is told that nobody changes it.
    return sqlite3.connect(f"{index.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
