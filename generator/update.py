"""Open a vault's index and bring it up to date: what build, CLI and bridge begin with."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import chain

from generator.config import Config
from generator.indexer import IndexReport, Progress, update_index
from generator.model import Finding
from generator.parse_options import ParseOptions
from generator.processes import without_collector, worker_count
from generator.query import Program, Query, run
from generator.store import Store, open_store, seen_version
from generator.vault import Layout, Scan, detect_layout, scan

_log = logging.getLogger("llmwiki.index")
TimeStage = Callable[[str], AbstractContextManager[None]]
_ERRORS = frozenset({"invalid-frontmatter", "bad-date", "bad-lifecycle"})
_INFOS = frozenset({"legacy-aliases", "legacy-property", "reviewed-lifecycle", "bad-tag"})


def open_and_update(
    config: Config,
    *,
    force: bool = False,
    check: bool = False,
    progress: Progress | None = None,
    time_stage: TimeStage = lambda name: nullcontext(),
) -> tuple[Store, IndexReport, Scan]:
    """The index of the configured vault, up to date; close the store when done.

    A damaged index is built again, with a warning in the log. `force` parses every note again, `check` reads the
    whole index for damage first. Raises `VaultError`, `IndexBusy`.
    """
    vault, index = config.wiki.vault_path, config.wiki.index_path
    looks: list[Scan] = []

    def look() -> Scan:
        looks.append(scan(vault, exclude=config.wiki.exclude, output=config.site.output, index=index))
        return looks[-1]

    with time_stage("scan"), without_collector():
        since, found = seen_version(index), look()
        layout = detect_layout(vault)
    with time_stage("open"):
        store, reason = open_store(index, check=check, cache_mb=config.performance.fts_cache_size_mb)
        if reason not in {"", "new"}:
            _log.warning("the index is built again: %s", reason)
    try:
        with time_stage("index"):
            report = update_index(
                store,
                vault,
                found,
                layout,
                parse_options(config, layout),
                since=since,
                look_again=look,
                nearest_links=config.site.nearest_links,
                workers=worker_count(config.performance.max_concurrent_indexing),
                force=force,
                progress=progress,
            )
    except BaseException:
        store.close()
        raise
    return store, report, looks[-1]


def parse_options(config: Config, layout: Layout) -> ParseOptions:
    """What a parse depends on, of the settings and the vault's layout."""
    return ParseOptions(
        strict_line_breaks=config.site.strict_line_breaks,
        raw_html=config.site.raw_html,
        pages_root=layout.pages_root,
        layout=layout.kind,
        language=config.site.language,
        opt_in=config.site.publish == "opt-in",
        max_page_size_kb=config.wiki.max_page_size_kb,
    )


def vault_findings(store: Store, found: Scan) -> tuple[Finding, ...]:
    """What scan and parse had to say of the vault as it is now, sorted by place."""
    return run(store.db, findings_beside(found.problems))


def findings_beside(problems: Sequence[Finding]) -> Program[tuple[Finding, ...]]:
    """The `problems` of a scan, and what parsing had to say, sorted by place."""
    sql = "SELECT path, problem FROM wiki_files WHERE problem != ''"
    unreadable = yield Query(sql, (), lambda row: Finding("unreadable", "warning", row[0], 1, row[1]))
    sql = "SELECT path, problems FROM wiki_pages WHERE problems != '[]'"
    parsed = yield Query(sql, (), lambda row: [_finding(row[0], *problem) for problem in json.loads(row[1])])
    findings = [*problems, *unreadable, *chain.from_iterable(parsed)]
    return tuple(sorted(findings, key=lambda finding: (finding.path, finding.line, finding.code, finding.message)))


def _finding(path: str, code: str, message: str, line: int) -> Finding:
    return Finding(code, "error" if code in _ERRORS else "info" if code in _INFOS else "warning", path, line, message)
