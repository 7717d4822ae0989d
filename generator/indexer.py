"""Changes of the vault go into the index, in one transaction."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from generator import __version__
from generator.dates import FileDates
from generator.model import Changes, SourceFile
from generator.parse_options import ParseOptions, parser_version
from generator.raw import raw_changes, raw_files, store_raw
from generator.store import Store, timestamp
from generator.vault import Layout, Scan, diff, is_page

if TYPE_CHECKING:
    from generator.reading import Job, Reading

Progress = Callable[[str, int, int], None]
"""Called with a stage's name, how much is done, and how much there is."""


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What an update did. `parsed` counts notes whose text changed."""

    changes: Changes
    parsed: int
    data_version: int


def update_index(
    store: Store,
    vault: Path,
    scan: Scan,
    layout: Layout,
    options: ParseOptions,
    *,
    since: int,
    look_again: Callable[[], Scan],
    nearest_links: bool = False,
    workers: int = 1,
    force: bool = False,
    progress: Progress | None = None,
) -> IndexReport:
    """Bring the index to the state of `scan`. With nothing to do, nothing is written.

    `since` is the data version before the scan: where somebody has written the index after it, the scan may be older
    than what is indexed, and `look_again` makes another one. `force` parses every note again. Raises `IndexBusy` if
    another process writes for too long.
    """
    state = f"{__version__} {parser_version()} {options} nearest={nearest_links}"
    force = force or store.meta("parse_state") != state
    dates = FileDates(vault)
    known = store.fingerprints()
    changes = diff(known, scan.files)
    sources = raw_files(vault, scan, layout)
    raw = raw_changes(store.db, store.path, sources)
    if not (changes or raw or force) and dates.state == store.meta("dates_state"):
        return IndexReport(changes, 0, store.data_version())
    # Loaded only now: most runs find nothing to do, and the parser takes longer to load than a search takes.
    from generator.query_fence import keep_answers
    from generator.reading import read_notes
    from generator.relink import relink

    with store.transaction():
        if store.data_version() != since:
            scan = look_again()
            known, sources = store.fingerprints(), raw_files(vault, scan, layout)
            changes, raw = diff(known, scan.files), raw_changes(store.db, store.path, sources)
        if force:
            store.forget_searched()
            changes, raw = _everything(known, scan.files), _everything(store.raw_paths(), sources)
        digests = {} if force else store.digests()
        notes = [file for file in (*changes.added, *changes.modified) if file.is_note and is_page(layout, file.path)]
        jobs: list[Job] = [(file, digests.get(file.path, "")) for file in notes]
        _store_files(store, changes, {file.path for file in notes})
        changed = _store_notes(store, read_notes(vault, options, jobs, workers), dates, len(jobs), progress)
        store_raw(store.db, store.path, vault, raw, options, dates)
        _redate_all(store, dates)
        relink(store, changed, nearest=nearest_links, force=force)
        keep_answers(store.db, changed)
        _remember(store, state, dates, force)
        version = store.bump_data_version()
    return IndexReport(changes, len(changed), version)


def _remember(store: Store, state: str, dates: FileDates, force: bool) -> None:
    """Keep what the index was made from."""
    count = store.db.execute("SELECT count(*) FROM wiki_pages").fetchone()[0]
    values = {
        "page_count": str(count),
        "parse_state": state,
        "dates_state": dates.state,
        "last_indexed": timestamp(),
    }
    store.set_meta(values | ({"last_full_reindex": timestamp()} if force else {}))


def _everything(known: Iterable[str], files: Sequence[SourceFile]) -> Changes:
    """All files as changed, and those that are gone as removed."""
    paths = set(known)
    here = {file.path for file in files}
    return Changes(
        tuple(file for file in files if file.path not in paths),
        tuple(file for file in files if file.path in paths),
        tuple(sorted(paths - here)),
    )


def _store_files(store: Store, changes: Changes, notes: set[str]) -> None:
    """Store all that is no page, and forget what is gone."""
    for path in changes.removed:
        store.remove(path)
    for file in (*changes.added, *changes.modified):
        if file.path not in notes:
            store.forget_page(file.path)
            store.put_file(file)


def _store_notes(
    store: Store, readings: Iterable[Reading], dates: FileDates, count: int, progress: Progress | None
) -> set[int]:
    """Store notes as they come from the parser; returns the ids of the pages whose text changed."""
    now, changed = timestamp(), set()
    for done, reading in enumerate(readings, 1):
        page_id, page = store.put_file(reading.file, reading.error), reading.page
        if page is not None:
            changed.add(page_id)
            created, updated = dates.of(reading.file)
            store.put_page(page_id, page, page.created or created, page.updated or updated, now)
        elif reading.error:
            store.forget_page(reading.file.path)
        else:
            _redate(store, [page_id], dates)
        if progress:
            progress("parse", done, count)
    return changed


def _redate_all(store: Store, dates: FileDates) -> None:
    """Date the pages anew after git's log has grown."""
    if dates.state != store.meta("dates_state"):
        _redate(store, [row[0] for row in store.db.execute("SELECT id FROM wiki_pages").fetchall()], dates)


def _redate(store: Store, page_ids: Sequence[int], dates: FileDates) -> None:
    """Date pages anew: what their notes say, else what git or the file says."""
    from generator.properties import CREATED, UPDATED, lower_keys, read_date

    for page_id in page_ids:
        row = store.db.execute(
            "SELECT p.meta, f.path, f.disk, f.mtime_ns, f.size, f.ctime_ns, f.inode"
            " FROM wiki_pages p JOIN wiki_files f USING (id) WHERE id = ?",
            (page_id,),
        ).fetchone()
        if row:
            meta = lower_keys(json.loads(row[0]))
            own = (read_date(meta, CREATED), read_date(meta, UPDATED))
            new = tuple(mine or derived for mine, derived in zip(own, dates.of(SourceFile(*row[1:])), strict=True))
            store.db.execute("UPDATE wiki_pages SET created_at = ?, updated_at = ? WHERE id = ?", (*new, page_id))
