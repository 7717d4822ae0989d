"""The ingest queue: serial, in the manifest. pending → processing → done, or failed after three attempts.

The first half is pure, from manifest to manifest; the second half does it on disk, one change a call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

from generator.errors import WikiError
from generator.sources.errors import SourceRefused
from generator.sources.keys import is_file_key, path_of
from generator.sources.manifest import STATES, Manifest, Source, State, change, load, stamp
from generator.sources.scan import file_of
from generator.vault import safe_path

LEASE = timedelta(minutes=15)
MOST_ATTEMPTS = 3
_LONGEST_REASON = 500


@dataclass(frozen=True, slots=True)
class Taken:
    """A source that was handed out: its entry, and the vault path of its file ("" for what is no file)."""

    key: str
    source: Source
    path: str


def counts(manifest: Manifest) -> dict[State, int]:
    """How many sources are in each state."""
    states = [source.state for source in manifest.sources.values()]
    return {state: states.count(state) for state in STATES}


def expire(manifest: Manifest, now: datetime) -> Manifest:
    """Give back what workers have had for too long; each time counts as a failed attempt."""
    moment = stamp(now)
    late = {
        key: _failed(source, "the lease ran out: the worker did not come back")
        for key, source in manifest.sources.items()
        if source.state == "processing" and source.lease_until <= moment
    }
    return replace(manifest, sources={**manifest.sources, **late}) if late else manifest


def take(
    manifest: Manifest, now: datetime, is_there: Callable[[str], bool], key: str = ""
) -> tuple[Manifest, str | None]:
    """Hand out the oldest pending source that is there, or the one named; None where none waits.

    Raises `SourceNotFound`, and `SourceRefused` for a named one that somebody has or that is done.
    """
    manifest = expire(manifest, now)
    if key:
        source = manifest.get(key)
        if source.state in ("processing", "done"):
            raise SourceRefused(f"this source is {_in_words(source)}", path=key)
        if not is_there(key):
            raise _gone(key)
        if source.state == "failed":  # asked for by name: it gets its attempts anew
            source = replace(source, attempts=0)
    else:
        waiting = sorted((s.added_at, name) for name, s in manifest.sources.items() if s.state == "pending")
        key = next((name for _, name in waiting if is_there(name)), "")
        if not key:
            return manifest, None
        source = manifest.sources[key]
    return manifest.put(key, replace(source, state="processing", lease_until=stamp(now + LEASE))), key


def finish(manifest: Manifest, key: str, pages: Sequence[str], now: datetime) -> Manifest:
    """The source is done, and these pages were made from it. Doing it again adds pages.

    A worker that comes back late is believed, unless its source has been handed back. Raises `SourceNotFound`, and
    `SourceRefused` for a source that nobody has.
    """
    source = manifest.get(key)
    if source.state not in ("processing", "done"):
        hint = "`llmwiki ingest next` hands it out; it may have changed, or been away for too long"
        raise SourceRefused(f"this source is {_in_words(source)}, not being processed", path=key, hint=hint)
    again = source.state == "done" and set(pages) <= set(source.pages)
    done = replace(
        source,
        state="done",
        lease_until="",
        error="",
        ingested_at=source.ingested_at if again else stamp(now),
        pages=tuple(dict.fromkeys((*source.pages, *pages))),
    )
    return manifest.put(key, done)


def give_up(manifest: Manifest, key: str, why: str) -> Manifest:
    """This attempt failed: the source waits again, or has failed for good after the third.

    Raises `SourceNotFound`, and `SourceRefused` for a source that nobody has.
    """
    source = manifest.get(key)
    if source.state != "processing":
        raise SourceRefused(f"this source is {_in_words(source)}, not being processed", path=key)
    return manifest.put(key, _failed(source, why))


def again(
    manifest: Manifest, now: datetime, is_there: Callable[[str], bool], is_page: Callable[[str], bool], key: str = ""
) -> tuple[Manifest, list[str]]:
    """What is done or has failed waits again, as if nobody had read it: the source named, or without a key all whose
    file is there. Returns their keys, too. Of the pages that were made from them, those stay recorded that `is_page`.

    Raises `SourceNotFound`, and `SourceRefused` for a named one that somebody has or whose file is gone.
    """
    manifest = expire(manifest, now)
    if key:
        if manifest.get(key).state == "processing":
            raise SourceRefused(f"this source is {_in_words(manifest.get(key))}", path=key)
        if not is_there(key):
            raise _gone(key)
    wanted = [key] if key else [name for name in sorted(manifest.sources) if is_file_key(name) and is_there(name)]
    waiting = {}
    for name in wanted:
        source = manifest.sources[name]
        if source.state in ("done", "failed"):
            pages = tuple(filter(is_page, source.pages))
            waiting[name] = replace(source, state="pending", attempts=0, error="", ingested_at="", pages=pages)
    return replace(manifest, sources={**manifest.sources, **waiting}), [*waiting]


def _gone(key: str) -> SourceRefused:
    return SourceRefused("the file of this source is gone", path=key, hint="put it back, or remove the source")


def _failed(source: Source, why: str) -> Source:
    attempts = source.attempts + 1
    state: State = "failed" if attempts >= MOST_ATTEMPTS else "pending"
    reason = " ".join(why.split())[:_LONGEST_REASON]
    return replace(source, state=state, attempts=attempts, lease_until="", error=reason)


def _in_words(source: Source) -> str:
    if source.state == "processing":
        return f"with a worker until {source.lease_until}"
    return {"pending": "waiting", "done": "done", "failed": f"failed ({source.error})"}[source.state]


# ── on disk ─────────────────────────────────────────────────────────────────────────────────────────────


def queue_as_it_is(vault: Path, now: datetime) -> Manifest:
    """The manifest, with leases that have run out counted as such; nothing is written. Raises `ManifestDamaged`."""
    return expire(load(vault), now)


def next_source(vault: Path, now: datetime, key: str = "") -> Taken | None:
    """Hand out a source for fifteen minutes: to one worker only, however many ask. See `take`."""

    def update(manifest: Manifest) -> tuple[Manifest, Taken | None]:
        manifest, name = take(manifest, now, lambda key: _is_there(vault, key), key)
        if name is None:
            return manifest, None
        return manifest, Taken(name, manifest.sources[name], path_of(name) if is_file_key(name) else "")

    return change(vault, update)


def finish_source(vault: Path, key: str, pages: Sequence[str], now: datetime) -> Source:
    """The source is done, with these pages. See `finish`; whether there is a summary page is for the caller to see."""

    def update(manifest: Manifest) -> tuple[Manifest, Source]:
        after = finish(manifest, key, pages, now)
        return after, after.sources[key]

    return change(vault, update)


def fail_source(vault: Path, key: str, why: str) -> Source:
    """This attempt failed, for that reason. See `give_up`."""

    def update(manifest: Manifest) -> tuple[Manifest, Source]:
        after = give_up(manifest, key, why)
        return after, after.sources[key]

    return change(vault, update)


def queue_again(vault: Path, now: datetime, key: str = "", *, apply: bool = True) -> list[str]:
    """Sources that are done or have failed wait again; returns their keys. See `again`. Without `apply` nothing is
    written."""

    def update(manifest: Manifest) -> tuple[Manifest, list[str]]:
        return again(manifest, now, lambda key: _is_there(vault, key), lambda page: _is_page(vault, page), key)

    return change(vault, update) if apply else update(load(vault))[1]


def _is_page(vault: Path, path: str) -> bool:
    try:
        return safe_path(vault, path).is_file()
    except WikiError:
        return False


def _is_there(vault: Path, key: str) -> bool:
    if not is_file_key(key):
        return True
    try:
        return file_of(vault, key) is not None
    except WikiError:  # a key that leads out of the vault is the key of no file
        return False
