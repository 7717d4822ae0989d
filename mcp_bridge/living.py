"""Keeps the index in step with the vault, in one thread of its own, while agents read it.

Nobody waits for this thread but those who ask for a fresh index. It can be stopped at any moment: an update is one
transaction, which is then rolled back.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from generator.config import Config
from generator.errors import IndexBusy, IndexMissing

if TYPE_CHECKING:
    from generator.model import Finding
    from mcp_bridge.watch import Watcher

_log = logging.getLogger("llmwiki.bridge")
_LOCKED = frozenset((sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED))
_POLL_S = 0.4  # an update, too, must fit into the second in which a change is found
_AFTER_FAILURE_S = 2.0
_FIRST_PATIENCE_S = 50.0  # clients give up on a call after a minute
_PATIENCE_S = 5.0
Tell = Callable[[float, float], Awaitable[None]]
"""Called about once a second while a tool waits: notes done, notes in all."""


class _Stopped(BaseException):
    """Ends an update from within; no handler of ordinary errors may catch it."""


class LivingIndex:
    """The index of one vault. `keep` it in a task, ask for `fresh`, `stop` it at the end."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="llmwiki-index")
        self._lock = threading.Lock()
        self._queued: Future[None] | None = None
        self._idle = threading.Event()
        self._idle.set()
        self._stopping = threading.Event()
        self._watcher: Watcher | None = None
        self._seen: tuple[int, ...] = ()  # the index file as our last update left it
        self._suspect = False
        self.passed_over: tuple[Finding, ...] = ()
        """What the last scan had to say of the vault; `generator.update.findings_beside` adds what parsing had."""
        self.problem = ""
        """Why the last update failed; "" if it did not."""
        self.ready = False
        """Whether an update has succeeded since the start."""
        self.progress = (0, 0)
        """Notes done and notes in all, of an update that parses."""

    async def keep(self) -> None:
        """Begin the first update, then follow the vault until cancelled."""
        while True:
            await asyncio.wait({_observed(self._look_again())})
            await asyncio.sleep(_AFTER_FAILURE_S if self.problem else _POLL_S)

    async def fresh(self, tell: Tell | None = None, patience: float | None = None) -> bool:
        """Wait until the index holds what was in the vault when this was called.

        False when the update takes longer than `patience` seconds: what was indexed before can be read. Raises
        IndexBusy when nothing was, and whatever ended the update.
        """
        if patience is None:
            patience = _PATIENCE_S if self.ready else _FIRST_PATIENCE_S
        deadline = time.monotonic() + patience
        look = _observed(self._look_again())
        while not look.done() and (left := deadline - time.monotonic()) > 0:
            await asyncio.wait({look}, timeout=min(left, 1.0))
            if tell and not look.done() and self.progress[1]:
                await tell(*self.progress)
        if look.done():
            look.result()
            return True
        if not self.ready:
            done, total = self.progress
            raise IndexBusy(
                f"the vault is being indexed: {done} of {total} notes are done",
                hint="ask again in a minute",
                details={"done": done, "total": total, "retryable": True},
            )
        return False

    def suspect(self) -> None:
        """Have the next look read the whole index for damage: a query met some."""
        self._suspect = True

    def stop(self, wait_seconds: float = 2.0) -> bool:
        """End the work; an update that runs is rolled back. False if it has not ended in time."""
        self._stopping.set()
        self._thread.shutdown(wait=False, cancel_futures=True)
        ended = self._idle.wait(wait_seconds)
        if (watcher := self._watcher) is not None:
            watcher.close()
        return ended

    def _look_again(self) -> Future[None]:
        """A look at the vault that begins after this call; all who ask before it begins share it."""
        with self._lock:
            if self._queued is None:
                self._queued = self._thread.submit(self._look)
            return self._queued

    def _look(self) -> None:
        with self._lock:
            self._queued = None
        self._idle.clear()
        try:
            if self._is_due():
                self._update()
        finally:
            self._idle.set()

    def _is_due(self) -> bool:
        if self._stopping.is_set():
            return False
        if not self.ready:  # the first question waits for this look: the next one begins to watch
            return True
        if self._watcher is None:
            from mcp_bridge.watch import Watcher

            # Before the scan, so that no change falls between the two.
            self._watcher = Watcher(self._config)
            return True
        return self._watcher.changed() or self._suspect or self._seen != _state(self._config.wiki.index_path)

    def _update(self) -> None:
        """One update; a second one, after a check of the whole index, where the first met damage."""
        try:
            try:
                self._update_once(check=self._suspect)
            except sqlite3.DatabaseError as error:
                _log.warning("the update failed and is tried once more: %s", error)
                self._update_once(check=not is_locked(error))
        except (OSError, sqlite3.Error) as error:
            reason = (error.strerror if isinstance(error, OSError) else str(error)) or type(error).__name__
            self._failed(reason)
            if is_locked(error):
                raise busy() from error
            hint = "make room on the disk, or set WIKI_INDEX_PATH to a file that can be written"
            raise IndexMissing(f"the index cannot be written: {reason}", hint=hint) from error
        except BaseException as error:
            self._failed(str(error) or type(error).__name__)
            raise
        self.problem = ""
        self.ready = True
        self._suspect = False
        self._seen = _state(self._config.wiki.index_path)

    def _update_once(self, *, check: bool) -> None:
        # The parser with it: 0.3 s that `initialize` need not wait for.
        from generator.update import open_and_update

        started = time.monotonic()
        try:
            store, report, scan = open_and_update(self._config, check=check, progress=self._step)
            store.close()
        finally:
            self.progress = (0, 0)
        self.passed_over = scan.problems
        if report.changes or not self.ready:
            seconds = time.monotonic() - started
            _log.info(
                "index up to date: version %d, %d notes parsed, %.2f s", report.data_version, report.parsed, seconds
            )

    def _step(self, _stage: str, done: int, total: int) -> None:
        if self._stopping.is_set():
            raise _Stopped
        self.progress = (done, total)

    def _failed(self, reason: str) -> None:
        if reason != self.problem and not self._stopping.is_set():
            _log.warning("the index could not be brought up to date: %s", " ".join(reason.split()))
        self.problem = reason
        if self._watcher is not None:  # look at everything again next time
            self._watcher.close()
            self._watcher = None


def busy() -> IndexBusy:
    """The error for an index that another process keeps to itself."""
    return IndexBusy(
        "another process keeps the index locked", hint="ask again in a minute", details={"retryable": True}
    )


def is_locked(error: BaseException) -> bool:
    """Whether another connection had what this one wanted."""
    return isinstance(error, sqlite3.OperationalError) and (error.sqlite_errorcode & 0xFF) in _LOCKED


def _observed(future: Future[None]) -> asyncio.Future[None]:
    """The future for the event loop; its error counts as seen even if nobody is left who waits for it."""
    observed = asyncio.wrap_future(future)
    observed.add_done_callback(lambda done: done.cancelled() or done.exception())
    return observed


def _state(index: Path) -> tuple[int, ...]:
    """Differs after anybody has replaced, damaged or removed the index file."""
    try:
        status = os.stat(index)
    except OSError:
        return ()
    return (status.st_ino, status.st_mtime_ns, status.st_size)
