"""The health of the wiki as the end of a build and the site tell it: the linter's rules that need no page's text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import NamedTuple

from generator.config import Config
from generator.model import Finding
from generator.query import Program, run
from generator.sources.errors import ManifestDamaged
from generator.store import Store
from generator.update import vault_findings
from generator.upkeep.lint import age, attachments, disputed, links, on_canvases, reading
from generator.upkeep.lint.issue import Issue, LintInput, SourceFacts
from generator.upkeep.origins import lint_sources
from generator.upkeep.snapshot import take_snapshot
from generator.vault import Layout, Scan, detect_layout

_RULES = (links.RULE, reading.RULE, disputed.RULE, age.RULE, attachments.RULE)


class Health(NamedTuple):
    """The issues of the whole vault, and those that a reader of the site may know of."""

    issues: tuple[Issue, ...] = ()
    published: tuple[Issue, ...] = ()


def examine(config: Config, store: Store, scan: Scan, today: date) -> tuple[list[Finding], Health]:
    """What the end of a build tells of the vault, by path and line, and its health. The index must be up to date."""
    vault = config.wiki.vault_path
    found = vault_findings(store, scan)
    told: list[Finding] = []
    try:
        sources = lint_sources(vault)
    except ManifestDamaged as error:  # the site does without it
        sources = {}
        told.append(Finding("bad-manifest", "error", error.path or "", error.line or 0, error.message, error.hint))
    opt_in = config.site.publish == "opt-in"
    state = run(store.db, health(vault, detect_layout(vault), today, findings=found, sources=sources, opt_in=opt_in))
    told += [issue.finding() for issue in state.issues if issue.code in reading.CODES or issue.severity != "info"]
    return told, state


def health(
    vault: Path,
    layout: Layout,
    today: date,
    *,
    findings: Sequence[Finding],
    sources: Mapping[str, SourceFacts],
    opt_in: bool,
) -> Program[Health]:
    """The issues, by path and line, as `lint` finds them, but without mends. The index must be up to date.

    Of files that are no pages a reader learns of unused attachments alone, and not even of those where pages are
    published one by one (`opt_in`).
    """
    wiki = yield from take_snapshot(links="flagged")
    shown = frozenset(on_canvases(vault, wiki))
    given = LintInput(wiki, layout, today, findings, sources=sources, on_canvases=shown, mends=False)
    issues = tuple(_issues(given))
    public = wiki.published()
    files = frozenset() if opt_in else public.paths - wiki.by_path.keys()
    seen = issues if public is wiki else _issues(replace(given, wiki=public))
    known = (i for i in seen if i.path in public.by_path or (i.code in attachments.RULE.codes and i.path in files))
    return Health(issues, tuple(known))


def _issues(given: LintInput) -> Iterator[Issue]:
    found = [issue for rule in _RULES for issue in rule.check(given)]
    yield from sorted(found, key=lambda issue: (issue.path, issue.line, issue.code, issue.message))
