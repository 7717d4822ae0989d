"""Completion in shells: the printed scripts are valid, and bash completes with ours."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from needed import needed_program
from project import Project

from generator.cli.commands import MODULES
from generator.cli.completion import SHELLS

CHECKS = {"bash": ["bash", "-n"], "zsh": ["zsh", "-n"], "fish": ["fish", "--no-execute"]}


def script_of(shell: str, project: Project) -> str:
    done = project.cli("completion", shell)
    assert (done.code, done.err) == (0, "")
    return done.out


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_names_every_command(shell: str, project: Project) -> None:
    script = script_of(shell, project)
    assert [name for name in MODULES if name not in script] == []
    assert "--max-tokens" in script or "max-tokens" in script


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_can_be_read_by_its_shell(shell: str, project: Project) -> None:
    needed_program(shell)
    file = project.root / "script"
    file.write_text(script_of(shell, project), "utf-8")
    done = subprocess.run([*CHECKS[shell], str(file)], capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("words", "wanted", "unwanted"),
    [
        (["llmwiki", "se"], {"search", "serve"}, {"status"}),
        (["llmwiki", "search", "--sc"], {"--scope"}, {"--json"}),
        (["llmwiki", "search", "tea", "--scope", ""], {"wiki", "raw", "all"}, {"search"}),
        (["llmwiki", "ingest", ""], {"scan", "next", "done", "fail", "status"}, {"build"}),
        (["llmwiki", "completion", "f"], {"fish"}, {"bash"}),
        (["llmwiki", "build", ""], {"a-vault"}, {"a-file.txt"}),
        (["llmwiki", "status", "--vault", "a-"], {"a-vault"}, {"a-file.txt"}),
    ],
    ids=lambda part: " ".join(part) if isinstance(part, list) else "",
)
def test_bash_completes(
    words: list[str], wanted: set[str], unwanted: set[str], project: Project, tmp_path: Path
) -> None:
    needed_program("bash")
    here = tmp_path / "here"
    (here / "a-vault").mkdir(parents=True)
    (here / "a-file.txt").touch()
    (tmp_path / "script").write_text(script_of("bash", project), "utf-8")
    # As bash itself does: it sets COMP_WORDS and COMP_CWORD, calls the function, and shows COMPREPLY.
    quoted = " ".join(f"'{word}'" for word in words)
    ask = (
        f"source '{tmp_path}/script'; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1};"
        f" $(complete -p llmwiki | sed -E 's/.*-F ([^ ]+).*/\\1/') llmwiki '{words[-1]}' '{words[-2]}';"
        ' printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(["bash", "-c", ask], capture_output=True, text=True, timeout=30, cwd=here)
    offered = {line.strip().rstrip("/") for line in done.stdout.splitlines()}
    assert wanted <= offered, done
    assert not unwanted & offered


def test_another_shell_is_refused(project: Project) -> None:
    assert project.cli("completion", "tcl").code == 2
