"""The read side: one read-only connection, on which the programs of `generator.query` run, each within its time."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import aiosqlite

from generator.config import Config
from generator.errors import IndexBusy, IndexCorrupted, PageNotFound, QueryTimeout
from generator.query import Program, run, run_async
from generator.vault import safe_path
from mcp_bridge.living import LivingIndex, Tell

T = TypeVar("T")
_log = logging.getLogger("llmwiki.bridge")
_STEPS = 10_000  # of SQLite's machine between two looks at the clock
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
        async with self._lock:
            connection = await self._connect()
            self._deadline = time.monotonic() + self._timeout_s
            try:
                await connection.execute("BEGIN")
                return await run_async(connection, program)
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
                await connection.interrupt()
                raise
            finally:
                await connection.rollback()

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
        from generator.store import connect_read_only  # the syntaxes, which the first update loads anyway

        await self.close()
        connection = aiosqlite.Connection(lambda: connect_read_only(self._path), iter_chunk_size=64)
        await connection
        await connection.set_progress_handler(self._is_late, _STEPS)
        self._connection, self._inode = connection, inode
        return connection

    def _is_late(self) -> int:
        return int(time.monotonic() > self._deadline)


@dataclass(frozen=True, slots=True)
class Bridge:
    """What a tool has at hand. `tell` reports progress to the client of this call."""

    config: Config
    living: LivingIndex
    reader: Reader
    tell: Tell | None = None

    async def fresh(self) -> bool:
        """Whether the index holds what the vault holds; else an update is under way. Raises as `LivingIndex.fresh`."""
        return await self.living.fresh(self.tell)

    async def read(self, make: Callable[[], Program[T]]) -> T:
        """What the program returns that `make` makes; a damaged index is built again and read once more.

        Raises QueryTimeout, IndexCorrupted and whatever the program raises.
        """
        try:
            return await self.reader.run(make())
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            _log.warning("the index is damaged (%s) and is built again", error)
        self.living.suspect()
        try:
            await self.living.fresh(self.tell)
            await self.reader.close()
            return await self.reader.run(make())
        except sqlite3.DatabaseError as error:
            raise IndexCorrupted(
                "the index is damaged and is being built again",
                hint="ask again in a minute",
                details={"rebuilding": True, "retryable": True},
            ) from error

    @contextmanager
    def naming(self, *names: str) -> Iterator[None]:
        """Around a look-up of these names: what must not be named is refused, and not repeated in an error."""
        try:
            yield
        except PageNotFound:
            for name in filter(str.strip, names):
                safe_path(self.config.wiki.vault_path, name)
            raise

    async def examine(self, program: Callable[[], Program[T]]) -> T:
        """What a program returns that looks at the whole wiki, and at files: it has a thread and a connection of its
        own, so that searches go on meanwhile. Waits for a fresh index first. Raises as `read`, and IndexBusy.
        """
        if not await self.fresh():
            raise IndexBusy(
                "the index is still taking in changes", hint="ask again in a minute", details={"retryable": True}
            )
        return await asyncio.to_thread(_run_alone, self.config.wiki.index_path, program)


def _run_alone(path: Path, program: Callable[[], Program[T]]) -> T:
    from generator.store import connect_read_only

    connection = connect_read_only(path)
    try:
        connection.execute("BEGIN")
        return run(connection, program())
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
        raise IndexCorrupted(
            "the index is damaged and is being built again",
            hint="ask again in a minute",
            details={"rebuilding": True, "retryable": True},
        ) from error
    finally:
        connection.close()


def is_damage(error: sqlite3.Error) -> bool:
    """Whether the index is to blame, and not the query or another writer."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
    return code in _DAMAGE or (code == sqlite3.SQLITE_ERROR and "no such table" in str(error))
