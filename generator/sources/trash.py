"""Removals are carried out and taken back. `.llm-wiki/trash/<time>/` holds a copy of every file as it was, and
`removal.json`, which says what each became.

The copies and the record are on disk before anything else is touched: whatever happens in between, `restore` can bring
back what was there.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import md5
from pathlib import Path
from typing import Any

from generator.errors import StaleEdit
from generator.sources.errors import SourceNotFound, SourceRefused
from generator.sources.manifest import Manifest, Source, change, facts_of, load, read_source
from generator.sources.removal import Removal
from generator.upkeep.edits import TRASH
from generator.vault import apply_edit, safe_path, write_atomic

RECORD = "removal.json"
_LOG = "log.md"


@dataclass(frozen=True, slots=True)
class Touched:
    """A file that a removal changed: its MD5 before and after ("" for gone), and its size after in bytes."""

    path: str
    before: str
    after: str
    size: int


@dataclass(frozen=True, slots=True)
class Removed:
    """A removal that was carried out. `name` is its folder in the trash, `entry` what the manifest said of the source,
    `pages` the pages of other sources as the manifest listed them."""

    name: str
    key: str
    time: str
    files: tuple[Touched, ...]
    raw_file: str
    entry: Source | None
    pages: Mapping[str, tuple[str, ...]]
    restored: str = ""


@dataclass(frozen=True, slots=True)
class Restoration:
    """What bringing a removal back does: files that come back, are as they were already, or were changed since by
    somebody else and stay (their old text remains in the trash)."""

    removed: Removed
    back: tuple[str, ...]
    same: tuple[str, ...]
    kept: tuple[str, ...]


# ── removing ────────────────────────────────────────────────────────────────────────────────────────────


def remove(vault: Path, plan: Removal, now: datetime) -> Removed:
    """Carry the plan out. Raises `StaleEdit` before anything is touched where a file is no longer what the plan was
    made from; OSError."""
    originals = {edit.path: _original(vault, edit.path, edit.base_hash) for edit in plan.edits}
    originals |= {path: _original(vault, path, digest) for path, digest in plan.deleted.items()}
    after = {edit.path: edit.new_text.encode() for edit in plan.edits}
    files = tuple(
        Touched(path, _md5(data), _md5(after[path]) if path in after else "", len(after.get(path, b"")))
        for path, data in sorted(originals.items())
    )
    folder = _new_folder(vault, now)
    manifest = load(vault)
    removed = Removed(
        name=folder.name,
        key=plan.key,
        time=now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        files=files,
        raw_file=plan.raw_file,
        entry=manifest.sources.get(plan.key),
        pages={
            key: source.pages for key, source in manifest.sources.items() if set(source.pages) & plan.deleted.keys()
        },
    )
    for path, data in originals.items():
        _put(folder / path, data)
    _write_record(vault, removed)
    for edit in plan.edits:
        apply_edit(vault, edit)
    for path in plan.deleted:
        safe_path(vault, path).unlink(missing_ok=True)
    if plan.raw_file:
        _move(safe_path(vault, plan.raw_file), folder / plan.raw_file)
    change(vault, lambda current: (_forget(current, plan), None))
    return removed


def _forget(manifest: Manifest, plan: Removal) -> Manifest:
    sources = {
        key: replace(source, pages=tuple(page for page in source.pages if page not in plan.deleted))
        for key, source in manifest.sources.items()
        if key != plan.key
    }
    return replace(manifest, sources=sources)


def _original(vault: Path, path: str, digest: str) -> bytes:
    try:
        data = safe_path(vault, path).read_bytes()
    except FileNotFoundError:
        data = b""
    if _md5(data) != digest:
        raise StaleEdit("this page has changed since the removal was planned", path=path, hint="try again")
    return data


def _md5(data: bytes) -> str:
    return md5(data, usedforsecurity=False).hexdigest()


def _new_folder(vault: Path, now: datetime) -> Path:
    """A folder in the trash that is not there yet, named by the time; made."""
    name = f"{now.astimezone(UTC):%Y%m%dT%H%M%SZ}"
    number = 1
    while True:
        folder = vault / TRASH / (name if number == 1 else f"{name}-{number}")
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            number += 1
        else:
            return folder


def _put(file: Path, data: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(file, data)


def _move(source: Path, target: Path) -> None:
    """Move a file, copying it where it goes to another disk; the copy is whole before the original goes."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.replace(source, target)
    except OSError:
        partial = target.with_name(f".llmwiki-{target.name}.tmp")
        shutil.copy2(source, partial)
        partial.replace(target)
        source.unlink()


# ── the record ──────────────────────────────────────────────────────────────────────────────────────────


def removals(vault: Path) -> list[Removed]:
    """All removals in the trash, the newest first; records that cannot be read are passed over."""
    found = []
    for file in (vault / TRASH).glob(f"*/{RECORD}"):
        record = _read_record(file)
        if record is not None:
            found.append(record)
    return sorted(found, key=lambda removed: (removed.time, len(removed.name), removed.name), reverse=True)


def find_removal(vault: Path, name: str = "") -> Removed:
    """The removal with that folder name or key, the newest of several; without a name, the newest that was not taken
    back. Raises `SourceNotFound`."""
    known = removals(vault)
    for removed in known:
        if (removed.name == name or removed.key == name) if name else not removed.restored:
            return removed
    wanted = f"no removal {name!r}" if name else "nothing to bring back"
    hint = f"there are: {', '.join(removed.name for removed in known[:5])}" if known else ""
    raise SourceNotFound(f"the trash holds {wanted}", hint=hint)


def _write_record(vault: Path, removed: Removed) -> None:
    value: dict[str, Any] = {
        "version": 1,
        "key": removed.key,
        "time": removed.time,
        "files": [[file.path, file.before, file.after, file.size] for file in removed.files],
        "raw_file": removed.raw_file,
        "entry": facts_of(removed.entry) | dict(removed.entry.extra) if removed.entry else None,
        "pages": {key: list(pages) for key, pages in removed.pages.items()},
        "restored": removed.restored,
    }
    _put(vault / TRASH / removed.name / RECORD, (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode())


def _read_record(file: Path) -> Removed | None:
    try:
        value = json.loads(file.read_bytes())
        return Removed(
            name=file.parent.name,
            key=str(value["key"]),
            time=str(value["time"]),
            files=tuple(Touched(str(p), str(b), str(a), int(s)) for p, b, a, s in value["files"]),
            raw_file=str(value["raw_file"]),
            entry=read_source(value["key"], value["entry"]) if value["entry"] else None,
            pages={str(key): tuple(map(str, pages)) for key, pages in value["pages"].items()},
            restored=str(value["restored"]),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


# ── bringing back ───────────────────────────────────────────────────────────────────────────────────────


def plan_restore(vault: Path, removed: Removed) -> Restoration:
    """What would come back, and what was changed since and stays. Reads only."""
    back: list[str] = []
    same: list[str] = []
    kept: list[str] = []
    for file in removed.files:
        current = _current(vault, file.path)
        if current is not None and _md5(current) == file.before:
            same.append(file.path)
        else:
            (back if _restored(vault, removed, file) is not None else kept).append(file.path)
    if removed.raw_file:
        is_there = _current(vault, removed.raw_file) is not None
        in_trash = (vault / TRASH / removed.name / removed.raw_file).is_file()
        (kept if is_there and in_trash else same if is_there else back).append(removed.raw_file)
    return Restoration(removed, tuple(back), tuple(same), tuple(kept))


def restore(vault: Path, plan: Restoration, now: datetime) -> None:
    """Bring the files and the manifest's entry back, byte for byte. Raises `StaleEdit` where a file has changed since
    the plan was made, `SourceRefused` for a copy that is gone or damaged; OSError."""
    removed = plan.removed
    if plan_restore(vault, removed) != plan:
        raise StaleEdit("files have changed since this was planned", path=removed.name, hint="try again")
    written = {file.path: _restored(vault, removed, file) for file in removed.files if file.path in plan.back}
    for path, data in written.items():
        if data is not None:
            _put(safe_path(vault, path), data)
    if removed.raw_file in plan.back:
        _move(vault / TRASH / removed.name / removed.raw_file, safe_path(vault, removed.raw_file))
    change(vault, lambda manifest: (_remember(manifest, removed), None))
    _write_record(vault, replace(removed, restored=now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")))


def _restored(vault: Path, removed: Removed, file: Touched) -> bytes | None:
    """The bytes that the file shall have; None where somebody else has changed it since.

    To a log, entries may have been added: they stay.
    """
    current = _current(vault, file.path)
    if current is None:
        return _copy(vault, removed, file) if not file.after else None
    if file.after and _md5(current) == file.after:
        return _copy(vault, removed, file)
    is_log = file.path.rpartition("/")[2] == _LOG
    if is_log and file.after and _md5(current[: file.size]) == file.after:
        return _copy(vault, removed, file) + current[file.size :]
    return None


def _copy(vault: Path, removed: Removed, file: Touched) -> bytes:
    try:
        data = (vault / TRASH / removed.name / file.path).read_bytes()
    except OSError:
        data = b""
    if _md5(data) != file.before:
        raise SourceRefused("the copy in the trash is gone or damaged", path=f"{TRASH}/{removed.name}/{file.path}")
    return data


def _current(vault: Path, path: str) -> bytes | None:
    file = safe_path(vault, path)
    return file.read_bytes() if file.is_file() else None


def _remember(manifest: Manifest, removed: Removed) -> Manifest:
    """The manifest with the source's entry, unless somebody has begun with it anew, and with the pages of others."""
    for key, pages in removed.pages.items():
        if key in manifest.sources and key != removed.key:
            source = manifest.sources[key]
            rest = tuple(page for page in source.pages if page not in pages)
            manifest = manifest.put(key, replace(source, pages=(*pages, *rest)))
    now = manifest.sources.get(removed.key)
    is_new = now is None or (now.state == "pending" and not now.pages)
    return manifest.put(removed.key, removed.entry) if removed.entry is not None and is_new else manifest
