"""Proposed changes of notes: exact replacements become an `Edit`, are shown as a difference and applied.

Offsets are into the text as the parser sees it (LF line ends, no byte order mark); the file's own line ends, mark and
every byte outside the replacements stay as they are.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import unified_diff
from hashlib import blake2b, md5
from pathlib import Path

from generator.errors import PageNotFound, StaleEdit, Unreadable
from generator.model import Edit
from generator.vault import apply_edit, safe_path, write_atomic

TRASH = ".llm-wiki/trash"
_LINE_END = re.compile(r"\r\n|\r|\n")
_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class Replacement:
    """`start:end` of the note's text becomes `text` (with LF line ends)."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class NoteSource:
    """A note as it is on disk: `raw` is its exact text, `text` what the parser sees of it, `digest` the file's MD5."""

    path: str
    digest: str
    raw: str
    text: str


@dataclass(frozen=True, slots=True)
class Applied:
    """What was written: the paths of the changed files, and the folder (in the vault) with their copies from before."""

    changed: tuple[str, ...]
    undo: str


def suggestion_id(digest: str, *parts: object) -> str:
    """Twelve hex digits for a suggestion about a page whose text has this digest: another text, another id."""
    joined = "\x1f".join(map(str, (digest, *parts)))
    return blake2b(joined.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def read_source(vault: Path, path: str) -> NoteSource:
    """The note at a vault path. Raises `PageNotFound`, `Unreadable` for what is not UTF-8, `PathForbidden`."""
    try:
        data = safe_path(vault, path).read_bytes()
    except FileNotFoundError:
        raise PageNotFound("this page is gone", path=path, hint="bring the index up to date") from None
    except OSError as error:
        raise Unreadable(f"this file cannot be read: {error.strerror}", path=path) from None
    try:
        raw = data.decode("utf-8")
    except UnicodeDecodeError:
        raise Unreadable("only UTF-8 files are edited", path=path, hint="save it as UTF-8 first") from None
    if "\0" in raw:
        raise Unreadable("this is not text: it holds NUL bytes", path=path)
    return source_of(path, raw, md5(data, usedforsecurity=False).hexdigest())


def read_indexed(vault: Path, path: str, digest: str) -> NoteSource:
    """The note at a vault path, whose file must have this MD5. Raises `StaleEdit` where it has changed since it was
    indexed, and what `read_source` raises."""
    source = read_source(vault, path)
    if source.digest != digest:
        raise StaleEdit("this page has changed since it was indexed", path=path, hint="bring the index up to date")
    return source


def source_of(path: str, raw: str, digest: str) -> NoteSource:
    """A note from its exact text."""
    return NoteSource(path, digest, raw, _LINE_END.sub("\n", raw.removeprefix(_MARK)))


def edit_of(source: NoteSource, replacements: Iterable[Replacement]) -> Edit | None:
    """One edit that makes all the replacements, in the file's own line ends; None where nothing would change.

    Of two that overlap, the first by place is made.
    """
    to_raw = _RawOffsets(source)
    line_end = _line_end(source.raw)
    exact = [
        Replacement(to_raw(item.start), to_raw(item.end), item.text.replace("\n", line_end))
        for item in disjoint(replacements)
    ]
    new_text = replaced(source.raw, exact)
    return None if new_text == source.raw else Edit(source.path, source.digest, new_text)


def disjoint(replacements: Iterable[Replacement]) -> Iterator[Replacement]:
    """The replacements by place, without those that overlap an earlier one; two insertions at one place both stay."""
    done = -1
    for item in sorted(replacements, key=lambda item: (item.start, item.end)):
        if item.start >= done:
            yield item
            done = item.end


def replaced(text: str, changes: Iterable[Replacement]) -> str:
    """The text with changes that do not overlap and stand in order."""
    parts: list[str] = []
    done = 0
    for change in changes:
        parts += text[done : change.start], change.text
        done = change.end
    return "".join((*parts, text[done:]))


class _RawOffsets:
    """Offsets of the text as offsets of the exact text."""

    def __init__(self, source: NoteSource) -> None:
        self._shift = len(source.raw) - len(source.raw.removeprefix(_MARK))
        self._text_starts, self._raw_starts = [0], [self._shift]
        if "\r" in source.raw:
            at = 0
            for match in _LINE_END.finditer(source.raw, self._shift):
                at += match.start() - self._raw_starts[-1] + 1
                self._text_starts.append(at)
                self._raw_starts.append(match.end())

    def __call__(self, offset: int) -> int:
        line = bisect_right(self._text_starts, offset) - 1
        return self._raw_starts[line] + offset - self._text_starts[line]


def _line_end(raw: str) -> str:
    """The line end of the file: that of its first line."""
    match = _LINE_END.search(raw)
    return match[0] if match else "\n"


def diff_of(before: str, edit: Edit) -> list[str]:
    """The change as the lines of a unified difference, without line ends."""
    old, new = map(_lines, (before, edit.new_text))
    return list(unified_diff(old, new, f"a/{edit.path}", f"b/{edit.path}", lineterm=""))


def _lines(text: str) -> list[str]:
    *lines, last = _LINE_END.split(text)
    return [*lines, f"{last}  (no line end)"] if last else lines


def apply_edits(vault: Path, edits: Sequence[Edit], *, now: datetime | None = None) -> Applied:
    """Write all edits, after copies of the files as they were went to `.llm-wiki/trash/<time>/`.

    Raises `StaleEdit` before anything is written where a file has changed since its edit was made; OSError.
    """
    if not edits:
        return Applied((), "")
    current = {edit.path: _current(vault, edit) for edit in edits}
    folder = _undo_folder(vault, now or datetime.now(UTC))
    for path, data in current.items():
        if data is not None:
            copy = vault / folder / path
            copy.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(copy, data)
    for edit in edits:
        apply_edit(vault, edit)
    undo = folder if any(data is not None for data in current.values()) else ""
    return Applied(tuple(sorted(current)), undo)


def _current(vault: Path, edit: Edit) -> bytes | None:
    """The file's bytes, which must be those that the edit was made from; None for one that is to be made."""
    try:
        data = safe_path(vault, edit.path).read_bytes()
    except FileNotFoundError:
        data = None
    digest = "" if data is None else md5(data, usedforsecurity=False).hexdigest()
    if digest != edit.base_hash:
        raise StaleEdit("this file has changed since the edit was made", path=edit.path, hint="propose the edit again")
    return data


def _undo_folder(vault: Path, now: datetime) -> str:
    """A folder below the trash that is not there yet, named by the time."""
    name = f"{TRASH}/{now.astimezone(UTC):%Y%m%dT%H%M%SZ}"
    folder, number = name, 1
    while (vault / folder).exists():
        number += 1
        folder = f"{name}-{number}"
    return folder


def refuse_unknown(wanted: Sequence[str], known: Iterable[str]) -> None:
    """Raises `StaleEdit` for ids that no proposal has: their pages have changed since, or they never were."""
    there = set(known)
    missing = [name for name in wanted if name not in there]
    if missing:
        raise StaleEdit(
            f"no proposal has the id {missing[0]}: its page has changed since",
            hint="ask for the proposals again",
            details={"ids": missing},
        )
