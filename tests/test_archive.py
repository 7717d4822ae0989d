"""Archives of the wiki: what is in one, and how it comes back."""

from __future__ import annotations

import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from project import Project
from upkeep_vault import bytes_of

from generator import archive
from generator.archive import Archive, archived_files, archives, create, plan_comeback, put_back, read_archive
from generator.errors import PathForbidden
from generator.sources.errors import ArchiveUnusable
from generator.sources.manifest import Source, change, load
from generator.vault import detect_layout, scan

NOW = datetime(2026, 6, 1, 9, 30, tzinfo=UTC)
LAYERED = {
    "wiki/concepts/Tea.md": "tea\r\n",
    "wiki/茶.md": "茶\n",
    "wiki/assets/cup.png": b"\x89PNG",
    "wiki/log.md": "# Log\n",
    "schema.md": "# Schema\n",
    "raw/sources/book.pdf": b"%PDF",
    ".obsidian/app.json": "{}",
}


def files_of(project: Project) -> dict[str, str]:
    return archived_files(scan(project.vault, exclude=(), output=None, index=None).files, detect_layout(project.vault))


def made(project: Project, label: str = "") -> Archive:
    return create(project.vault, files_of(project), NOW, label)


def wiki_of(project: Project) -> dict[str, bytes]:
    return {path: data for path, data in bytes_of(project.vault).items() if not path.startswith("_archives/")}


@pytest.fixture
def wiki(project: Project) -> Project:
    project.write(LAYERED)
    change(project.vault, lambda manifest: (manifest.put("book.pdf", Source(state="done")), None))
    return project


def test_what_an_archive_holds(wiki: Project) -> None:
    one = made(wiki, "before a rebuild / 重建")
    assert one.name == "20260601T093000Z-before-a-rebuild-重建"
    assert set(one.files) == {"wiki/concepts/Tea.md", "wiki/茶.md", "wiki/assets/cup.png", "wiki/log.md", "schema.md"}
    assert read_archive(wiki.vault, one.name) == one
    two = made(wiki, "before a rebuild / 重建")
    assert two.name == one.name + "-2"
    assert [each.name for each in archives(wiki.vault)[0]] == [two.name, one.name]
    assert files_of(wiki).keys() == one.files.keys()  # archives are in none
    wiki.update()
    assert not [path for path in wiki.notes if path.startswith("_archives")]


def test_the_wiki_comes_back_as_it_was(wiki: Project) -> None:
    before = wiki_of(wiki)
    one = made(wiki)
    wiki.write({"wiki/concepts/Tea.md": "changed\n", "wiki/New.md": "new\n", "wiki/log.md": "# Log\n\nmore\n"})
    wiki.write({"raw/sources/new.pdf": b"%PDF new"})
    wiki.remove("wiki/茶.md")
    change(wiki.vault, lambda manifest: (manifest.without("book.pdf"), None))
    plan = plan_comeback(wiki.vault, one, files_of(wiki))
    assert (plan.changed, plan.missing, plan.extra) == (("wiki/concepts/Tea.md",), ("wiki/茶.md",), ("wiki/New.md",))
    put_back(wiki.vault, plan, files_of(wiki))
    log = {"wiki/log.md": b"# Log\n\nmore\n"}  # what was done stays done
    assert wiki_of(wiki) == before | log | {"raw/sources/new.pdf": b"%PDF new"}
    again = plan_comeback(wiki.vault, one, files_of(wiki))
    assert (again.changed, again.missing, again.extra) == ((), (), ())


def test_the_archive_of_a_flat_vault(project: Project) -> None:
    project.write(
        {"concepts/A.md": "a", "entities/B.md": "b", "_raw/c.md": "c", "raw/sources/d.md": "d", "index.md": "i"}
    )
    assert set(made(project).files) == {"concepts/A.md", "entities/B.md", "index.md"}


def test_an_archive_by_the_beginning_of_its_name(wiki: Project) -> None:
    one = made(wiki)
    for name in ("2026", f"{one.name}.zip", "093000Z"):
        assert read_archive(wiki.vault, name).name == one.name
    for name in ("1999", "", "../secret"):
        with pytest.raises(ArchiveUnusable):
            read_archive(wiki.vault, name)
    made(wiki)
    assert read_archive(wiki.vault, one.name) == one
    with pytest.raises(ArchiveUnusable, match="2 archives"):
        read_archive(wiki.vault, "2026")


@pytest.mark.parametrize("damage", ["cut", "flipped", "stranger"])
def test_a_damaged_archive_changes_nothing(wiki: Project, damage: str) -> None:
    wiki.write({"wiki/Long.md": "words and more words\n" * 2000})
    one = made(wiki)
    wiki.write({"wiki/Long.md": "short\n"})
    plan = plan_comeback(wiki.vault, one, files_of(wiki))
    file = wiki.vault / archive.FOLDER / f"{one.name}.zip"
    data = bytearray(file.read_bytes())
    if damage == "cut":
        file.write_bytes(data[: len(data) // 2])
    elif damage == "flipped":
        with zipfile.ZipFile(file) as opened:
            at = opened.getinfo("wiki/Long.md").header_offset + 60
        data[at : at + 20] = bytes(20)
        file.write_bytes(data)
    else:
        with zipfile.ZipFile(file, "w") as opened:
            opened.writestr("other.txt", "not ours")
    before = wiki_of(wiki)
    with pytest.raises(ArchiveUnusable):
        put_back(wiki.vault, plan, files_of(wiki))
    assert wiki_of(wiki) == before
    assert len(archives(wiki.vault)[1]) == (damage != "flipped")


def test_an_archive_writes_nowhere_else(wiki: Project, tmp_path: Path) -> None:
    folder = wiki.vault / archive.FOLDER
    folder.mkdir()
    for number, path in enumerate(("../outside.md", "/tmp/outside.md", ".obsidian/app.json", "wiki/../../outside.md")):
        digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"  # of nothing
        with zipfile.ZipFile(folder / f"{number}.zip", "w") as opened:
            opened.writestr(path, b"")
            contents = {"version": 1, "created": "", "label": "", "files": {path: digest}}
            opened.writestr("archive.json", json.dumps(contents))
        before = wiki_of(wiki)
        plan = plan_comeback(wiki.vault, read_archive(wiki.vault, str(number)), files_of(wiki))
        with pytest.raises(PathForbidden):
            put_back(wiki.vault, plan, files_of(wiki))
        assert wiki_of(wiki) == before
    assert not (tmp_path / "outside.md").exists()


def test_the_manifest_comes_back_too(wiki: Project) -> None:
    one = made(wiki)
    change(wiki.vault, lambda manifest: (manifest.put("new.pdf", Source()), None))
    put_back(wiki.vault, plan_comeback(wiki.vault, one, files_of(wiki)), files_of(wiki))
    assert list(load(wiki.vault).sources) == ["book.pdf"]
