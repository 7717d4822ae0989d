"""`.llm-wiki/manifest.json`: every source that is known, where it stands in the queue, and the pages made from it.

It cannot be derived from anything else: it is read tolerantly, replaced whole or not at all, and changed only by
`change`, which holds a lock. Fields of other programs are kept.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, TypeVar, cast, get_args

from generator.sources.errors import ManifestDamaged, SourceNotFound
from generator.sources.keys import kind_of, portable_key
from generator.sources.lock import locked
from generator.vault import write_atomic

State = Literal["pending", "processing", "done", "failed"]
STATES: tuple[State, ...] = get_args(State)
FILE = ".llm-wiki/manifest.json"
LOCK = ".llm-wiki/manifest.lock"
VERSION = 1
# What other programs, and older versions, call the pages and the digest.
_PAGES = ("pages", "pages_produced", "pages_created", "pages_updated")
_OLD = frozenset({"content_hash", "size_bytes", "source_type", *_PAGES})
_FORMAT = "%Y-%m-%dT%H:%M:%SZ"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Source:
    """A source. Times are `2026-01-31T09:30:00Z` or "". `attempts` counts those that failed, `lease_until` is when the
    worker that has it must be done, `error` why the last attempt failed, `pages` the vault paths of what was made
    from it, `url` where a file came from; `extra` holds fields that are not ours."""

    sha256: str = ""
    size: int = 0
    kind: str = "document"
    tool: str = ""
    title: str = ""
    added_at: str = ""
    state: State = "pending"
    attempts: int = 0
    lease_until: str = ""
    error: str = ""
    ingested_at: str = ""
    pages: tuple[str, ...] = ()
    url: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Manifest:
    """All sources by key. `extra` holds what else stands in the file."""

    sources: Mapping[str, Source] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)

    def get(self, key: str) -> Source:
        """The source with that key. Raises `SourceNotFound`."""
        if key not in self.sources:
            raise SourceNotFound(
                f"the manifest has no source {key!r}", hint="`llmwiki source list` shows those there are"
            )
        return self.sources[key]

    def put(self, key: str, source: Source) -> Manifest:
        """The manifest with this source."""
        return replace(self, sources={**self.sources, key: source})

    def without(self, key: str) -> Manifest:
        """The manifest without this source."""
        return replace(self, sources={name: source for name, source in self.sources.items() if name != key})


def stamp(moment: datetime) -> str:
    """A moment as the manifest writes it."""
    return moment.astimezone(UTC).strftime(_FORMAT)


def load(vault: Path) -> Manifest:
    """The manifest of the vault; an empty one where there is none. Raises `ManifestDamaged`."""
    try:
        data = (vault / FILE).read_bytes()
    except FileNotFoundError:
        return Manifest()
    except OSError as error:
        raise ManifestDamaged(f"the manifest cannot be read: {error.strerror}", path=FILE) from None
    try:
        value = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        raise ManifestDamaged(
            "the manifest is not JSON", path=FILE, line=line, hint="mend it, or put a copy of it back"
        ) from None
    sources = value.get("sources", {}) if isinstance(value, dict) else None
    if not isinstance(sources, dict):
        raise ManifestDamaged("the manifest holds no `sources`", path=FILE, hint='it looks like {"sources": {}}')
    extra = {name: item for name, item in value.items() if name not in ("version", "sources")}
    return Manifest(_read_sources(sources), extra)


def change(vault: Path, update: Callable[[Manifest], tuple[Manifest, T]]) -> T:
    """Read the manifest, let `update` make a new one of it, and write that, while nobody else can.

    Returns what `update` returned beside it. Raises `ManifestBusy`, `ManifestDamaged`, OSError, and what `update`
    raises; nothing is written then.
    """
    with locked(vault / LOCK) as lock:
        before = load(vault)
        after, result = update(before)
        if after != before:
            data = encode(after)
            lock.check()
            write_atomic(vault / FILE, data)
    return result


def encode(manifest: Manifest) -> bytes:
    """The manifest as its file: the same for the same content."""
    sources = {key: _written(manifest.sources[key]) for key in sorted(manifest.sources)}
    value = {"version": VERSION, **manifest.extra, "sources": sources}
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "replace")


def facts_of(source: Source) -> dict[str, Any]:
    """The source's own fields as JSON has them."""
    value = {item.name: getattr(source, item.name) for item in fields(source) if item.name != "extra"}
    return value | {"pages": list(source.pages)}


def _written(source: Source) -> dict[str, Any]:
    value = facts_of(source)
    if not source.url:
        del value["url"]
    return value | dict(source.extra)


def _read_sources(value: Mapping[str, Any]) -> dict[str, Source]:
    found: dict[str, Source] = {}
    for name, entry in value.items():
        key = portable_key(name)
        if not key or not isinstance(entry, dict):
            continue
        if key in found and key != name:  # two absolute paths with one file name: keep the longer name
            key = "/".join([part for part in name.replace("\\", "/").split("/") if part][-2:])
        found[key] = read_source(key, entry)
    return found


def read_source(key: str, entry: Mapping[str, Any]) -> Source:
    """One entry, in our shape or an older one; a value of the wrong type counts as missing."""
    digest = (_text(entry, "sha256") or _text(entry, "content_hash")).removeprefix("sha256:")
    pages = [path for name in _PAGES for path in _texts(entry.get(name))]
    ingested, state = _text(entry, "ingested_at"), _text(entry, "state")
    if state not in STATES:
        state = "done" if ingested or pages else "pending"
    names = {item.name for item in fields(Source)}
    return Source(
        sha256=digest.lower(),
        size=_number(entry, "size") or _number(entry, "size_bytes"),
        kind=_text(entry, "kind") or _text(entry, "source_type") or kind_of(key),
        tool=_text(entry, "tool"),
        title=_text(entry, "title"),
        added_at=_text(entry, "added_at") or ingested,
        state=cast(State, state),
        attempts=_number(entry, "attempts"),
        lease_until=_text(entry, "lease_until"),
        error=_text(entry, "error"),
        ingested_at=ingested,
        pages=tuple(dict.fromkeys(pages)),
        url=_text(entry, "url"),
        extra={name: item for name, item in entry.items() if name not in names and name not in _OLD},
    )


def _text(entry: Mapping[str, Any], name: str) -> str:
    value = entry.get(name)
    return value if isinstance(value, str) else ""


def _number(entry: Mapping[str, Any], name: str) -> int:
    value = entry.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0


def _texts(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
