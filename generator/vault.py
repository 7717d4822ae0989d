"""The vault on disk: walk, fingerprints, the pure diff, reading, safe paths and atomic writes. Knows no Markdown."""

from __future__ import annotations

import codecs
import os
import re
import stat
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import md5
from pathlib import Path
from typing import Literal
from unicodedata import normalize
from urllib.parse import unquote

from .errors import PathForbidden, StaleEdit, Unreadable
from .ignore import ignore_rules
from .model import Changes, Edit, Finding, Problem, SourceFile
from .walk import Walk, is_below, relative

SPECIAL_FILES = frozenset(("index.md", "log.md", "hot.md", "overview.md", "purpose.md", "schema.md"))
TAXONOMY_FILES = ("_meta/taxonomy.md", "wiki/_meta/taxonomy.md")  # the list of tags: special in every layout
CATEGORY_FOLDERS = ("practices", "concepts", "entities", "projects", "skills", "sources", "synthesis", "queries")


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a vault keeps its pages and its raw sources; folders are vault-relative, "" is the vault."""

    kind: Literal["layered", "flat", "plain"]
    pages_root: str
    raw_roots: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Scan:
    """The files that belong to a vault, sorted by path, and what was passed over and should be known."""

    files: tuple[SourceFile, ...]
    problems: tuple[Finding, ...]


def detect_layout(vault: Path) -> Layout:
    """Layered: `wiki/` beside `raw/` or `schema.md`. Flat: two of our category folders at the top."""
    if (vault / "wiki").is_dir() and ((vault / "raw").is_dir() or (vault / "schema.md").is_file()):
        return Layout("layered", "wiki", ("raw/sources",))
    if sum((vault / name).is_dir() for name in CATEGORY_FOLDERS) >= 2:
        return Layout("flat", "", ("raw/sources", "_raw"))
    return Layout("plain", "", ())


def is_page(layout: Layout, path: str) -> bool:
    """Whether the file is a page of the wiki (and not an attachment or a raw source)."""
    if path[-3:].lower() != ".md":
        return False
    if layout.kind == "layered":
        return path.startswith("wiki/") or path in SPECIAL_FILES
    return not any(path.startswith(f"{root}/") for root in layout.raw_roots)


def diff(known: Mapping[str, tuple[int, int, int, int]], files: Sequence[SourceFile]) -> Changes:
    """What changed since `known`, fingerprints by path. Pure; each part sorted by path."""
    if known == {file.path: file.fingerprint for file in files}:  # nearly always, and a fourth of the work
        return Changes()
    added, modified = [], []
    for file in sorted(files, key=_by_path):
        before = known.get(file.path)
        if before is None:
            added.append(file)
        elif before != file.fingerprint:
            modified.append(file)
    removed = known.keys() - {file.path for file in files}
    return Changes(tuple(added), tuple(modified), tuple(sorted(removed)))


def _by_path(file: SourceFile) -> str:
    return file.path


# ── walking ─────────────────────────────────────────────────────────────────────────────────────────────


def scan(vault: Path, *, exclude: Sequence[str], output: Path | None, index: Path | None) -> Scan:
    """Every file of the vault that is not to be left alone: one stat each, symlinks followed inside the vault only.

    Raises VaultError when the vault itself cannot be listed; below it, trouble becomes a problem.
    """
    root = os.path.realpath(vault)
    own = [os.path.realpath(output)] if output else []
    if index:
        own += (os.path.realpath(index) + suffix for suffix in ("", "-wal", "-shm", "-journal"))
    inside = [normalize("NFC", relative(path, root)) for path in own if path != root and is_below(path, root)]
    rules = ignore_rules(vault, exclude, inside)
    walk = Walk(root, rules)
    walk.folder(root, "", "", ())
    walk.follow_links()
    problems = [Finding("bad-exclude", "warning", "", 0, reason) for reason in rules.refused] + walk.problems
    return Scan(
        tuple(sorted(walk.files.values(), key=_by_path)),
        tuple(sorted(problems, key=lambda problem: (problem.path, problem.code, problem.message))),
    )


# ── reading ─────────────────────────────────────────────────────────────────────────────────────────────

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def read_note(vault: Path, file: SourceFile, max_bytes: int) -> bytes:
    """The file's bytes, at most `max_bytes` of them, cut between characters. Raises Unreadable."""
    try:
        with open(vault / file.disk, "rb") as stream:
            data = stream.read(max_bytes + 1)
    except OSError as error:
        raise Unreadable(f"this file cannot be read: {error.strerror}", path=file.path) from None
    return data if len(data) <= max_bytes else _cut(data[:max_bytes])


def _cut(data: bytes) -> bytes:
    """Without the character that the end may have split."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        data = data[: len(data) // 2 * 2]
        lead = data[-1] if data.startswith(codecs.BOM_UTF16_LE) else data[-2]
        return data[:-2] if 0xD8 <= lead <= 0xDB else data  # the first half of a pair of surrogates
    for back in range(1, min(4, len(data)) + 1):
        if data[-back] & 0xC0 != 0x80:  # not a continuation byte
            return data[:-back] if data[-back] >= 0xC0 else data
    return data


def decode(data: bytes) -> tuple[str, Problem | None]:
    """Text with `\\n` line ends and no byte order mark, and what was wrong with its encoding, if anything.

    Bytes that are not UTF-8 become U+FFFD. Raises Unreadable (without a path) for binary data.
    """
    mark, encoding = next(((mark, name) for mark, name in _MARKS if data.startswith(mark)), (b"", "utf-8"))
    body = data[len(mark) :]
    problem = None
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError as error:
        text = body.decode(encoding, "replace")
        line = _to_lf(body[: error.start].decode(encoding, "replace")).count("\n") + 1
        problem = Problem("bad-encoding", f"this is not {encoding.upper()} text: characters were replaced", line)
    if "\0" in text:
        raise Unreadable("this is not text: it holds NUL bytes", hint="give binary files another ending than .md")
    return _to_lf(text), problem


def _to_lf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


# ── paths from outside ──────────────────────────────────────────────────────────────────────────────────

# A drive letter, but not the name `Q: what.md`.
_FOREIGN = re.compile(r"[/\\]|[A-Za-z]:(?! )|~(?:\Z|[^/]*/)|[A-Za-z][\w+.-]*://|file:", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x1f\x7f\\]")


def safe_path(vault: Path, name: str) -> Path:
    """The path in the vault that `name` stands for, whether it exists or not; NFC and NFD name the same file.

    Every path that comes from outside goes through here. Raises PathForbidden, with no path in its message, for
    what leaves the vault, is hidden, or is no plain relative path.
    """
    root = os.path.realpath(vault)
    if len(name) > 4096 or not name.strip():
        raise _forbidden()
    spelled = name
    for _ in range(3):  # `%252e%252e` as well: each layer of percent-encoding must be harmless
        if not _is_plain(spelled):
            raise _forbidden()
        spelled = unquote(spelled)
    path = _on_disk(Path(root), [part for part in normalize("NFC", name).split("/") if part not in ("", ".")])
    real = os.path.realpath(path)
    if path == Path(root) or not is_below(real, root) or not _is_plain(relative(real, root)):
        raise _forbidden()
    return path


def _is_plain(name: str) -> bool:
    """Whether this is a relative path of visible names, without `..`, and of a length that file systems allow."""
    if _FOREIGN.match(name) or _CONTROL.search(name) or (os.name == "nt" and ":" in name):
        return False
    try:
        sizes = [len(part.encode()) for part in name.split("/")]
    except UnicodeEncodeError:
        return False
    return max(sizes) <= 255 and not any(part[:1] == "." and part != "." for part in name.split("/"))


def _on_disk(path: Path, parts: Iterable[str]) -> Path:
    """`parts` below `path`, each spelled as on disk where a name of the same NFC form exists."""
    for part in parts:
        spelled = part
        if not part.isascii() and not os.path.lexists(path / part):
            with suppress(OSError):
                names = sorted(child.name for child in path.iterdir())
                spelled = next((name for name in names if normalize("NFC", name) == part), part)
        path = path / spelled
    return path


def _forbidden() -> PathForbidden:
    hint = "give a path relative to the vault, such as `notes/Tea.md`"
    return PathForbidden("this path leaves the vault or names a hidden place", hint=hint)


# ── writing ─────────────────────────────────────────────────────────────────────────────────────────────


def apply_edit(vault: Path, edit: Edit) -> None:
    """Write the edit's text, exactly as it is, as UTF-8. A `base_hash` of "" makes a file that must not exist yet.

    Raises StaleEdit when the file is no longer what the edit was made from, PathForbidden, and OSError when
    it cannot be written (it is then as it was).
    """
    path = safe_path(vault, edit.path)
    try:
        current = md5(path.read_bytes(), usedforsecurity=False).hexdigest()
    except FileNotFoundError:
        current = ""
    if current != edit.base_hash:
        message = "this file has changed since the edit was made" if current else "this file is gone"
        raise StaleEdit(message, path=edit.path, hint="propose the edit again")
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, edit.new_text.encode())


def write_atomic(path: Path, data: bytes, *, sync: bool = True) -> None:
    """Replace the file's content whole or not at all; its mode and owner stay, a symlink stays a symlink.

    `sync` False trades surviving a power cut for speed, for what can be built again. Raises OSError.
    """
    target = Path(os.path.realpath(path))
    temporary = target.parent / f".llmwiki-{os.getpid()}-{os.urandom(6).hex()}.tmp"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with open(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            _copy_ownership(target, descriptor)
            if sync:
                os.fsync(descriptor)
        temporary.replace(target)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)  # there only if something failed


def _copy_ownership(target: Path, descriptor: int) -> None:
    try:
        status = target.stat()
    except FileNotFoundError:
        return
    if hasattr(os, "fchown"):
        with suppress(PermissionError):  # somebody else's file that we may write: it becomes ours
            os.fchown(descriptor, status.st_uid, status.st_gid)
        os.fchmod(descriptor, stat.S_IMODE(status.st_mode))
