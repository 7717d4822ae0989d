"""Sources by their keys, the manifest and its lock, scanning and adding."""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from project import Project

from generator.errors import PathForbidden
from generator.raw import raw_files
from generator.sources import lock
from generator.sources.adding import add, plan_addition
from generator.sources.errors import ManifestBusy, ManifestDamaged, SourceNotFound, SourceRefused
from generator.sources.keys import SourceNames, canonical_url, is_file_key, kind_of, portable_key
from generator.sources.manifest import FILE, LOCK, Manifest, Source, change, encode, load
from generator.sources.scan import SourceScan, queue_found, scan_sources
from generator.vault import detect_layout, scan

NOW = datetime(2026, 6, 1, 9, 30, tzinfo=UTC)
LAYERED = {"wiki/A.md": "a\n", "raw/sources/a.md": "alpha\n", "raw/sources/deep/b.txt": "beta\n"}


# ── keys ────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("a.pdf", "a.pdf"),
        ("raw/sources/deep/a.pdf", "deep/a.pdf"),
        ("./raw/sources/a.pdf", "a.pdf"),
        ("_raw/clip.md", "_raw/clip.md"),
        ("/home/me/vault/raw/sources/deep/a.pdf", "deep/a.pdf"),
        ("C:\\Users\\me\\vault\\raw\\sources\\a.pdf", "a.pdf"),
        ("/home/me/Downloads/a.pdf", "a.pdf"),
        ("~/Downloads/a.pdf", "a.pdf"),
        ("../../etc/passwd", "etc/passwd"),
        ("re\u0301sume\u0301.pdf", "résumé.pdf"),
        ("报告: 第一.pdf", "报告: 第一.pdf"),
        ("Q: what.md", "Q: what.md"),
        ("HTTPS://Example.org:443?utm_source=x&b=1#top", "https://example.org/?b=1"),
        ("conversation:2026-01-31", "conversation:2026-01-31"),
        ("agent:claude/abc", "agent:claude/abc"),
    ],
)
def test_a_key_is_portable(name: str, key: str) -> None:
    assert portable_key(name) == key
    assert portable_key(key) == key


@given(st.text(max_size=40))
def test_no_key_is_absolute_or_leads_upwards(name: str) -> None:
    key = portable_key(name)
    if is_file_key(key):
        assert not key.startswith("/")
        assert not {"..", "."} & set(key.split("/"))


def test_kinds() -> None:
    assert [kind_of(key) for key in ("a.pdf", "https://x.org/", "conversation:2026-01-01", "agent:x/1")] == [
        "document", "url", "conversation", "agent",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://x.org", "http://X.org:80/"),
        ("https://x.org/a?utm_medium=mail", "https://x.org/a#part"),
        ("https://x.org/a?q=1&fbclid=z", "https://x.org/a?q=1"),
    ],
)
def test_one_page_has_one_address(one: str, other: str) -> None:
    assert canonical_url(one) == canonical_url(other)
    assert canonical_url(one) != canonical_url("https://x.org/b")


def test_what_an_entry_of_a_page_means() -> None:
    names = SourceNames(["a.pdf", "deep/a.pdf", "deep/b.pdf", "https://x.org/p", "Case.md", "case.md"])
    assert names.find("a.pdf") == "a.pdf"
    assert names.find("raw/sources/deep/a.pdf") == "deep/a.pdf"
    assert names.find("b.pdf") == "deep/b.pdf"  # the only file of that name
    assert names.find("B.PDF#Chapter 2") == "deep/b.pdf"
    assert names.find("[[raw/sources/deep/b.pdf|the book]]") == "deep/b.pdf"
    assert names.find("https://x.org/p#part") == "https://x.org/p"
    assert names.find("case.md") == "case.md"
    assert names.find("CASE.md") is None  # of two, neither
    assert names.find("") is names.find("c.pdf") is None


# ── the manifest ────────────────────────────────────────────────────────────────────────────────────────


def test_older_shapes_are_read(tmp_path: Path) -> None:
    old = {
        "/home/me/v/raw/sources/a.pdf": {
            "content_hash": "sha256:" + "AB" * 32,
            "size_bytes": 7,
            "source_type": "document",
            "ingested_at": "2026-01-31T00:00:00Z",
            "pages_created": ["wiki/A.md"],
            "pages_updated": ["wiki/B.md", "wiki/A.md"],
            "project": "tea",
        },
        "b.md": {"pages_produced": ["wiki/C.md"], "state": "no such state", "size": "many"},
        "c.md": {},
        "d.md": "not an entry",
    }
    (tmp_path / ".llm-wiki").mkdir()
    (tmp_path / FILE).write_text(json.dumps({"sources": old, "stats": {"n": 3}}), "utf-8")
    manifest = load(tmp_path)
    assert list(manifest.sources) == ["a.pdf", "b.md", "c.md"]
    first = manifest.sources["a.pdf"]
    assert (first.sha256, first.size, first.state) == ("ab" * 32, 7, "done")
    assert first.pages == ("wiki/A.md", "wiki/B.md")
    assert manifest.sources["b.md"].state == "done"
    assert manifest.sources["b.md"].size == 0
    assert manifest.sources["c.md"].state == "pending"
    (tmp_path / FILE).write_bytes(encode(manifest))
    again = load(tmp_path)
    assert again == manifest
    assert again.extra == {"stats": {"n": 3}}
    assert again.sources["a.pdf"].extra == {"project": "tea"}
    assert "/home/me" not in (tmp_path / FILE).read_text("utf-8")


@pytest.mark.parametrize("content", ["{", "[]", '{"sources": []}', "\x00", '{"a": ' * 100_000])
def test_a_damaged_manifest_is_not_replaced(tmp_path: Path, content: str) -> None:
    (tmp_path / ".llm-wiki").mkdir()
    (tmp_path / FILE).write_text(content)
    with pytest.raises(ManifestDamaged):
        change(tmp_path, lambda manifest: (manifest.put("a.md", Source()), None))
    assert (tmp_path / FILE).read_text() == content


def test_nothing_is_written_where_nothing_changes(tmp_path: Path) -> None:
    change(tmp_path, lambda manifest: (manifest, None))
    assert not (tmp_path / FILE).exists()
    with pytest.raises(SourceNotFound):
        change(tmp_path, lambda manifest: (manifest.put("a.md", Source()), manifest.get("b.md")))
    assert not (tmp_path / FILE).exists()
    assert not (tmp_path / LOCK).exists()


# ── the lock ────────────────────────────────────────────────────────────────────────────────────────────


def _add_many(vault: Path, first: int, count: int) -> None:
    for number in range(first, first + count):
        change(vault, lambda manifest, number=number: (manifest.put(f"{number}.md", Source(size=number)), None))  # type: ignore[misc]


def test_changes_of_several_processes_are_all_kept(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_add_many, args=(tmp_path, first * 100, 15)) for first in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0
    assert len(load(tmp_path).sources) == 45


def test_the_lock_of_a_dead_process_is_broken_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = (
        "import os, sys; from pathlib import Path; from generator.sources.lock import locked\n"
        "with locked(Path(sys.argv[1])): os.kill(os.getpid(), 9)"
    )
    root = str(Path(__file__).resolve().parent.parent)
    subprocess.run([sys.executable, "-c", script, str(tmp_path / LOCK)], env=os.environ | {"PYTHONPATH": root})
    assert (tmp_path / LOCK).exists()
    monkeypatch.setattr(lock, "STALE_AFTER_S", 1e9)  # its age is not what tells
    _add_many(tmp_path, 0, 1)
    assert list(load(tmp_path).sources) == ["0.md"]
    assert [path.name for path in (tmp_path / ".llm-wiki").iterdir()] == ["manifest.json"]


def test_a_lock_of_another_machine_is_broken_after_a_minute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "x.lock"
    file.write_text("elsewhere 1 abc")
    monkeypatch.setattr(lock, "_PATIENCE_S", 0.1)
    with pytest.raises(ManifestBusy), lock.locked(file):
        pass
    old = time.time() - lock.STALE_AFTER_S - 1
    os.utime(file, (old, old))
    with lock.locked(file) as held:
        held.check()
        file.write_text("somebody else took it for dead")
        with pytest.raises(ManifestBusy):
            held.check()
    assert file.exists()  # it is the other's


# ── scanning ────────────────────────────────────────────────────────────────────────────────────────────


def scanned(project: Project, manifest: Manifest | None = None) -> SourceScan:
    layout = detect_layout(project.vault)
    whole = scan(project.vault, exclude=(), output=None, index=None)
    known = load(project.vault) if manifest is None else manifest
    return scan_sources(project.vault, raw_files(project.vault, whole, layout), known)


def test_what_a_scan_finds(project: Project) -> None:
    project.write(LAYERED)
    first = scanned(project)
    assert first.new == ("a.md", "deep/b.txt")
    manifest = queue_found(Manifest(), first, NOW)
    assert {source.state for source in manifest.sources.values()} == {"pending"}
    assert scanned(project, manifest).unchanged == ("a.md", "deep/b.txt")
    done = manifest.put(
        "a.md", Source(**{**_fields(manifest.sources["a.md"]), "state": "done", "pages": ("wiki/A.md",)})
    )
    file = project.vault / "raw/sources/a.md"
    status = file.stat()
    file.write_text("ALPHA\n")
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))  # same size, same time: only the content tells
    project.remove("raw/sources/deep/b.txt")
    second = scanned(project, done)
    assert (second.changed, second.missing, second.unchanged) == (("a.md",), ("deep/b.txt",), ())
    after = queue_found(done, second, NOW)
    assert after.sources["a.md"].state == "pending"
    assert after.sources["a.md"].pages == ("wiki/A.md",)
    assert after.sources["deep/b.txt"] == done.sources["deep/b.txt"]  # never forgotten silently
    assert queue_found(after, second, NOW) == after


def _fields(source: Source) -> dict[str, object]:
    return {name: getattr(source, name) for name in Source.__dataclass_fields__}


def test_the_raw_folder_of_a_flat_vault(project: Project) -> None:
    project.write({"concepts/A.md": "a", "entities/B.md": "b", "_raw/c.md": "clip", "raw/sources/c.md": "source"})
    assert scanned(project).new == ("_raw/c.md", "c.md")


# ── adding ──────────────────────────────────────────────────────────────────────────────────────────────


def test_a_file_is_copied_in_and_queued(project: Project, tmp_path: Path) -> None:
    project.write(LAYERED)
    origin = tmp_path / "report.txt"
    origin.write_bytes(b"\xef\xbb\xbfas it is\r\n")
    plan = plan_addition(project.vault, str(origin), NOW, folder="2026", tool="claude", title="A report")
    assert not (project.vault / "raw/sources/2026").exists()
    assert load(project.vault) == Manifest()
    add(project.vault, plan)
    assert (project.vault / "raw/sources/2026/report.txt").read_bytes() == b"\xef\xbb\xbfas it is\r\n"
    source = load(project.vault).sources["2026/report.txt"]
    assert (source.state, source.tool, source.title, source.size) == ("pending", "claude", "A report", 13)
    assert scanned(project).unchanged == ("2026/report.txt",)
    with pytest.raises(SourceRefused):
        plan_addition(project.vault, str(origin), NOW, folder="2026")
    twin = plan_addition(project.vault, str(origin), NOW)
    assert twin.same_as == "2026/report.txt"


def test_a_source_is_never_overwritten(project: Project, tmp_path: Path) -> None:
    project.write(LAYERED)
    (tmp_path / "new.md").write_text("mine")
    plan = plan_addition(project.vault, str(tmp_path / "new.md"), NOW)
    project.write({"raw/sources/new.md": "theirs"})  # between plan and deed
    with pytest.raises(SourceRefused):
        add(project.vault, plan)
    assert (project.vault / "raw/sources/new.md").read_text() == "theirs"
    assert sorted(path.name for path in (project.vault / "raw/sources").iterdir()) == ["a.md", "deep", "new.md"]


def test_addresses_and_keys(project: Project, tmp_path: Path) -> None:
    project.write(LAYERED)
    add(project.vault, plan_addition(project.vault, "https://X.org/a?utm_source=b", NOW))
    with pytest.raises(SourceRefused):
        plan_addition(project.vault, "https://x.org/a#part", NOW)
    (tmp_path / "a.html").write_text("<p>a")
    plan = plan_addition(project.vault, str(tmp_path / "a.html"), NOW, url="https://x.org/a")
    assert plan.same_as == "https://x.org/a"
    assert plan.source.kind == "url"
    add(project.vault, plan_addition(project.vault, "agent:claude/7", NOW))
    assert load(project.vault).sources["agent:claude/7"].kind == "agent"


def test_a_plain_vault_has_no_place_for_files(project: Project, tmp_path: Path) -> None:
    project.write({"A.md": "a\n"})
    (tmp_path / "new.md").write_text("new")
    with pytest.raises(SourceRefused, match="no place"):
        plan_addition(project.vault, str(tmp_path / "new.md"), NOW)


@pytest.mark.parametrize("folder", ["../..", ".hidden", "a/../../../b"])
def test_nothing_is_put_elsewhere(project: Project, tmp_path: Path, folder: str) -> None:
    project.write(LAYERED)
    (tmp_path / "a.md").write_text("a")
    with pytest.raises(PathForbidden):
        add(project.vault, plan_addition(project.vault, str(tmp_path / "a.md"), NOW, folder=folder))
    assert [path.parent.name for path in tmp_path.rglob("a.md")] == [tmp_path.name, "sources"]
    assert (project.vault / "raw/sources/a.md").read_text() == LAYERED["raw/sources/a.md"]
