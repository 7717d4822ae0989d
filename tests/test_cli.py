"""The command line as people meet it: transcripts in tests/cli, and what only a real process shows.

In a transcript, `$` starts a command and `>` continues it; its output, standard error included, follows, and
`[exit N]` where N is not 0. `…` stands for any text within a line, a line `...` for any lines, `<here>` for the
folder in which the transcript runs. Each transcript begins in an empty folder.
"""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from generator.cli.edge import run

TRANSCRIPTS = sorted((Path(__file__).parent / "cli").glob("*.txt"))
ROOT = Path(__file__).resolve().parent.parent


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
    return folder


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda path: path.stem)
def test_transcript(transcript: Path, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for line, command, expected in _steps(transcript.read_text("utf-8")):
        output = _perform(command, monkeypatch).replace(str(here), "<here>")
        if re.fullmatch(_pattern(expected), output) is None:
            assert output == expected, f"{transcript.name}:{line}: {command}"


def _steps(text: str) -> Iterator[tuple[int, str, str]]:
    """Line number, command and expected output."""
    lines = text.splitlines()
    starts = [number for number, line in enumerate(lines) if line.startswith("$ ")]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        command, *rest = lines[start:end]
        more = 0
        while more < len(rest) and rest[more].startswith(("> ", ">\n")):
            more += 1
        expected = "\n".join(line for line in rest[more:] if not line.startswith("# "))
        yield start + 1, "\n".join([command[2:], *(line[2:] for line in rest[:more])]), expected.strip("\n") + "\n"


def _pattern(expected: str) -> str:
    lines = [
        "(?:.*\n)*?" if line == "..." else re.escape(line).replace("…", ".*") + "\n" for line in expected.splitlines()
    ]
    return "".join(lines) or "\n"


def _perform(command: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """What a command prints, both streams together, and its exit code. Ours runs in this process: it is quicker."""
    if re.match(r"llmwiki\b(?!.*[|>])", command):
        stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", stream)
            patch.setattr(sys, "stderr", stream)
            code = run(shlex.split(command)[1:])
        output = stream.buffer.getvalue().decode()  # type: ignore[attr-defined]
    else:
        script = f'llmwiki() {{ "{sys.executable}" -m generator "$@"; }}\n{command}'
        done = subprocess.run(
            ["sh", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=_environment(), timeout=60
        )
        output, code = done.stdout.decode(), done.returncode
    output = "\n".join(line.rstrip() for line in output.splitlines()).strip("\n") + "\n"
    return output + (f"[exit {code}]\n" if code else "")


def _environment(**more: str) -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"} | more
