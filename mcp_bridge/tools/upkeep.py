"""wiki_lint, cross_linker and tag_taxonomy: what is amiss, and what could be mended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from generator.upkeep.severity import Severity
from mcp_bridge.arguments import AsList, Text, refused
from mcp_bridge.index import Bridge
from mcp_bridge.paging import fitting, place_of
from mcp_bridge.writing import require

if TYPE_CHECKING:
    from generator.model import Edit
    from generator.query import Program

_Path = Annotated[Text, Field(description="Page or folder.")]
_Ids = Annotated[tuple[str, ...], AsList]
_Limit = Annotated[int, Field(ge=1, le=200)]
_MOST_PAGES = 20  # named of one tag


@dataclass(frozen=True, slots=True)
class LintIssue:
    """One thing that is amiss; `fix` says how to mend it ("" where only a person can tell)."""

    id: str
    code: str
    severity: str
    path: str
    line: int
    message: str
    fix: str


@dataclass(frozen=True, slots=True)
class LintAnswer:
    """The issues of this call. `counts` are of all, by severity; `fixes` of those that `llmwiki lint --fix` mends."""

    issues: tuple[LintIssue, ...]
    counts: dict[str, int]
    fixes: int
    next_cursor: str | None = None


async def wiki_lint(
    bridge: Bridge,
    path: _Path = "",
    level: Annotated[Severity, Field(description="The least grave.")] = "warning",
    checks: Annotated[tuple[str, ...], AsList] = (),
    limit: _Limit = 50,
    cursor: Text = "",
) -> LintAnswer:
    """Find what is amiss: broken links, missing properties, orphans, secrets. Use it after writing pages.

    Returns `issues` (id, code, severity, path, line, message, fix), `counts`, `fixes`, `next_cursor`.

    Example: {"path": "wiki/concepts", "level": "error"}"""
    from generator.upkeep.lint import CODES

    if unknown := [code for code in checks if code not in CODES]:
        raise refused({"checks": f"there is no check {unknown[0][:40]!r}: there are {', '.join(CODES)}"}, ["checks"])
    place = place_of(cursor, path, level, sorted(checks))
    with bridge.naming(path):
        shown, counts, mendable = await bridge.examine(partial(_lint, bridge, path, level, checks))
    kept = fitting(shown[place.offset : place.offset + limit])
    return LintAnswer(kept, counts, mendable, place.after(len(kept), len(shown)))


def _lint(
    bridge: Bridge, path: str, level: Severity, checks: Sequence[str]
) -> Program[tuple[list[LintIssue], dict[str, int], int]]:
    from dataclasses import replace

    from generator.update import findings_beside
    from generator.upkeep.lint import lint
    from generator.upkeep.origins import lint_sources
    from generator.upkeep.scope import scope_of
    from generator.vault import detect_layout

    vault, site = bridge.config.wiki.vault_path, bridge.config.site
    below = yield from scope_of(path)
    report = yield from lint(
        vault,
        detect_layout(vault),
        date.today(),
        findings=(yield from findings_beside(bridge.living.passed_over)),
        sources=lint_sources(vault),
        nearest=site.nearest_links,
        language=site.language,
    )
    report = replace(report, issues=report.shown(level="info", checks=checks, path=below))
    shown = report.shown(level=level)
    counts: dict[str, int] = {str(name): count for name, count in report.counts().items()}
    issues = [LintIssue(i.id, i.code, i.severity, i.path, i.line, i.message, i.fix) for i in shown]
    return issues, counts, sum(issue.repair is not None for issue in shown)


@dataclass(frozen=True, slots=True)
class BrokenLink:
    """A link that leads nowhere."""

    source: str
    target: str
    line: int


@dataclass(frozen=True, slots=True)
class LinkProposal:
    """A place on `source` that names `target` without linking to it."""

    id: str
    source: str
    target: str
    line: int
    text: str
    score: int
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LinksAnswer:
    """Broken links, proposals by falling score (`total` in all), and the pages that were changed."""

    missing_links: tuple[BrokenLink, ...]
    suggestions: tuple[LinkProposal, ...]
    changed: tuple[str, ...]
    total: int
    next_cursor: str | None = None


async def cross_linker(
    bridge: Bridge,
    path: _Path = "",
    dry_run: bool = True,
    ids: _Ids = (),
    min_score: Annotated[int, Field(ge=1, le=20)] = 3,
    limit: _Limit = 20,
    cursor: Text = "",
) -> LinksAnswer:
    """Find places where a page names another without linking to it, and links that lead nowhere: use it after writing
    pages. Writes only with `dry_run` false and the `ids` that you judged right; STALE: the page has changed since.

    Returns `missing_links` (source, target, line), `suggestions` (id, source, target, line, text, score, reasons),
    `changed` pages, `total`, `next_cursor`.

    Example: {"path": "wiki/concepts/Tea.md"}"""
    if not dry_run:
        require(bridge, "all", "dry_run=true")
        _require_ids(ids, "dry_run")
    place = place_of(cursor, path, min_score)
    with bridge.naming(path):
        ask = partial(_links, bridge, path, min_score, dry_run, ids)
        missing, proposals, changed = await (bridge.examine(ask) if dry_run else bridge.change(ask))
    broken = fitting(missing[:limit]) if not place.offset else ()
    kept = fitting(proposals[place.offset : place.offset + limit], beside=sum(len(str(each)) for each in broken))
    return LinksAnswer(broken, kept, changed, len(proposals), place.after(len(kept), len(proposals)))


def _links(
    bridge: Bridge, path: str, min_score: int, dry_run: bool, ids: Sequence[str]
) -> Program[tuple[list[BrokenLink], list[LinkProposal], tuple[str, ...]]]:
    from generator.upkeep.cross_linker import cross_link, link_edits
    from generator.upkeep.scope import scope_of
    from generator.upkeep.snapshot import take_snapshot

    vault, nearest = bridge.config.wiki.vault_path, bridge.config.site.nearest_links
    below = yield from scope_of(path)
    found = yield from cross_link(vault, path=below, min_score=min_score, nearest=nearest)
    changed: tuple[str, ...] = ()
    if not dry_run:
        wiki = yield from take_snapshot(nearest=nearest)
        changed = yield from _apply(bridge, link_edits(vault, wiki, found.suggestions, ids), "link", "links")
    missing = [BrokenLink(each.source, each.target, each.line) for each in found.missing]
    proposals = [
        LinkProposal(each.id, each.source, each.target, each.line, each.text, each.score, each.reasons)
        for each in found.suggestions
    ]
    return missing, proposals, changed


@dataclass(frozen=True, slots=True)
class TagProblem:
    """A tag that is not as agreed; `canonical` is what it should be ("" where none is known), `page_count` how many
    pages carry it, of which `pages` are the first."""

    id: str
    kind: str
    tag: str
    canonical: str
    pages: tuple[str, ...]
    page_count: int


@dataclass(frozen=True, slots=True)
class TagsAnswer:
    """The conflicts of this call, `total` in all, and the pages that were changed."""

    conflicts: tuple[TagProblem, ...]
    changed: tuple[str, ...]
    total: int
    next_cursor: str | None = None


async def tag_taxonomy(
    bridge: Bridge,
    path: _Path = "",
    enforce: bool = False,
    ids: _Ids = (),
    limit: _Limit = 50,
    cursor: Text = "",
) -> TagsAnswer:
    """Compare the tags with the taxonomy (`_meta/taxonomy.md`) and with each other: use it before you invent a tag.
    Writes only with `enforce` true and the `ids` to mend.

    Returns `conflicts` (id, kind, tag, canonical, pages, page_count), `changed` pages, `total`, `next_cursor`.

    Example: {"path": "wiki"}"""
    if enforce:
        require(bridge, "all", "enforce=false")
        _require_ids(ids, "enforce")
    place = place_of(cursor, path)
    with bridge.naming(path):
        ask = partial(_tags, bridge, path, enforce, ids)
        conflicts, changed = await (bridge.change(ask) if enforce else bridge.examine(ask))
    kept = fitting(conflicts[place.offset : place.offset + limit])
    return TagsAnswer(kept, changed, len(conflicts), place.after(len(kept), len(conflicts)))


def _tags(
    bridge: Bridge, path: str, enforce: bool, ids: Sequence[str]
) -> Program[tuple[list[TagProblem], tuple[str, ...]]]:
    from generator.upkeep import taxonomy
    from generator.upkeep.scope import scope_of
    from generator.upkeep.snapshot import take_snapshot

    vault = bridge.config.wiki.vault_path
    below = yield from scope_of(path)
    wiki = yield from take_snapshot(nearest=bridge.config.site.nearest_links)
    found = taxonomy.conflicts_below(wiki, taxonomy.tag_conflicts(wiki, taxonomy.load_taxonomy(vault)), below)
    changed: tuple[str, ...] = ()
    if enforce:
        changed = yield from _apply(bridge, taxonomy.enforce(vault, wiki, found, ids), "tags", "tags")
    conflicts = [
        TagProblem(each.id, each.kind, each.tag, each.canonical, each.pages[:_MOST_PAGES], len(each.pages))
        for each in found
    ]
    return conflicts, changed


def _apply(bridge: Bridge, edits: Sequence[Edit], operation: str, what: str) -> Program[tuple[str, ...]]:
    """Write the edits and the log entry; returns the pages changed. Raises StaleEdit before anything is written."""
    from generator.upkeep.applying import apply_logged
    from generator.upkeep.snapshot import take_snapshot
    from generator.vault import detect_layout

    vault = bridge.config.wiki.vault_path
    wiki = yield from take_snapshot(nearest=bridge.config.site.nearest_links)
    subject = f"{what} on {len(edits)} page{'' if len(edits) == 1 else 's'}, asked for by an agent"
    return apply_logged(vault, detect_layout(vault), wiki, edits, operation, subject).changed


def _require_ids(ids: Sequence[str], switch: str) -> None:
    if not ids:
        raise refused({"ids": f"name what to write when `{switch}` asks for writing"}, ["ids", switch])
