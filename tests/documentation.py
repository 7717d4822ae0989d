"""The documentation as tests read it: pages, their sections, tables, code spans and code blocks."""

from __future__ import annotations

import re
from argparse import Action, ArgumentParser
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])

Row = tuple[str, ...]


def page(name: str) -> str:
    """The text of a page of docs/."""
    return (DOCS / name).read_text("utf-8")


def sections(text: str) -> dict[str, str]:
    """The text below each heading of level 2, by heading; what stands before the first one is ""."""
    parts = re.split(r"^## (.+)$", without_code(text), flags=re.MULTILINE)
    return dict(zip(["", *parts[1::2]], parts[::2], strict=True))


def rows(text: str, first_column: str) -> list[Row]:
    """The rows of every table whose first column has that name."""
    found: list[Row] = []
    for table in re.findall(r"(?:^\|.*\|$\n?)+", text, re.MULTILINE):
        head, _, *body = [_cells(line) for line in table.splitlines()]
        if head[0] == first_column:
            found += body
    return found


def spans(text: str) -> list[str]:
    """The code spans of a text."""
    return re.findall(r"`([^`]+)`", text)


def named(text: str, first_column: str) -> list[str]:
    """What the first cells of such tables name, none of it twice."""
    names = [name for row in rows(text, first_column) for name in spans(row[0])]
    assert len(names) == len(set(names)), names
    return names


def code_blocks(text: str, language: str) -> list[str]:
    """The fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def without_code(text: str) -> str:
    """The text without fenced blocks."""
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def _cells(line: str) -> Row:
    return tuple(cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1])


def _written(action: Action) -> list[str]:
    """An argument as the documentation writes it: `--out DIR`, `VAULT`; one for each of several words."""
    if not action.option_strings:
        return str(action.metavar).split("|")
    value = "" if action.nargs == 0 else " " + "|".join(action.choices or [str(action.metavar or action.dest.upper())])
    return [action.option_strings[-1] + value]


def options(parser: ArgumentParser) -> set[str]:
    """All arguments of a command but `--help`, as the documentation writes them."""
    return {text for action in parser._actions for text in _written(action) if text != "--help"}
