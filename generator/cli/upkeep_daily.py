"""`llmwiki daily` and `llmwiki log`: the round of the day, and the record of what was done."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generator.cli.arguments import Commands, add_command, add_json, add_vault_argument, add_vault_option
from generator.cli.failure import WrongUse
from generator.cli.reading import reading
from generator.cli.settings import settings
from generator.cli.terminal import bold, dim, say, say_json
from generator.cli.upkeep_edits import add_limit, say_differences
from generator.wording import counted

if TYPE_CHECKING:
    from generator.upkeep.log import LogEntry

_NAMED = 10


def add_daily(commands: Commands) -> None:
    """`daily [VAULT]`."""
    parser = add_command(commands, daily)
    add_vault_argument(parser)
    parser.add_argument("--dry-run", action="store_true", help="only show what would change")
    add_json(parser)


def daily(vault: Path | None, dry_run: bool, as_json: bool) -> None:
    """Bring index.md, hot.md and the log up to date. A second time on the same day changes nothing."""
    from datetime import date

    from generator.query import run
    from generator.upkeep.daily import plan_daily, write_daily
    from generator.upkeep.origins import source_states
    from generator.vault import detect_layout

    config = settings(vault)
    root = config.wiki.vault_path
    with reading(config) as (store, _, _):
        program = plan_daily(
            root,
            detect_layout(root),
            date.today(),
            language=config.site.language,
            nearest=config.site.nearest_links,
            source_states=source_states(root),
        )
        plan = run(store.db, program)
    written = () if dry_run else write_daily(root, plan)
    if as_json:
        value: dict[str, Any] = {"since": plan.since, "updated": list(plan.updated), "new": list(plan.new)}
        due = [edit.path for edit in plan.edits]
        say_json(value | {"sources": dict(plan.sources), "due": due, "written": list(written)})
        return
    say(f"{counted(len(plan.updated), 'page')} updated since {plan.since}, {len(plan.new):,} of them new.")
    for path in plan.updated[:_NAMED]:
        say(f"  {path}", dim("  new" if path in plan.new else ""))
    if len(plan.updated) > _NAMED:
        say(dim(f"  … and {len(plan.updated) - _NAMED:,} more"))
    if plan.sources:
        say(f"Sources: {', '.join(f'{count:,} {state}' for state, count in plan.sources.items())}.")
    if dry_run:
        say_differences(root, plan.edits)
    else:
        say(f"Written: {', '.join(written)}." if written else "Nothing to write.")


def add_log(commands: Commands) -> None:
    """`log`."""
    parser = add_command(commands, log)
    add_vault_option(parser)
    parser.add_argument("--add", default="", metavar="ENTRY", help='add an entry: "operation | subject"')
    parser.add_argument(
        "--note",
        action="append",
        default=[],
        dest="notes",
        metavar="TEXT",
        help="a line of that entry; may be repeated",
    )
    add_limit(parser, 5)
    add_json(parser)


def log(vault: Path | None, add: str, notes: list[str], limit: int, as_json: bool) -> None:
    """Show the last entries of the log, or add one."""
    from generator.upkeep.edits import read_source
    from generator.upkeep.log import log_path, read_log
    from generator.vault import detect_layout

    if notes and not add:
        raise WrongUse("--note belongs to an entry", hint='give --add "operation | subject" too')
    root = settings(vault).wiki.vault_path
    layout = detect_layout(root)
    if add:
        _add(root, add, notes)
    path = log_path(root, layout)
    entries = read_log(read_source(root, path).text) if path and (root / path).exists() else []
    newest = sorted(entries, key=lambda entry: entry.date)[-limit:] if limit else entries
    if as_json:
        say_json({"path": path, "entries": [asdict(entry) for entry in newest], "total": len(entries)})
        return
    for entry in newest:
        _print_entry(entry)
    if not entries:
        say("The log is empty." if path else "This vault keeps no log.")


def _add(root: Path, text: str, notes: list[str]) -> None:
    from datetime import date

    from generator.upkeep.log import LogEntry, log_edit
    from generator.vault import apply_edit, detect_layout

    operation, bar, subject = (" ".join(part.split()) for part in text.partition("|"))
    if not (operation and bar and subject):
        raise WrongUse(f"{text!r} is no entry", hint='write --add "operation | subject"')
    details = tuple(" ".join(note.split()) for note in notes)
    edit = log_edit(root, detect_layout(root), LogEntry(date.today().isoformat(), operation, subject, details))
    if edit is None:
        raise WrongUse("this vault keeps no log", hint="`llmwiki init` makes a vault that does")
    apply_edit(root, edit)


def _print_entry(entry: LogEntry) -> None:
    title = f"{entry.operation} | {entry.subject}" if entry.operation else entry.subject
    say(f"{entry.date}  ", bold(title))
    for detail in entry.details:
        say(dim(f"  - {detail}"))
