"""Notes are read and parsed, in several processes when they are many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import md5
from pathlib import Path

from generator.errors import WikiError
from generator.model import SourceFile
from generator.parse_options import ParseOptions
from generator.parser import parse_note
from generator.processes import process_pool
from generator.record import PageRecord, record_of
from generator.vault import decode, read_note

_POOL_FROM = 80  # notes: below that, starting processes costs more than it saves
_CHUNK = 24
_MOST_BYTES = 64 * 1024 * 1024  # of one note; the parser then keeps `wiki.max_page_size_kb` of them
Job = tuple[SourceFile, str]
"""A note, and the digest of its known text ("" for none)."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One note read: `page` is None where its text is the known one, or where it cannot be read (`error`)."""

    file: SourceFile
    page: PageRecord | None = None
    error: str = ""


def read_notes(vault: Path, options: ParseOptions, jobs: Sequence[Job], workers: int) -> Iterator[Reading]:
    """Read notes, in order. One bad note never stops the others."""
    read = partial(_read, vault, options)
    if workers < 2 or len(jobs) < _POOL_FROM:
        yield from map(read, jobs)
        return
    with process_pool(workers) as pool:
        yield from pool.map(read, jobs, chunksize=_CHUNK)


def _read(vault: Path, options: ParseOptions, job: Job) -> Reading:
    file, known_digest = job
    try:
        data = read_note(vault, file, _MOST_BYTES)
        if known_digest and md5(data, usedforsecurity=False).hexdigest() == known_digest:
            return Reading(file)
        text, problem = decode(data)
    except WikiError as error:
        return Reading(file, error=error.message)
    problems = (problem,) if problem else ()
    return Reading(file, record_of(parse_note(file.path, data, text, options, problems)))
