"""The commands, in the order in which a newcomer needs them. Only the one that is meant is loaded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import Any

from generator import __version__
from generator.cli.arguments import Commands, Parser, check_command

# Each command, and the module beside this one whose `add_<command>` declares it. By name: to load them all takes
# longer than a search may.
MODULES = {
    "init": "init", "build": "site", "serve": "site", "search": "pages", "context": "context", "related": "context",
    "embed": "embed", "show": "pages", "status": "status", "lint": "upkeep_lint", "link": "upkeep_links",
    "tags": "upkeep_links", "synthesize": "upkeep_insight", "memory": "upkeep_insight", "daily": "upkeep_daily",
    "log": "upkeep_daily", "ingest": "ingest", "source": "sources", "archive": "archive", "history": "archive",
    "export": "export", "colorize": "export", "index": "index", "skills": "skills", "doctor": "doctor",
    "bench": "bench", "completion": "completion",
}  # fmt: skip


def parse(arguments: Sequence[str]) -> tuple[Callable[..., int | None], dict[str, Any]]:
    """The command that is meant, and what to call it with. Raises `WrongUse`; SystemExit after help or version."""
    first, *rest = arguments
    check_command(first, list(MODULES))
    if first in MODULES:  # intermixed: `index check --json VAULT` means what it says
        values = vars(parsers([first])[first].parse_intermixed_args(rest))
    else:  # help or version
        values = vars(command_line().parse_args(arguments))
    return values.pop("run"), values


def command_line(names: Iterable[str] = MODULES) -> Parser:
    """The whole command line, or that of these commands."""
    parser = Parser(prog="llmwiki", description="An Obsidian vault becomes a searchable index and a static wiki.")
    parser.add_argument("--version", action="version", version=f"llmwiki {__version__}", help="print the version")
    _declare(parser, names)
    return parser


def parsers(names: Iterable[str] = MODULES) -> dict[str, Parser]:
    """The parser of each of these commands."""
    return _declare(Parser(prog="llmwiki"), names)


def _declare(parser: Parser, names: Iterable[str]) -> dict[str, Parser]:
    commands = parser.add_subparsers(metavar="COMMAND", required=True, title="commands", parser_class=Parser)
    for name in names:
        add: Callable[[Commands], None] = getattr(import_module(f"generator.cli.{MODULES[name]}"), f"add_{name}")
        add(commands)
    return dict(commands.choices)
