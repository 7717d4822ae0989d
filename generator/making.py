"""The site is made where it differs from what was made last: planned, drawn, copied, written; what is gone goes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import md5
from pathlib import Path

from generator import search_shards, search_state
from generator.config import Config
from generator.digest import digest
from generator.indexer import Progress
from generator.look import Look, template_files
from generator.model import Finding
from generator.output import Known, Made, Making, Output, announce, conflict, prune, settle, write
from generator.pages import PAGES, Planned
from generator.processes import kept_heap, process_pool, without_collector, worker_count
from generator.render import Renderer
from generator.store import Store, connect_read_only
from generator.update import TimeStage
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


def make(
    config: Config,
    store: Store,
    look: Look,
    output: Output,
    known: Known,
    shared: str,
    time_stage: TimeStage,
    progress: Progress | None,
    issues: Sequence[Issue],
) -> Making:
    """Make what differs from what is `known` of the output. `shared` is a digest of what all pages are made from,
    `issues` are those that the site tells."""
    with time_stage("load"), without_collector():
        wiki = load_wiki(store.db, issues)
    with time_stage("plan"), without_collector():
        jobs, wanted, skipped = _plan(wiki, look, output, known, shared)
        assets = _assets(wiki, config, look)
        skipped += [conflict(url) for url in assets if output.is_foreign(url)]
    with time_stage("search"), without_collector():
        search = _search(config, store, wiki, look, output, known)
        skipped += [conflict(url) for url in search if output.is_foreign(url)]
    with time_stage("plan"), without_collector():
        urls = wanted | ((assets.keys() | search.keys()) - {finding.path for finding in skipped})
        announce(output, urls)
    with time_stage("graph"):
        _keep_layout(store, wiki)
    with time_stage("render"), kept_heap():
        made = list(_draw(config, wiki, look, store.path, output, jobs, progress))
    with time_stage("files"):
        made += _copy(output, assets, known)
        made += [
            Made(url, key, *write(output.folder, url, data, ours=url in output.ours))
            for url, (key, data) in search.items()
            if data is not None and not output.is_foreign(url)
        ]
        removed = prune(output, urls)
        settle(output, urls)
    return Making(made, removed, urls, skipped)


def _search(
    config: Config, store: Store, wiki: Wiki, look: Look, output: Output, known: Known
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
    made = search_shards.search_files(wiki, store.db, store.path, look.language, workers, before)
    search_state.keep(store, folder, state, made)
    search: dict[str, tuple[str, bytes | None]] = {}
    for url, data in made.files.items():
        key = known[url][0] if data is None else md5(data, usedforsecurity=False).hexdigest()
        search[url] = (key, None if data is None or output.is_fresh(url, known.get(url), key) else data)
    return search


def _are_there(output: Output, known: Known, urls: Sequence[str]) -> bool:
    """Whether files are all there as they were left."""
    return bool(urls) and all(url in known and output.is_fresh(url, known[url], known[url][0]) for url in urls)


def _keep_layout(store: Store, wiki: Wiki) -> None:
    """Work out the layout of the graph, unless it is kept from last time; before workers start, which inherit it."""
    kept = wiki.layout.kept()
    if kept != wiki.kept_layout:
        with store.transaction():
            store.set_meta({LAYOUT: kept})


def _plan(
    wiki: Wiki, look: Look, output: Output, known: Known, shared: str
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


def _copy(output: Output, files: Mapping[str, Path], known: Known) -> list[Made]:
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
