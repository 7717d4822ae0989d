"""Whether anything in the vault has changed since the last look: events where the system has them."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from watchfiles import watch
from watchfiles.main import FileChange

from generator.config import Config
from generator.watch import Watched

_log = logging.getLogger("llmwiki.bridge")
_MARK_MS = 25  # to wait for a mark, which nearly always takes less than one
_LONGEST_S = 0.5  # for what comes before it
_BLIND_S = 1.0


class Watcher:
    """Watches from the moment it is made until it is closed. To be used by one thread at a time."""

    def __init__(self, config: Config) -> None:
        self._vault = config.wiki.vault_path
        self._watched = Watched.of(config, site=False)
        self._folder = _identity(self._vault)
        self._gate = os.path.realpath(mkdtemp(prefix="llmwiki-"))
        self._marks = 0
        self._next_look = 0.0
        self._events = self._open()

    def changed(self) -> bool:
        """Whether a file that may belong to the vault was made, changed, moved or deleted between the last call and
        this one.

        Yes, too, where nobody can tell. Without events the answer is yes, once a second.
        """
        if (folder := _identity(self._vault)) != self._folder:  # gone, back again, or another one in its place
            self._folder = folder
            self._events = self._open()
            return True
        if self._events is not None:
            try:
                return self._take(self._events)
            except (OSError, RuntimeError, StopIteration) as error:
                _log.warning("file events have ended (%s): looking at the whole vault instead", type(error).__name__)
                self._events = None
        if time.monotonic() < self._next_look:
            return False
        self._next_look = time.monotonic() + _BLIND_S
        return True

    def close(self) -> None:
        """Leave nothing behind."""
        self._events = None
        rmtree(self._gate, ignore_errors=True)

    def _make_mark(self) -> str:
        """A file that comes and goes. Events come in order: once we hear of it, we have heard of all before it."""
        self._marks += 1
        mark = Path(self._gate, str(self._marks))
        mark.touch()
        mark.unlink()
        return str(mark)

    def _take(self, events: Iterator[set[FileChange]]) -> bool:
        """What has come, up to a mark that is made now.

        The watcher forgets what it hears at the very moment at which it gives up waiting. Thanks to the mark it never
        waits in vain; where it did, nobody can tell what was forgotten.
        """
        mark, deadline = self._make_mark(), time.monotonic() + _LONGEST_S
        while time.monotonic() < deadline:
            batch = next(events)
            if not batch or any(
                not path.startswith(self._gate) and self._watched.concerns(change, path) for change, path in batch
            ):
                return True
            if any(path == mark for _, path in batch):
                return False
        return True

    def _open(self) -> Iterator[set[FileChange]] | None:
        events = watch(
            self._vault,
            self._gate,
            watch_filter=None,  # `_take` filters: inside, a stream of foreign changes would never come to an end
            debounce=0,
            step=0,  # no sleep: marks come at once
            rust_timeout=_MARK_MS,
            yield_on_timeout=True,
            raise_interrupt=False,
            ignore_permission_denied=True,
        )
        try:
            next(events)
        except (OSError, RuntimeError, StopIteration) as error:
            _log.warning("the vault cannot be watched (%s): looking at it once a second", type(error).__name__)
            return None
        return events


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        status = folder.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
