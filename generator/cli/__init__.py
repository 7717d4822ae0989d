"""The command line `llmwiki`: one file a group of commands, and the only place that prints."""

from __future__ import annotations

import sys

from generator import __version__


def main() -> int:
    """Run the command that `sys.argv` names; returns the exit code."""
    arguments = sys.argv[1:]
    if arguments == ["--version"]:  # asked for by scripts and prompts: at once
        print(f"llmwiki {__version__}")
        return 0
    from generator.cli.edge import run

    return run(arguments)
