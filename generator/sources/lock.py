"""A lock file between processes, also of several machines on one folder. It survives its holder's death: a lock whose
process is gone is broken at once where that can be told, else after a minute."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from generator.sources.errors import ManifestBusy

STALE_AFTER_S = 60.0
_PATIENCE_S = 75.0  # longer than a dead holder's lock lasts
_PAUSE_S = 0.02


@dataclass(frozen=True, slots=True)
class HeldLock:
    """The lock as its holder has it."""

    file: Path
    token: str

    def check(self) -> None:
        """Raises `ManifestBusy` where somebody took the lock for dead and has it now: nothing may be written then."""
        if _read(self.file) != self.token:
            raise ManifestBusy("this took so long that another process went ahead", hint="try again")


@contextmanager
def locked(file: Path) -> Iterator[HeldLock]:
    """Hold the lock `file`. Raises `ManifestBusy` where it does not become free."""
    file.parent.mkdir(parents=True, exist_ok=True)
    lock = HeldLock(file, f"{socket.gethostname()} {os.getpid()} {os.urandom(8).hex()}")
    end = time.monotonic() + _PATIENCE_S
    while not _take(lock):
        _break_stale(file)
        if time.monotonic() > end:
            raise ManifestBusy("another process is changing the manifest", path=file.name, hint="wait, then try again")
        time.sleep(_PAUSE_S)
    try:
        yield lock
    finally:
        if _read(file) == lock.token:
            file.unlink(missing_ok=True)


def _take(lock: HeldLock) -> bool:
    try:
        descriptor = os.open(lock.file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    except (FileExistsError, PermissionError):  # Windows says the latter of a file that is being deleted
        return False
    try:
        os.write(descriptor, lock.token.encode())
    finally:
        os.close(descriptor)
    return True


def _read(file: Path) -> str:
    with suppress(OSError):
        return file.read_text("utf-8", "replace")
    return ""


def _break_stale(file: Path) -> None:
    """Take a dead process's lock away. It is moved aside first: of several that try, one succeeds; and if what was
    moved turns out to be a new lock, it is put back."""
    token = _read(file)
    if not _is_stale(file, token):
        return
    aside = file.with_name(f"{file.name}.{os.urandom(6).hex()}")
    try:
        file.rename(aside)
    except OSError:
        return
    try:
        if _read(aside) != token:
            with suppress(OSError):
                os.link(aside, file)
    finally:
        aside.unlink(missing_ok=True)


def _is_stale(file: Path, token: str) -> bool:
    host, _, rest = token.partition(" ")
    number = rest.partition(" ")[0]
    if number.isdecimal() and host == socket.gethostname() and os.name == "posix":
        try:
            os.kill(int(number), 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            pass  # it lives, and is somebody else's
    try:
        return time.time() - file.stat().st_mtime > STALE_AFTER_S
    except OSError:
        return False
