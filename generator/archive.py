"""Archives of the whole wiki: made before it is rebuilt, listed, and put back.

An archive is a zip file in `_archives/`, which is no part of the wiki. It holds every page, the pictures beside them,
the special files and the manifest, but no raw source; `archive.json` in it says what and how.
"""

from __future__ import annotations

import json
import os
import re
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from generator.model import SourceFile
from generator.sources.errors import ArchiveUnusable
from generator.sources.lock import locked
from generator.sources.manifest import FILE as MANIFEST
from generator.sources.manifest import LOCK
from generator.vault import SPECIAL_FILES, Layout, safe_path, write_atomic

FOLDER = "_archives"
_CONTENTS = "archive.json"
_MANIFEST_INSIDE = "llm-wiki-manifest.json"
_NAME = re.compile(r"[\w.-]+")
_MOST_UNPACKED = 4 << 30


@dataclass(frozen=True, slots=True)
class Archive:
    """An archive: its name, when it was made, why, and the SHA-256 of each file in it by vault path."""

    name: str
    created: str
    label: str
    files: Mapping[str, str]
    size: int


@dataclass(frozen=True, slots=True)
class Comeback:
    """What putting an archive back would do, by vault path: files that change, come back, or go."""

    archive: Archive
    changed: tuple[str, ...]
    missing: tuple[str, ...]
    extra: tuple[str, ...]


def archived_files(files: Iterable[SourceFile], layout: Layout) -> dict[str, str]:
    """What an archive of the wiki holds: vault paths, each with the file's name on disk."""
    return {file.path: file.disk for file in files if _belongs(file.path, layout)}


def _belongs(path: str, layout: Layout) -> bool:
    if layout.kind == "layered":
        return path.startswith("wiki/") or path in SPECIAL_FILES
    return not any(path.startswith(f"{root}/") for root in layout.raw_roots)


def create(vault: Path, files: Mapping[str, str], now: datetime, label: str = "") -> Archive:
    """Make an archive of these files (`archived_files`) and the manifest; it appears whole or not at all. OSError."""
    folder = vault / FOLDER
    folder.mkdir(exist_ok=True)
    name = _free_name(folder, now, label)
    partial = folder / f".llmwiki-{os.urandom(6).hex()}.tmp"
    digests: dict[str, str] = {}
    try:
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(files):
                data = (vault / files[path]).read_bytes()
                digests[path] = sha256(data).hexdigest()
                archive.writestr(path, data)
            if (vault / MANIFEST).is_file():
                archive.writestr(_MANIFEST_INSIDE, (vault / MANIFEST).read_bytes())
            created = now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            contents = {"version": 1, "created": created, "label": label, "files": digests}
            archive.writestr(_CONTENTS, json.dumps(contents, ensure_ascii=False, indent=1))
        with open(partial, "rb") as stream:
            os.fsync(stream.fileno())
        partial.replace(folder / f"{name}.zip")
    finally:
        partial.unlink(missing_ok=True)
    return Archive(name, created, label, digests, (folder / f"{name}.zip").stat().st_size)


def _free_name(folder: Path, now: datetime, label: str) -> str:
    words = "-".join(_NAME.findall(label))[:40].strip(".-")
    base = f"{now.astimezone(UTC):%Y%m%dT%H%M%SZ}" + (f"-{words}" if words else "")
    name, number = base, 1
    while (folder / f"{name}.zip").exists():
        number += 1
        name = f"{base}-{number}"
    return name


def archives(vault: Path) -> tuple[list[Archive], list[ArchiveUnusable]]:
    """All archives, the newest first, and what is wrong with those that cannot be read."""
    found, broken = [], []
    for file in sorted((vault / FOLDER).glob("*.zip")):
        try:
            found.append(read_archive(vault, file.stem))
        except ArchiveUnusable as error:
            broken.append(error)
    return sorted(found, key=lambda archive: (archive.created, archive.name), reverse=True), broken


def read_archive(vault: Path, name: str) -> Archive:
    """The archive of that name, or the only one whose name begins or ends with it. Raises `ArchiveUnusable`."""
    file = _file_of(vault, name)
    try:
        with zipfile.ZipFile(file) as archive:
            if archive.getinfo(_CONTENTS).file_size > _MOST_UNPACKED // 64:
                raise _damaged(file)
            value = json.loads(archive.read(_CONTENTS))
        files = {str(path): str(digest) for path, digest in value["files"].items()}
        return Archive(file.stem, str(value["created"]), str(value["label"]), files, file.stat().st_size)
    except (zipfile.BadZipFile, zlib.error, OSError, ValueError, KeyError, TypeError, AttributeError, EOFError):
        raise _damaged(file) from None


def _file_of(vault: Path, name: str) -> Path:
    stem = name.removesuffix(".zip")
    known = sorted(file.stem for file in (vault / FOLDER).glob("*.zip"))
    fitting = [each for each in known if each.startswith(stem) or each.endswith(stem)] if stem else []
    fitting = [stem] if stem in fitting else fitting
    if len(fitting) != 1:
        hint = f"there are: {', '.join(known[-5:])}" if known else "`llmwiki archive create` makes one"
        message = f"{len(fitting)} archives are called {name!r}" if fitting else f"there is no archive {name!r}"
        raise ArchiveUnusable(message, path=FOLDER, hint=hint)
    return vault / FOLDER / f"{fitting[0]}.zip"


def _damaged(file: Path) -> ArchiveUnusable:
    return ArchiveUnusable("this archive is damaged, or not one of ours", path=f"{FOLDER}/{file.name}")


def plan_comeback(vault: Path, archive: Archive, files: Mapping[str, str]) -> Comeback:
    """What would change if the wiki were put back; `files` (`archived_files`) are those that are there now."""
    here = {path: _digest(vault / disk) for path, disk in files.items()}
    return Comeback(
        archive,
        changed=tuple(
            sorted(p for p, digest in archive.files.items() if p in here and here[p] != digest and not _is_log(p))
        ),
        missing=tuple(sorted(archive.files.keys() - here.keys())),
        extra=tuple(sorted(here.keys() - archive.files.keys())),
    )


def _is_log(path: str) -> bool:
    """What was done stays done: a log that is there is never taken back."""
    return path in ("log.md", "wiki/log.md")


def _digest(file: Path) -> str:
    return sha256(file.read_bytes()).hexdigest()


def put_back(vault: Path, plan: Comeback, files: Mapping[str, str]) -> None:
    """Make the wiki what the archive holds: nothing more, nothing less. Archive the present state first.

    The archive is read and checked as a whole before anything is written. Raises `ArchiveUnusable`, `PathForbidden`,
    OSError.
    """
    file = vault / FOLDER / f"{plan.archive.name}.zip"
    contents, manifest = _read_all(file, plan.archive)
    targets = {path: safe_path(vault, path) for path in (*plan.changed, *plan.missing)}
    for path, target in targets.items():
        target.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(target, contents[path])
    for path in plan.extra:
        (vault / files[path]).unlink(missing_ok=True)
    if manifest is not None:
        with locked(vault / LOCK):
            write_atomic(vault / MANIFEST, manifest)


def _read_all(file: Path, archive: Archive) -> tuple[dict[str, bytes], bytes | None]:
    try:
        with zipfile.ZipFile(file) as opened:
            if sum(part.file_size for part in opened.infolist()) > _MOST_UNPACKED:
                raise _damaged(file)
            contents = {path: opened.read(path) for path in archive.files}
            manifest = opened.read(_MANIFEST_INSIDE) if _MANIFEST_INSIDE in opened.namelist() else None
    except (zipfile.BadZipFile, zlib.error, OSError, KeyError, EOFError, RuntimeError, NotImplementedError):
        raise _damaged(file) from None
    if any(sha256(data).hexdigest() != archive.files[path] for path, data in contents.items()):
        raise _damaged(file)
    return contents, manifest
