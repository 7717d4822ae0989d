"""Worker processes: how many, how they start, and that none outlives the program; and a process without its garbage
collector."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor


def worker_count(limit: int) -> int:
    """How many processes to use: the processors that we may run on, at most `limit`."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(available, limit))


def process_pool(
    workers: int, start: Callable[..., None] | None = None, arguments: tuple[Any, ...] = ()
) -> ProcessPoolExecutor:
    """A pool whose processes first call `start(*arguments)`.

    They are forked where that is safe, since a fork shares what is loaded; with other threads about, they are spawned.
    """
    import multiprocessing  # with its pools it takes as long to load as a small search
    from concurrent.futures import ProcessPoolExecutor

    safe = sys.platform == "linux" and threading.active_count() == 1
    context = multiprocessing.get_context("fork" if safe else "spawn")
    return ProcessPoolExecutor(workers, context, _settle, (start, arguments))


@contextmanager
def without_collector() -> Iterator[None]:
    """A hundred thousand values and no cycle among them: the collector would walk them all again and again."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextmanager
def kept_heap() -> Iterator[None]:
    """What is there now stays for a while: the collector need not look at it."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def collect_seldom() -> None:
    """From now on the collector leaves alone what is there, and comes less often: a parse or a look at a vault makes
    tens of thousands of objects and hardly a cycle."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def _settle(start: Callable[..., None] | None, arguments: tuple[Any, ...]) -> None:
    """In a new worker: leave Ctrl-C, which reaches the whole group, to the program, and end when that is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    collect_seldom()
    if start is not None:
        start(*arguments)


def _end_with_parent() -> None:
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
