"""Changes of the vault go into the index: parse what changed, in several processes when it is much, in one transaction."""

from __future__ import annotations

import gc
import json
import multiprocessing
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from hashlib import md5
from multiprocessing.context import BaseContext
from pathlib import Path

from generator.dates import FileDates
from generator.errors import WikiError
from generator.model import Changes, SourceFile
from generator.parser import PARSER_VERSION, ParseOptions, parse_note
from generator.properties import CREATED, UPDATED, lower_keys, read_date
from generator.relink import relink
from generator.store import PackedPage, Store, pack, timestamp
from generator.vault import Layout, Scan, decode, diff, is_page, read_note

Progress = Callable[[str, int, int], None]
"""Called with a stage's name, how much is done, and how much there is."""

_POOL_FROM = 80  # notes: below that, starting processes costs more than it saves
_CHUNK = 24
_MOST_BYTES = 64 * 1024 * 1024  # of one note; the parser then keeps `wiki.max_page_size_kb` of them
_Job = tuple[SourceFile, str]  # a note, and the digest of its known text ("" for none)


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What an update did. `parsed` counts notes whose text changed."""

    changes: Changes
    parsed: int
    data_version: int


@dataclass(frozen=True, slots=True)
class _Outcome:
    """One note read: `page` is None where its text is the known one, or where it cannot be read (`error`)."""

    file: SourceFile
    page: PackedPage | None = None
    error: str = ""


def update_index(
    store: Store,
    vault: Path,
    scan: Scan,
    layout: Layout,
    options: ParseOptions,
    *,
    nearest_links: bool = False,
    workers: int = 1,
    force: bool = False,
    progress: Progress | None = None,
) -> IndexReport:
    """Bring the index to the state of `scan`. With nothing to do, nothing is written.

    `force` parses every note again. Raises `IndexBusy` if another process writes for too long.
    """
    state = f"{PARSER_VERSION} {options} nearest={nearest_links}"
    force = force or store.meta("parse_state") != state
    dates = FileDates(vault)
    version = store.data_version()
    known = store.fingerprints()
    changes = diff(known, scan.files)
    if not changes and not force and dates.state == store.meta("dates_state"):
        return IndexReport(changes, 0, version)
    with store.transaction():
        if store.data_version() != version:  # somebody else wrote while we waited
            known = store.fingerprints()
            changes = diff(known, scan.files)
        if force:
            changes = _everything(known, scan)
        digests = {} if force else store.digests()
        read = partial(_read_one, vault, options)
        changed = _apply(store, changes, layout, read, digests, dates, workers, progress)
        _redate_all(store, dates)
        relink(store, changed, nearest=nearest_links, force=force)
        count = store.db.execute("SELECT count(*) FROM wiki_pages").fetchone()[0]
        values = {"page_count": str(count), "parse_state": state, "dates_state": dates.state, "last_indexed": timestamp()}
        store.set_meta(values | ({"last_full_reindex": timestamp()} if force else {}))
        version = store.bump_data_version()
    return IndexReport(changes, len(changed), version)


def _everything(known: Mapping[str, object], scan: Scan) -> Changes:
    """All files as changed, and those that are gone as removed."""
    paths = set(known)
    here = {file.path for file in scan.files}
    return Changes(
        tuple(file for file in scan.files if file.path not in paths),
        tuple(file for file in scan.files if file.path in paths),
        tuple(sorted(paths - here)),
    )


def _apply(
    store: Store,
    changes: Changes,
    layout: Layout,
    read: Callable[[_Job], _Outcome],
    digests: dict[str, str],
    dates: FileDates,
    workers: int,
    progress: Progress | None,
) -> set[int]:
    """Store what changed; returns the ids of the pages whose text did."""
    for path in changes.removed:
        store.remove(path)
    notes: list[SourceFile] = []
    for file in (*changes.added, *changes.modified):
        if file.is_note and is_page(layout, file.path):
            notes.append(file)
        else:
            store.forget_page(file.path)
            store.put_file(file)
    jobs = [(file, digests.get(file.path, "")) for file in notes]
    now, changed = timestamp(), set()
    for done, outcome in enumerate(_read_all(read, jobs, workers), 1):
        page_id = store.put_file(outcome.file, outcome.error)
        if outcome.page is not None:
            changed.add(page_id)
            created, updated = dates.of(outcome.file)
            page = outcome.page
            store.put_page(page_id, page, page.created or created, page.updated or updated, now)
        elif not outcome.error:
            _redate(store, [page_id], dates)
        else:
            store.forget_page(outcome.file.path)
        if progress:
            progress("parse", done, len(notes))
    return changed


def _read_all(read: Callable[[_Job], _Outcome], jobs: Sequence[_Job], workers: int) -> Iterator[_Outcome]:
    if workers < 2 or len(jobs) < _POOL_FROM:
        yield from map(read, jobs)
        return
    with ProcessPoolExecutor(workers, process_context(), _start_worker) as pool:
        yield from pool.map(read, jobs, chunksize=_CHUNK)


def _start_worker() -> None:
    """A parse makes tens of thousands of objects and few cycles: look for those less often."""
    gc.set_threshold(50_000, 20, 50)


def _read_one(vault: Path, options: ParseOptions, job: _Job) -> _Outcome:
    file, known_digest = job
    try:
        data = read_note(vault, file, _MOST_BYTES)
        if known_digest and md5(data, usedforsecurity=False).hexdigest() == known_digest:
            return _Outcome(file)
        text, problem = decode(data)
    except WikiError as error:
        return _Outcome(file, error=error.message)
    problems = (problem,) if problem else ()
    return _Outcome(file, pack(parse_note(file.path, data, text, options, problems)))


def _redate_all(store: Store, dates: FileDates) -> None:
    """Date the pages anew after git's log has grown."""
    if dates.state != store.meta("dates_state"):
        _redate(store, [row[0] for row in store.db.execute("SELECT id FROM wiki_pages").fetchall()], dates)


def _redate(store: Store, page_ids: Sequence[int], dates: FileDates) -> None:
    """Date pages anew: what their notes say, else what git or the file says."""
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


def process_context() -> BaseContext:
    """How worker processes start: `fork` where that is safe (it shares what is loaded), else `spawn`."""
    safe = sys.platform == "linux" and threading.active_count() == 1
    return multiprocessing.get_context("fork" if safe else "spawn")


def worker_count(limit: int) -> int:
    """How many processes to use: the processors that we may run on, at most `limit`."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(available, limit))
