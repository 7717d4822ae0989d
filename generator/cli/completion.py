"""`llmwiki completion`: what a shell needs to complete our commands and options."""

from __future__ import annotations

from generator.cli.arguments import Commands, add_command, add_json
from generator.cli.terminal import say_json

SHELLS = ("bash", "zsh", "fish")


def add_completion(commands: Commands) -> None:
    """`completion SHELL`."""
    parser = add_command(commands, completion)
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help=f"one of {', '.join(SHELLS)}")
    add_json(parser)


def completion(shell: str, as_json: bool) -> None:
    """Print the script that teaches a shell to complete our commands, options, files and folders."""
    import argparse
    from pathlib import Path

    import shtab

    from generator.cli.commands import command_line

    whole = command_line()
    (commands,) = (action for action in whole._actions if isinstance(action, argparse._SubParsersAction))
    for parser in commands.choices.values():
        for action in parser._actions:
            if action.type is Path:
                action.complete = shtab.DIRECTORY if action.metavar in ("DIR", "VAULT") else shtab.FILE
    script = shtab.complete(whole, shell)
    if as_json:
        say_json({"shell": shell, "script": script})
    else:
        print(script, end="")
