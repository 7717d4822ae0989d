"""The vault on disk: what is read, what is left alone, what may be written."""

from __future__ import annotations

import codecs
import errno
import json
import os
import stat
import time
from hashlib import md5
from pathlib import Path
from unicodedata import normalize

import pytest

from generator.errors import PathForbidden, StaleEdit, Unreadable, VaultError
from generator.model import Edit, SourceFile
from generator.vault import (
    Layout,
    Scan,
    apply_edit,
    decode,
    detect_layout,
    diff,
    is_page,
    read_note,
    safe_path,
    scan,
    write_atomic,
)

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


def digest(data: bytes) -> str:
    return md5(data, usedforsecurity=False).hexdigest()


# ── layout ──────────────────────────────────────────────────────────────────────────────────────────────

LAYERED = Layout("layered", "wiki", ("raw/sources",))
FLAT = Layout("flat", "", ("raw/sources", "_raw"))
PLAIN = Layout("plain", "", ())


@pytest.mark.parametrize(
    ("paths", "layout"),
    [
        ((), PLAIN),
        (("a.md", "Projects/a.md"), PLAIN),
        (("wiki/a.md", "raw/sources/b.pdf"), LAYERED),
        (("wiki/a.md", "schema.md"), LAYERED),
        (("wiki/a.md", "Doc.md"), PLAIN),
        (("wiki/a.md", ".raw/Tea.md", "Doc.md"), PLAIN),
        (("raw/a.md", "wiki"), PLAIN),
        (("concepts/a.md", "entities/b.md"), FLAT),
        (("projects/a.md", "journal/b.md"), PLAIN),
        (("concepts", "entities"), PLAIN),
    ],
)
def test_layouts(vault: Path, paths: tuple[str, ...], layout: Layout) -> None:
    fill(vault, *paths)
    assert detect_layout(vault) == layout


@pytest.mark.parametrize(
    ("layout", "path", "expected"),
    [
        (LAYERED, "wiki/concepts/Tea.md", True),
        (LAYERED, "wiki/Tea.MD", True),
        (LAYERED, "wiki/tea.png", False),
        (LAYERED, "purpose.md", True),
        (LAYERED, "log.md", True),
        (LAYERED, "Diary.md", False),
        (LAYERED, "notes/index.md", False),
        (LAYERED, "raw/sources/paper.md", False),
        (LAYERED, "wikipedia.md", False),
        (FLAT, "concepts/Tea.md", True),
        (FLAT, "Readme.md", True),
        (FLAT, "raw/sources/paper.md", False),
        (FLAT, "raw/notes.md", True),
        (PLAIN, "raw/sources/paper.md", True),
        (PLAIN, "board.canvas", False),
    ],
)
def test_pages_of_a_layout(layout: Layout, path: str, expected: bool) -> None:
    assert is_page(layout, path) is expected


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


TREE = ["a.md", "a.tmp2", "build/x.md", "docs/a.md", "docs/build/x.md", "docs/deep/er/a.md", "ä[1].md", "notes/b.MD"]


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
        ("*.tmp?", ["a.tmp2"]),
        ("*.[mt]*", ["a.md", "a.tmp2", "build/x.md", "docs/a.md", "docs/build/x.md", "docs/deep/er/a.md", "ä[1].md"]),
        ("[!a].md", ["build/x.md", "docs/build/x.md"]),
        ("?\\[1].md", ["ä[1].md"]),
        ("d*s/d*p", ["docs/deep/er/a.md"]),
        ("*e*/*r", ["docs/deep/er/a.md"][:0]),
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
    assert sorted(set(TREE) - set(names(found)) - {"a.tmp2"}) == sorted(set(gone) - {"a.tmp2"})
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


# ── reading ─────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("data", "text", "problem_line"),
    [
        (b"", "", None),
        (b"\xef\xbb\xbf---\ntitle: x\n", "---\ntitle: x\n", None),
        (b"a\r\nb\rc\n\r\n", "a\nb\nc\n\n", None),
        ("三国\u2028".encode(), "三国\u2028", None),
        ("utf16word\r\n".encode("utf-16"), "utf16word\n", None),
        (codecs.BOM_UTF16_BE + "大\n".encode("utf-16-be"), "大\n", None),
        (b"one\r\ncaf\xe9 latinword\n", "one\ncaf\ufffd latinword\n", 2),
        (codecs.BOM_UTF16_LE + b"a\0b", "a\ufffd", 1),
        (b"\xef\xbb\xbf", "", None),
    ],
)
def test_decoding_s02_s41(data: bytes, text: str, problem_line: int | None) -> None:
    decoded, problem = decode(data)
    assert decoded == text
    assert (problem.line if problem else None) == problem_line
    assert problem is None or problem.code == "bad-encoding"


@pytest.mark.parametrize(
    "data",
    [bytes(range(256)) * 40, b"nulword\x00after\n", codecs.BOM_UTF16_LE + b"a\0\0\0", codecs.BOM_UTF32_LE + b"a\0\0\0"],
)
def test_binary_data_is_unreadable_s41(data: bytes) -> None:
    with pytest.raises(Unreadable) as caught:
        decode(data)
    assert caught.value.code == "UNREADABLE"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be"])
def test_a_long_note_is_cut_between_characters(vault: Path, encoding: str) -> None:
    mark = {"utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}.get(encoding, b"")
    text = "aé三𠮷" * 5
    (vault / "a.md").write_bytes(mark + text.encode(encoding))
    (file,) = look(vault).files
    lengths = set()
    for size in range(4, file.size + 3):
        data = read_note(vault, file, size)
        decoded, problem = decode(data)
        assert len(data) <= size
        assert text.startswith(decoded)
        assert problem is None
        lengths.add(len(decoded))
    assert max(lengths) == len(text)
    assert len(lengths) > len(text) // 2


def test_files_that_cannot_be_read(vault: Path) -> None:
    fill(vault, "a.md", "b.md")
    first, second = look(vault).files
    (vault / "a.md").unlink()
    with pytest.raises(Unreadable, match="cannot be read") as caught:
        read_note(vault, first, 10)
    assert caught.value.path == "a.md"
    assert str(vault) not in str(caught.value)
    (vault / "b.md").chmod(0)
    if not AS_ROOT:
        with pytest.raises(Unreadable):
            read_note(vault, second, 10)


# ── paths from outside ──────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def guarded(vault: Path, tmp_path: Path) -> Path:
    fill(tmp_path, "vault-private/secret.md", "outside.md")
    fill(vault, "In.md", "sub/Note.md", "三国/曹操.md", ".obsidian/app.json", normalize("NFD", "Café/Über.md"))
    fill(vault, "100% cotton.md", "50%20off.md", "Q: what.md", "What is # for?.md", "a..b.md", "~plan.md")
    (vault / "out").symlink_to("../vault-private")
    (vault / "out.md").symlink_to("../outside.md")
    (vault / "settings").symlink_to(".obsidian")
    (vault / "inner.md").symlink_to("sub/Note.md")
    (vault / "loop").symlink_to("loop")
    return vault


@pytest.mark.parametrize(
    "name",
    [
        *("../outside.md", "sub/../../outside.md", "sub/../In.md", "../vault-private/secret.md", "..", "sub/.."),
        *("%2e%2e/outside.md", "%2E%2E%2Foutside.md", "%252e%252e/outside.md", "sub%2f..%2f..%2foutside.md"),
        *("..\\outside.md", "..\\\\outside.md", "sub\\Note.md", "%5c..%5coutside.md", "./In.md/../../outside.md"),
        *("In.md\x00.md", "In.md%00.md", "In\n.md", "~/x.md", "~", "~root/x.md", "file:///etc/passwd", "file:x"),
        *("http://example.org/a.md", "C:\\x", "C:/x", "c:x", "", " ", ".", "./", "/", "/etc/passwd", "//host/x"),
        *("%2Fetc/passwd", ".obsidian/app.json", "sub/.hidden.md", ".git", "%2eobsidian/app.json", "...", "x" * 10_000),
        *("x" * 256, "三" * 86, "a/" * 2500, "out/secret.md", "out.md", "out/new.md", "settings/app.json", "\udcff.md"),
    ],
)
def test_paths_that_are_refused_s43(guarded: Path, name: str) -> None:
    with pytest.raises(PathForbidden) as caught:
        safe_path(guarded, name)
    assert str(guarded.parent) not in str(caught.value)


def test_the_absolute_path_of_a_note_is_refused(guarded: Path) -> None:
    with pytest.raises(PathForbidden) as caught:
        safe_path(guarded, str(guarded / "In.md"))
    assert str(guarded.parent) not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        *(
            (name, name)
            for name in ("In.md", "sub/Note.md", "三国/曹操.md", "100% cotton.md", "50%20off.md", "a..b.md")
        ),
        *((name, name) for name in ("Q: what.md", "What is # for?.md", "~plan.md", "new/page.md", "sub", "inner.md")),
        *(("./In.md", "In.md"), ("sub/./Note.md", "sub/Note.md"), ("sub//Note.md", "sub/Note.md"), ("sub/", "sub")),
        ("Café/Über.md", normalize("NFD", "Café/Über.md")),
        (normalize("NFD", "Café/Über.md"), normalize("NFD", "Café/Über.md")),
        (normalize("NFD", "Café/Ñew.md"), normalize("NFD", "Café/") + "Ñew.md"),
    ],
)
def test_paths_that_are_accepted_s43(guarded: Path, name: str, path: str) -> None:
    assert safe_path(guarded, name) == guarded.resolve() / path


# ── writing ─────────────────────────────────────────────────────────────────────────────────────────────


def test_an_edit_is_written_exactly(vault: Path) -> None:
    before = "\ufeffone\r\ntwo\r\n".encode()
    (vault / "Doc.md").write_bytes(before)
    (vault / "Doc.md").chmod(0o640)
    apply_edit(vault, Edit("Doc.md", digest(before), "\ufeffone\r\n[[two]]\r\n"))
    assert (vault / "Doc.md").read_bytes() == "\ufeffone\r\n[[two]]\r\n".encode()
    assert stat.S_IMODE((vault / "Doc.md").stat().st_mode) == 0o640
    assert [path.name for path in vault.iterdir()] == ["Doc.md"]


def test_stale_edits_change_nothing(vault: Path) -> None:
    fill(vault, "Doc.md", text="newer\n")
    for edit in (
        Edit("Doc.md", digest(b"older\n"), "x"),
        Edit("Doc.md", "", "x"),
        Edit("Gone.md", digest(b"older\n"), "x"),
    ):
        with pytest.raises(StaleEdit) as caught:
            apply_edit(vault, edit)
        assert caught.value.path == edit.path
    assert (vault / "Doc.md").read_text() == "newer\n"
    assert names(look(vault)) == ["Doc.md"]


def test_an_edit_can_make_a_file(vault: Path) -> None:
    apply_edit(vault, Edit("synthesis/三国.md", "", "新\n"))
    assert (vault / "synthesis" / "三国.md").read_text(encoding="utf-8") == "新\n"


def test_an_edit_does_not_leave_the_vault(guarded: Path, tmp_path: Path) -> None:
    for path in ("../outside.md", "out.md", "out/secret.md", ".obsidian/app.json", "out/new.md"):
        with pytest.raises(PathForbidden):
            apply_edit(guarded, Edit(path, digest(b"x\n"), "broken"))
    assert (tmp_path / "outside.md").read_text() == "x\n"
    assert not (tmp_path / "vault-private" / "new.md").exists()


def test_an_edit_goes_through_a_symlink(guarded: Path) -> None:
    apply_edit(guarded, Edit("inner.md", digest(b"x\n"), "through\n"))
    assert (guarded / "inner.md").is_symlink()
    assert (guarded / "sub" / "Note.md").read_text() == "through\n"


@pytest.mark.parametrize("step", ["fsync", "fchmod"])
def test_a_full_disk_leaves_the_old_file(vault: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    fill(vault, "Doc.md", text="old\n")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, step, full)
    with pytest.raises(OSError, match="No space left"):
        apply_edit(vault, Edit("Doc.md", digest(b"old\n"), "new\n"))
    assert (vault / "Doc.md").read_text() == "old\n"
    assert [path.name for path in vault.iterdir()] == ["Doc.md"]


def test_an_interrupt_leaves_the_old_file(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(vault, "Doc.md", text="old\n")

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomic(vault / "Doc.md", b"new\n", sync=False)
    assert (vault / "Doc.md").read_text() == "old\n"
    assert [path.name for path in vault.iterdir()] == ["Doc.md"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a quota that a test can set")
def test_a_write_beyond_the_allowed_size_leaves_the_old_file(vault: Path) -> None:
    resource = pytest.importorskip("resource")
    signal = pytest.importorskip("signal")
    fill(vault, "Doc.md", text="old\n")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
    try:
        with pytest.raises(OSError, match="too large"):
            write_atomic(vault / "Doc.md", b"x" * 50_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)
    assert (vault / "Doc.md").read_text() == "old\n"
    assert [path.name for path in vault.iterdir()] == ["Doc.md"]


def test_a_new_file_has_the_usual_mode(vault: Path) -> None:
    write_atomic(vault / "a.bin", b"\0")
    fill(vault, "b.bin")
    assert (vault / "a.bin").stat().st_mode == (vault / "b.bin").stat().st_mode
