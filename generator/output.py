"""The output folder: what in it is ours, what must be written, and what is ours and gone.

A list of our files in the folder itself tells ours from foreign ones, which are never touched. What each file was
made from is kept in the index, so that only what differs is made again.
"""

from __future__ import annotations

import itertools
import json
import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from generator.errors import OutputError
from generator.model import Finding
from generator.urls import SEARCH

MANIFEST = ".llmwiki-site.json"
_SEARCH_FILE = re.compile(rf"{SEARCH}/[0-9a-f]{{10}}\.js")
_LEFT_OVER = re.compile(r"(?:^|/)\.llmwiki-[0-9]+\.tmp$")
_HINT = "choose another folder with --out, or empty this one yourself"


Stamp = tuple[int, int]
"""Size in bytes and time of change in nanoseconds of a file as it was left: while they stay, nobody else has written to
it."""


class Made(NamedTuple):
    """The outcome of one page or file: `written` is False where the bytes were there already."""

    url: str
    key: str
    stamp: Stamp
    written: bool


Known = Mapping[str, tuple[str, Stamp]]
"""The key and the stamp of each file as it was last made, by URL."""


class Making(NamedTuple):
    """What was made: the files, how many were removed, the URLs of all that belong to the site, and the conflicts."""

    made: Sequence[Made]
    removed: int
    urls: Collection[str]
    skipped: Sequence[Finding]


@dataclass(frozen=True, slots=True)
class Output:
    """An output folder that is ours. `listed` are the files that its own list names, `ours` all that we put there,
    `present` all that it holds now."""

    folder: Path
    listed: frozenset[str]
    ours: frozenset[str]
    present: Mapping[str, Stamp]

    def is_fresh(self, url: str, known: tuple[str, Stamp] | None, key: str) -> bool:
        """Whether the file is there as we left it, made from the same things."""
        return known is not None and known[0] == key and self.present.get(url) == known[1]

    def is_foreign(self, url: str) -> bool:
        """Whether something stands there that we did not write."""
        return url in self.present and url not in self.ours


def open_output(folder: Path, vault: Path) -> Output:
    """Look into the folder, making it if need be. Raises `OutputError` for one that is not ours."""
    folder = folder.resolve()
    if folder == vault or folder in vault.parents:
        raise OutputError(f"the output folder {folder.name} holds the vault", hint="choose another folder with --out")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot make the output folder: {error.strerror}", path=str(folder), hint=_HINT) from error
    present = _list(folder)
    listed = _read_manifest(folder)
    if listed is None:
        strangers = [url for url in present if not url.startswith(".")]
        if strangers:
            message = f"the output folder holds other things ({strangers[0]}, …)"
            raise OutputError(message, path=str(folder), hint=_HINT)
        listed = frozenset()
        return Output(folder, listed, listed, present)
    return Output(folder, listed, listed.union(filter(_is_ours_by_name, present)), present)


def announce(output: Output, urls: Iterable[str]) -> None:
    """Say in the folder which files will be ours, before any is written: so that an interruption loses nothing."""
    new = set(itertools.filterfalse(_is_ours_by_name, urls)) - output.listed
    if new:
        _write_list(output, output.listed | new)


def settle(output: Output, urls: Iterable[str]) -> None:
    """Say in the folder which files are ours, when all is done."""
    names = set(itertools.filterfalse(_is_ours_by_name, urls))
    if names != output.listed:
        _write_list(output, names)


def _is_ours_by_name(url: str) -> bool:
    """Files of the search are named after what they hold: in a list of them every change would change something."""
    return url.startswith(SEARCH) and _SEARCH_FILE.fullmatch(url) is not None


def _write_list(output: Output, urls: Iterable[str]) -> None:
    # Not with `indent`: the encoder in C knows none, and the list is long.
    text = json.dumps(
        {"generator": "sanguo-llmwiki", "files": sorted(urls)}, ensure_ascii=False, separators=(",\n", ": ")
    )
    write(output.folder, MANIFEST, text.encode("utf-8", "replace"), ours=True)


def write(folder: Path, url: str, data: bytes, *, ours: bool) -> tuple[Stamp, bool]:
    """Put `data` at `url`, unless it is there already; returns the stamp and whether it was written.

    The file appears whole or not at all. Raises `OutputError` if that is not possible.
    """
    path = os.path.join(folder, url)
    if ours and _holds(path, data):
        status = os.stat(path)
        return (status.st_size, status.st_mtime_ns), False
    put = _replace if ours else _create
    try:
        try:
            return put(path, data), True
        except FileNotFoundError:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            return put(path, data), True
    except OSError as error:
        hint = "see that the disk has room and the folder is writable"
        raise OutputError(f"cannot write: {error.strerror}", path=url, hint=hint) from error


def _create(path: str, data: bytes) -> Stamp:
    """Write a file that is not there yet, in one call and at a third of the cost of a replacement. If that is cut
    short, the file is listed as ours and its key is not known: the next build writes it again."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    except FileExistsError:
        return _replace(path, data)
    try:
        with open(descriptor, "wb", buffering=0) as stream:
            view = memoryview(data)
            while view:
                view = view[stream.write(view) :]
            status = os.fstat(descriptor)
    except BaseException:
        with suppress(OSError):
            os.unlink(path)
        raise
    return (status.st_size, status.st_mtime_ns)


def _replace(path: str, data: bytes) -> Stamp:
    """The vault's own writer also keeps owners and survives power cuts; a page that can be made again needs neither,
    and it is written ten thousand times."""
    temporary = os.path.join(os.path.dirname(path), f".llmwiki-{os.getpid()}.tmp")
    try:
        with open(temporary, "wb") as stream:
            stream.write(data)
            stream.flush()
            status = os.fstat(stream.fileno())
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    return (status.st_size, status.st_mtime_ns)


def prune(output: Output, wanted: Iterable[str]) -> int:
    """Remove the files that are ours and no longer wanted, and folders that this leaves empty; returns how many."""
    gone = output.ours.difference(wanted)
    for url in output.present:
        if ".llmwiki-" in url and _LEFT_OVER.search(url):  # by a process that was killed while it wrote
            (output.folder / url).unlink(missing_ok=True)
    removed = 0
    folders = set()
    for url in sorted(gone):
        path = output.folder / url
        if path.is_file() and not path.is_symlink():
            path.unlink()
            removed += 1
            folders.add(path.parent)
    for folder in sorted(folders, key=lambda folder: -len(folder.parts)):
        while folder != output.folder and folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()  # the folders above may be empty now: those are no longer there when their turn comes
            folder = folder.parent
    return removed


def conflict(url: str) -> Finding:
    """The finding for a foreign file where one of ours should be."""
    return Finding("output-conflict", "warning", url, 1, "a file that is not ours stands there: it was left alone")


def _holds(path: str, data: bytes) -> bool:
    try:
        with open(path, "rb") as stream:
            return os.fstat(stream.fileno()).st_size == len(data) and stream.read() == data
    except OSError:
        return False


def _list(folder: Path) -> dict[str, Stamp]:
    """Every file below `folder` by its relative path; symlinks and what they lead to are not ours to look at."""
    found: dict[str, Stamp] = {}
    pending = [(str(folder), "")]
    while pending:
        here, prefix = pending.pop()
        with os.scandir(here) as entries:
            for item in entries:
                if item.is_dir(follow_symlinks=False):
                    pending.append((item.path, f"{prefix}{item.name}/"))
                else:
                    status = item.stat(follow_symlinks=False)
                    found[prefix + item.name] = (status.st_size, status.st_mtime_ns)
    return found


def _read_manifest(folder: Path) -> frozenset[str] | None:
    try:
        return frozenset(json.loads((folder / MANIFEST).read_text("utf-8"))["files"])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError):
        return frozenset()  # ours by its name, but damaged: then no file is known as ours
