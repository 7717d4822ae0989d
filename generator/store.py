"""The index as a SQLite file: open it, tell whether it can be trusted, write one build as one transaction.

The index is derived from the vault, so the cure for damage of any kind is to build it again.
"""

from __future__ import annotations

import json
import sqlite3
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from generator.analyser import ANALYSER_VERSION, fts_row, path_key
from generator.errors import IndexBusy, IndexCorrupted, IndexMissing
from generator.model import SourceFile
from generator.packed import unpacked
from generator.raw import source_key

if TYPE_CHECKING:
    from generator.record import PageRecord

_SCHEMA = files("generator").joinpath("schema.sql").read_text("utf-8")
_USER_VERSION = zlib.crc32(f"{_SCHEMA}{ANALYSER_VERSION}".encode()) & 0x7FFFFFFF
"""Any change of the tables or of the analyser makes another number: an index of another number is built again."""
_BUSY_TIMEOUT_S = 10
_WEEK_S = 7 * 86400
_FTS_COLUMNS = "title, aliases, headings, tags, summary, content"
_INSERT_FTS = f"INSERT INTO wiki_fts (rowid, {_FTS_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)"
_DELETE_FTS = f"INSERT INTO wiki_fts (wiki_fts, rowid, {_FTS_COLUMNS}) VALUES ('delete', ?, ?, ?, ?, ?, ?, ?)"
_KEEP_OUTDATED = """
INSERT OR IGNORE INTO wiki_outdated (path, content_hash, title, aliases, tags, summary, lifecycle, headings, content)
SELECT p.path, p.content_hash, title, aliases, tags, summary, lifecycle, headings, content
FROM wiki_pages p JOIN wiki_content USING (id)
WHERE id = ? AND EXISTS (SELECT 1 FROM wiki_searched s WHERE s.path = p.path AND s.content_hash = p.content_hash)
"""
_PAGE_TABLES = (
    ("wiki_page_tags", "page"),
    ("wiki_page_sources", "page"),
    ("wiki_links", "source"),
    ("wiki_queries", "page"),
    ("wiki_content", "id"),
    ("wiki_pages", "id"),
)


class Store:
    """A writable index. Use `open_store`; close it when done."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self.db = connection

    def close(self) -> None:
        """Close the file and note its state, so that the next opening need not check it."""
        self.db.close()
        _seal(self.path)

    @contextmanager
    def transaction(self, wait_seconds: float = 60) -> Iterator[None]:
        """Everything inside is written, or nothing. One writer at a time: others wait, then get `IndexBusy`. Within
        another transaction it is a part of that."""
        if self.db.in_transaction:
            yield
            return
        _begin(self.db, wait_seconds)
        try:
            yield
        except BaseException:
            self.db.rollback()
            raise
        self.db.commit()

    def fingerprints(self) -> dict[str, tuple[int, int, int, int]]:
        """What the last scan saw of every file, by path."""
        rows = self.db.execute("SELECT path, mtime_ns, size, ctime_ns, inode FROM wiki_files")
        return {row[0]: row[1:] for row in rows}

    def digests(self) -> dict[str, str]:
        """The MD5 of every page's file, by path."""
        return dict(self.db.execute("SELECT path, content_hash FROM wiki_pages"))

    def raw_paths(self) -> list[str]:
        """The paths of all raw sources."""
        return [path for (path,) in self.db.execute("SELECT path FROM raw_pages")]

    def meta(self, key: str, default: str = "") -> str:
        """A value of wiki_meta."""
        row = self.db.execute("SELECT value FROM wiki_meta WHERE key = ?", (key,)).fetchone()
        return str(row[0]) if row else default

    def set_meta(self, values: Mapping[str, str]) -> None:
        """Write values of wiki_meta."""
        self.db.executemany("INSERT OR REPLACE INTO wiki_meta VALUES (?, ?)", values.items())

    def data_version(self) -> int:
        """How many changes have been committed."""
        return int(self.meta("data_version", "0"))

    def bump_data_version(self) -> int:
        """Count one more committed change: caches and cursors key on the number."""
        version = self.data_version() + 1
        self.set_meta({"data_version": str(version)})
        return version

    def forget_searched(self) -> None:
        """Forget what the files of the search were made from: they are to be made anew."""
        for table in ("wiki_searched", "wiki_outdated"):
            self.db.execute(f"DELETE FROM {table}")

    def put_file(self, file: SourceFile, problem: str = "") -> int:
        """Record what the scan saw of a file; returns its id, which stays the same while the path exists."""
        values = (file.disk, *file.fingerprint, problem)
        name = path_key(file.path).rpartition("/")[2]
        row = self.db.execute("SELECT id FROM wiki_files WHERE path = ?", (file.path,)).fetchone()
        if row:
            self.db.execute(
                "UPDATE wiki_files SET disk = ?, mtime_ns = ?, size = ?, ctime_ns = ?, inode = ?, problem = ?"
                " WHERE id = ?",
                (*values, row[0]),
            )
            return int(row[0])
        cursor = self.db.execute(
            "INSERT INTO wiki_files (path, disk, mtime_ns, size, ctime_ns, inode, problem, name)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (file.path, *values, name),
        )
        return int(cursor.lastrowid or 0)

    def put_page(self, page_id: int, page: PageRecord, created: str, updated: str, now: str) -> None:
        """Store a parsed note in place of what was known of it."""
        known = self.db.execute("SELECT url FROM wiki_pages WHERE id = ?", (page_id,)).fetchone()
        self._forget(page_id)
        before, after = page.facts
        values = (page_id, page.path, known[0] if known else "", *before, created, updated, now, *after)
        self.db.execute(f"INSERT INTO wiki_pages VALUES ({', '.join('?' * len(values))})", values)
        self.db.execute("INSERT INTO wiki_content VALUES (?, ?, ?, ?, ?, ?)", (page_id, *page.content))
        self.db.execute(_INSERT_FTS, (page_id, *page.fts))
        self.db.executemany(
            "INSERT INTO wiki_links (source, n, name, subpath, label, kind, embed, line, context)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [(page_id, n, *link) for n, link in enumerate(page.links)],
        )
        self.db.executemany(
            "INSERT INTO wiki_page_tags (tag, page, label) VALUES (?, ?, ?)",
            [(key, page_id, label) for key, label in page.tags],
        )
        self.db.executemany("INSERT INTO wiki_queries VALUES (?, ?)", [(page_id, query) for query in page.queries])
        sources = dict.fromkeys(map(source_key, json.loads(str(after[0]))))
        self.db.executemany(
            "INSERT INTO wiki_page_sources (source, page) VALUES (?, ?)", [(key, page_id) for key in sources if key]
        )

    def remove(self, path: str) -> None:
        """Forget a file and, if it is a note, its page."""
        row = self.db.execute("SELECT id FROM wiki_files WHERE path = ?", (path,)).fetchone()
        if row:
            self._forget(row[0])
            self.db.execute("DELETE FROM wiki_files WHERE id = ?", row)

    def forget_page(self, path: str) -> None:
        """Forget what a note held, but not that the file exists: it can no longer be read."""
        row = self.db.execute("SELECT id FROM wiki_files WHERE path = ?", (path,)).fetchone()
        if row:
            self._forget(row[0])

    def _forget(self, page_id: int) -> None:
        row = self.db.execute(
            "SELECT path, title, aliases, headings, tags, summary, content"
            " FROM wiki_pages JOIN wiki_content USING (id) WHERE id = ?",
            (page_id,),
        ).fetchone()
        if row is None:
            return
        path, title, aliases, headings, tags, summary, content = row
        texts = [heading[1] for heading in json.loads(headings)]
        old = fts_row(path, title, json.loads(aliases), texts, json.loads(tags), summary, unpacked(content))
        self.db.execute(_DELETE_FTS, (page_id, *old))
        self.db.execute(_KEEP_OUTDATED, (page_id,))
        for table, column in _PAGE_TABLES:
            self.db.execute(f"DELETE FROM {table} WHERE {column} = ?", (page_id,))

    def vacuum(self) -> None:
        """Give back the space of deleted rows, and merge the segments of the full-text index."""
        self.db.execute("INSERT INTO wiki_fts (wiki_fts) VALUES ('optimize')")
        self.db.commit()
        self.db.execute("VACUUM")
        with self.transaction():
            self.set_meta({"last_vacuum": str(int(time.time()))})

    def vacuum_if_due(self) -> bool:
        """Vacuum once a week."""
        if time.time() - int(self.meta("last_vacuum", "0")) < _WEEK_S:
            return False
        self.vacuum()
        return True


def open_store(path: Path, *, check: bool = False, cache_mb: int = 100) -> tuple[Store, str]:
    """Open the index for writing; a missing, damaged or foreign one is made anew.

    Returns the store and why it was made anew: "" (it was not), "new", or a sentence. `check` reads the whole file.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    reason = damage(path, thorough=check) if path.exists() else "new"
    if not reason:
        return Store(path, _connect(path, cache_mb)), ""
    with _making(path):
        if path.exists() and not damage(path):  # somebody else has made it anew while we waited
            return Store(path, _connect(path, cache_mb)), ""
        _delete(path)
        return Store(path, _create(path, cache_mb)), reason


def open_reader(path: Path) -> sqlite3.Connection:
    """A read-only connection. Raises `IndexMissing`, or `IndexCorrupted` for a file that cannot be trusted."""
    if not path.exists():
        raise IndexMissing("this vault has not been indexed yet", hint="run `llmwiki index VAULT`")
    reason = damage(path)
    if reason:
        raise IndexCorrupted(f"the index cannot be used: {reason}", hint="run `llmwiki index rebuild VAULT`")
    return connect_read_only(path)


def connect_read_only(path: Path) -> sqlite3.Connection:
    """A read-only connection without any check."""
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=_BUSY_TIMEOUT_S)


def seen_version(path: Path) -> int:
    """The `data_version` of an index as it lies there, unchecked; 0 where there is none."""
    try:
        connection = connect_read_only(path)
    except sqlite3.Error:
        return 0
    try:
        return int(connection.execute("SELECT value FROM wiki_meta WHERE key = 'data_version'").fetchone()[0])
    except (sqlite3.Error, TypeError, ValueError):
        return 0
    finally:
        connection.close()


def damage(path: Path, *, thorough: bool = False) -> str:
    """Why the index cannot be trusted, in words; "" where it can.

    The whole file is read only if `thorough`, or if it is not as the last writer left it.
    """
    try:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=rw", uri=True, timeout=_BUSY_TIMEOUT_S)
    except sqlite3.Error as error:
        return f"it cannot be opened ({error})"
    try:
        connection.execute("BEGIN")  # one state of the index, though others may be writing it
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version != _USER_VERSION:
            return "another version of this program wrote it"
        count = connection.execute("SELECT count(*) FROM wiki_pages").fetchone()[0]
        if str(count) != connection.execute("SELECT value FROM wiki_meta WHERE key = 'page_count'").fetchone()[0]:
            return "its number of pages is not the recorded one"
        if thorough or not _is_sealed(path):
            found = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
            if found != "ok":
                return f"it is damaged ({found})"
            connection.execute("INSERT INTO wiki_fts (wiki_fts) VALUES ('integrity-check')")
            if connection.execute("SELECT count(*) FROM wiki_fts_docsize").fetchone()[0] != count:
                return "its full-text part is not complete"
            connection.rollback()
            connection.close()
            _seal(path)
    except (sqlite3.Error, TypeError) as error:
        if "locked" in str(error):
            return ""  # somebody is writing it just now: it works
        return f"it is damaged ({error})"
    finally:
        connection.close()
    return ""


def timestamp() -> str:
    """Now, as ISO 8601 in UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _connect(path: Path, cache_mb: int) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_BUSY_TIMEOUT_S, isolation_level=None)
    connection.execute("PRAGMA page_size = 2048")  # a page of text leaves half a database page empty
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute(f"PRAGMA cache_size = {-1024 * max(2, cache_mb)}")
    return connection


def _create(path: Path, cache_mb: int) -> sqlite3.Connection:
    """A new index, empty: whoever opens it sees all of it or nothing."""
    connection = _connect(path, cache_mb)
    connection.executescript(f"BEGIN IMMEDIATE;\n{_SCHEMA}")
    connection.execute(f"PRAGMA user_version = {_USER_VERSION}")
    now = int(time.time())
    values = {"index_version": str(_USER_VERSION), "data_version": "0", "page_count": "0", "last_vacuum": str(now)}
    connection.executemany("INSERT INTO wiki_meta VALUES (?, ?)", {**values, "last_full_reindex": timestamp()}.items())
    connection.commit()
    return connection


@contextmanager
def _making(path: Path) -> Iterator[None]:
    """While this lasts no other process takes the index away. SQLite's own lock on a file beside it serves: the system
    lets go of it when a process dies."""
    lock = sqlite3.connect(path.with_name(path.name + ".lock"), isolation_level=None)
    try:
        _begin(lock, 60, "EXCLUSIVE")
        yield
    finally:
        lock.close()


def _begin(db: sqlite3.Connection, wait_seconds: float, kind: str = "IMMEDIATE") -> None:
    """Take the writer's lock, with exponential back-off."""
    deadline, delay = time.monotonic() + wait_seconds, 0.1
    while True:
        try:
            db.execute(f"BEGIN {kind}")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise
            if time.monotonic() > deadline:
                raise IndexBusy(
                    "another process is writing the index", hint="wait for it to end, then try again"
                ) from error
            time.sleep(delay)
            delay = min(2 * delay, 2.0)


def _delete(path: Path) -> None:
    for suffix in ("", "-wal", "-shm", ".ok"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _seal(path: Path) -> None:
    """Note the file's size and time: while they stay, nobody but us has written to it."""
    try:
        path.with_name(path.name + ".ok").write_text(_state(path))
    except OSError:
        return  # the next opening checks the file instead


def _is_sealed(path: Path) -> bool:
    try:
        return path.with_name(path.name + ".ok").read_text() == _state(path)
    except OSError:
        return False


def _state(path: Path) -> str:
    status = path.stat()
    return f"{status.st_mtime_ns} {status.st_size}"
