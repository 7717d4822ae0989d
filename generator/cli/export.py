"""`llmwiki export` and `llmwiki colorize`: the graph for other programs, and colours for Obsidian's own."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from generator.cli.arguments import Commands, add_command, add_json, add_vault_option, whole_number
from generator.cli.failure import WrongUse
from generator.cli.reading import reading
from generator.cli.settings import settings
from generator.cli.terminal import bold, dim, say, say_json, say_pairs
from generator.errors import OutputError
from generator.wording import counted

if TYPE_CHECKING:
    from generator.config import Config
    from generator.exports.format import Format
    from generator.exports.selection import Selection
    from generator.render import Renderer
    from generator.store import Store

FORMATS = ("json", "graphml", "gexf", "dot", "cypher", "csv", "canvas", "html", "llms", "jsonl")
WAYS = ("category", "tag", "community", "visibility")
FOLDER = "wiki-export"  # in the vault: no scan looks into it


def add_export(commands: Commands) -> None:
    """`export FORMAT`."""
    parser = add_command(commands, export)
    parser.add_argument("form", metavar="FORMAT", help=f"one of {', '.join(FORMATS)}")
    add_vault_option(parser)
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help=f"the file, or for csv and llms the folder; default: {FOLDER}/ in the vault",
    )
    parser.add_argument(
        "--tag", action="append", default=[], help="only pages with this tag or one below it; may be repeated"
    )
    parser.add_argument("--category", default="", help="only pages of this category")
    parser.add_argument("--page", default="", help="only this page and what is near it")
    parser.add_argument("--depth", type=whole_number(0, 100), help="how many links away from --page; default: 1")
    add_json(parser)


def export(
    form: str,
    vault: Path | None,
    output: str | None,
    tag: list[str],
    category: str,
    page: str,
    depth: int | None,
    as_json: bool,
) -> None:
    """Write the published wiki in a format of other programs. Private pages are never part of it."""
    if form not in FORMATS:
        raise WrongUse(f"there is no format `{form}`", hint=f"the formats are: {', '.join(FORMATS)}")
    if depth is not None and not page:
        raise WrongUse("--depth goes with --page")
    from generator.exports import EXPORTS
    from generator.exports.selection import Choice, select
    from generator.lookup import find_page
    from generator.query import run

    config = settings(vault)
    format_ = next(each for each in EXPORTS if each.name == form)
    with reading(config) as (store, _, _):
        start = run(store.db, find_page(page)).id if page else None
        choice = Choice(tuple(tag), category, start, 1 if depth is None else depth)
        selection = select(_renderer(config, store), choice)
        files = _write(format_, selection, config.wiki.vault_path, output)
    if as_json:
        names = [str(file) for file in files]
        say_json({"format": form, "files": names, "pages": len(selection.nodes), "links": len(selection.edges)})
        return
    say(f"{counted(len(selection.nodes), 'page')}, {counted(len(selection.edges), 'link')}")
    for file in files:
        say(bold(str(file)))


def _renderer(config: Config, store: Store) -> Renderer:
    from datetime import date

    from generator.look import look_of
    from generator.render import Renderer
    from generator.wiki import load_wiki

    return Renderer(load_wiki(store.db), store.db, look_of(config, date.today()))


def _write(format_: Format, selection: Selection, vault: Path, output: str | None) -> list[Path]:
    contents = format_.files(selection)
    target = Path(os.path.abspath(output)) if output else vault / FOLDER
    is_folder = output is None or len(contents) > 1
    files = {(target / name if is_folder else target): pieces for name, pieces in contents.items()}
    for file in files:
        _check(file, vault)
    for file, pieces in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        _put(file, pieces)
    return list(files)


def _check(file: Path, vault: Path) -> None:
    """An export among the notes would be read as a part of the vault."""
    if file.is_dir():
        raise OutputError("there is a folder of this name", path=str(file), hint="give a file with -o")
    resolved = file.resolve()
    notes = vault.resolve()
    if resolved.is_relative_to(notes):
        first = resolved.relative_to(notes).parts[0]
        if first != FOLDER and not first.startswith("."):
            hint = f"write outside the vault, or below {FOLDER}/"
            raise OutputError("an export cannot stand among the notes", path=str(file), hint=hint)


def _put(file: Path, pieces: Iterable[str]) -> None:
    """The file appears whole or not at all."""
    temporary = file.with_name(f".llmwiki-{file.name}.tmp")
    try:
        with open(temporary, "w", encoding="utf-8", errors="replace", newline="") as stream:
            stream.writelines(pieces)
        temporary.replace(file)
    finally:
        temporary.unlink(missing_ok=True)


def add_colorize(commands: Commands) -> None:
    """`colorize`."""
    parser = add_command(commands, colorize)
    add_vault_option(parser)
    parser.add_argument("--by", choices=WAYS, help="what gets a colour each; default: category")
    parser.add_argument("--undo", action="store_true", help="put the file back as it was before")
    parser.add_argument("--clear", action="store_true", help="take all colour groups out")
    add_json(parser)


def colorize(vault: Path | None, by: str | None, undo: bool, clear: bool, as_json: bool) -> None:
    """Give Obsidian's graph view colours: only `colorGroups` in `.obsidian/graph.json` is written."""
    if sum((undo, clear, by is not None)) > 1:
        raise WrongUse("--by, --undo and --clear exclude each other")
    from generator import colorize as colours
    from generator.wiki import load_wiki

    config = settings(vault)
    groups: tuple[colours.Group, ...] = ()
    if undo:
        colours.undo(config.wiki.vault_path)
        changed = True
    else:
        if not clear:
            with reading(config) as (store, _, _):
                groups = colours.groups_by(load_wiki(store.db), by or "category")
        changed = colours.write_groups(config.wiki.vault_path, groups)
    if as_json:
        say_json({"file": colours.FILE, "changed": changed, "groups": [group.value() for group in groups]})
        return
    say_pairs([(group.colour, group.query) for group in groups])
    say(bold(colours.FILE), " was ", "put back" if undo else "written" if changed else "right already")
    if changed:
        say(dim("Obsidian shows it when the graph is opened again."))
