"""A source comes in: its file is copied below `raw/sources/`, or its address is noted; then it waits in the queue."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from unicodedata import normalize

from generator.sources.errors import SourceRefused
from generator.sources.keys import RAW_ROOT, canonical_url, is_file_key, kind_of, portable_key
from generator.sources.manifest import Manifest, Source, change, load, stamp
from generator.sources.scan import digest_of
from generator.vault import detect_layout, safe_path


@dataclass(frozen=True, slots=True)
class Addition:
    """What would be added. `origin` is the file that is copied, None for what is no file; `same_as` names a source with
    the same content or address, "" where there is none."""

    key: str
    source: Source
    origin: Path | None
    same_as: str


def plan_addition(
    vault: Path, what: str, now: datetime, *, folder: str = "", tool: str = "", title: str = "", url: str = ""
) -> Addition:
    """What adding a file (by its path on this machine), an address, or another key would do.

    `folder` is one below `raw/sources/`; `url` is where a file came from. Raises `SourceRefused` for what is there
    already under that name, or is no file, and `PathForbidden`.
    """
    manifest = load(vault)
    url = canonical_url(url) if url else ""
    if not is_file_key(what):
        key = portable_key(what)
        source = Source(kind=kind_of(key), tool=tool, title=title, added_at=stamp(now))
        _refuse_known(manifest, key)
        return Addition(key, source, None, _same(manifest, key, "", key))
    if detect_layout(vault).kind == "plain":
        hint = "`llmwiki init` makes a vault with raw/sources; an address can be added to any"
        raise SourceRefused("this vault has no place for raw sources: a file in it would be a page", hint=hint)
    origin = Path(what).expanduser()
    if not origin.is_file():
        raise SourceRefused("there is no such file", path=what, hint="give a file, an http address, or `agent:name/id`")
    key = "/".join(filter(None, (folder.strip("/"), normalize("NFC", origin.name))))
    target = safe_path(vault, RAW_ROOT + key)
    if target.exists():
        hint = "raw sources are never overwritten: give it another name, or --folder"
        raise SourceRefused("a source of this name is there already", path=RAW_ROOT + key, hint=hint)
    _refuse_known(manifest, key)
    digest = digest_of(origin)
    source = Source(
        sha256=digest, size=origin.stat().st_size, kind="url" if url else "document", tool=tool, title=title,
        added_at=stamp(now), url=url,
    )  # fmt: skip
    return Addition(key, source, origin, _same(manifest, key, digest, url))


def add(vault: Path, addition: Addition) -> None:
    """Copy the file in, never over another, and queue the source. Raises `SourceRefused`, `ManifestBusy`, OSError."""
    if addition.origin is not None:
        _copy_in(addition.origin, safe_path(vault, RAW_ROOT + addition.key), addition.source.sha256)

    def update(manifest: Manifest) -> tuple[Manifest, None]:
        _refuse_known(manifest, addition.key)
        return manifest.put(addition.key, addition.source), None

    change(vault, update)


def _refuse_known(manifest: Manifest, key: str) -> None:
    if key in manifest.sources:
        raise SourceRefused("this source is in the manifest already", path=key)


def _same(manifest: Manifest, key: str, digest: str, url: str) -> str:
    """A source with the same content, or from the same address."""
    for name, source in manifest.sources.items():
        if name != key and ((digest and source.sha256 == digest) or (url and url in (source.url, name))):
            return name
    return ""


def _copy_in(origin: Path, target: Path, digest: str) -> None:
    """The file appears whole, or not at all, and never in another's place."""
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".llmwiki-{os.urandom(6).hex()}.tmp")
    try:
        shutil.copyfile(origin, partial)
        if digest_of(partial) != digest:
            raise SourceRefused("this file changed while it was read", path=origin.name, hint="try again")
        try:
            os.link(partial, target)
        except FileExistsError:
            raise SourceRefused("a source of this name is there already", path=target.name) from None
        except OSError:  # a file system without hard links
            if target.exists():
                raise SourceRefused("a source of this name is there already", path=target.name) from None
            partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
