"""The commands about sources: what they say, what they refuse, what they write beside the manifest."""

from __future__ import annotations

import multiprocessing
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

import pytest
from documentation import named, page, sections
from project import Project

from generator.sources.errors import Reason
from generator.sources.journal import note
from generator.sources.manifest import Source, load
from generator.vault import detect_layout

NOW = datetime(2026, 6, 1, 9, 30, tzinfo=UTC)
LAYERED = {"wiki/A.md": "a\n", "raw/sources/a.md": "alpha\n", "raw/sources/deep/b.txt": "beta\n"}


def test_every_key_of_the_json_is_described(project: Project, tmp_path: Path) -> None:
    project.write(LAYERED)
    (tmp_path / "new.md").write_text("new")
    said: dict[str, set[str]] = {}
    for line in (
        "ingest scan --apply", "ingest status", "ingest next a.md", "ingest done a.md --fallback-summary",
        "ingest again", "ingest next", "ingest fail deep/b.txt --why x", f"source add {tmp_path}/new.md --apply",
        "source list", "source remove a.md --apply", "source restore --apply", "archive create", "archive list",
        "archive restore 20",
    ):  # fmt: skip
        said.setdefault(line.split()[0], set()).update(project.json(*line.split()))
    described = sections(page("commands.md"))
    for command, keys in said.items():
        assert set(named(described[f"llmwiki {command}"], "JSON")) == keys
    fields = set(named(page("sources.md"), "field"))
    assert fields == {name for name in Source.__dataclass_fields__ if name != "extra"}
    assert set(named(page("sources.md"), "reason")) == set(get_args(Reason))


@pytest.mark.parametrize(
    "line",
    [
        "ingest status a.md", "ingest scan a.md", "ingest fail a.md", "ingest next --why x", "ingest next --page P",
        "ingest status --apply", "ingest again --tool x", "ingest next --apply",
        "source add", "source remove", "source list x", "source remove a.md --tool x",
        "source add a.md --with-file", "archive restore", "archive list x", "archive list --apply",
        "archive restore x --label y", "history list x", "history extract", "history list --out x",
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(project: Project, line: str) -> None:
    vault = () if line.startswith("history") else ("--vault", str(project.vault))
    assert project.cli(*line.split(), *vault).code == 2


def test_an_ingest_without_a_log_is_an_ingest_all_the_same(project: Project) -> None:
    project.write(LAYERED | {"wiki/log.md": b"caf\xe9\n"})
    project.json("ingest", "scan", "--apply")
    project.json("ingest", "next", "a.md")
    done = project.json("ingest", "done", "a.md", "--fallback-summary")
    assert "log.md" in done["problem"]
    assert load(project.vault).sources["a.md"].state == "done"
    assert (project.vault / "wiki/log.md").read_bytes() == b"caf\xe9\n"


def test_a_summary_made_by_the_program_quotes_and_means_nothing(project: Project) -> None:
    hostile = "[[Nowhere]] #tag\n````\n# Heading\n````\n<script>x</script>\n" + "x" * 4000
    project.write({"wiki/A.md": "a\n", "raw/sources/A.md": hostile, "wiki/sources/A.md": "taken\n"})
    project.json("ingest", "scan", "--apply")
    project.json("ingest", "next")
    path = project.json("ingest", "done", "A.md", "--fallback-summary")["fallback"]
    assert path == "wiki/sources/A 2.md"
    project.update()
    facts = project.facts(path)
    assert (facts.tags, facts.broken, facts.headings) == (set(), set(), ["A"])
    text = (project.vault / path).read_text("utf-8")
    assert hostile[:3000] in text
    assert hostile[:3001] not in text


def test_entries_of_the_log_by_several_processes_are_all_kept(project: Project) -> None:
    project.write(LAYERED | {"wiki/log.md": "# Log\n"})
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_log_many, args=(project.vault, name)) for name in "abc"]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0
    assert (project.vault / "wiki/log.md").read_text().count("## [") == 30


def _log_many(vault: Path, name: str) -> None:
    for number in range(10):
        assert note(vault, detect_layout(vault), NOW, "test", f"{name}{number}") == ""
