"""`llmwiki init`: a new vault to begin with."""

from __future__ import annotations

import os
from pathlib import Path

from generator.cli.arguments import Commands, add_command, add_json
from generator.cli.failure import WrongUse
from generator.cli.terminal import bold, say, say_json
from generator.wording import counted


def add_init(commands: Commands) -> None:
    """`init DIR [--flat | --sample]`."""
    parser = add_command(commands, init)
    parser.add_argument("folder", type=Path, metavar="DIR", help="the folder: made if it is not there")
    parser.add_argument("--flat", action="store_true", help="categories at the top, without wiki/")
    parser.add_argument("--sample", action="store_true", help="a vault to read, in English and Chinese")
    add_json(parser)


def init(folder: Path, flat: bool, sample: bool, as_json: bool) -> None:
    """Make a vault: folders, special files and a schema. Nothing is overwritten."""
    from generator.starter import plant

    if flat and sample:
        raise WrongUse("--flat and --sample exclude each other")
    planted = plant(folder, "sample" if sample else "flat" if flat else "layered")
    if as_json:
        say_json({"vault": os.path.abspath(folder), "created": planted.created, "kept": planted.kept})
        return
    say(f"{folder}: {counted(len(planted.created), 'file')} made", _kept(len(planted.kept)))
    if not sample:
        say("Next: say in ", bold("purpose.md"), " what this wiki is for, and write pages, or let an agent write them.")
    say("Then: ", bold(f"llmwiki build {_quoted(folder)} --watch --open"))


def _kept(number: int) -> str:
    return f", {number:,} left as they were" if number else ""


def _quoted(path: Path) -> str:
    from shlex import quote

    return quote(str(path))
