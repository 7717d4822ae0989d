"""How a command declares its arguments, and those that several commands share.

argparse, because typer brings pydantic along: the two take longer to load than a whole search may.
"""

from __future__ import annotations

import re
from argparse import ArgumentParser, ArgumentTypeError, HelpFormatter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn, Protocol

from generator.cli.failure import WrongUse

EPILOG = (
    "Exit codes: 0 success; 1 something was found, or went wrong; 2 the command line, the settings or the vault"
    " cannot be used; 130 interrupted. NO_COLOR turns colours off."
)
_VAULT_HELP = "the vault; default: WIKI_VAULT_PATH or the configured one, else this folder if it looks like a vault"
_WIDTH = 100


class Parser(ArgumentParser):
    """A parser whose errors are ours; a command's name is never guessed from its first letters, nor an option's."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(epilog=EPILOG, allow_abbrev=False, formatter_class=_Format, **settings)

    def error(self, message: str) -> NoReturn:
        raise WrongUse(message, hint=f"`{self.prog} --help` lists what there is")


class _Format(HelpFormatter):
    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=30, width=_WIDTH)


class Commands(Protocol):
    """Where a command adds its parser: the first half of argparse's subparsers."""

    def add_parser(self, name: str, **settings: Any) -> Parser: ...


def add_command(commands: Commands, run: Callable[..., int | None]) -> Parser:
    """A parser for the command that is named and described as the function, which is called with its arguments."""
    description = (run.__doc__ or "").strip()
    parser = commands.add_parser(run.__name__, help=re.split(r"\.(?:\s|$)", description)[0], description=description)
    parser.set_defaults(run=run)
    return parser


def add_vault_argument(parser: Parser) -> None:
    """The vault, by its position."""
    parser.add_argument("vault", nargs="?", type=Path, metavar="VAULT", help=_VAULT_HELP)


def add_vault_option(parser: Parser) -> None:
    """The vault, where a position is taken by something else."""
    parser.add_argument("--vault", type=Path, metavar="VAULT", help=_VAULT_HELP)


def add_json(parser: Parser) -> None:
    """The choice of what is printed."""
    parser.add_argument("--json", action="store_true", dest="as_json", help="print JSON for programs")


def add_server(parser: Parser) -> None:
    """Where to listen, and whether to open a browser."""
    parser.add_argument(
        "--host", metavar="ADDRESS", help="the address to listen on; default: 127.0.0.1, this machine only"
    )
    parser.add_argument("--port", type=whole_number(0, 65_535), help="the port; default: 8000; 0 takes a free one")
    parser.add_argument("--open", action="store_true", dest="open_site", help="open the site in the browser")


def add_output(parser: Parser) -> None:
    """The output folder."""
    parser.add_argument("--out", type=Path, metavar="DIR", help="the output folder; default: site")


def add_scope(parser: Parser) -> None:
    """What is searched."""
    parser.add_argument(
        "--scope", choices=("wiki", "raw", "all"), default="all", help="pages, raw sources, or both; default: all"
    )


def as_text(argument: str) -> str:
    """An argument as text: bytes that are not UTF-8 reach us as lone surrogates."""
    return argument.encode("utf-8", "replace").decode()


def whole_number(least: int, most: int) -> Callable[[str], int]:
    """A type for `add_argument`: a whole number within bounds."""

    def number(text: str) -> int:
        if not (text.isascii() and text.isdecimal() and len(text) < 10 and least <= int(text) <= most):
            raise ArgumentTypeError(f"this should be a whole number from {least} to {most}, not `{text}`")
        return int(text)

    return number


def check_command(name: str, known: list[str]) -> None:
    """Refuse a command that is not there, and name the nearest."""
    if name in known or name.startswith("-"):
        return
    from difflib import get_close_matches

    nearest = get_close_matches(name, known, n=1)
    hint = f"did you mean `llmwiki {nearest[0]}`?" if nearest else f"the commands are: {', '.join(known)}"
    raise WrongUse(f"there is no command `{name}`", hint=hint)
