"""The commands, in the order in which a newcomer needs them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from generator import __version__
from generator.cli.archive import add_archive, add_history
from generator.cli.arguments import Parser, check_command
from generator.cli.context import add_context, add_related
from generator.cli.embed import add_embed
from generator.cli.export import add_colorize, add_export
from generator.cli.index import add_index
from generator.cli.ingest import add_ingest
from generator.cli.init import add_init
from generator.cli.pages import add_search, add_show
from generator.cli.site import add_build, add_serve
from generator.cli.sources import add_source
from generator.cli.status import add_status
from generator.cli.upkeep_daily import add_daily, add_log
from generator.cli.upkeep_insight import add_memory, add_synthesize
from generator.cli.upkeep_links import add_link, add_tags
from generator.cli.upkeep_lint import add_lint

COMMANDS = (
    add_init, add_build, add_serve, add_search, add_context, add_related, add_embed, add_show, add_status,
    add_lint, add_link, add_tags, add_synthesize, add_memory, add_daily, add_log,
    add_ingest, add_source, add_archive, add_history, add_export, add_colorize, add_index,
)  # fmt: skip


def parse(arguments: Sequence[str]) -> tuple[Callable[..., int | None], dict[str, Any]]:
    """The command that is meant, and what to call it with. Raises `WrongUse`; SystemExit after help or version."""
    parser = Parser(prog="llmwiki", description="An Obsidian vault becomes a searchable index and a static wiki.")
    parser.add_argument("--version", action="version", version=f"llmwiki {__version__}", help="print the version")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, title="commands", parser_class=Parser)
    for add in COMMANDS:
        add(commands)
    first, *rest = arguments
    check_command(first, list(commands.choices))
    if first not in commands.choices:
        parser.parse_args(arguments)  # help or version
    # Intermixed: `index check --json VAULT` means what it says.
    values = vars(commands.choices[first].parse_intermixed_args(rest))
    return values.pop("run"), values
