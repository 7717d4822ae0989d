"""`llmwiki archive` and `llmwiki history`: the whole wiki put aside, and what was said to AI tools."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generator.cli.arguments import Commands, add_command, add_json, add_vault_option, as_text
from generator.cli.failure import WrongUse
from generator.cli.settings import settings
from generator.cli.terminal import bold, dim, say, say_json, say_table
from generator.cli.upkeep_edits import add_limit
from generator.wording import counted

if TYPE_CHECKING:
    from generator.archive import Archive, Comeback
    from generator.config import Config
    from generator.history import Tool

_TOOLS = ("claude", "codex")


def add_archive(commands: Commands) -> None:
    """`archive ACTION [ARCHIVE]`."""
    parser = add_command(commands, archive)
    parser.add_argument(
        "action", choices=("create", "list", "restore"), metavar="ACTION",
        help="create: put a copy of the wiki aside; list: those there are; restore: make the wiki what it was",
    )  # fmt: skip
    parser.add_argument("name", nargs="?", default="", metavar="ARCHIVE", help="restore: its name, or an end of it")
    add_vault_option(parser)
    parser.add_argument("--label", default="", metavar="TEXT", help="create: why")
    parser.add_argument("--apply", action="store_true", help="restore: do it; without, only say what would change")
    add_json(parser)


def archive(action: str, name: str, vault: Path | None, label: str, apply: bool, as_json: bool) -> None:
    """Put the whole wiki aside before it is rebuilt, and bring it back. Raw sources are no part of it."""
    if (action == "restore") != bool(name):
        raise WrongUse("`archive restore` needs the name of an archive" if not name else f"`{action}` takes no name")
    if (label and action != "create") or (apply and action != "restore"):
        raise WrongUse("--label belongs to `archive create`, --apply to `archive restore`")
    config = settings(vault)
    if action == "create":
        _create(config, as_text(label), as_json)
    elif action == "list":
        _list(config, as_json)
    else:
        _restore(config, as_text(name), apply, as_json)


def _files(config: Config) -> dict[str, str]:
    from generator.archive import archived_files
    from generator.vault import detect_layout, scan

    wiki = config.wiki
    found = scan(wiki.vault_path, exclude=(), output=config.site.output, index=wiki.index_path)
    return archived_files(found.files, detect_layout(wiki.vault_path))


def _create(config: Config, label: str, as_json: bool) -> None:
    from generator.archive import create
    from generator.sources.journal import note
    from generator.vault import detect_layout

    root, now = config.wiki.vault_path, datetime.now(UTC)
    made = create(root, _files(config), now, label)
    problem = note(root, detect_layout(root), now, "archive", made.name, [f"{counted(len(made.files), 'file')}"])
    if as_json:
        say_json({"archive": _value(made), "problem": problem})
        return
    say(bold(made.name), f": {counted(len(made.files), 'file')}, {_megabytes(made.size)}")
    if problem:
        say(dim(problem))


def _list(config: Config, as_json: bool) -> None:
    from generator.archive import archives

    found, broken = archives(config.wiki.vault_path)
    if as_json:
        say_json({"archives": [_value(each) for each in found], "damaged": [error.path for error in broken]})
        return
    if found:
        rows = [(each.name, each.created, f"{len(each.files):,}", _megabytes(each.size), each.label) for each in found]
        say_table(("archive", "made", "files", "size", "label"), rows)
    for error in broken:
        say(bold(error.path or ""), f": {error.message}")
    if not (found or broken):
        say("There is no archive. `llmwiki archive create` makes one.")


def _restore(config: Config, name: str, apply: bool, as_json: bool) -> None:
    from generator.archive import create, plan_comeback, put_back, read_archive
    from generator.sources.journal import note
    from generator.vault import detect_layout

    root, now, files = config.wiki.vault_path, datetime.now(UTC), _files(config)
    plan = plan_comeback(root, read_archive(root, name), files)
    before = problem = ""
    if apply:
        before = create(root, files, now, "before a restore").name
        put_back(root, plan, files)
        problem = note(root, detect_layout(root), now, "restore", plan.archive.name, [f"Before: {before}"])
    if as_json:
        value = {"archive": _value(plan.archive), "changed": [*plan.changed], "missing": [*plan.missing]}
        say_json(value | {"extra": [*plan.extra], "before": before, "problem": problem})
        return
    _print_comeback(plan, before)
    if problem:
        say(dim(problem))


def _print_comeback(plan: Comeback, before: str) -> None:
    groups = (("as it was", plan.changed), ("back", plan.missing), ("gone", plan.extra))
    for what, paths in groups:
        for path in paths:
            say(f"{what}  " if before else f"would be {what}  ", path)
    total = sum(len(paths) for _, paths in groups)
    if not total:
        say("The wiki is what the archive holds.")
    elif before:
        say(f"{counted(total, 'file')} changed.", dim(f" As they were: {before}"))
    else:
        say(f"{counted(total, 'file')} would change.")
        say(dim("Nothing was written: --apply does it."))


def _value(made: Archive) -> dict[str, Any]:
    return {
        "name": made.name,
        "created": made.created,
        "label": made.label,
        "files": len(made.files),
        "size": made.size,
    }


def _megabytes(size: int) -> str:
    return f"{size / 1_000_000:.1f} MB"


def add_history(commands: Commands) -> None:
    """`history ACTION [SESSION]`."""
    parser = add_command(commands, history)
    parser.add_argument("action", choices=("list", "extract"), metavar="ACTION",
                        help="list: the sessions on this machine; extract: what was said in one")  # fmt: skip
    parser.add_argument("session", nargs="?", default="", metavar="SESSION", help="extract: its id, or an end of it")
    parser.add_argument("--tool", choices=_TOOLS, help="only this tool's")
    parser.add_argument("--home", type=Path, metavar="DIR", help="the home folder to look in; default: yours")
    parser.add_argument("-o", "--out", type=Path, metavar="FILE", help="extract: write to this new file")
    add_limit(parser, 20)
    add_json(parser)


def history(
    action: str, session: str, tool: Tool | None, home: Path | None, out: Path | None, limit: int, as_json: bool
) -> None:
    """Read what was said to Claude Code and Codex: plain turns, without tools' plumbing, keys and passwords."""
    from generator.history import find_session, sessions

    if (action == "extract") != bool(session):
        raise WrongUse("`history extract` needs a session" if not session else "`history list` takes no session")
    if out is not None and action != "extract":
        raise WrongUse("--out belongs to `history extract`")
    folder = (home or Path.home()).resolve()
    known = sessions(folder, tool)
    if action == "extract":
        _extract(find_session(known, as_text(session)), folder, out, as_json)
    elif as_json:
        shown = [{"tool": s.tool, "id": s.id, "project": s.project, "updated": s.updated, "size": s.size}
                 for s in known[: limit or None]]  # fmt: skip
        say_json({"sessions": shown, "total": len(known)})
    else:
        rows = [(s.tool, s.updated[:10], s.id, s.project) for s in known[: limit or None]]
        if rows:
            say_table(("tool", "last", "session", "project"), rows)
        say(f"{counted(len(known), 'session')}.")


def _extract(session: Any, home: Path, out: Path | None, as_json: bool) -> None:
    from generator.history import as_markdown, turns
    from generator.sources.errors import SourceRefused

    said = turns(session, home)
    if out is not None:
        try:
            with out.open("x", encoding="utf-8", newline="\n") as stream:
                stream.write(as_markdown(session, said))
        except FileExistsError:
            raise SourceRefused("this file is there already", path=str(out), hint="give another name") from None
    if as_json:
        value = {"tool": session.tool, "id": session.id, "project": session.project, "updated": session.updated}
        say_json(value | {"turns": [asdict(turn) for turn in said], "file": str(out) if out else ""})
    elif out is not None:
        say(f"{counted(len(said), 'turn')} → ", bold(str(out)))
    else:
        say(as_markdown(session, said).rstrip("\n"))
