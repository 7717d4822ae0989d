"""`llmwiki init`: a new vault to begin with."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from generator.cli.failure import WrongUse
from generator.cli.options import JsonOption
from generator.cli.terminal import bold, counted, say, say_json


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder: made if it is not there.")],
    flat: Annotated[bool, typer.Option("--flat", help="Categories at the top, without `wiki/`.")] = False,
    sample: Annotated[bool, typer.Option("--sample", help="A vault to read, in English and Chinese.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Make a vault: folders, special files and a schema. Nothing is overwritten."""
    from generator.starter import plant

    if flat and sample:
        raise WrongUse("--flat and --sample exclude each other")
    planted = plant(folder, "sample" if sample else "flat" if flat else "layered")
    if as_json:
        say_json({"vault": os.path.abspath(folder), "created": planted.created, "kept": planted.kept})  # noqa: PTH100
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
