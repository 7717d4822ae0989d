"""The files below `raw/sources/` against the manifest, by SHA-256: new, changed, unchanged, missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path

from generator.errors import Unreadable
from generator.model import Finding, SourceFile
from generator.sources.keys import is_file_key, key_of, path_of
from generator.sources.manifest import Manifest, Source, stamp
from generator.vault import safe_path

_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class RawFile:
    """A file of a source: its key, its vault path, its digest (hex) and size in bytes."""

    key: str
    path: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class SourceScan:
    """Keys by what became of their files, each sorted; all files that could be read, and those that could not."""

    new: tuple[str, ...]
    changed: tuple[str, ...]
    unchanged: tuple[str, ...]
    missing: tuple[str, ...]
    files: tuple[RawFile, ...]
    problems: tuple[Finding, ...] = ()


def digest_of(file: Path) -> str:
    """The SHA-256 of a file, as hex. Raises OSError."""
    digest = sha256()
    with open(file, "rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def scan_sources(vault: Path, files: Sequence[SourceFile], manifest: Manifest) -> SourceScan:
    """Compare raw files, as `generator.raw.raw_files` lists them, with the manifest. Reads every file once."""
    found, problems = [], []
    for file in files:
        try:
            found.append(RawFile(key_of(file.path), file.path, digest_of(vault / file.disk), file.size))
        except OSError as error:
            message = f"this source cannot be read: {error.strerror}"
            problems.append(Finding(Unreadable.code.lower(), "warning", file.path, 0, message))
    known = manifest.sources
    here = {file.key: file.sha256 for file in found}
    unread = {key_of(problem.path) for problem in problems}
    return SourceScan(
        new=tuple(sorted(key for key in here if key not in known)),
        changed=tuple(sorted(key for key, digest in here.items() if key in known and known[key].sha256 != digest)),
        unchanged=tuple(sorted(key for key, digest in here.items() if key in known and known[key].sha256 == digest)),
        missing=tuple(sorted(key for key in known if is_file_key(key) and key not in here and key not in unread)),
        files=tuple(found),
        problems=tuple(problems),
    )


def queue_found(manifest: Manifest, found: SourceScan, now: datetime, tool: str = "") -> Manifest:
    """The manifest with new files as pending, and changed ones pending again. Missing ones stay as they are.

    The scan may be older than the manifest: what has the scanned digest by now is left alone.
    """
    sources = dict(manifest.sources)
    for file in found.files:
        known = sources.get(file.key)
        if known is None:
            sources[file.key] = Source(sha256=file.sha256, size=file.size, tool=tool, added_at=stamp(now))
        elif known.sha256 != file.sha256:
            sources[file.key] = replace(
                known, sha256=file.sha256, size=file.size, added_at=stamp(now), state="pending", attempts=0,
                lease_until="", error="",
            )  # fmt: skip
    return replace(manifest, sources=sources)


def file_of(vault: Path, key: str) -> Path | None:
    """The file that a key stands for, if there is one. Raises `PathForbidden` for a key that leads elsewhere."""
    if not is_file_key(key):
        return None
    file = safe_path(vault, path_of(key))
    return file if file.is_file() else None
