"""`llmwiki source`: what the wiki is written from. Sources come in, go with all that names them, come back."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generator.cli.arguments import Commands, add_command, add_json, add_vault_option, as_text
from generator.cli.failure import WrongUse
from generator.cli.reading import reading
from generator.cli.settings import settings
from generator.cli.terminal import bold, dim, say, say_findings, say_json, say_table
from generator.cli.upkeep_edits import say_differences
from generator.wording import counted

if TYPE_CHECKING:
    from generator.config import Config
    from generator.sources.adding import Addition
    from generator.sources.removal import Removal
    from generator.sources.trash import Restoration

ACTIONS = ("list", "add", "remove", "restore")
_DRY = "Nothing was written: --apply does it."


def add_source(commands: Commands) -> None:
    """`source ACTION [SOURCE]`."""
    parser = add_command(commands, source)
    parser.add_argument(
        "action", choices=ACTIONS, metavar="ACTION",
        help="list: all sources; add: a file, an address or a key; remove: a source and what was made from it alone;"
        " restore: take a removal back",
    )  # fmt: skip
    parser.add_argument("what", nargs="?", default="", metavar="SOURCE",
                        help="add: file, address, conversation:DATE or agent:NAME/ID; remove: the key;"
                        " restore: key or folder in the trash, the last removal without")  # fmt: skip
    add_vault_option(parser)
    parser.add_argument("--apply", action="store_true", help="do it; without, only say what would be done")
    parser.add_argument("--with-file", action="store_true", help="remove: its file goes to the trash too")
    parser.add_argument("--folder", default="", metavar="FOLDER", help="add: a folder below raw/sources")
    parser.add_argument("--tool", default="", metavar="NAME", help="add: the AI tool that it came from")
    parser.add_argument("--title", default="", metavar="TEXT", help="add: what it is called")
    parser.add_argument("--url", default="", metavar="URL", help="add: where the file came from")
    add_json(parser)


def source(
    action: str,
    what: str,
    vault: Path | None,
    apply: bool,
    with_file: bool,
    folder: str,
    tool: str,
    title: str,
    url: str,
    as_json: bool,
) -> None:
    """List the sources, add one, or remove one with all that names it. Shows what it would do, unless with --apply."""
    filing = {"folder": folder, "tool": tool, "title": title, "url": url}
    if any(filing.values()) and action != "add":
        raise WrongUse("--folder, --tool, --title and --url belong to `source add`")
    if with_file and action != "remove":
        raise WrongUse("--with-file belongs to `source remove`")
    if action in ("add", "remove") and not what:
        raise WrongUse(f"`source {action}` needs a source")
    if action == "list" and (what or apply):
        raise WrongUse("`source list` takes nothing but --vault and --json")
    config, what = settings(vault), as_text(what)
    if action == "add":
        _add(config, what, {name: as_text(value) for name, value in filing.items()}, apply, as_json)
    elif action == "remove":
        _remove(config, what, with_file, apply, as_json)
    elif action == "restore":
        _restore(config, what, apply, as_json)
    else:
        _list(config, as_json)


def _list(config: Config, as_json: bool) -> None:
    from generator.sources.manifest import facts_of
    from generator.sources.queue import queue_as_it_is

    known = queue_as_it_is(config.wiki.vault_path, datetime.now(UTC)).sources
    if as_json:
        say_json({"sources": [{"key": key} | facts_of(known[key]) for key in sorted(known)]})
    elif known:
        rows = [
            (key, known[key].state, known[key].added_at[:10], f"{len(known[key].pages):,}") for key in sorted(known)
        ]
        say_table(("source", "state", "added", "pages"), rows)
    else:
        say("No source is known. `llmwiki source add` adds one, `llmwiki ingest scan` finds those in raw/sources.")


def _add(config: Config, what: str, filing: dict[str, str], apply: bool, as_json: bool) -> None:
    from generator.sources.adding import add, plan_addition
    from generator.sources.journal import note
    from generator.vault import detect_layout

    root, now = config.wiki.vault_path, datetime.now(UTC)
    plan = plan_addition(root, what, now, **filing)
    problem = ""
    if apply:
        add(root, plan)
        problem = note(root, detect_layout(root), now, "source", f"added {plan.key}")
    if as_json:
        say_json(_addition(plan) | {"applied": apply, "problem": problem})
        return
    place = f" → {_place(plan)}" if plan.origin else ""
    say("added " if apply else "would add ", bold(plan.key), place)
    if plan.same_as:
        say(dim(f"{plan.same_as} has the same content or address."))
    _say_end("" if apply else _DRY, problem)


def _say_end(*notes: str) -> None:
    for note in filter(None, notes):
        say(dim(note))


def _addition(plan: Addition) -> dict[str, Any]:
    from generator.sources.manifest import facts_of

    path = _place(plan) if plan.origin else ""
    return {"source": {"key": plan.key} | facts_of(plan.source), "path": path, "same_as": plan.same_as}


def _place(plan: Addition) -> str:
    from generator.sources.keys import path_of

    return path_of(plan.key)


def _remove(config: Config, key: str, with_file: bool, apply: bool, as_json: bool) -> None:
    from generator.query import run
    from generator.raw import raw_files
    from generator.sources.journal import note
    from generator.sources.keys import key_of
    from generator.sources.manifest import load
    from generator.sources.removal import plan_removal
    from generator.sources.trash import remove
    from generator.upkeep.edits import TRASH
    from generator.upkeep.snapshot import take_snapshot
    from generator.vault import detect_layout

    root, now = config.wiki.vault_path, datetime.now(UTC)
    layout = detect_layout(root)
    with reading(config) as (store, scan, _):
        wiki = run(store.db, take_snapshot(nearest=config.site.nearest_links))
        raw_keys = [key_of(file.path) for file in raw_files(root, scan, layout)]
    plan = plan_removal(root, wiki, load(root), raw_keys, key, with_file=with_file)
    undo = problem = ""
    if apply:
        undo = f"{TRASH}/{remove(root, plan, now).name}"
        problem = note(root, layout, now, "remove", key, _removal_details(plan, undo))
    if as_json:
        value = {"key": key, "deleted": [*plan.deleted], "changed": [edit.path for edit in plan.edits]}
        value |= {"unsourced": [*plan.unsourced], "raw_file": plan.raw_file}
        say_json(value | {"left": [asdict(each) for each in plan.left], "undo": undo, "problem": problem})
        return
    _print_removal(config, plan, applied=apply)
    _say_end(f"As it was: {undo}" if apply else _DRY, problem)


def _removal_details(plan: Removal, undo: str) -> list[str]:
    """Without links: what is gone is not linked to."""
    details = [f"Deleted `{path}`" for path in plan.deleted]
    details += [f"Changed {counted(len(plan.edits), 'page')}"] if plan.edits else []
    details += [f"Without a source now: `{path}`" for path in plan.unsourced]
    return [*details, f"Undo copies: {undo}"]


def _print_removal(config: Config, plan: Removal, *, applied: bool) -> None:
    for path in plan.deleted:
        say("deleted  " if applied else "would delete  ", bold(path))
    if plan.raw_file:
        say("moved to the trash  " if applied else "would move to the trash  ", bold(plan.raw_file))
    for path in plan.unsourced:
        say("without a source now  " if applied else "would be without a source  ", bold(path))
    if applied:
        for edit in plan.edits:
            say("changed  ", bold(edit.path))
    else:
        say_differences(config.wiki.vault_path, plan.edits)
    say_findings(plan.left)
    say(f"{counted(len(plan.deleted), 'page')} deleted, {counted(len(plan.edits), 'page')} changed.")


def _restore(config: Config, name: str, apply: bool, as_json: bool) -> None:
    from generator.sources.journal import note
    from generator.sources.trash import find_removal, plan_restore, restore
    from generator.vault import detect_layout

    root, now = config.wiki.vault_path, datetime.now(UTC)
    plan = plan_restore(root, find_removal(root, name))
    problem = ""
    if apply:
        restore(root, plan, now)
        details = [f"Brought back `{path}`" for path in plan.back]
        details += [f"Changed since, left as it is: `{path}`" for path in plan.kept]
        problem = note(root, detect_layout(root), now, "restore", plan.removed.key, details)
    if as_json:
        value = {"key": plan.removed.key, "removal": plan.removed.name, "back": [*plan.back], "same": [*plan.same]}
        say_json(value | {"kept": [*plan.kept], "applied": apply, "problem": problem})
        return
    _print_restoration(plan, applied=apply)
    _say_end("" if apply else _DRY, problem)


def _print_restoration(plan: Restoration, *, applied: bool) -> None:
    say(bold(plan.removed.key), f", removed at {plan.removed.time} ({plan.removed.name})")
    for path in plan.back:
        say("back  " if applied else "would come back  ", path)
    for path in plan.kept:
        say("changed since, stays  ", path)
    back = counted(len(plan.back), "file")
    say(f"{back} brought back." if applied else f"{back} would come back.")
