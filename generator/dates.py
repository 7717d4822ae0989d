"""When a file was made and last changed, for notes that do not say it themselves.

In a git work tree, a clean file's dates are those of its first and last commit, from one pass over the log;
otherwise the file's own time of change counts for both.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from unicodedata import normalize

from generator.model import SourceFile

_TIMEOUT_S = 120


class FileDates:
    """The dates of a vault's files. `state` names the last commit ("" outside git): it changes whenever dates may."""

    def __init__(self, vault: Path) -> None:
        self._vault = vault
        self.state = (_git(vault, "rev-parse", "HEAD") or "").strip() if _in_git(vault) else ""

    def of(self, file: SourceFile) -> tuple[str, str]:
        """The dates of making and of change, as ISO 8601."""
        known = self._commits.get(file.path) if self.state else None
        if known:
            return known
        changed = datetime.fromtimestamp(file.mtime_ns // 1_000_000_000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return changed, changed

    @cached_property
    def _commits(self) -> dict[str, tuple[str, str]]:
        """First and last commit of every clean file: read when the first date is asked for; most builds ask none."""
        log = _git(self._vault, "log", "--format=%x01%cI", "--name-only", "-z", "--no-renames", "--relative", "--", ".")
        unclean = _git(self._vault, "ls-files", "-m", "-o", "-z") or ""
        staged = _git(self._vault, "diff", "--cached", "--name-only", "--relative", "-z") or ""
        dates: dict[str, tuple[str, str]] = {}
        for commit in (log or "").split("\x01")[1:]:
            when, _, names = commit.partition("\0")
            for name in names.strip("\0\n").split("\0"):
                path = normalize("NFC", name.strip("\n"))
                dates[path] = (when, dates[path][1] if path in dates else when)
        for name in (unclean + staged).split("\0"):
            dates.pop(normalize("NFC", name), None)
        return dates


def _in_git(vault: Path) -> bool:
    """Whether a `.git` stands above the vault: asking git itself costs a process."""
    return any((folder / ".git").exists() for folder in (vault, *vault.parents))


def _git(vault: Path, *arguments: str) -> str | None:
    """The output of a git command; None where git is missing or refuses."""
    import subprocess  # only a vault in git needs it

    command = ["git", "-c", "core.quotepath=off", *arguments]
    try:
        done = subprocess.run(command, cwd=vault, capture_output=True, timeout=_TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None
