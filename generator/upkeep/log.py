"""log.md: what was done, one entry an operation. Read in the shapes that people and agents write, added to in its own.

Four shapes: `## [2026-01-31] ingest | A book` and `## 2026-01-31`, each with bullets below; `- 2026-01-31: text`;
`- [2026-01-31T09:30:00] INGEST key=value`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import md5
from pathlib import Path
from typing import Literal

from generator.model import Edit
from generator.upkeep.edits import NoteSource, Replacement, edit_of, read_source
from generator.vault import Layout

Shape = Literal["heading", "day", "line", "verb"]
_HEADING = re.compile(r"##\s+\[(\d{4}-\d\d-\d\d)[^\]\n]*\]\s*([^|\n]*?)\s*(?:\|\s*(.*?))?\s*$")
_DAY = re.compile(r"##\s+(\d{4}-\d\d-\d\d)\b[ \t:—-]*(.*?)\s*$")
_VERB = re.compile(r"[-*]\s+\[(\d{4}-\d\d-\d\d)([^\]\n]*)\]\s+(\w[\w-]*)\s*(.*?)\s*$")
_LINE = re.compile(r"[-*]\s+(\d{4}-\d\d-\d\d)\s*[:：]\s*(.*?)\s*$")
_BULLET = re.compile(r"[-*]\s+(.*?)\s*$")
_FENCE = re.compile(r"\s*(```|~~~)")
START = "# Wiki Log\n"


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One operation: its day, name and subject ("" where the log does not say), details, and line in the file."""

    date: str
    operation: str
    subject: str
    details: tuple[str, ...] = ()
    line: int = 0


def read_log(text: str) -> list[LogEntry]:
    """The entries of a log in the order of the file. Comments and code are none."""
    return [entry for _, entry in _entries(text)]


def _entries(text: str) -> Iterator[tuple[Shape, LogEntry]]:
    shape: Shape | None = None
    head, details = LogEntry("", "", ""), list[str]()
    for number, line in _visible_lines(text):
        found = _head(line, number)
        if found is None:
            bullet = _BULLET.match(line)
            if bullet and shape in ("heading", "day"):
                details.append(bullet[1])
            elif line.startswith("#"):
                if shape:
                    yield shape, _closed(head, details)
                shape = None
            continue
        if shape:
            yield shape, _closed(head, details)
        (shape, head), details = found, []
    if shape:
        yield shape, _closed(head, details)


def _closed(head: LogEntry, details: Sequence[str]) -> LogEntry:
    return LogEntry(head.date, head.operation, head.subject, (*head.details, *details), head.line)


def _head(line: str, number: int) -> tuple[Shape, LogEntry] | None:
    if match := _HEADING.match(line):
        return "heading", LogEntry(match[1], match[2].strip(), match[3] or "", (), number)
    if match := _DAY.match(line):
        return "day", LogEntry(match[1], "", match[2], (), number)
    if match := _VERB.match(line):
        return "verb", LogEntry(match[1], match[3].lower(), match[4], (), number)
    if match := _LINE.match(line):
        return "line", LogEntry(match[1], "", match[2], (), number)
    return None


def _visible_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines outside of comments and fenced code, with their numbers."""
    fence, comment = "", False
    for number, line in enumerate(text.split("\n"), 1):
        mark = _FENCE.match(line)
        if comment:
            comment = "-->" not in line
        elif fence:
            fence = "" if mark and mark[1] == fence else fence
        elif mark:
            fence = mark[1]
        elif line.lstrip().startswith("<!--"):
            comment = "-->" not in line
        else:
            yield number, line


def add_entry(source: NoteSource, entry: LogEntry) -> Edit:
    """The log with one more entry in the shape of those that are there, at the end that is the newest."""
    known = [*_entries(source.text)]
    shape = known[-1][0] if known else "heading"
    newest_first = len(known) > 1 and known[0][1].date > known[-1][1].date
    text = source.text
    if newest_first:
        starts = _line_starts(text)
        place = starts[known[0][1].line - 1]
        written = _written(entry, shape)
        change = Replacement(place, place, written + ("\n" if shape in ("heading", "day") else ""))
    else:
        same_day = known[-1][1] if known and known[-1][0] == "day" and known[-1][1].date == entry.date else None
        body = text.rstrip("\n")
        gap = "\n" if not body or (known and (shape in ("line", "verb") or same_day)) else "\n\n"
        written = _bullet(entry) if same_day else _written(entry, shape)
        change = Replacement(len(body), len(text), ("" if not body else gap) + written)
    edit = edit_of(source, [change])
    assert edit is not None
    return edit


def _written(entry: LogEntry, shape: Shape) -> str:
    details = "".join(f"- {detail}\n" for detail in entry.details)
    if shape == "heading":
        return f"## [{entry.date}] {entry.operation} | {entry.subject}\n" + (f"\n{details}" if details else "")
    if shape == "day":
        return f"## {entry.date}\n\n{_bullet(entry)}"
    joined = "; ".join(entry.details)
    if shape == "line":
        return f"- {entry.date}: {entry.operation} {entry.subject}" + (f" ({joined})" if joined else "") + "\n"
    return f"- [{entry.date}] {entry.operation.upper()} {entry.subject}" + (f" ({joined})" if joined else "") + "\n"


def _bullet(entry: LogEntry) -> str:
    joined = "; ".join(entry.details)
    return f"- {entry.operation}: {entry.subject}" + (f" ({joined})" if joined else "") + "\n"


def _line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer("\n", text))]


def log_path(vault: Path, layout: Layout) -> str:
    """Where the vault keeps its log: at the pages root or the vault's; "" where a plain vault has none of ours."""
    for root in dict.fromkeys((layout.pages_root, "")):
        path = f"{root}/log.md" if root else "log.md"
        if (vault / path).is_file() and (layout.kind != "plain" or _is_ours(vault / path)):
            return path
    return "" if layout.kind == "plain" else f"{layout.pages_root}/log.md".lstrip("/")


def _is_ours(file: Path) -> bool:
    return "<!-- llmwiki:" in file.read_text("utf-8", "replace")


def log_edit(vault: Path, layout: Layout, entry: LogEntry) -> Edit | None:
    """The entry as an edit of the vault's log, which is begun if need be; None in a vault that keeps none."""
    path = log_path(vault, layout)
    if not path:
        return None
    if not (vault / path).exists():
        return Edit(path, "", add_entry(NoteSource(path, md5(b"").hexdigest(), START, START), entry).new_text)
    return add_entry(read_source(vault, path), entry)
