"""The shared cases: real reports, each cut down to a small vault. Their inputs are read here at test time."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from conftest import require_shared

_CASE = re.compile(r"^### (S\d\d) (.+?)\n(.*?)(?=^### S\d\d |\Z)", re.DOTALL | re.MULTILINE)
_BLOCK = re.compile(r"^(~{5,})text\n(.*?)^\1\n", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Case:
    """A case's id, title, area, and its input: `FILE` and `PY` parts in order."""

    id: str
    title: str
    area: str
    parts: tuple[tuple[str, str], ...]

    def files(self) -> dict[str, str]:
        """The files by path."""
        return {name: content for name, content in self.parts if name != "PY"}

    def program(self) -> str:
        """The Python that makes the files."""
        return "\n".join(content for name, content in self.parts if name == "PY")

    def make(self, vault: Path) -> None:
        """Put the input into the vault."""
        for path, content in self.files().items():
            file = vault / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.encode())
        if program := self.program():
            run_program(vault, program)


def run_program(vault: Path, program: str) -> None:
    """Run a `PY` part with the vault as working directory."""
    subprocess.run([sys.executable, "-X", "utf8", "-c", program], cwd=vault, check=True)


@cache
def all_cases() -> dict[str, Case]:
    """Every case by id; the test is skipped where the file is not there."""
    text = require_shared("cases.md").read_text("utf-8")
    return {match[1]: _read(match) for match in _CASE.finditer(text)}


def _read(match: re.Match[str]) -> Case:
    block = _BLOCK.search(match[3])
    assert block is not None, f"{match[1]} has no input"
    area = re.search(r"^- Area: (.+)$", match[3], re.MULTILINE)
    assert area is not None
    return Case(match[1], match[2], area[1], tuple(read_parts(block[2])))


def read_parts(text: str) -> list[tuple[str, str]]:
    """The parts of a text in which `FILE path` and `PY` start one, each with its content."""
    parts: list[tuple[str, str]] = []
    for line in text.splitlines(keepends=True):
        if line.startswith("FILE "):
            parts.append((line[5:].strip(), ""))
        elif line == "PY\n":
            parts.append(("PY", ""))
        else:
            name, content = parts[-1]
            parts[-1] = (name, content + line)
    return parts
