"""The command line as people meet it: the transcripts in tests/cli.

In a transcript, `$` starts a command and `>` continues it; its output, standard error included, follows, and
`[exit N]` where N is not 0. `…` stands for any text within a line, a line `...` for any lines, `<here>` for the folder
in which the transcript runs, which is empty at first, `<home>` for the one above it. `#` starts a comment.
LLMWIKI_UPDATE_GOLDEN=1 writes what is printed now in place of what no longer fits.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from generator.cli.edge import run

TRANSCRIPTS = sorted((Path(__file__).parent / "cli").glob("*.txt"))
ROOT = Path(__file__).resolve().parent.parent
VOLATILE = (
    r"()\d{4}-\d\d-\d\dT[\d:]+Z",
    r"(time   ).+",
    r'("(?:seconds|version)": )[\d.]+',
    r"(MB, version )\d+",
    r'("bytes": )\d+',
    r'("[a-z]+": )\d+\.\d+(?=,?\n)',
    r"()\d+\.\d(?= MB)",
    r"(vaults/[^/]+-)[0-9a-f]{12}",
)
UPDATE = os.environ.get("LLMWIKI_UPDATE_GOLDEN") == "1"


@dataclass(frozen=True)
class Step:
    """A command with its place, its expected output, and the lines before it (comments and blank ones)."""

    line: int
    before: tuple[str, ...]
    command: str
    expected: tuple[str, ...]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder, with an own home and without settings in the environment."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    for name in list(os.environ):
        if name.startswith(("LLMWIKI_", "WIKI_", "MCP_MODE", "LOG_LEVEL", "MAX_CONCURRENT")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("LLMWIKI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "100")
    return folder


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda path: path.stem)
def test_transcript(transcript: Path, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    for step in _steps(transcript.read_text("utf-8")):
        output = _perform(step.command, monkeypatch).replace(str(here), "<here>").replace(str(here.parent), "<home>")
        fits = re.fullmatch(_pattern(step.expected), output) is not None
        if not fits and not UPDATE:
            assert output.splitlines() == list(step.expected), f"{transcript}:{step.line}: $ {step.command}"
        lines = step.expected if fits else _generalised(output).splitlines()
        seen += [*step.before, "$ " + step.command.replace("\n", "\n> "), *lines]
    if UPDATE:
        transcript.write_text("\n".join(seen) + "\n", "utf-8")


def test_there_are_transcripts() -> None:
    assert len(TRANSCRIPTS) > 5


def _steps(text: str) -> Iterator[Step]:
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        before, at = _take(lines, at, lambda line: not line.startswith("$ "))
        if at == len(lines):
            return
        start = at
        command, at = _take(lines, at + 1, lambda line: line.startswith("> "))
        expected, at = _take(lines, at, lambda line: not line.startswith(("$ ", "# ")))
        while expected and not expected[-1]:
            expected.pop()
            at -= 1
        yield Step(start + 1, tuple(before), "\n".join(line[2:] for line in (lines[start], *command)), tuple(expected))


def _take(lines: list[str], at: int, wanted: Callable[[str], bool]) -> tuple[list[str], int]:
    """The lines from `at` while they are wanted, and where the rest begins."""
    end = at
    while end < len(lines) and wanted(lines[end]):
        end += 1
    return lines[at:end], end


def _generalised(output: str) -> str:
    """The output with `…` for what differs from run to run."""
    for pattern in VOLATILE:
        output = re.sub(pattern, r"\1…", output)
    return output


def _pattern(expected: tuple[str, ...]) -> str:
    return "".join("(?:.*\n)*?" if line == "..." else re.escape(line).replace("…", ".*") + "\n" for line in expected)


def _perform(command: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """What a command prints, both streams together, and its exit code. Ours runs in this process: it is quicker."""
    if re.match(r"llmwiki\b[^|>;&]*\Z", command):
        stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", stream)
            patch.setattr(sys, "stderr", stream)
            code = run(shlex.split(command)[1:])
        output = stream.buffer.getvalue().decode()  # type: ignore[attr-defined]
    else:
        script = f'llmwiki() {{ "{sys.executable}" -m generator "$@"; }}\n{command}'
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        done = subprocess.run(["bash", "-c", script], env=environment, timeout=60, **pipes)  # type: ignore[call-overload]
        output, code = done.stdout.decode(), done.returncode
    lines = [line.rstrip() for line in output.strip("\n").splitlines()]
    return "".join(f"{line}\n" for line in (*lines, *([f"[exit {code}]"] if code else [])))
