"""The whole story: a vault goes into the index, and from the index a site is made where it differs."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, field
from datetime import date

from generator import __version__
from generator.config import Config
from generator.digest import digest
from generator.indexer import Progress
from generator.look import Look, look_of, template_state
from generator.model import Finding, Report
from generator.output import Known, Making, Output, open_output
from generator.processes import without_collector
from generator.sources.manifest import FILE as SOURCES
from generator.store import Store
from generator.update import open_and_update
from generator.vault import Scan


@dataclass(slots=True)
class _Clock:
    """Seconds spent in each stage."""

    stages: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def time(self, stage: str) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.stages[stage] = self.stages.get(stage, 0.0) + time.perf_counter() - start


def build(
    config: Config, *, force: bool = False, today: date | None = None, progress: Progress | None = None
) -> Report:
    """Bring index and site up to date. `force` makes everything anew.

    Raises `WikiError`: a missing vault, an output folder that is not ours, an index that is busy, a full disk.
    """
    start, clock = time.perf_counter(), _Clock()
    look = look_of(config, today or date.today())
    with clock.time("output"), without_collector():
        output = open_output(config.site.output, config.wiki.vault_path)
    store, index_report, scan = open_and_update(config, force=force, progress=progress, time_stage=clock.time)
    try:
        with store.transaction():  # the writer's lock, so that all steps and all workers read the same index
            with clock.time("compare"), without_collector():
                shared = digest([__version__, config.fingerprint(), template_state(look.templates)])
                state = _state(config, store, scan, look, shared)
                findings = None if force else _told_of(store, output, state)
                making = Making([], 0, output.ours, [])
                known = {} if force or findings is not None else _known(store, output)
            if findings is None:
                # Loaded only now: it takes longer to load than to see that there is nothing to do.
                from generator.making import make
                from generator.upkeep.health import examine

                with clock.time("health"), without_collector():
                    findings, health = examine(config, store, scan, look.today)
                making = make(config, store, look, output, known, shared, clock.time, progress, health.published)
                with clock.time("keys"):
                    _remember(store, output, making, state, findings)
            pages = store.db.execute("SELECT count(*) FROM wiki_pages WHERE published").fetchone()[0]
        with clock.time("keys"):
            store.vacuum_if_due()
    finally:
        store.close()
    written = sum(item.written for item in making.made)
    return Report(
        pages=pages,
        parsed=index_report.parsed,
        written=written,
        kept=len(making.urls) - written,
        removed=making.removed,
        warnings=(*findings, *making.skipped),
        seconds=time.perf_counter() - start,
        stages=clock.stages,
    )


# ── what a folder was made from ─────────────────────────────────────────────────────────────────────────


def _state(config: Config, store: Store, scan: Scan, look: Look, shared: str) -> str:
    """A digest of all that a site is made from, and of all that the end of a build tells."""
    try:
        status = (config.wiki.vault_path / SOURCES).stat()
        sources = f"{status.st_mtime_ns} {status.st_size}"
    except OSError:
        sources = ""
    return digest([shared, str(look.today), store.meta("data_version"), sources, *map(repr, scan.problems)])


def _told_of(store: Store, output: Output, state: str) -> list[Finding] | None:
    """What was told of a site that was made from just this state, and whose files are all as they were left; None for
    any other."""
    if store.meta(_key("state", output)) != state:
        return None
    rows = store.db.execute("SELECT url, size, mtime_ns FROM wiki_outputs WHERE folder = ?", (str(output.folder),))
    left = {url: (size, mtime) for url, size, mtime in rows}
    present = output.present
    if left.keys() != output.ours or any(present.get(url) != stamp for url, stamp in left.items()):
        return None
    return [Finding(*row) for row in json.loads(store.meta(_key("findings", output)))]


def _known(store: Store, output: Output) -> Known:
    rows = store.db.execute("SELECT url, key, size, mtime_ns FROM wiki_outputs WHERE folder = ?", (str(output.folder),))
    return {url: (key, (size, mtime)) for url, key, size, mtime in rows}


def _remember(store: Store, output: Output, making: Making, state: str, findings: Sequence[Finding]) -> None:
    """Keep the keys of what was made and the state that it was made from, and forget what is gone."""
    if making.skipped:
        state = ""  # the conflict is to be told again next time
    folder = str(output.folder)
    urls = store.db.execute("SELECT url FROM wiki_outputs WHERE folder = ?", (folder,)).fetchall()
    gone = [(folder, url) for (url,) in urls if url not in making.urls]
    with store.transaction():
        store.db.executemany("DELETE FROM wiki_outputs WHERE folder = ? AND url = ?", gone)
        store.db.executemany(
            "INSERT OR REPLACE INTO wiki_outputs VALUES (?, ?, ?, ?, ?)",
            [(folder, item.url, item.key, *item.stamp) for item in making.made],
        )
        told = json.dumps([astuple(finding) for finding in findings], ensure_ascii=False)
        store.set_meta({_key("state", output): state, _key("findings", output): told})


def _key(name: str, output: Output) -> str:
    return f"site_{name} {output.folder}"
