"""Reading from the vault and writing into it: encodings, paths from outside, atomic edits."""

from __future__ import annotations

import codecs
import errno
import os
import stat
from hashlib import md5
from pathlib import Path
from unicodedata import normalize

import pytest

from generator.errors import PathForbidden, StaleEdit, Unreadable
from generator.model import Edit, SourceFile
from generator.vault import apply_edit, decode, read_note, safe_path, scan, write_atomic

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


def files_of(vault: Path) -> tuple[SourceFile, ...]:
    return scan(vault, exclude=(), output=None, index=None).files


def digest(data: bytes) -> str:
    return md5(data, usedforsecurity=False).hexdigest()


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
    (file,) = files_of(vault)
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
    first, second = files_of(vault)
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
        *((name, name) for name in ("In.md", "sub/Note.md", "三国/曹操.md", "new/page.md", "sub", "inner.md")),
        *((name, name) for name in ("Q: what.md", "What is # for?.md", "~plan.md", "100% cotton.md", "50%20off.md")),
        ("a..b.md", "a..b.md"),
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
    assert [file.path for file in files_of(vault)] == ["Doc.md"]


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
