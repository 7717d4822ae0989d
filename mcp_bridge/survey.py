"""Programs that look at the whole wiki, and at files: each in a thread and on a connection of its own, within a time,
so that searches go on meanwhile."""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import anyio
import anyio.to_thread

from generator.errors import QueryTimeout

if TYPE_CHECKING:
    from generator.query import Program

T = TypeVar("T")
_log = logging.getLogger("llmwiki.bridge")
_STEPS = 1_000  # of SQLite's machine between two looks at the clock: programs read some hundred rows at a time


async def survey(index: Path, program: Callable[[], Program[T]], seconds: float) -> T:
    """What the program returns. Raises QueryTimeout, and sqlite3.DatabaseError as SQLite does."""
    given_up = threading.Event()
    work = partial(_run_alone, index, program, time.monotonic() + seconds, given_up)
    try:
        with anyio.fail_after(seconds):
            return await anyio.to_thread.run_sync(work, abandon_on_cancel=True)
    except TimeoutError:
        raise _too_slow(seconds) from None
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
            raise
        raise _too_slow(seconds) from error
    finally:
        given_up.set()  # the thread, if it goes on, ends with its next query


async def change(index: Path, program: Callable[[], Program[T]]) -> T:
    """What a program returns that writes into the vault: once begun it is brought to its end, though nobody waits."""
    with anyio.CancelScope(shield=True):
        result = await anyio.to_thread.run_sync(partial(_run_alone, index, program))
    return result  # noqa: RET504 (as far as types tell, a scope may end its block early)


def _run_alone(
    index: Path,
    program: Callable[[], Program[T]],
    deadline: float | None = None,
    given_up: threading.Event | None = None,
) -> T:
    from generator.query import run
    from generator.store import connect_read_only

    connection = connect_read_only(index)
    try:
        if deadline is not None and given_up is not None:
            connection.set_progress_handler(lambda: int(given_up.is_set() or time.monotonic() > deadline), _STEPS)
        connection.execute("BEGIN")
        return run(connection, program())
    finally:
        connection.close()


def _too_slow(seconds: float) -> QueryTimeout:
    _log.warning("a look at the whole wiki took longer than %.0f s and was given up", seconds)
    return QueryTimeout(
        f"looking at all of it took longer than {seconds:g} s and was given up",
        hint="narrow it: name a page or a folder",
        details={"retryable": False},
    )
