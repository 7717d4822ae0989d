"""The scan of a vault: what belongs to it, what is left alone, what changed."""

from __future__ import annotations

import errno
import json
import os
import time
from pathlib import Path
from unicodedata import normalize

import pytest

from generator.errors import VaultError
from generator.model import SourceFile
from generator.vault import Scan, detect_layout, diff, read_note, scan

HELP_VAULT = Path(__file__).parent.parent.parent / "shared" / "vaults" / "obsidian-help"
AS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    return folder


def fill(vault: Path, *paths: str, text: str = "x\n") -> None:
    for path in paths:
        file = vault / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def look(vault: Path, *exclude: str, output: Path | None = None, index: Path | None = None) -> Scan:
    return scan(vault, exclude=exclude, output=output, index=index)


def names(found: Scan) -> list[str]:
    return [file.path for file in found.files]


def codes(found: Scan) -> list[tuple[str, str]]:
    return [(problem.code, problem.path) for problem in found.problems]


# ── what is left alone ──────────────────────────────────────────────────────────────────────────────────


def test_dot_folders_are_not_part_of_the_vault_s42(vault: Path) -> None:
    fill(vault, "wiki/Tea.md", ".raw/Tea.md", ".trash/Old.md", ".obsidian/plugins/p/README.md", ".git/notes.md")
    fill(vault, "Doc.md", ".hidden.md", "deep/.x/y.md", "deep/z.md")
    assert names(look(vault)) == ["Doc.md", "deep/z.md", "wiki/Tea.md"]


def test_private_and_foreign_folders(vault: Path) -> None:
    fill(vault, "a/node_modules/b.md", "_archives/b.md", "x/_staging/b.md", "_raw/b.md", "wiki-export/b.md")
    fill(vault, "_archives.md", "node_modules.md", "raw/b.md")
    assert names(look(vault)) == ["_archives.md", "node_modules.md", "raw/b.md"]


def test_temporary_files_of_editors_s31(vault: Path) -> None:
    fill(vault, "Doc.md~", "Doc.md.tmp123", "Doc.md.tmp.41.1699", "#Doc.md#", ".#Doc.md", "~$Report.docx", "x.tmp")
    fill(vault, "Doc.md", "a.tmp.md", "#1.md", "~plan.md", "C#.png", "tmp", "template.pdf")
    assert names(look(vault)) == sorted(["#1.md", "C#.png", "Doc.md", "a.tmp.md", "template.pdf", "tmp", "~plan.md"])


def test_output_and_index_inside_the_vault_s32(vault: Path) -> None:
    fill(vault, "_site/index.html", "_site/a.md", "_site2/a.md", "wiki.db", "wiki.db-wal", "wiki.db-shm", "wiki.dbx")
    found = look(vault, output=vault / "_site", index=vault / "wiki.db")
    assert names(found) == ["_site2/a.md", "wiki.dbx"]
    assert len(names(look(vault, output=vault, index=vault.parent / "wiki.db"))) == 7
    nested = vault / normalize("NFD", "Café") / "site"
    fill(nested, "a.md")
    assert names(look(vault, output=nested))[-1] == "wiki.dbx"


@pytest.mark.parametrize(
    ("settings", "left"),
    [
        ({"userIgnoreFilters": ["drafts/"]}, ["Drafted.md", "a/drafts/x.md", "b.md", "old 1.md"]),
        ({"userIgnoreFilters": ["DRAFT"]}, ["a/drafts/x.md", "b.md", "old 1.md"]),
        ({"userIgnoreFilters": ["b.md", "a/"]}, ["Drafted.md", "drafts/y.md", "old 1.md"]),
        ({"userIgnoreFilters": ["/drafts\\//"]}, ["Drafted.md", "b.md", "old 1.md"]),
        ({"userIgnoreFilters": ["/^old \\d+\\.md$/"]}, ["Drafted.md", "a/drafts/x.md", "b.md", "drafts/y.md"]),
        ({"userIgnoreFilters": ["/(?<n>old) /"]}, ["Drafted.md", "a/drafts/x.md", "b.md", "drafts/y.md"]),
        ({"userIgnoreFilters": "drafts/"}, None),
        ({"userIgnoreFilters": [1, None, "", "/", "//"]}, None),
        (["userIgnoreFilters"], None),
    ],
)
def test_obsidians_excluded_files(vault: Path, settings: object, left: list[str] | None) -> None:
    everything = ["Drafted.md", "a/drafts/x.md", "b.md", "drafts/y.md", "old 1.md"]
    fill(vault, *everything)
    fill(vault, ".obsidian/app.json", text=json.dumps(settings))
    found = look(vault)
    assert names(found) == (everything if left is None else left)
    assert not found.problems


@pytest.mark.parametrize("pattern", ["/(a+)+$/", "/.*.*.*.*x/", "/(unclosed/", "/[z-a]/", "/\\p{L}{2}(/"])
def test_patterns_that_cannot_be_used_are_named(vault: Path, pattern: str) -> None:
    fill(vault, "a" * 200 + ".md")
    fill(vault, ".obsidian/app.json", text=json.dumps({"userIgnoreFilters": [pattern]}))
    found = look(vault)
    assert len(found.files) == 1
    assert [problem.code for problem in found.problems] == ["bad-exclude"]
    assert pattern in found.problems[0].message


def test_obsidians_template_folder(vault: Path) -> None:
    fill(vault, "Meta/Templates/day.md", "Meta/x.md", "Templates/y.md", "Meta/Templates 2/z.md")
    fill(vault, ".obsidian/templates.json", text='{"folder": "Meta/Templates"}')
    assert names(look(vault)) == ["Meta/Templates 2/z.md", "Meta/x.md", "Templates/y.md"]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"folder": 3}', '{"folder": "/"}', "\udcff", "[" * 99_999])
def test_damaged_obsidian_settings_are_none(vault: Path, text: str) -> None:
    fill(vault, "a.md")
    (vault / ".obsidian").mkdir()
    for name in ("templates.json", "app.json"):
        (vault / ".obsidian" / name).write_bytes(text.encode(errors="surrogateescape"))
    assert names(look(vault)) == ["a.md"]


TREE = ["a.md", "a.png", "build/x.md", "docs/a.md", "docs/build/x.md", "docs/deep/er/a.md", "ä[1].md", "notes/b.MD"]


@pytest.mark.parametrize(
    ("glob", "gone"),
    [
        ("build/", ["build/x.md", "docs/build/x.md"]),
        ("/build/", ["build/x.md"]),
        ("build", ["build/x.md", "docs/build/x.md"]),
        ("a.md/", []),
        ("a.md", ["a.md", "docs/a.md", "docs/deep/er/a.md"]),
        ("/a.md", ["a.md"]),
        ("docs/*.md", ["docs/a.md"]),
        ("docs/**/a.md", ["docs/a.md", "docs/deep/er/a.md"]),
        ("**/er", ["docs/deep/er/a.md"]),
        ("docs/**", ["docs/a.md", "docs/build/x.md", "docs/deep/er/a.md"]),
        ("**/build/**", ["build/x.md", "docs/build/x.md"]),
        ("*.pn?", ["a.png"]),
        ("*.[mp]*", ["a.md", "a.png", "build/x.md", "docs/a.md", "docs/build/x.md", "docs/deep/er/a.md", "ä[1].md"]),
        ("[!a].md", ["build/x.md", "docs/build/x.md"]),
        ("?\\[1].md", ["ä[1].md"]),
        ("d*s/d*p", ["docs/deep/er/a.md"]),
        ("docs", ["docs/a.md", "docs/build/x.md", "docs/deep/er/a.md"]),
        ("oc", []),
        ("# a.md", []),
        ("  ", []),
        ("/", []),
    ],
)
def test_exclude_globs(vault: Path, glob: str, gone: list[str]) -> None:
    fill(vault, *TREE)
    found = look(vault, glob)
    assert sorted(set(TREE) - set(names(found))) == sorted(gone)
    assert not found.problems


@pytest.mark.parametrize("glob", ["!keep.md", "[z-a].md", "**/**/**/**/x"])
def test_globs_that_cannot_be_used_are_named(vault: Path, glob: str) -> None:
    fill(vault, "x.md")
    found = look(vault, glob)
    assert names(found) == ["x.md"]
    assert [problem.code for problem in found.problems] == ["bad-exclude"]


def test_a_hostile_glob_stays_quick(vault: Path) -> None:
    fill(vault, *("a" * 200 + f"{n}.md" for n in range(50)))
    begun = time.process_time()
    assert len(names(look(vault, "*a" * 60 + "b"))) == 50
    assert time.process_time() - begun < 2


# ── walking ─────────────────────────────────────────────────────────────────────────────────────────────


def test_a_scan_is_sorted_and_knows_each_file(vault: Path) -> None:
    fill(vault, "b.md", "B/图.png", "a/三国.md", text="four")
    found = look(vault)
    assert names(found) == ["B/图.png", "a/三国.md", "b.md"]
    status = (vault / "b.md").stat()
    expected = (status.st_mtime_ns, 4, status.st_ctime_ns, status.st_ino)
    assert found.files[-1].fingerprint == expected
    assert [file.is_note for file in found.files] == [False, True, True]
    assert not found.problems


def test_an_empty_vault(vault: Path) -> None:
    assert look(vault) == Scan((), ())


def test_a_vault_that_cannot_be_listed(tmp_path: Path) -> None:
    with pytest.raises(VaultError):
        look(tmp_path / "nowhere")
    fill(tmp_path, "note.md")
    with pytest.raises(VaultError):
        look(tmp_path / "note.md")


def test_decomposed_names_s39(vault: Path) -> None:
    spelled = normalize("NFD", "Café/Über.md")
    fill(vault, spelled)
    (file,) = look(vault).files
    assert (file.path, file.disk) == ("Café/Über.md", spelled)
    assert read_note(vault, file, 100) == b"x\n"


def test_two_files_of_one_name(vault: Path) -> None:
    fill(vault, normalize("NFD", "é.md"), "é.md")
    found = look(vault)
    assert [(file.path, file.disk) for file in found.files] == [("é.md", "é.md")]
    assert codes(found) == [("duplicate-path", "é.md")]


def test_names_that_are_not_utf8(vault: Path) -> None:
    fill(vault, "ok.md")
    try:
        (vault / os.fsdecode(b"caf\xe9.md")).write_text("x")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    found = look(vault)
    assert names(found) == ["ok.md"]
    assert codes(found) == [("bad-name", "caf\ufffd.md")]


def test_what_is_no_file_s41(vault: Path) -> None:
    (vault / "Dir.md").mkdir()
    (vault / "Dangling.md").symlink_to("nowhere.md")
    (vault / "Self.md").symlink_to("Self.md")
    os.mkfifo(vault / "pipe.md")
    fill(vault, "Dir.md/inside.md")
    found = look(vault)
    assert names(found) == ["Dir.md/inside.md"]
    assert not found.problems


@pytest.mark.skipif(AS_ROOT, reason="root may list every folder")
def test_a_folder_that_may_not_be_listed(vault: Path) -> None:
    fill(vault, "closed/a.md", "open.md")
    (vault / "closed").chmod(0)
    try:
        found = look(vault)
    finally:
        (vault / "closed").chmod(0o755)
    assert names(found) == ["open.md"]
    assert codes(found) == [("unreadable", "closed")]


def test_trouble_below_the_vault_is_a_problem(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(vault, "closed/a.md", "open.md")
    real = os.scandir

    def refuse(path: str) -> object:
        if path.endswith("closed"):
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", refuse)
    found = look(vault)
    assert names(found) == ["open.md"]
    assert codes(found) == [("unreadable", "closed")]


def test_symlinks_inside_the_vault(vault: Path) -> None:
    fill(vault, "shared/a.md", "shared/sub/b.md", "project/own.md")
    (vault / "project" / "shared").symlink_to("../shared")
    (vault / "alias.md").symlink_to("project/own.md")
    found = look(vault)
    linked = ["project/shared/a.md", "project/shared/sub/b.md"]
    assert names(found) == ["alias.md", "project/own.md", *linked, "shared/a.md", "shared/sub/b.md"]
    assert not found.problems
    assert all(read_note(vault, file, 10) == b"x\n" for file in found.files)


def test_symlinks_out_of_the_vault(vault: Path, tmp_path: Path) -> None:
    fill(tmp_path, "vault-private/secret.md", "outside.md")
    (vault / "out").symlink_to("../vault-private")
    (vault / "out.md").symlink_to(tmp_path / "outside.md")
    (vault / "top").symlink_to("..")
    found = look(vault)
    assert names(found) == []
    assert codes(found) == [("symlink-outside", "out"), ("symlink-outside", "out.md"), ("symlink-outside", "top")]
    assert all(str(tmp_path) not in problem.message + problem.fix for problem in found.problems)


def test_symlinks_do_not_open_private_places(vault: Path) -> None:
    fill(vault, ".obsidian/app.json", ".trash/old.md", "_archives/sub/x.md", "drafts/d.md", text="{}")
    for name, target in (("a", ".obsidian/app.json"), ("b", ".trash"), ("c", "_archives/sub"), ("d.md", "drafts/d.md")):
        (vault / name).symlink_to(target)
    assert names(look(vault, "drafts/")) == []
    assert names(look(vault)) == ["d.md", "drafts/d.md"]


def test_loops_of_symlinks_end(vault: Path) -> None:
    fill(vault, "a/x.md", "b/y.md")
    (vault / "a" / "up").symlink_to("..")
    (vault / "a" / "to_b").symlink_to("../b")
    (vault / "b" / "to_a").symlink_to("../a")
    found = look(vault)
    assert names(found) == ["a/to_b/y.md", "a/x.md", "b/to_a/x.md", "b/y.md"]
    loops = ["a/to_b/to_a", "a/up", "b/to_a/to_b", "b/to_a/up"]
    assert codes(found) == [("symlink-loop", path) for path in loops]


def test_symlinks_cannot_multiply_without_end(vault: Path) -> None:
    for a in range(9):
        fill(vault, f"d{a}/x.md")
        for b in range(9):
            (vault / f"d{a}" / f"l{b}").symlink_to(f"../d{b}")
    begun = time.process_time()
    found = look(vault)
    assert len(found.files) < 12_000
    assert any("multiply" in problem.message for problem in found.problems)
    assert time.process_time() - begun < 10


def test_a_vault_that_is_itself_a_symlink(vault: Path, tmp_path: Path) -> None:
    fill(vault, "a.md", "site/x.html")
    (tmp_path / "link").symlink_to("vault")
    assert names(look(tmp_path / "link", output=vault / "site")) == ["a.md"]


@pytest.mark.skipif(
    not HELP_VAULT.is_dir() and os.environ.get("LLMWIKI_REQUIRE_ALL") != "1", reason="needs the help vault in ../shared"
)
def test_the_help_vault() -> None:
    found = look(HELP_VAULT)
    ours = {path.relative_to(HELP_VAULT).as_posix() for path in HELP_VAULT.rglob("*") if path.is_file()}
    expected = {normalize("NFC", path) for path in ours if not any(part[0] == "." for part in path.split("/"))}
    assert set(names(found)) == expected
    assert not found.problems
    assert sum(file.is_note for file in found.files) > 6000
    assert detect_layout(HELP_VAULT).kind == "plain"
    assert not diff({file.path: file.fingerprint for file in found.files}, found.files)


# ── differences ─────────────────────────────────────────────────────────────────────────────────────────


def test_diff_is_sorted_and_by_fingerprint() -> None:
    files = [SourceFile(path, path, 1, 2, 3, 4) for path in ("c", "b", "a", "new 2", "new 1")]
    known = {"a": (1, 2, 3, 4), "b": (1, 2, 9, 4), "c": (1, 2, 3, 9), "gone 2": (1, 2, 3, 4), "gone 1": (1, 2, 3, 4)}
    changes = diff(known, files)
    assert [file.path for file in changes.added] == ["new 1", "new 2"]
    assert [file.path for file in changes.modified] == ["b", "c"]
    assert changes.removed == ("gone 1", "gone 2")
    assert not diff({}, [])


def test_a_change_that_keeps_size_and_mtime_s33(vault: Path) -> None:
    fill(vault, "Doc.md", "a.md", text="alpha stays\n")
    fill(vault, "b.md", text="gamma stays\n")
    old = (vault / "Doc.md").stat()
    for name in ("a.md", "b.md"):
        os.utime(vault / name, ns=(old.st_atime_ns, old.st_mtime_ns))
    known = {file.path: file.fingerprint for file in look(vault).files}
    time.sleep(0.02)
    fill(vault, "Doc.md", text="gamma stays\n")
    os.utime(vault / "Doc.md", ns=(old.st_atime_ns, old.st_mtime_ns))
    for source, target in (("a.md", "t"), ("b.md", "a.md"), ("t", "b.md")):
        (vault / source).rename(vault / target)
    assert [file.path for file in diff(known, look(vault).files).modified] == ["Doc.md", "a.md", "b.md"]
