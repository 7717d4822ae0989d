"""When to look at the vault again: a stream of moments at which something that matters has changed on disk.

What has changed is for the scan to say, which also finds what events do not tell: a folder that was moved in whole,
a file in a folder made a moment ago, all that happened before the watch began.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from watchfiles import Change, awatch

from generator.assets import templates_dir
from generator.config import VAULT_CONFIG, Config

_SETTINGS = frozenset({VAULT_CONFIG, ".obsidian/app.json", ".obsidian/templates.json"})
_QUIET_MS = 50  # events are handed on when none has come for so long,
_LATEST_MS = 1000  # or when the first of them is so old
_IDLE_MS = 1000
_SETTLE_STEPS = 8  # of _QUIET_MS: how long a note that was just emptied may take to get its text


@dataclass(frozen=True, slots=True)
class Watched:
    """The folders whose changes matter: the vault, and the site's templates. `own` is what we write ourselves."""

    vault: str
    templates: tuple[str, ...]
    own: tuple[str, ...]

    @classmethod
    def of(cls, config: Config, *, site: bool) -> Watched:
        """What to watch for these settings; without `site`, the vault alone."""
        folders = [templates_dir(), config.site.templates] if site else []
        return cls(
            str(config.wiki.vault_path),
            tuple(str(folder) for folder in folders if folder is not None and folder.is_dir()),
            tuple(os.path.realpath(path) for path in (config.site.output, config.wiki.index_path)),
        )

    def concerns(self, change: Change, path: str) -> bool:
        """Whether a changed file or folder may matter: the vault's hidden ones do only if they hold settings."""
        if any(path == own or path.startswith((own + os.sep, own + "-", own + ".")) for own in self.own):
            return False
        if not path.startswith(self.vault + os.sep):
            return True
        name = path[len(self.vault) + 1 :].replace(os.sep, "/")
        return name in _SETTINGS or not any(part.startswith(".") for part in name.split("/"))


async def changes(watched: Watched) -> AsyncGenerator[None, None]:
    """Yield whenever it is time to look again: soon after a change, and once more when all has been quiet.

    Never ends by itself. A vault that goes away is one change, and is waited for.
    """
    while True:
        while (identity := _identity(watched.vault)) is None:
            await asyncio.sleep(_IDLE_MS / 1000)
        events = awatch(
            watched.vault,
            *watched.templates,
            watch_filter=watched.concerns,
            step=_QUIET_MS,
            debounce=_LATEST_MS,
            rust_timeout=_IDLE_MS,
            yield_on_timeout=True,
            ignore_permission_denied=True,
        )
        looked = False
        async with aclosing(events):
            async for batch in events:
                if _identity(watched.vault) != identity:
                    break
                if batch:
                    await _settle([path for _, path in batch])
                if batch or not looked:
                    yield
                looked = not batch
        yield


async def _settle(paths: list[str]) -> None:
    """Wait for the text of notes that a program has emptied to write them anew: nobody should see the page empty."""
    notes = [path for path in paths if path[-3:].lower() == ".md"]
    for _ in range(_SETTLE_STEPS):
        if not any(map(_is_empty, notes)):
            return
        await asyncio.sleep(_QUIET_MS / 1000)


def _is_empty(path: str) -> bool:
    try:
        return os.stat(path).st_size == 0
    except OSError:
        return False


def _identity(folder: str) -> tuple[int, int] | None:
    """What tells the folder from another that takes its place; None if there is none."""
    try:
        status = os.stat(folder)
    except OSError:
        return None
    return status.st_dev, status.st_ino
