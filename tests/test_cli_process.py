"""What only a real process of `llmwiki` shows: start-up, signals, pipes, locales, terminals, rights."""

from __future__ import annotations

import ctypes
import io
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from generator.cli import terminal

ROOT = Path(__file__).resolve().parent.parent
LLMWIKI = (sys.executable, "-W", "error", "-m", "generator")
PATIENCE_S = 60
CAP_DAC_OVERRIDE, PR_CAPBSET_DROP = 1, 24


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A vault of one note with a Chinese name, in the current folder."""
    monkeypatch.setenv("LLMWIKI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "赤壁.md").write_text("# 赤壁之战\n\n曹操南下。\n", "utf-8")
    return folder


def llmwiki(*arguments: str | bytes, **options: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*LLMWIKI, *arguments], capture_output=True, timeout=PATIENCE_S, **options)


def loaded(program: str) -> set[str]:
    """The top-level modules that are loaded after a program."""
    script = f"import sys\nfrom generator.cli import main\n{program}\nprint(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=PATIENCE_S, check=True)
    return {name.partition(".")[0] for name in done.stderr.decode().split()}


def test_the_version_is_told_without_loading_anything() -> None:
    modules = loaded("sys.path.insert(0, '.'); sys.argv = ['llmwiki', '--version']; assert main() == 0")
    assert not modules & {"argparse", "yaml", "sqlite3", "dataclasses", "json"}


def test_search_loads_nothing_that_only_other_commands_need(vault: Path) -> None:
    modules = loaded(f"sys.argv = ['llmwiki', 'search', '曹操', '--vault', {str(vault)!r}]; assert main() == 0")
    assert "sqlite3" in modules
    assert not modules & {
        "typer",
        "rich",
        "pydantic",
        "pydantic_settings",
        "jinja2",
        "mcp",
        "tornado",
        "livereload",
        "watchfiles",
    }


def test_a_build_that_is_interrupted_ends_quietly_and_the_next_one_is_right(vault: Path) -> None:
    for number in range(250):
        (vault / f"Note {number}.md").write_text(f"# Note {number}\n\n[[Note {number + 1}]] `code` and *words*\n" * 5)
    process = subprocess.Popen(
        [*LLMWIKI, "build", "vault"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    with process:
        assert process.stderr is not None
        deadline = time.monotonic() + PATIENCE_S
        while not Path("site/Note 1.html").exists() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all of the group
        errors = process.stderr.read()
    assert (process.returncode, errors) == (130, b"")
    assert list(Path().rglob("*.tmp")) == []
    assert llmwiki("build", "vault").returncode == 0
    assert llmwiki("build", "vault", "--out", "clean").returncode == 0
    assert contents(Path("site")) == contents(Path("clean"))


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_a_reader_that_has_seen_enough_is_no_error(vault: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*LLMWIKI, "show", "赤壁", "--vault", "vault"], stdout=writing, stderr=subprocess.PIPE, timeout=PATIENCE_S
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


def test_output_is_utf8_whatever_the_locale(vault: Path) -> None:
    environment = os.environ | {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}
    done = llmwiki("search", "曹操", "--vault", "vault", env=environment)
    assert done.stdout.decode().startswith("赤壁之战  赤壁.md\n"), done.stderr


def test_a_query_that_is_not_utf8_is_no_error(vault: Path) -> None:
    done = llmwiki(b"search", "曹操\udcff".encode("utf-8", "surrogateescape"), b"--vault", b"vault")
    assert done.stdout.decode().startswith("赤壁之战  赤壁.md\n"), done.stderr


@pytest.mark.parametrize(("environment", "styled"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
def test_matches_are_bold_on_a_terminal_that_shows_it(vault: Path, environment: dict[str, str], styled: bool) -> None:
    output = on_terminal("search", "曹操", "--vault", "vault", **environment)
    assert ("\x1b[1m曹操\x1b[0m" in output) == styled
    assert ("\x1b" in output) == styled
    assert "曹操" in output


def test_tables_on_a_terminal(vault: Path) -> None:
    for folder in ("concepts", "entities"):
        (vault / folder).mkdir()
        (vault / folder / f"{folder} page.md").write_text("text\n")
    output = on_terminal("status", "--vault", "vault")
    assert "category" in output
    assert "entities" in output


def test_each_skill_has_one_line_of_the_terminal(vault: Path) -> None:
    lines = on_terminal("skills", "list", COLUMNS="70").splitlines()
    assert len(lines) == 1 + 11
    assert all(len(line.rstrip()) <= 70 for line in lines[1:])
    assert any(line.endswith("…") for line in lines)


def on_terminal(*arguments: str, **environment: str) -> str:
    """What a command prints to a terminal."""
    master, slave = pty.openpty()
    environ = os.environ | {"TERM": "xterm", "COLUMNS": "100"} | environment
    process = subprocess.Popen([*LLMWIKI, *arguments], stdout=slave, stderr=subprocess.DEVNULL, env=environ)
    os.close(slave)
    output = b""
    try:
        while chunk := os.read(master, 65536):
            output += chunk
    except OSError:  # how Linux says that the other end is closed
        pass
    os.close(master)
    assert process.wait(PATIENCE_S) == 0
    return output.decode()


def test_progress_is_drawn_only_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "xterm")
    for patience, drawn in ((60.0, False), (-1.0, True)):
        screen = Screen()
        monkeypatch.setattr(sys, "stderr", screen)
        monkeypatch.setattr(terminal, "_PROGRESS_AFTER_S", patience)
        with terminal.progress_bar() as progress:
            assert progress is not None
            time.sleep(0.11)
            progress("parse", 3, 10)
        assert ("parse" in screen.getvalue()) == drawn
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with terminal.progress_bar() as progress:
        assert progress is None


@pytest.mark.skipif(sys.platform != "linux", reason="takes rights away from root as Linux does")
def test_an_index_that_cannot_be_written_is_read_as_it_is(vault: Path) -> None:
    assert llmwiki("index", "vault").returncode == 0
    (vault / "New.md").write_text("new\n")
    folder = next(Path("home/vaults").iterdir())
    for path in (*folder.iterdir(), folder):
        path.chmod(0o555)
    try:
        done = llmwiki("search", "曹操", "--vault", "vault", preexec_fn=_obey_modes)
    finally:
        folder.chmod(0o755)
    assert done.stdout.decode().startswith("赤壁之战  赤壁.md\n")
    assert done.stderr.decode() == "The index is behind by 1 file, and cannot be written: Permission denied\n"
    assert done.returncode == 0


def _obey_modes() -> None:
    """Let a process of root heed the modes of files, as those of others do anyway."""
    ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE)
