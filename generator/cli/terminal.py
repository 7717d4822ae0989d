"""What is printed, and how: text, tables and colours for people, one JSON value for programs.

Text from notes goes through `_printable`, so that no page can send control sequences to a terminal.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Literal, NamedTuple
from unicodedata import combining, east_asian_width

if TYPE_CHECKING:
    from rich.progress import Progress

    from generator.model import Finding

Style = Literal["bold", "dim", "red", "green", "yellow", "cyan"]
_CODES: dict[Style, str] = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
_SEVERITY_STYLES: dict[str, Style] = {"error": "red", "warning": "yellow", "info": "dim"}
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_MOST_FINDINGS = 20
_PROGRESS_AFTER_S = 1.0
_NARROWEST = 20  # to which the last column of a table is cut


class Styled(NamedTuple):
    """Text in a style, where the stream is a terminal that shows styles."""

    text: str
    style: Style


def bold(text: str) -> Styled:
    """What a reader looks for first."""
    return Styled(text, "bold")


def dim(text: str) -> Styled:
    """What a reader may skip."""
    return Styled(text, "dim")


def say(*parts: str | Styled, to_stderr: bool = False) -> None:
    """Print one line (or several) made of the parts."""
    stream = sys.stderr if to_stderr else sys.stdout
    print("".join(_rendered(part, stream) for part in parts), file=stream)


def say_json(value: object) -> None:
    """Print the one JSON value that a program reads."""
    print(json.dumps(value, ensure_ascii=False, indent=2))


def say_json_line(value: object) -> None:
    """Print one of several JSON values, each on its line, at once."""
    print(json.dumps(value, ensure_ascii=False), flush=True)


def say_pairs(pairs: Sequence[tuple[str, str]]) -> None:
    """Print names and values in two columns."""
    width = max((_width(name) for name, _ in pairs), default=0)
    for name, value in pairs:
        say(dim(_padded(name, width)), "  ", value)


def say_table(columns: Sequence[str], rows: Sequence[Sequence[str]], *, cut_last: bool = False) -> None:
    """Print a table: drawn by rich on a terminal, as plain aligned columns elsewhere. What is too wide for the terminal
    goes on in the next line, or with `cut_last` is cut in the last column."""
    widths = [max(map(_width, column)) for column in zip(columns, *rows, strict=True)]
    if not _shows_styles(sys.stdout):
        for row in (columns, *rows):
            say("  ".join(map(_padded, row, widths)).rstrip())
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console, table = Console(file=sys.stdout), Table(box=None, pad_edge=False, header_style="dim")
    for column in columns:
        table.add_column(column, overflow="fold")
    room = max(_NARROWEST, console.width - sum(width + 2 for width in widths[:-1]))
    for row in rows:
        cells = [Text(_printable(cell)) for cell in row]
        if cut_last:
            cells[-1].truncate(room, overflow="ellipsis")
        table.add_row(*cells)
    console.print(table)


def say_findings(findings: Sequence[Finding]) -> None:
    """Print findings as `path:line: severity: message`, the gravest first, and how many were left out."""
    order = list(_SEVERITY_STYLES)
    ranked = sorted(findings, key=lambda finding: order.index(finding.severity))
    for finding in ranked[:_MOST_FINDINGS]:
        where = place(finding.path, finding.line)
        style = _SEVERITY_STYLES[finding.severity]
        fix = dim(f" → {finding.fix}") if finding.fix else ""
        say(f"{where}: " if where else "", Styled(finding.severity, style), f": {finding.message}", fix)
    if len(ranked) > _MOST_FINDINGS:
        say(dim(f"… and {len(ranked) - _MOST_FINDINGS} more: --json lists them all"))


def place(path: str, line: int | None) -> str:
    """`path:line`, or what of it is known."""
    return f"{path}:{line}" if path and line else path


@contextmanager
def progress_bar() -> Iterator[Callable[[str, int, int], None] | None]:
    """A progress callback for long work; None where nobody would see the bar, which comes after a second."""
    if not _is_terminal(sys.stderr):
        yield None
        return
    bar = _Bar()
    try:
        yield bar.update
    finally:
        bar.close()


class _Bar:
    """One line of progress, drawn on demand: rich's own refreshing thread would forbid worker processes to fork."""

    def __init__(self) -> None:
        self._start = self._drawn = time.monotonic()
        self._progress: Progress | None = None
        self._tasks: dict[str, int] = {}

    def update(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self._start < _PROGRESS_AFTER_S or now - self._drawn < 0.1:
            return
        self._drawn = now
        from rich.console import Console
        from rich.progress import Progress

        if self._progress is None:
            self._progress = Progress(console=Console(file=sys.stderr), auto_refresh=False, transient=True)
            self._progress.start()
        if stage not in self._tasks:
            self._tasks[stage] = self._progress.add_task(stage, total=total)
        self._progress.update(self._tasks[stage], completed=done, total=total, refresh=True)  # type: ignore[arg-type]

    def close(self) -> None:
        if self._progress is not None:
            self._progress.stop()


def _rendered(part: str | Styled, stream: IO[str]) -> str:
    if isinstance(part, str):
        return _printable(part)
    text = _printable(part.text)
    return f"\x1b[{_CODES[part.style]}m{text}\x1b[0m" if text and _shows_styles(stream) else text


def _printable(text: str) -> str:
    return _CONTROL.sub("�", text)


def _shows_styles(stream: IO[str]) -> bool:
    return _is_terminal(stream) and not os.environ.get("NO_COLOR")


def _is_terminal(stream: IO[str]) -> bool:
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def _width(text: str) -> int:
    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)


def _padded(text: str, width: int) -> str:
    return text + " " * (width - _width(text))
