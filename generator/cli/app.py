"""The commands, in the order in which a newcomer needs them."""

from __future__ import annotations

from typing import Annotated

import typer

from generator import __version__
from generator.cli.index import index
from generator.cli.init import init
from generator.cli.pages import search, show
from generator.cli.site import build, serve
from generator.cli.status import status

_EPILOG = (
    "Exit codes: 0 success; 1 something was found, or went wrong; 2 the command line, the settings or the vault"
    " cannot be used; 130 interrupted. NO_COLOR turns colours off."
)
COMMANDS = (init, build, serve, search, show, status, index)

app = typer.Typer(
    name="llmwiki",
    help="An Obsidian vault becomes a searchable index and a static wiki.",
    epilog=_EPILOG,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"llmwiki {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


for _command in COMMANDS:
    app.command(epilog=_EPILOG)(_command)
