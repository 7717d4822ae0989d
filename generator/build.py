"""The whole story: a vault goes into the index, and from the index a site is made where it differs."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from hashlib import md5
from pathlib import Path

from generator import __version__, search_shards, search_state
from generator.config import Config
from generator.indexer import Progress
from generator.model import Finding, Report
from generator.output import Made, Output, Stamp, conflict, open_output, prune, write, write_manifest
from generator.pages import PAGES, Planned
from generator.pages.kind import digest
from generator.processes import process_pool, without_collector, worker_count
from generator.render import Look, Renderer, template_files, template_state
from generator.store import Store, connect_read_only
from generator.update import open_and_update
from generator.upkeep.health import examine
from generator.upkeep.lint.issue import Issue
from generator.urls import ASSETS
from generator.wiki import LAYOUT, Wiki, load_wiki

_POOL_FROM = 60
_CHUNK = 16
_ASSET_NAMES = ("graph.js", "graph-page.js", "graph-local.js", "favicon.svg")


@dataclass(frozen=True, slots=True)
class _Job:
    """A page to draw: the place of its kind in PAGES, its plan, its key, and whether the file there is ours."""

    kind: int
    page: Planned
    key: str
    ours: bool


@dataclass(frozen=True, slots=True)
class _Making:
    """What was made: the files, how many were removed, the URLs of all that belong to the site, and the conflicts."""

    made: list[Made]
    removed: int
    urls: set[str]
    skipped: list[Finding]


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
    output = open_output(config.site.output, config.wiki.vault_path)
    store, index_report, scan = open_and_update(config, force=force, progress=progress, time_stage=clock.time)
    try:
        with store.transaction():  # the writer's lock, so that all steps and all workers read the same index
            with clock.time("plan"):
                known = {} if force else _known(store, output)
                shared = digest([__version__, config.fingerprint(), template_state(look.templates)])
                state = digest([shared, str(look.today), store.meta("data_version")])
            with clock.time("health"):
                findings, health = examine(config, store, scan, look.today)
            if known and _is_up_to_date(store, output, known, state):
                making = _Making([], 0, set(known), [])
            else:
                making = _make(config, store, look, output, known, shared, clock, progress, health.published)
            with clock.time("keys"):
                _remember(store, output, making, state)
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


def _is_up_to_date(store: Store, output: Output, known: Mapping[str, tuple[str, Stamp]], state: str) -> bool:
    """Whether the site was made from just this state, and every file is still as it was left."""
    if store.meta(_state_key(output)) != state or known.keys() != output.ours:
        return False
    return all(output.present.get(url) == stamp for url, (_, stamp) in known.items())


def _state_key(output: Output) -> str:
    return f"site_state {output.folder}"


def _make(
    config: Config,
    store: Store,
    look: Look,
    output: Output,
    known: Mapping[str, tuple[str, Stamp]],
    shared: str,
    clock: _Clock,
    progress: Progress | None,
    issues: Sequence[Issue],
) -> _Making:
    """Make what differs."""
    with clock.time("load"), without_collector():
        wiki = load_wiki(store.db, issues)
    with clock.time("plan"), without_collector():
        jobs, wanted, skipped = _plan(wiki, look, output, known, shared)
        assets = _assets(wiki, config, look)
        skipped += [conflict(url) for url in assets if output.is_foreign(url)]
    with clock.time("search"):
        search = _search(config, store, wiki, look, output, known)
        skipped += [conflict(url) for url in search if output.is_foreign(url)]
    with clock.time("plan"):
        urls = wanted | ((assets.keys() | search.keys()) - {finding.path for finding in skipped})
        if urls != output.ours:
            write_manifest(output, output.ours | urls)
    with clock.time("graph"):
        _keep_layout(store, wiki)
    with clock.time("render"):
        made = list(_draw(config, wiki, look, store.path, output, jobs, progress))
    with clock.time("files"):
        made += _copy(output, assets, known)
        made += [
            Made(url, key, *write(output.folder, url, data, ours=url in output.ours))
            for url, (key, data) in search.items()
            if data is not None and not output.is_foreign(url)
        ]
        removed = prune(output, urls)
        if urls != output.ours:
            write_manifest(output, urls)
    return _Making(made, removed, urls, skipped)


def _search(
    config: Config, store: Store, wiki: Wiki, look: Look, output: Output, known: Mapping[str, tuple[str, Stamp]]
) -> dict[str, tuple[str, bytes | None]]:
    """Key and bytes of the files of the search, by URL; None where they are there already."""
    folder, state = str(output.folder), search_shards.state(wiki, look.language)
    kept = search_state.kept(store, folder)
    before = None
    if kept.making == search_state.making(store) and _are_there(output, known, kept.urls):
        if kept.state == state:
            return {url: (known[url][0], None) for url in kept.urls}
        before = search_state.before(store, folder, lambda url: (output.folder / url).read_bytes())
    workers = worker_count(config.performance.max_concurrent_indexing)
    with without_collector():
        made = search_shards.search_files(wiki, store.db, store.path, look.language, workers, before)
    search_state.keep(store, folder, state, made)
    search: dict[str, tuple[str, bytes | None]] = {}
    for url, data in made.files.items():
        key = known[url][0] if data is None else md5(data, usedforsecurity=False).hexdigest()
        search[url] = (key, None if data is None or output.is_fresh(url, known.get(url), key) else data)
    return search


def _are_there(output: Output, known: Mapping[str, tuple[str, Stamp]], urls: Sequence[str]) -> bool:
    """Whether files are all there as they were left."""
    return bool(urls) and all(url in known and output.is_fresh(url, known[url], known[url][0]) for url in urls)


def _keep_layout(store: Store, wiki: Wiki) -> None:
    """Work out the layout of the graph, unless it is kept from last time; before workers start, which inherit it."""
    kept = wiki.layout.kept()
    if kept != wiki.kept_layout:
        with store.transaction():
            store.set_meta({LAYOUT: kept})


def look_of(config: Config, today: date) -> Look:
    """The settings that pages are drawn with."""
    site = config.site
    return Look(config.wiki.vault_path, site.title, site.language, site.base_url, site.theme, site.templates, today)


def _plan(
    wiki: Wiki, look: Look, output: Output, known: Mapping[str, tuple[str, Stamp]], shared: str
) -> tuple[list[_Job], set[str], list[Finding]]:
    """The pages to draw, the URLs of all pages, and the conflicts with foreign files."""
    shared = digest([shared, *_sidebar_parts(wiki)])
    jobs: list[_Job] = []
    wanted: set[str] = set()
    skipped: list[Finding] = []
    for number, kind in enumerate(PAGES):
        made_with = digest([shared, kind.name])
        for page in kind.plan(wiki, look):
            if output.is_foreign(page.url):
                skipped.append(conflict(page.url))
                continue
            wanted.add(page.url)
            key = f"{made_with} {page.digest}"
            if not output.is_fresh(page.url, known.get(page.url), key):
                jobs.append(_Job(number, page, key, page.url in output.ours))
    return jobs, wanted, skipped


def _sidebar_parts(wiki: Wiki) -> Sequence[str]:
    """What the sidebar of every page shows."""
    return wiki.folders[""].subfolders


def _known(store: Store, output: Output) -> dict[str, tuple[str, Stamp]]:
    rows = store.db.execute("SELECT url, key, size, mtime_ns FROM wiki_outputs WHERE folder = ?", (str(output.folder),))
    return {url: (key, Stamp(size, mtime)) for url, key, size, mtime in rows}


def _remember(store: Store, output: Output, making: _Making, state: str) -> None:
    """Keep the keys of what was made and the state that it was made from, and forget what is gone."""
    if making.skipped:
        state = ""  # the conflict is to be told again next time
    folder = str(output.folder)
    gone = [
        (folder, url)
        for (url,) in store.db.execute("SELECT url FROM wiki_outputs WHERE folder = ?", (folder,)).fetchall()
        if url not in making.urls
    ]
    if not making.made and not gone and store.meta(_state_key(output)) == state:
        return
    with store.transaction():
        store.db.executemany("DELETE FROM wiki_outputs WHERE folder = ? AND url = ?", gone)
        store.db.executemany(
            "INSERT OR REPLACE INTO wiki_outputs VALUES (?, ?, ?, ?, ?)",
            [(folder, item.url, item.key, *item.stamp) for item in making.made],
        )
        store.set_meta({_state_key(output): state})


def _draw(
    config: Config, wiki: Wiki, look: Look, index: Path, output: Output, jobs: list[_Job], progress: Progress | None
) -> Iterator[Made]:
    """Draw and write the pages, in several processes when they are many."""
    workers = worker_count(config.performance.max_concurrent_indexing)
    if workers < 2 or len(jobs) < _POOL_FROM:
        if not jobs:
            return
        db = connect_read_only(index)
        try:
            painter = _Painter(wiki, db, look, output.folder)
            for done, job in enumerate(jobs, 1):
                yield painter.make(job)
                if progress:
                    progress("render", done, len(jobs))
        finally:
            db.close()
        return
    arguments = (wiki, index, look, output.folder)
    with process_pool(workers, _start_worker, arguments) as pool:
        for done, made in enumerate(pool.map(_make_in_worker, jobs, chunksize=_CHUNK), 1):
            yield made
            if progress:
                progress("render", done, len(jobs))


class _Painter:
    """Draws and writes single pages."""

    def __init__(self, wiki: Wiki, db: sqlite3.Connection, look: Look, folder: Path) -> None:
        self._renderer = Renderer(wiki, db, look)
        self._folder = folder

    def make(self, job: _Job) -> Made:
        kind = PAGES[job.kind]
        data = kind.make(self._renderer, job.page.subject, job.page.url)
        return Made(job.page.url, job.key, *write(self._folder, job.page.url, data, ours=job.ours))


_painters: list[_Painter] = []  # in a worker process: its one painter


def _start_worker(wiki: Wiki, index: Path, look: Look, folder: Path) -> None:
    _painters.append(_Painter(wiki, connect_read_only(index), look, folder))


def _make_in_worker(job: _Job) -> Made:
    return _painters[0].make(job)


def _assets(wiki: Wiki, config: Config, look: Look) -> dict[str, Path]:
    """Files to copy, by output path: our stylesheets and scripts, and what published pages refer to."""
    templates = template_files(look.templates)
    files = {f"{ASSETS}/{name}": templates[name] for name in _ASSET_NAMES if name in templates}
    for attachment in wiki.attachments.values():
        files[attachment.url] = config.wiki.vault_path / attachment.disk
    return files


def _copy(output: Output, files: Mapping[str, Path], known: Mapping[str, tuple[str, Stamp]]) -> list[Made]:
    """Copy the files that differ."""
    made = []
    for url, path in files.items():
        if output.is_foreign(url):
            continue
        try:
            status = path.stat()
            key = f"{status.st_mtime_ns} {status.st_size} {status.st_ctime_ns} {status.st_ino}"
            if output.is_fresh(url, known.get(url), key):
                continue
            data = path.read_bytes()
        except OSError:
            continue  # it went away since the scan: the next build sees that
        made.append(Made(url, key, *write(output.folder, url, data, ours=url in output.ours)))
    return made
