"""Bad input and bad luck: what cannot be read, what is far too much, a full disk, an interruption at any point."""

from __future__ import annotations

import errno
import io
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from project import Project
from site_checker import check_site

import generator.making
import generator.output
import generator.reading
import generator.relink
from generator.errors import OutputError, VaultError, WikiError
from generator.store import Store

ROOT = Path(__file__).resolve().parent.parent
MEGABYTE = 1_000_000


def within(seconds: float, action: Callable[[], Any]) -> Any:
    start = time.monotonic()
    result = action()
    assert time.monotonic() - start < seconds
    return result


# ── too much ────────────────────────────────────────────────────────────────────────────────────────────

FLOODS = {
    "brackets": "[[" * 3_000,
    "embeds": "![[" * 3_000,
    "closing brackets": "[[a" + "]" * 20_000,
    "pairs": "[[]]" * 3_000,
    "links": "[[a|" * 3_000,
    "markdown links": "[a](" * 3_000,
    "nested labels": "[" * 3_000 + "a" + "](b)" * 3_000,
    "ticks": "` `` " * 8_000,
    "rising ticks": " ".join("`" * i for i in range(1, 400)),
    "stars": "*a **b " * 6_000,
    "only stars": "*" * 20_000,
    "underscores": "_a __b " * 6_000,
    "equals": "==a " * 10_000,
    "percents": "%%a " * 10_001,
    "dollars": "$a $$b " * 6_000,
    "hashes": "#a/" * 10_000,
    "carets": "^[a" * 3_000,
    "footnotes": "[^1] " * 3_000 + "\n\n[^1]: x",
    "quotes": ">" * 10_000 + " x",
    "callouts": "\n".join("> " * i + "[!note]" for i in range(1, 200)),
    "lists": "\n".join("  " * i + "- x" for i in range(300)),
    "rows": "| a | b |\n|---|---|\n" + "| [[x\\|y]] | z |\n" * 2_000,
    "columns": "|" + "a|" * 5_000 + "\n|" + "-|" * 5_000,
    "angles": "<" * 20_000,
    "tags": "<div>" * 20_000,
    "attributes": "<a " + "b='c' " * 6_000,
    "comments": "<!-- " * 10_000,
    "entities": "&amp" * 10_000,
    "escapes": "\\" * 20_000,
    "urls": "https://" * 20_000,
    "front matter": "---\n" + "a: &a [*a, *a]\n" * 5 + "---\n",
    "laughs": "---\na: &a [x,x,x,x,x,x,x,x,x]\n"
    + "".join(f"{chr(98 + i)}: &{chr(98 + i)} [{','.join(['*' + chr(97 + i)] * 9)}]\n" for i in range(9))
    + "---\nx",
    "deep yaml": "---\na: " + "[" * 5_000 + "\n---\nx",
    "rules": "---\n" * 6_000,
    "headings": "# a\n" * 2_000,
    "equal headings": "".join(f"[[#a#a#a#a]]\n\n{'#' * (i % 6 + 1)} a\n\n" for i in range(600)),
    "marks": "\x01\x02\x03\x04" * 1000,
    "white space": " " * 100_000 + "x",
    "blank lines": "\n" * 100_000,
    "combining": "a" + "\u0301" * 10_000,
    "right to left": "\u202e" * 10_000 + "abc",
    "mermaid": "```mermaid\nflowchart LR\n" + "A-->B\n" * 2_000 + "```",
    "formulas": "$\\frac{" * 10_000,
    "fences": "```\n" * 6_001,
}


def test_floods_of_all_kinds_cost_seconds(project: Project) -> None:
    project.write({f"{name}.md": text + "\n" for name, text in FLOODS.items()})
    project.write({"Small.md": "".join(f"[[{name}]] " for name in FLOODS)})
    report = within(120, project.build)
    assert report.pages == len(FLOODS) + 1
    assert project.facts("Small.md").broken == set()
    assert [str(fault) for fault in check_site(project.site) if fault.kind != "raw-syntax"] == []


def test_a_line_of_twelve_megabytes(project: Project) -> None:
    project.write({"Huge.md": "lorem " * 2_000_000 + "end\n", "Small.md": "see [[Huge]]\n"})
    report = within(20, project.build)
    assert [(finding.code, finding.path) for finding in report.warnings] == [("oversized-page", "Huge.md")]
    assert project.facts("Small.md").links == {"Huge.md"}
    assert project.page("Huge.md").file.stat().st_size < MEGABYTE


# ── unreadable ──────────────────────────────────────────────────────────────────────────────────────────


def test_symbolic_links_in_a_loop(project: Project) -> None:
    project.write({"Doc.md": "doc\n", "sub/Deep.md": "deep\n"})
    (project.vault / "sub/up").symlink_to("..")
    (project.vault / "sub/self").symlink_to("self")
    (project.vault / "a").symlink_to("b")
    (project.vault / "b").symlink_to("a")
    (project.vault / "Loop.md").symlink_to("Loop.md")
    report = within(10, project.build)
    assert project.notes == ["Doc.md", "sub/Deep.md"]
    assert ("symlink-loop", "sub/up") in {(finding.code, finding.path) for finding in report.warnings}


def test_unreadable_and_binary_notes_are_named(project: Project) -> None:
    project.write(
        {"Bin.md": bytes(range(256)) * 40, "Good.md": "good [[Bin]]\n", "Odd\n.md": "odd\n", "Pipe/x.md": "x\n"}
    )
    os.mkfifo(project.vault / "Fifo.md")
    report = within(10, project.build)
    assert {finding.path for finding in report.warnings if finding.code == "unreadable"} == {"Bin.md"}
    assert project.notes == ["Good.md", "Odd\n.md", "Pipe/x.md"]
    assert check_site(project.site) == []


def test_a_note_that_becomes_unreadable_and_readable_again(project: Project) -> None:
    project.write({"Doc.md": "firstword\n", "Ref.md": "[[Doc]]\n"})
    project.build()
    project.write({"Doc.md": b"\x00\x01"})
    report = project.build()
    assert (report.pages, [finding.code for finding in report.warnings]) == (1, ["unreadable"])
    assert not (project.site / "Doc.html").exists()
    project.write({"Doc.md": "secondword\n"})
    report = project.build()
    assert (report.pages, list(report.warnings)) == (2, [])
    assert "secondword" in project.page("Doc.md").text


def test_a_vault_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "file.md").write_text("x")
    for path in (tmp_path / "missing", tmp_path / "file.md"):
        project = Project(tmp_path / "p", tmp_path / "p/vault")
        project.vault = path
        with pytest.raises(VaultError):
            project.build()


# ── the output folder ───────────────────────────────────────────────────────────────────────────────────


def test_a_folder_that_is_not_ours_is_refused(project: Project) -> None:
    project.write({"Doc.md": "doc\n"})
    project.site.mkdir()
    (project.site / "thesis.txt").write_text("precious")
    with pytest.raises(OutputError):
        project.build()
    assert [path.name for path in project.site.iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize("site", [".", ".."])
def test_an_output_that_holds_the_vault_is_refused(project: Project, site: str) -> None:
    project.write({"Doc.md": "doc\n"})
    with pytest.raises(OutputError):
        project.build(site={"output": project.vault / site})
    assert [path.name for path in project.vault.iterdir()] == ["Doc.md"]


def test_foreign_files_in_our_folder_are_left_alone(project: Project) -> None:
    project.write({"Doc.md": "doc\n", "Other.md": "other\n", "sub/Deep.md": "deep\n"})
    project.build()
    (project.site / "mine.txt").write_text("mine")
    (project.site / "sub/mine.html").write_text("mine")
    (project.site / "New.html").write_text("mine")
    project.remove("sub")
    project.write({"New.md": "new\n"})
    report = project.build()
    assert (project.site / "mine.txt").read_text() == "mine"
    assert (project.site / "sub/mine.html").read_text() == "mine"
    assert (project.site / "New.html").read_text() == "mine"
    assert [(finding.code, finding.path) for finding in report.warnings] == [("output-conflict", "New.html")]
    assert not (project.site / "sub/Deep.html").exists()
    (project.site / "New.html").unlink()
    assert list(project.build().warnings) == []
    assert "new" in project.page("New.md").text


# ── a full disk, an interruption ────────────────────────────────────────────────────────────────────────


def many(project: Project) -> None:
    project.write({f"n{i}.md": f"# Note {i}\n[[n{i + 1}]] ![[n{i + 2}]] #tag{i % 3}\n" for i in range(30)})
    project.write({"n0.md": "![[a.png]]\n", "a.png": "x" * 10_000})


def assert_like_clean(project: Project, tmp_path: Path) -> None:
    fresh = Project(tmp_path / "clean", project.vault)
    fresh.build()
    assert project.files() == fresh.files()
    assert project.rows("SELECT count(*) FROM wiki_fts_docsize") == fresh.rows("SELECT count(*) FROM wiki_fts_docsize")
    assert project.notes == fresh.notes
    assert not list(project.root.rglob("*.tmp"))


class _FullDisk(io.FileIO):
    """A file on a disk that fills up: half of what is written arrives."""

    def write(self, data: Any) -> int:
        super().write(data[: len(data) // 2])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("writes", [0, 1, 7, 30])
@pytest.mark.parametrize("first", [True, False], ids=["first build", "later build"])
def test_a_full_disk(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writes: int, first: bool
) -> None:
    many(project)
    if not first:
        project.build()
        project.write({f"n{i}.md": f"# Changed {i}\n[[n{i + 3}]]\n" for i in range(30)})
    before = project.files() if not first else {}
    count = 0

    def full(file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        nonlocal count
        if "w" in mode:
            count += 1
            if count > writes:
                return _FullDisk(file, "w")
        return open(file, mode, *args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(generator.output, "open", full, raising=False)
        with pytest.raises(OutputError) as caught:
            project.build()
    assert "space" in str(caught.value)
    assert caught.value.hint
    assert not list(project.root.rglob("*.tmp"))
    halfway = project.files()
    project.build()
    whole = project.files()
    for name, data in halfway.items():
        assert data in (whole.get(name), before.get(name)) or name == ".llmwiki-site.json", name
    assert_like_clean(project, tmp_path)


def test_no_room_for_the_index(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    many(project)
    project.build()
    project.write({f"n{i}.md": f"changed {i}\n" for i in range(20)})
    calls = 0
    original = Store.put_page

    def put_page(self: Store, *args: Any) -> None:
        nonlocal calls
        calls += 1
        if calls == 10:
            raise sqlite3.OperationalError("database or disk is full")
        original(self, *args)

    before, notes = project.files(), project.rows("SELECT path, content_hash FROM wiki_pages ORDER BY path")
    with monkeypatch.context() as patch:
        patch.setattr(Store, "put_page", put_page)
        with pytest.raises((sqlite3.OperationalError, WikiError)):
            project.build()
    assert project.files() == before
    assert project.rows("SELECT path, content_hash FROM wiki_pages ORDER BY path") == notes
    project.build()
    assert_like_clean(project, tmp_path)


@pytest.mark.parametrize("first", [True, False], ids=["first build", "later build"])
@pytest.mark.parametrize("stage", ["parse", "render"])
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_an_interruption(project: Project, tmp_path: Path, stage: str, share: float, first: bool) -> None:
    """At the first note or page, in the middle, at the last; while parsing and while drawing."""
    many(project)
    if not first:
        project.build()
        project.write({f"n{i}.md": f"# Changed {i}\n[[n{i + 3}]]\n" for i in range(30)})
        project.remove("n5.md")
        project.write({"n5 moved.md": "moved\n"})

    def interrupt(name: str, done: int, total: int) -> None:
        if name == stage and done >= max(1, round(share * total)):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        project.build(progress=interrupt)
    project.build()
    assert_like_clean(project, tmp_path)


def test_an_interruption_before_old_pages_are_removed(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many(project)
    project.build()
    project.remove("n5.md")

    def interrupted(*args: object) -> int:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(generator.making, "prune", interrupted)
        with pytest.raises(KeyboardInterrupt):
            project.build()
    assert (project.site / "n5.html").exists()
    project.build()
    assert_like_clean(project, tmp_path)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_in_a_build_of_several_processes(project: Project, tmp_path: Path) -> None:
    project.write({f"n{i}.md": f"# Note {i}\n[[n{i + 1}]] " + "word *em* [[n1]] " * 20 + "\n" for i in range(200)})
    command = [sys.executable, "-m", "generator", "build", str(project.vault), "--out", str(project.site)]
    environment = os.environ | {"LLMWIKI_HOME": str(project.home), "PYTHONPATH": str(ROOT)}
    running = subprocess.Popen(
        command, env=environment, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    deadline = time.monotonic() + 60
    while running.poll() is None and time.monotonic() < deadline and not len(list(project.site.glob("n*.html"))) > 5:
        time.sleep(0.01)
    assert running.poll() is None, "the build ended before it could be interrupted"
    os.killpg(running.pid, signal.SIGINT)
    _, errors = running.communicate(timeout=30)
    assert running.returncode == 130
    assert b"Traceback" not in errors
    assert len(list(project.site.glob("n*.html"))) < 200
    project.build()
    assert_like_clean(project, tmp_path)
