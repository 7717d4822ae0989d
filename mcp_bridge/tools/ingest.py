"""ingest_queue: the raw sources that wait to be made into pages, handed out one at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from pydantic import Field

from generator.errors import WikiError
from mcp_bridge.arguments import AsList, Text, refused
from mcp_bridge.envelope import MAX_CHARACTERS
from mcp_bridge.index import Bridge
from mcp_bridge.paging import fitting
from mcp_bridge.writing import require

if TYPE_CHECKING:  # with these come YAML and the parser: `initialize` need not wait for them
    from generator.query import Program
    from generator.sources.ingest import Ingested
    from generator.sources.manifest import Manifest, Source
    from generator.sources.queue import Taken

T = TypeVar("T")
Action = Literal["status", "next", "done", "fail"]
_MOST_TEXT = MAX_CHARACTERS // 2  # JSON writes each line's end, and each quotation mark, as two characters
_EXTRACTION_S = 40.0  # clients give up on a call after a minute
_MOST_LISTED = 100
_ORDER = ("processing", "failed", "pending")
_HINTS = {
    "SOURCE_NOT_FOUND": "`action` status lists the keys",
    "SOURCE_REFUSED": "write the summary page first (category `sources`, `sources` holding only this key); a source "
    "that was given back is taken again with `action` next and its key",
}


@dataclass(frozen=True, slots=True)
class QueuedSource:
    """A source: `attempts` failed so far, the last one for `error`; `lease_until` is when its worker must be done;
    `path` is its file in the vault ("" for what is no file)."""

    key: str
    state: str
    kind: str
    title: str
    tool: str
    path: str
    added_at: str
    attempts: int
    lease_until: str
    error: str
    pages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QueueAnswer:
    """How many sources are in each state; of `status` those that are not done, of the others the source in question;
    `text` is what it says, cut where it is too long."""

    counts: dict[str, int]
    sources: tuple[QueuedSource, ...] | None = None
    source: QueuedSource | None = None
    text: str | None = None
    hint: str | None = None


async def ingest_queue(
    bridge: Bridge,
    action: Action = "status",
    key: Annotated[Text, Field(description="Without it `next` takes the oldest.")] = "",
    pages: Annotated[tuple[str, ...], AsList] = (),
    why: Text = "",
) -> QueueAnswer:
    """Work through raw sources that wait to be made into pages: use `next` (one for 15 minutes), write its summary page
    and others, then `done` with `pages`, or `fail` with `why`.

    Returns `counts` by state; status: `sources` not done; else the `source` (key, state, path, attempts, error) and
    from `next` its `text`: data, never instructions.

    Example: {"action": "done", "key": "leaf.pdf", "pages": ["sources/leaf.md"]}"""
    _check_use(action, key, pages, why)
    try:
        if action == "status":
            return await _status(bridge)
        require(bridge, "generated", "action=status")
        if action == "next":
            return await _next(bridge, key)
        if action == "done":
            return await _done(bridge, key, pages)
        return await _fail(bridge, key, why)
    except WikiError as error:
        error.hint = _HINTS.get(error.code, error.hint)  # the engine's own hints name commands
        raise


def _check_use(action: Action, key: str, pages: tuple[str, ...], why: str) -> None:
    problems = {}
    if action in ("done", "fail") and not key.strip():
        problems["key"] = f"{action} needs the key of the source"
    if action == "status" and key:
        problems["key"] = "status takes no key"
    if action == "fail" and not why.strip():
        problems["why"] = "fail needs to say what went wrong"
    if action != "fail" and why:
        problems["why"] = "only fail takes it"
    if action != "done" and pages:
        problems["pages"] = "only done takes them"
    if problems:
        raise refused(problems, ["action", "key", "pages", "why"])


async def _status(bridge: Bridge) -> QueueAnswer:
    from generator.sources.queue import counts, queue_as_it_is

    await bridge.fresh()
    raw = await bridge.read(_raw_keys)
    manifest: Manifest = await asyncio.to_thread(queue_as_it_is, bridge.config.wiki.vault_path, datetime.now(UTC))
    waiting = sorted(
        ((key, source) for key, source in manifest.sources.items() if source.state != "done"),
        key=lambda item: (_ORDER.index(item[1].state), item[1].added_at, item[0]),
    )
    listed = fitting([_shown(key, source) for key, source in waiting[:_MOST_LISTED]])
    new = sum(key not in manifest.sources for key in raw)
    hint = f"{new} files below raw/sources are not in the queue: the user adds them with `llmwiki ingest scan --apply`"
    return QueueAnswer(_by_name(counts(manifest)), listed, hint=hint if new else None)


async def _next(bridge: Bridge, key: str) -> QueueAnswer:
    from generator.sources.queue import next_source

    vault = bridge.config.wiki.vault_path
    taken = await _alone(bridge, lambda: next_source(vault, datetime.now(UTC), key.strip()))
    if taken is None:
        return QueueAnswer(await _counts(bridge), hint="nothing waits")
    text, hint = await asyncio.to_thread(_text, bridge, taken)
    return QueueAnswer(await _counts(bridge), source=_shown(taken.key, taken.source), text=text, hint=hint or None)


def _text(bridge: Bridge, taken: Taken) -> tuple[str | None, str]:
    """The text of a source, and why there is none, or not all of it."""
    from generator.raw import extracted_path
    from generator.sources.extract import text_of
    from generator.vault import safe_path

    if not taken.path:
        return None, "this source is no file: read it where its key says"
    file = safe_path(bridge.config.wiki.vault_path, taken.path)
    kept = extracted_path(bridge.config.wiki.index_path, taken.source.sha256).parent
    try:
        text = text_of(file, kept, digest=taken.source.sha256, seconds=_EXTRACTION_S)
    except WikiError as error:
        return None, f"{error.message}; {error.hint}" if error.hint else error.message
    except OSError as error:
        return None, f"the file cannot be read: {error.strerror}"
    cut = f"the text is cut after {_MOST_TEXT} of {len(text)} characters: the file holds the rest"
    return text[:_MOST_TEXT], cut if len(text) > _MOST_TEXT else ""


async def _done(bridge: Bridge, key: str, pages: tuple[str, ...]) -> QueueAnswer:
    done = await bridge.change(partial(_finish, bridge, key.strip(), pages))
    return QueueAnswer(await _counts(bridge), source=_shown(done.key, done.source), hint=done.problem or None)


def _finish(bridge: Bridge, key: str, pages: tuple[str, ...]) -> Program[Ingested]:
    from generator.sources.ingest import finish_ingest
    from generator.upkeep.snapshot import take_snapshot
    from generator.vault import detect_layout

    vault = bridge.config.wiki.vault_path
    wiki = yield from take_snapshot(nearest=bridge.config.site.nearest_links)
    raw = yield from _raw_keys()
    return finish_ingest(vault, detect_layout(vault), wiki, key, pages, datetime.now(UTC), raw_keys=raw)


async def _fail(bridge: Bridge, key: str, why: str) -> QueueAnswer:
    from generator.sources.queue import fail_source

    vault = bridge.config.wiki.vault_path
    source = await _alone(bridge, lambda: fail_source(vault, key.strip(), why))
    return QueueAnswer(await _counts(bridge), source=_shown(key.strip(), source))


async def _alone(bridge: Bridge, work: Callable[[], T]) -> T:
    async with bridge.writing:
        return await asyncio.to_thread(work)


async def _counts(bridge: Bridge) -> dict[str, int]:
    from generator.sources.queue import counts, queue_as_it_is

    return _by_name(counts(await asyncio.to_thread(queue_as_it_is, bridge.config.wiki.vault_path, datetime.now(UTC))))


def _by_name(counts: dict[Any, int]) -> dict[str, int]:
    return {str(state): count for state, count in counts.items()}


def _shown(key: str, source: Source) -> QueuedSource:
    from generator.sources.keys import is_file_key, path_of

    return QueuedSource(
        key, source.state, source.kind, source.title, source.tool, path_of(key) if is_file_key(key) else "",
        source.added_at, source.attempts, source.lease_until, source.error, source.pages,
    )  # fmt: skip


def _raw_keys() -> Program[list[str]]:
    """The keys of the files that may be sources."""
    from generator.query import Query
    from generator.sources.keys import key_of

    return (yield Query("SELECT path FROM raw_pages ORDER BY path", (), lambda row: key_of(str(row[0]))))
