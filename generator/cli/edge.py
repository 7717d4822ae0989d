"""The outer edge of the command line: streams, signals, exit codes."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType
from typing import NoReturn

from generator.cli.commands import parse
from generator.cli.failure import explain, report

_INTERRUPTED, _BROKEN_PIPE, _TERMINATED = 130, 141, 143


def run(arguments: Sequence[str]) -> int:
    """Run a command; returns the exit code."""
    _prepare()
    try:
        command, values = parse(arguments or ["--help"])
        code = command(**values)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _INTERRUPTED
    except SystemExit as end:  # help and version were asked for, or we are told to end
        return int(end.code or 0)
    except BrokenPipeError:  # the reader has seen enough, as in `llmwiki search … | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _BROKEN_PIPE
    except Exception as error:  # the one broad handler of the command line
        return report(explain(error), as_json="--json" in arguments)
    return code or 0


def _prepare() -> None:
    """UTF-8 whatever the locale says, and an end by signal that leaves no worker processes behind."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")
    signal.signal(signal.SIGTERM, _terminate)


def _terminate(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(_TERMINATED)
