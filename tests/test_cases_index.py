"""The shared cases on the incremental index: S33 to S36."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from cases import all_cases, run_program
from project import Page, Project
from site_checker import check_site


def test_s33_changed_with_the_same_size_and_time(project: Project) -> None:
    before, _, after = all_cases()["S33"].program().partition("# index here, then:\n")
    moment = "import os; st = os.stat('Doc.md')\n"
    run_program(project.vault, before)
    project.build()
    run_program(project.vault, moment + after.partition("# index again")[0])
    project.build()
    assert project.find("gamma") == ["Doc.md"]
    assert project.find("alpha") == []

    project.write({"One.md": "oneword here\n", "Two.md": "twoword here\n"})
    for name in ("One.md", "Two.md"):
        os.utime(project.vault / name, ns=(10**18, 10**18))
    project.build()
    project.move("One.md", "Three.md")
    project.move("Two.md", "One.md")
    project.move("Three.md", "Two.md")
    project.build()
    assert project.find("oneword") == ["Two.md"]
    assert project.find("twoword") == ["One.md"]
    assert "oneword" in project.page("Two.md").text


def test_s34_changes_made_while_nothing_ran(project: Project) -> None:
    all_cases()["S34"].make(project.vault)
    project.build()
    assert project.facts("Stay.md").backlinks == {"Gone.md"}
    project.remove("Gone.md")
    project.write({"Edit.md": "afterword\n", "Fresh.md": "freshword\n"})
    # No build in between: a command brings the index up to date itself.
    assert project.find("goneword") == []
    assert project.find("afterword") == ["Edit.md"]
    assert project.find("beforeword") == []
    assert project.find("freshword") == ["Fresh.md"]
    assert project.facts("Stay.md").backlinks == set()
    project.build()
    assert b"Gone" not in b"".join(project.files().values())
    assert project.orphans == {"Edit", "Fresh", "Stay"}


def _overwrite(index: Path) -> None:
    with index.open("r+b") as file:
        file.seek(index.stat().st_size // 2 // 4096 * 4096)
        file.write(b"\xff" * 4096)


def _halve(index: Path) -> None:
    os.truncate(index, index.stat().st_size // 2)


def _replace(index: Path) -> None:
    index.write_text("not a database")


def _empty_postings(index: Path) -> None:
    db = sqlite3.connect(index)
    db.execute("DELETE FROM wiki_fts_data")
    db.commit()
    db.close()


def _keep_only_the_log(index: Path) -> None:
    db = sqlite3.connect(index, isolation_level=None)
    db.execute("UPDATE wiki_meta SET value = value")
    logs = [index.with_name(index.name + suffix) for suffix in ("-wal", "-shm")]
    kept = [log.read_bytes() for log in logs]
    db.close()
    index.unlink()
    for log, data in zip(logs, kept, strict=True):
        log.write_bytes(data)


def _change_version(index: Path) -> None:
    db = sqlite3.connect(index)
    db.execute("PRAGMA user_version = 9999")
    db.close()


DAMAGES = (_overwrite, _halve, _replace, _empty_postings, _keep_only_the_log, _change_version)


@pytest.mark.parametrize("damage", DAMAGES, ids=[damage.__name__.strip("_") for damage in DAMAGES])
def test_s35_damaged_index(project: Project, damage: Callable[[Path], None]) -> None:
    all_cases()["S35"].make(project.vault)
    project.build()
    index = project.config().wiki.index_path
    damage(index)
    done = project.cli("search", "findme", "--vault", str(project.vault), "--json")
    if done.code == 0:
        assert '"Doc.md"' in done.out
    else:
        assert "llmwiki index" in done.err + done.out
    damaged_again = project.cli("status", "--vault", str(project.vault), "--json")
    assert damaged_again.code == 0 or "llmwiki index" in damaged_again.err + damaged_again.out
    report = project.build()
    assert report.pages == 1
    assert project.find("findme") == ["Doc.md"]
    assert project.cli("index", "check", str(project.vault)).code == 0


@pytest.mark.parametrize("damage", DAMAGES, ids=[damage.__name__.strip("_") for damage in DAMAGES])
def test_s35_a_build_repairs_the_index_by_itself(project: Project, damage: Callable[[Path], None]) -> None:
    all_cases()["S35"].make(project.vault)
    project.build()
    before = project.files()
    damage(project.config().wiki.index_path)
    assert project.build().pages == 1
    assert project.find("findme") == ["Doc.md"]
    assert project.files() == before


def test_s36_empty_vault(project: Project) -> None:
    report = project.build()
    assert (report.pages, report.parsed, list(report.warnings)) == (0, 0, [])
    for name in ("index.html", "pages.html", "tags.html", "orphans.html", "hot.html"):
        assert "NaN" not in Page(project.site / name).main.get_text()
    assert check_site(project.site) == []
    assert project.search("x") == {"hits": [], "total": 0, "relaxed": False} | project.search("x")
    assert project.json("status")["pages"] == 0
    project.write({"First.md": "firstword\n"})
    project.build()
    assert project.find("firstword") == ["First.md"]


def test_s36_notes_without_text(project: Project) -> None:
    run_program(project.vault, all_cases()["S36"].program())
    report = project.build()
    assert (report.pages, list(report.warnings)) == (3, [])
    assert project.notes == ["Empty.md", "OnlyMeta.md", "Space.md"]
    assert project.orphans == {"Empty", "OnlyMeta", "Space"}
    assert project.rows("SELECT n FROM wiki_links") == []
    assert project.facts("OnlyMeta.md").aliases == ["Om"]
    assert project.find("x") == []
    assert check_site(project.site) == []
