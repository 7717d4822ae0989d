"""The walk through a vault's folders: names in NFC, symbolic links followed inside the vault only."""

from __future__ import annotations

import os
import stat
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from unicodedata import is_normalized, normalize

from .errors import VaultError
from .ignore import IgnoreRules
from .model import Finding, SourceFile

_LARGEST = 0x7FFF_FFFF_FFFF_FFFF  # SQLite's integers are signed, inodes are not


@dataclass(frozen=True, slots=True)
class SymbolicLink:
    """A link that the walk met: `chain` holds the real folders in which it, and the links above it, stand."""

    target: str
    disk: str
    path: str
    chain: tuple[str, ...]


@dataclass(slots=True)
class Walk:
    """One walk through a vault, which gathers `files` by path and `problems`."""

    root: str
    rules: IgnoreRules
    files: dict[str, SourceFile] = field(default_factory=dict)
    problems: list[Finding] = field(default_factory=list)
    links: deque[SymbolicLink] = field(default_factory=deque)
    visited: int = 0

    def folder(self, real: str, disk: str, path: str, chain: tuple[str, ...]) -> None:
        """Walk the real folder `real`, whose files are named below `disk` and `path` (each "" or ending in `/`)."""
        pending = [(real, disk, path)]
        while pending:
            real, disk, path = pending.pop()
            try:
                with os.scandir(real) as entries:
                    below = (self._entry(entry, real, disk, path, chain) for entry in entries)
                    pending.extend(folder for folder in below if folder)
            except OSError as error:
                if not path:
                    raise VaultError(f"the vault cannot be listed: {error.strerror}") from None
                self._report("unreadable", path.rstrip("/"), f"this folder cannot be listed: {error.strerror}")

    def _entry(
        self, entry: os.DirEntry[str], real: str, disk: str, path: str, chain: tuple[str, ...]
    ) -> tuple[str, str, str] | None:
        """Take in a file or a link; for a folder, return what to walk next."""
        self.visited += 1
        name = entry.name if entry.name.isascii() else _in_nfc(entry.name)
        if name is None:
            shown = os.fsencode(entry.name).decode("utf-8", "replace")
            self._report("bad-name", f"{path}{shown}", "this name is not UTF-8", "rename the file")
            return None
        disk, path = disk + entry.name, path + name
        if entry.is_file(follow_symlinks=False):  # nearly every entry: one question
            if not self.rules.file(path, name):
                try:
                    self._add(path, disk, entry.stat(follow_symlinks=False))
                except FileNotFoundError:  # deleted since the folder was read
                    return None
        elif entry.is_dir(follow_symlinks=False):
            if not self.rules.folder(path, name):
                return entry.path, f"{disk}/", f"{path}/"
        elif entry.is_symlink() and not self.rules.folder(path, name) and not self.rules.file(path, name):
            self.links.append(SymbolicLink(os.path.realpath(entry.path), disk, path, (*chain, real)))
        return None

    def _add(self, path: str, disk: str, status: os.stat_result) -> None:
        inode = status.st_ino & _LARGEST
        file = SourceFile(path, disk, status.st_mtime_ns, status.st_size, status.st_ctime_ns, inode)
        if path in self.files:
            self._report("duplicate-path", path, "two files have this name in different Unicode forms", "rename one")
            file = min(self.files[path], file, key=lambda one: (one.disk != path, one.disk))
        self.files[path] = file

    def follow_links(self) -> None:
        """Walk what the links open, in order of their paths, with a bound on what they may multiply."""
        self.links = deque(sorted(self.links, key=lambda link: link.path))
        bound = 3 * self.visited + 10_000
        while self.links:
            link = self.links.popleft()
            if self.visited > bound:
                self._report("symlink-loop", link.path, "symbolic links multiply the vault: the rest is not followed")
                return
            self._follow(link)

    def _follow(self, link: SymbolicLink) -> None:
        if not is_below(link.target, self.root):
            fix = "move what it leads to into the vault"
            self._report("symlink-outside", link.path, "this symbolic link leads out of the vault: not followed", fix)
            return
        try:
            status = Path(link.target).stat()
        except OSError:  # dangling
            return
        if self._is_left_alone(relative(link.target, self.root), stat.S_ISDIR(status.st_mode)):
            return
        if stat.S_ISREG(status.st_mode):
            self._add(link.path, link.disk, status)
        elif stat.S_ISDIR(status.st_mode):
            if any(is_below(folder, link.target) for folder in link.chain):
                self._report(
                    "symlink-loop", link.path, "this symbolic link leads back to a folder above it: not followed"
                )
            else:
                self.folder(link.target, f"{link.disk}/", f"{link.path}/", link.chain)

    def _is_left_alone(self, relative: str, is_folder: bool) -> bool:
        """Whether the target itself would be passed over: a link must not open a private folder."""
        parts = normalize("NFC", relative).split("/")
        folders = parts if is_folder else parts[:-1]
        if any(self.rules.folder("/".join(parts[: n + 1]), name) for n, name in enumerate(folders) if name):
            return True
        return not is_folder and self.rules.file("/".join(parts), parts[-1])

    def _report(self, code: str, path: str, message: str, fix: str = "") -> None:
        self.problems.append(Finding(code, "warning", path, 0, message, fix))


def _in_nfc(name: str) -> str | None:
    """The name in NFC; None where its bytes are not UTF-8."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return None
    return name if is_normalized("NFC", name) else normalize("NFC", name)


def is_below(path: str, folder: str) -> bool:
    """Whether one real path is the other, or lies below it."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def relative(path: str, root: str) -> str:
    """A real path below `root`, relative to it, with slashes."""
    return path[len(root.rstrip(os.sep)) + 1 :].replace(os.sep, "/")
