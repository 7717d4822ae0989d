"""The read side: one read-only connection, on which the programs of `generator.query` run, each within its time.

Here and in the tools, what only answers need is imported where it is needed: a client waits for `initialize`, and that
for every import above.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from generator.cache import ResultCache
from generator.config import Config
from generator.errors import IndexBusy, IndexCorrupted, PageNotFound, QueryTimeout
from mcp_bridge.living import LivingIndex, Tell, busy, is_locked
from mcp_bridge.survey import change, survey

if TYPE_CHECKING:
    import aiosqlite

    from generator.query import Program

T = TypeVar("T")
_log = logging.getLogger("llmwiki.bridge")
_STEPS = 10_000  # of SQLite's machine between two looks at the clock
_PAUSES_S = (0.1, 0.2, 0.4)  # after each of them SQLite waits for ten seconds itself
EXAMINATION_S = 50.0  # clients give up on a call after a minute
_DAMAGE = frozenset((sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN))


class Reader:
    """Runs one program at a time, each on one state of the index."""

    def __init__(self, path: Path, timeout_ms: int) -> None:
        self._path = path
        self._timeout_s = timeout_ms / 1000
        self._deadline = 0.0
        self._lock = asyncio.Lock()
        self._connection: aiosqlite.Connection | None = None
        self._inode = 0

    async def run(self, program: Program[T]) -> T:
        """What the program returns. Raises QueryTimeout, and sqlite3.DatabaseError for a damaged index."""
        from generator.query import run_async

        async with self._lock:
            connection = await self._connect()
            try:
                return await run_async(connection, self._timed(program))
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
                    raise
                _log.warning("a query took longer than %.1f s and was interrupted", self._timeout_s)
                raise QueryTimeout(
                    f"the query took longer than {self._timeout_s:g} s and was interrupted",
                    hint="use rarer words, or narrow it with tags or folder",
                    details={"retryable": False},
                ) from error
            except asyncio.CancelledError:
                self._deadline = 0.0  # the program ends with its next query, if not with this one
                await connection.interrupt()
                raise

    async def close(self) -> None:
        """Close the connection; the next program opens another."""
        if self._connection is not None:
            connection, self._connection = self._connection, None
            await connection.close()

    async def _connect(self) -> aiosqlite.Connection:
        """The connection, opened anew where the file is no longer the one that was opened."""
        inode = self._path.stat().st_ino if self._path.exists() else 0
        if self._connection is not None and inode == self._inode:
            return self._connection
        import aiosqlite

        from generator.store import connect_read_only  # the syntaxes, which the first update loads anyway

        await self.close()
        connection = aiosqlite.Connection(lambda: connect_read_only(self._path), iter_chunk_size=64)
        await connection
        await connection.set_progress_handler(self._is_late, _STEPS)
        self._connection, self._inode = connection, inode
        return connection

    def _timed(self, program: Program[T]) -> Program[T]:
        self._deadline = time.monotonic() + self._timeout_s
        return (yield from program)

    def _is_late(self) -> int:
        return int(time.monotonic() > self._deadline)


@dataclass(frozen=True, slots=True)
class Bridge:
    """What a tool has at hand; `Bridge.over` makes one. `cache` keeps answers of searches, `writing` is held by the one
    tool that writes into the vault, `tell` reports progress to the client of this call."""

    config: Config
    living: LivingIndex
    reader: Reader
    cache: ResultCache[Any]
    writing: asyncio.Lock
    tell: Tell | None = None

    @classmethod
    def over(cls, config: Config) -> Bridge:
        """The bridge to the vault and the index of these settings."""
        performance = config.performance
        return cls(
            config,
            LivingIndex(config),
            Reader(config.wiki.index_path, performance.query_timeout_ms),
            ResultCache(performance.cache_ttl_seconds),
            asyncio.Lock(),
        )

    async def fresh(self) -> bool:
        """Whether the index holds what the vault holds; else an update is under way. Raises as `LivingIndex.fresh`."""
        return await self.living.fresh(self.tell)

    async def read(self, make: Callable[[], Program[T]]) -> T:
        """What the program returns that `make` makes; a damaged index is built again and read once more.

        Raises QueryTimeout, IndexCorrupted, IndexBusy and whatever the program raises.
        """
        return await self._patiently(lambda: self.reader.run(make()))

    async def examine(self, program: Callable[[], Program[T]]) -> T:
        """What a program returns that looks at the whole wiki, and at files. Waits for a fresh index first. Raises as
        `read`."""
        await self._wait_until_fresh()
        return await self._patiently(lambda: survey(self.config.wiki.index_path, program, EXAMINATION_S))

    async def change(self, program: Callable[[], Program[T]]) -> T:
        """The same for a program that writes into the vault: one at a time, each on what the one before has left."""
        async with self.writing:
            await self._wait_until_fresh()
            return await self._patiently(lambda: change(self.config.wiki.index_path, program))

    @property
    def is_down(self) -> bool:
        """Whether the index could not be brought up to date, and not only because that takes its time."""
        return bool(self.living.problem)

    @contextmanager
    def naming(self, *names: str) -> Iterator[None]:
        """Around a look-up of these names: what must not be named is refused, and not repeated in an error."""
        try:
            yield
        except PageNotFound:
            from generator.vault import safe_path

            for name in filter(str.strip, names):
                safe_path(self.config.wiki.vault_path, name)
            raise

    async def _wait_until_fresh(self) -> None:
        if not await self.fresh():
            raise IndexBusy(
                "the index is still taking in changes", hint="ask again in a minute", details={"retryable": True}
            )

    async def _patiently(self, read: Callable[[], Awaitable[T]]) -> T:
        """A reading, tried again while another process has the file to itself, and once more where it was damaged."""
        pauses = iter(_PAUSES_S)
        while True:
            try:
                return await self._mended(read)
            except sqlite3.OperationalError as error:
                pause = next(pauses, None)
                if not is_locked(error):
                    raise
                if pause is None:
                    raise busy() from error
            _log.info("the index is locked: trying again in %.1f s", pause)
            await asyncio.sleep(pause)

    async def _mended(self, read: Callable[[], Awaitable[T]]) -> T:
        try:
            return await read()
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            _log.warning("the index is damaged (%s) and is built again", error)
        self.living.suspect()
        try:
            await self.living.fresh(self.tell)
            await self.reader.close()
            return await read()
        except sqlite3.DatabaseError as error:
            if is_locked(error):
                raise
            raise IndexCorrupted(
                "the index is damaged and is being built again",
                hint="ask again in a minute",
                details={"rebuilding": True, "retryable": True},
            ) from error


def index_state() -> Program[tuple[int, str]]:
    """What tells one state of the index from any other: how many changes it has seen, and since when."""
    from generator.query import Query

    sql = "SELECT value FROM wiki_meta WHERE key IN ('data_version', 'last_full_reindex') ORDER BY key"
    version, since = yield Query(sql, (), lambda row: str(row[0]))
    return int(version), since


def is_damage(error: sqlite3.Error) -> bool:
    """Whether the index is to blame, and not the query or another writer."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
    return code in _DAMAGE or (code == sqlite3.SQLITE_ERROR and "no such table" in str(error))
