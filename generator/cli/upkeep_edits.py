"""Proposed edits on the command line: shown as a difference, or written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from generator.cli.arguments import Parser, add_json, add_vault_option, whole_number
from generator.cli.terminal import Styled, bold, dim, say
from generator.wording import counted

if TYPE_CHECKING:
    from generator.config import Config
    from generator.model import Edit
    from generator.upkeep.edits import Applied
    from generator.upkeep.snapshot import Snapshot


def add_proposal_arguments(parser: Parser, what: str, limit: int) -> None:
    """Of which part of the wiki, whether to write, and which of the proposals."""
    parser.add_argument("path", nargs="?", default="", metavar="PAGE", help="a page or a folder; default: all")
    add_vault_option(parser)
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--apply", action="store_true", help=f"write {what}; files as they were go to .llm-wiki/trash")
    choice.add_argument("--dry-run", action="store_true", help="only show what would change; the default")
    parser.add_argument(
        "--id", action="append", default=[], dest="ids", metavar="ID", help="only this; may be repeated"
    )
    add_limit(parser, limit)
    add_json(parser)


def add_limit(parser: Parser, default: int) -> None:
    """How much is printed."""
    parser.add_argument(
        "--limit", type=whole_number(0, 100_000), default=default, help=f"the most to print; default: {default}"
    )


def write_edits(config: Config, wiki: Snapshot, edits: Sequence[Edit], operation: str, subject: str) -> Applied:
    """Write the edits and the log entry."""
    from generator.upkeep.applying import apply_logged
    from generator.vault import detect_layout

    vault = config.wiki.vault_path
    return apply_logged(vault, detect_layout(vault), wiki, edits, operation, subject)


def say_written(applied: Applied) -> None:
    """What was written, and where it was kept as it was."""
    if not applied.changed:
        say("Nothing to change.")
        return
    say(f"{counted(len(applied.changed), 'file')} changed.")
    if applied.undo:
        say(dim(f"As they were: {applied.undo}"))


def say_differences(vault: Path, edits: Sequence[Edit]) -> None:
    """The edits as a unified difference."""
    from generator.upkeep.edits import diff_of, read_source

    for edit in edits:
        before = read_source(vault, edit.path).raw if edit.base_hash else ""
        for line in diff_of(before, edit):
            say(_styled(line))


def _styled(line: str) -> str | Styled:
    if line.startswith(("---", "+++")):
        return bold(line)
    if line.startswith("@@"):
        return Styled(line, "cyan")
    return Styled(line, "red") if line.startswith("-") else Styled(line, "green") if line.startswith("+") else line
