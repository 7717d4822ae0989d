"""Raw sources in the index: the files below `raw/sources/` and `_raw/`, searched beside the pages that cite them.

Markdown and plain text are read as they are. The text of any other file (PDF, DOCX …) is looked for where
`extracted_path` says, by the SHA-256 of the file; until it is there, the file is found by its name.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generator.analyser import fts_row, name_key
from generator.dates import FileDates
from generator.errors import VaultError, WikiError
from generator.model import Changes, SourceFile
from generator.packed import packed, unpacked
from generator.vault import Layout, Scan, decode, diff, read_note, scan

if TYPE_CHECKING:
    from generator.parse_options import ParseOptions

_TEXT_ENDINGS = frozenset("txt text rst org adoc tex srt vtt".split())
_MARKDOWN_ENDINGS = frozenset({"md", "markdown"})
_MOST_BYTES = 8 * 1024 * 1024  # of one text
_SUMMARY = 200
_UNREADABLE = "-"
_COLUMNS = "title, aliases, headings, tags, summary, content"
_INSERT = f"INSERT INTO raw_fts (rowid, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)"
_DELETE = f"INSERT INTO raw_fts (raw_fts, rowid, {_COLUMNS}) VALUES ('delete', ?, ?, ?, ?, ?, ?, ?)"


@dataclass(frozen=True, slots=True)
class _Text:
    """What is known of a raw source. `headings` are as in wiki_content's JSON, `tags` pairs of key and label."""

    title: str
    content: str = ""
    summary: str = ""
    aliases: tuple[str, ...] = ()
    tags: tuple[tuple[str, str], ...] = ()
    headings: str = "[]"
    updated: str = ""
    sha256: str = ""
    has_text: bool = True


def extracted_path(index: Path, digest: str) -> Path:
    """Where the text of the file with this SHA-256 (hex) is kept: UTF-8, beside the index. Who extracts text writes it
    there; the next update of the index takes it in."""
    return index.parent / "extracted" / f"{digest}.txt"


def raw_files(vault: Path, found: Scan, layout: Layout) -> tuple[SourceFile, ...]:
    """The raw sources of a vault, by path. `_raw/` is no part of the vault's own scan: it is looked through here."""
    files: list[SourceFile] = []
    for root in layout.raw_roots:
        files.extend(file for file in found.files if file.path.startswith(f"{root}/"))
        if root == "_raw" and (vault / root).is_dir():
            try:
                inside = scan(vault / root, exclude=(), output=None, index=None)
            except VaultError:
                continue  # it cannot be listed: it holds nothing for us
            prefixed = (file._replace(path=f"{root}/{file.path}", disk=f"{root}/{file.disk}") for file in inside.files)
            files.extend(prefixed)
    return tuple(files)


def raw_changes(db: sqlite3.Connection, index: Path, files: Sequence[SourceFile]) -> Changes:
    """What must be read again: files that changed, and those whose text has been extracted since."""
    rows = db.execute("SELECT path, mtime_ns, size, ctime_ns, inode FROM raw_pages")
    changes = diff({path: tuple(fingerprint) for path, *fingerprint in rows}, files)
    if not (index.parent / "extracted").is_dir():
        return changes
    known = {file.path for file in changes.modified}
    rows = db.execute("SELECT path, sha256 FROM raw_pages WHERE NOT has_text")
    ready = {path for path, digest in rows if _is_ready(index, path, digest)} - known
    return replace(changes, modified=(*changes.modified, *(file for file in files if file.path in ready)))


def _is_ready(index: Path, path: str, digest: str) -> bool:
    """Whether a file without text should be looked at again: its text is there, or it was never digested."""
    if digest:
        return digest != _UNREADABLE and extracted_path(index, digest).is_file()
    return path.rpartition(".")[2].lower() not in _TEXT_ENDINGS | _MARKDOWN_ENDINGS


def store_raw(
    db: sqlite3.Connection, index: Path, vault: Path, changes: Changes, options: ParseOptions, dates: FileDates
) -> None:
    """Take the changes into the index, in the transaction that is open."""
    for path in changes.removed:
        _forget(db, path)
    for file, text in _read_all(vault, index, (*changes.added, *changes.modified), options):
        _forget(db, file.path)
        _put(db, file, text, text.updated or dates.of(file)[1])


def _read_all(
    vault: Path, index: Path, files: Iterable[SourceFile], options: ParseOptions
) -> Iterator[tuple[SourceFile, _Text]]:
    """Each file with its text; one that cannot be read has only its name."""
    for file in files:
        name = file.path.rpartition("/")[2]
        stem, _, ending = name.rpartition(".")
        nameless = _Text(title=stem or name, has_text=False)
        try:
            if ending.lower() in _MARKDOWN_ENDINGS:
                yield file, _markdown(vault, file, options)
            elif ending.lower() in _TEXT_ENDINGS:
                yield file, _plain(stem, decode(read_note(vault, file, _MOST_BYTES))[0])
            else:
                yield file, _extracted(vault, index, file, nameless)
        except (WikiError, OSError):
            yield file, replace(nameless, sha256=_UNREADABLE)


def _markdown(vault: Path, file: SourceFile, options: ParseOptions) -> _Text:
    from generator.parser import parse_note  # the parser takes longer to load than a search takes
    from generator.syntax.tag import tag_key

    data = read_note(vault, file, _MOST_BYTES)
    text, _ = decode(data)
    note = parse_note(file.path.rpartition(".")[0] + ".md", data, text, options)
    headings = [(h.level, h.text, h.raw, h.anchor, h.line, h.offset, h.start, h.end) for h in note.headings]
    return _Text(
        title=note.title,
        content=note.text,
        summary=note.summary,
        aliases=note.aliases,
        tags=tuple((tag_key(tag), tag) for tag in note.tags),
        headings=json.dumps(headings, ensure_ascii=False, separators=(",", ":")),
        updated=note.updated,
    )


def _plain(title: str, text: str) -> _Text:
    """A text whose first paragraph says what it is about."""
    summary = " ".join(next(filter(None, map(str.strip, text[:8000].split("\n\n"))), "").split())
    return _Text(title, text, summary if len(summary) <= _SUMMARY else summary[: _SUMMARY - 1] + "…")


def _extracted(vault: Path, index: Path, file: SourceFile, nameless: _Text) -> _Text:
    """The text that was extracted from the file. The file is read only where anything was ever extracted."""
    if not (index.parent / "extracted").is_dir():
        return nameless
    with open(vault / file.disk, "rb") as stream:
        digest = sha256()
        while block := stream.read(1 << 20):
            digest.update(block)
    place = extracted_path(index, digest.hexdigest())
    if not place.is_file():
        return replace(nameless, sha256=digest.hexdigest())
    return replace(_plain(nameless.title, decode(place.read_bytes())[0]), sha256=digest.hexdigest())


def _put(db: sqlite3.Connection, file: SourceFile, text: _Text, updated: str) -> None:
    labels = [label for _, label in text.tags]
    cursor = db.execute(
        "INSERT INTO raw_pages (path, disk, mtime_ns, size, ctime_ns, inode, sha256, has_text, url, title, tags,"
        " aliases, summary, lifecycle, updated_at, special) VALUES (?, ?, ?, ?, ?, ?, ?, ?, '', ?, ?, ?, ?, '', ?, 0)",
        (
            file.path, file.disk, *file.fingerprint, text.sha256, text.has_text, text.title, _json(labels),
            _json(text.aliases), text.summary, updated,
        ),
    )  # fmt: skip
    db.execute("INSERT INTO raw_content VALUES (?, ?, ?)", (cursor.lastrowid, text.headings, packed(text.content)))
    row = _fts(file.path, text.title, text.aliases, text.headings, labels, text.summary, text.content)
    db.execute(_INSERT, (cursor.lastrowid, *row))
    keys: Mapping[str, None] = dict.fromkeys(key for key, _ in text.tags)
    db.executemany("INSERT INTO raw_page_tags VALUES (?, ?)", [(key, cursor.lastrowid) for key in keys])


def _forget(db: sqlite3.Connection, path: str) -> None:
    row = db.execute(
        "SELECT id, title, aliases, headings, tags, summary, content FROM raw_pages JOIN raw_content USING (id)"
        " WHERE path = ?",
        (path,),
    ).fetchone()
    if row is None:
        return
    id_, title, aliases, headings, tags, summary, content = row
    old = _fts(path, title, json.loads(aliases), headings, json.loads(tags), summary, unpacked(content))
    db.execute(_DELETE, (id_, *old))
    for table, column in (("raw_page_tags", "page"), ("raw_content", "id"), ("raw_pages", "id")):
        db.execute(f"DELETE FROM {table} WHERE {column} = ?", (id_,))


def _fts(
    path: str, title: str, aliases: Iterable[str], headings: str, tags: Iterable[str], summary: str, content: str
) -> tuple[str, ...]:
    """The full-text row. The file's whole name is a name of it: people look for `report.pdf`."""
    named = [path.rpartition("/")[2], *aliases]
    return fts_row(path, title, named, [heading[1] for heading in json.loads(headings)], tags, summary, content)


def source_key(source: str) -> str:
    """The form in which pages' sources are compared: without link brackets, label, folder of raw sources, case."""
    bare = source.strip()
    if bare.startswith("[[") and bare.endswith("]]"):
        bare = bare[2:-2].partition("|")[0]
    key = name_key(bare).removeprefix("./")
    for root in ("raw/sources/", "_raw/"):
        key = key.removeprefix(root)
    return key.partition("#")[0] if "://" not in key else key


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
