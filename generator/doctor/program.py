"""The program itself: Python, SQLite, what was installed with it."""

from __future__ import annotations

import platform
import shutil
import sqlite3
import sys
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from re import match

from generator import __version__
from generator.doctor.check import Check, fail, ok, warn
from generator.extras import DISTRIBUTION

SERVER = "llmwiki-mcp"
_OLDEST_PYTHON = (3, 11)


def program_checks() -> list[Check]:
    """Python, SQLite, FTS5, the distributions that we need, the server's program."""
    return [_python(), _sqlite(), _fts5(), _dependencies(), _server()]


def server_path() -> str | None:
    """Where the server's program is: on PATH, or beside this Python."""
    beside = Path(sys.executable).parent
    return shutil.which(SERVER) or shutil.which(SERVER, path=str(beside))


def _python() -> Check:
    message = f"{platform.python_version()}, {sys.executable}"
    if sys.version_info < _OLDEST_PYTHON:
        return fail("python", message, "install Python 3.11 or newer")
    return ok("python", message)


def _sqlite() -> Check:
    return ok("sqlite", sqlite3.sqlite_version)


def _fts5() -> Check:
    """Tried rather than looked up: what the index needs of it is a contentless table, porter stems and bm25."""
    db = sqlite3.connect(":memory:")
    try:
        db.execute("CREATE VIRTUAL TABLE t USING fts5 (a, content='', tokenize='porter unicode61')")
        db.execute("INSERT INTO t (rowid, a) VALUES (1, 'settled fields')")
        found = db.execute("SELECT rowid, bm25(t) FROM t WHERE t MATCH 'field'").fetchall()
        source = db.execute("SELECT fts5_source_id()").fetchone()[0]
    except sqlite3.Error as error:
        return fail("fts5", f"full-text search does not work ({error})", "use a Python whose SQLite has FTS5")
    finally:
        db.close()
    if [row[0] for row in found] != [1]:
        return fail("fts5", "full-text search finds nothing", "use a Python whose SQLite has FTS5")
    return ok("fts5", f"works, of {source.split()[1]}")


def _dependencies() -> Check:
    try:
        needed = requires(DISTRIBUTION) or []
    except PackageNotFoundError:
        todo = f"install it: pip install {DISTRIBUTION}, or `pip install -e .` in a checkout"
        return warn("program", f"llmwiki {__version__} runs without being installed", todo)
    names = [found[0] for line in needed if "extra ==" not in line and (found := match(r"[\w.-]+", line))]
    missing = [name for name in names if not _is_installed(name)]
    if missing:
        todo = f"install them: pip install {' '.join(missing)}"
        return fail("program", f"llmwiki {__version__} lacks {', '.join(missing)}", todo)
    return ok("program", f"llmwiki {__version__}, all {len(names)} requirements are there")


def _is_installed(distribution: str) -> bool:
    try:
        version(distribution)
    except PackageNotFoundError:
        return False
    return True


def _server() -> Check:
    if shutil.which(SERVER):
        return ok("server", f"{SERVER} is on the PATH")
    found = server_path()
    if found is None:
        return warn("server", f"{SERVER} was not found", f"install the program: pip install {DISTRIBUTION}")
    return warn("server", f"{SERVER} is not on the PATH", f"register it by its full path: {found}")
