"""`llmwiki lint`: what is amiss in the wiki, and mending what can be mended without thought."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generator.cli.arguments import Commands, add_command
from generator.cli.reading import reading
from generator.cli.settings import settings
from generator.cli.terminal import Style, Styled, dim, place, say, say_json
from generator.cli.upkeep_edits import add_proposal_arguments, say_differences, say_written, write_edits
from generator.wording import counted

if TYPE_CHECKING:
    from generator.config import Config
    from generator.upkeep.lint import LintReport
    from generator.upkeep.lint.issue import Issue
    from generator.upkeep.snapshot import Snapshot

_STYLES: dict[str, Style] = {"error": "red", "warning": "yellow", "info": "dim"}
_LEVELS = ("error", "warning", "info")


def add_lint(commands: Commands) -> None:
    """`lint [PAGE]`."""
    parser = add_command(commands, lint)
    parser.add_argument("--level", choices=_LEVELS, default="warning", help="the least grave to show; default: warning")
    parser.add_argument(
        "--check", action="append", default=[], type=_code, metavar="CODE", help="only this check; may be repeated"
    )
    parser.add_argument("--strict", action="store_true", help="exit with 1 if there is a warning, too")
    parser.add_argument("--fix", action="store_true", help="show the mends as a difference")
    add_proposal_arguments(parser, "the mends", 100)


def _code(text: str) -> str:
    from difflib import get_close_matches

    from generator.upkeep.lint import CODES

    if text not in CODES:
        close = get_close_matches(text, CODES, n=1)
        raise ArgumentTypeError(f"there is no check `{text}`" + (f": did you mean `{close[0]}`?" if close else ""))
    return text


def lint(
    path: str,
    vault: Path | None,
    level: Any,
    check: list[str],
    strict: bool,
    fix: bool,
    apply: bool,
    dry_run: bool,
    ids: list[str],
    limit: int,
    as_json: bool,
) -> int:
    """Find what is amiss: broken links, missing properties, orphans, and more. Exits with 1 if there is an error."""
    from generator.upkeep.lint import fixes

    config = settings(vault)
    root = config.wiki.vault_path
    report, wiki = _examine(config, path, check)
    shown = report.shown(level=level)
    edits = fixes(root, wiki, report.issues if ids else shown, ids) if fix or apply or ids else []
    applied = write_edits(config, wiki, edits, "lint", f"{counted(len(edits), 'page')} mended") if apply else None
    counts = report.counts()
    mendable = sum(issue.repair is not None for issue in shown)
    if as_json:
        value = {"vault": str(root), "issues": [*map(_value, shown[: limit or None])], "counts": counts}
        written = {"changed": list(applied.changed) if applied else [], "undo": applied.undo if applied else ""}
        say_json(value | {"fixes": mendable} | written)
    else:
        _print(shown, limit, counts, level, mendable if not (fix or apply) else 0)
        if applied is not None:
            say_written(applied)
        else:
            say_differences(root, edits)
    return int(bool(counts["error"] or (strict and counts["warning"])))


def _examine(config: Config, path: str, check: Sequence[str]) -> tuple[LintReport, Snapshot]:
    """The issues of the part of the wiki, with these codes, and the wiki."""
    from datetime import date

    from generator.query import run
    from generator.update import vault_findings
    from generator.upkeep.lint import lint as check_wiki
    from generator.upkeep.origins import lint_sources
    from generator.upkeep.scope import scope_of
    from generator.upkeep.snapshot import take_snapshot
    from generator.vault import detect_layout

    root, site = config.wiki.vault_path, config.site
    with reading(config) as (store, scan, _):
        below = run(store.db, scope_of(path))
        program = check_wiki(
            root,
            detect_layout(root),
            date.today(),
            findings=vault_findings(store, scan),
            sources=lint_sources(root),
            nearest=site.nearest_links,
            language=site.language,
        )
        report = run(store.db, program)
        wiki = run(store.db, take_snapshot(nearest=site.nearest_links))
    return replace(report, issues=report.shown(level="info", checks=check, path=below)), wiki


def _value(issue: Issue) -> dict[str, Any]:
    return {name: getattr(issue, name) for name in ("id", "code", "severity", "path", "line", "message", "fix")}


def _print(shown: Sequence[Issue], limit: int, counts: Any, level: str, mendable: int) -> None:
    ranked = sorted(shown, key=lambda issue: _LEVELS.index(issue.severity))
    listed = sorted(ranked[:limit] if limit else ranked, key=lambda issue: (issue.path, issue.line))
    for issue in listed:
        where = place(issue.path, issue.line)
        fix = dim(f" → {issue.fix}") if issue.fix else ""
        say(f"{where}: " if where else "", Styled(issue.code, _STYLES[issue.severity]), f": {issue.message}", fix)
    if len(shown) > len(listed):
        say(dim(f"… and {len(shown) - len(listed):,} more: --limit 0 lists them all"))
    if listed:
        say()
    names = (("error", ""), ("warning", ""), ("info", "note"))
    parts = [counted(counts[name], noun or name) for name, noun in names if counts[name]]
    hidden = sum(counts[name] for name in _LEVELS[_LEVELS.index(level) + 1 :])
    hint = " (--level info shows all)" if hidden else ""
    say(f"{', '.join(parts) or 'Nothing amiss'}.", dim(hint))
    if mendable:
        say(dim(f"{mendable:,} of them can be mended: --fix shows how."))
