"""Search and reading without an index, for when none can be had: the files themselves, one after the other."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from generator.analyser import name_key, path_key
from generator.config import Config
from generator.errors import AmbiguousPage, PageNotFound, WikiError
from generator.model import SourceFile
from generator.passage import Matcher, best_passage
from generator.retrieval import STALE_AFTER, Hit, Narrowing, SearchResult
from generator.search_query import Search, parse_query
from generator.vault import decode, detect_layout, is_page, read_note, safe_path, scan

if TYPE_CHECKING:
    from generator.model import Document

_log = logging.getLogger("llmwiki.bridge")
_MOST_BYTES = 1_000_000  # of one note
_MOST_COUNTED = 20  # matches in one note
_TITLE = 10.0  # what a match in the title is worth beside one in the text
SLOWLY = "The index cannot be used: this was found by reading the files, word by word. See wiki_status."


@dataclass(frozen=True, slots=True)
class _Note:
    """What a look at a file tells, without parsing it."""

    file: SourceFile
    title: str
    tags: tuple[str, ...]
    lifecycle: str
    updated: str
    body: str


def search_files(config: Config, query: str, narrowing: Narrowing, limit: int, offset: int = 0) -> SearchResult:
    """The notes with all of the words, those first that hold them in the title or often. Raises VaultError.

    Filters of the query other than `tag:` are left out. After `performance.query_timeout_ms` what was found counts.
    """
    deadline = time.monotonic() + config.performance.query_timeout_ms / 1000
    wanted = parse_query(query)
    tags = [*narrowing.tags, *(each.value for each in wanted.filters if each.field == "tag" and not each.negative)]
    matches = _judge(wanted)
    found: list[tuple[float, _Note]] = []
    for note in _notes(config, narrowing.folder):
        if time.monotonic() > deadline:
            _log.warning("the files could not all be read within the time for a query")
            break
        if _fits(note, narrowing, tags) and (score := matches(note)) > 0:
            found.append((score, note))
    # Without words, what is asked for is what is new.
    found.sort(key=lambda each: (-each[0], each[1].file.path) if wanted.groups else (-each[1].file.mtime_ns, ""))
    matcher = Matcher(wanted.terms)
    hits = tuple(_hit(score, note, matcher) for score, note in found[offset : offset + limit])
    return SearchResult(hits, len(found), False)


def parse_file(config: Config, name: str) -> tuple[Document, str]:
    """The note that a path or a file name means, parsed, and when its file changed. Raises PageNotFound, AmbiguousPage,
    PathForbidden, Unreadable, VaultError."""
    from generator.parser import parse_note
    from generator.update import parse_options

    vault = config.wiki.vault_path
    key = path_key(name).removeprefix("./")
    files = list(_files(config))
    notes = [file for file in files if path_key(file.path) == key]
    notes = notes or [file for file in files if path_key(file.path).endswith(f"/{key}")]
    if not notes:
        safe_path(vault, name)
        hint = "without an index only paths and file names are known, no titles or aliases"
        raise PageNotFound("no file is called so", hint=hint, details={"nearest": []})
    if len(notes) > 1:
        candidates = [file.path for file in notes]
        hint = f"give the path of one: {', '.join(candidates[:5])}"
        raise AmbiguousPage(f"{len(notes)} pages are called so", hint=hint, details={"candidates": candidates})
    (file,) = notes
    data = read_note(vault, file, _MOST_BYTES)
    return parse_note(file.path, data, decode(data)[0], parse_options(config, detect_layout(vault))), _day(file)


def _judge(wanted: Search) -> Callable[[_Note], float]:
    """What tells how well a note fits: 0 where a word is missing, or an excluded one is there."""
    groups = [Matcher(group) for group in wanted.groups]
    excluded = Matcher(wanted.excluded)

    def score(note: _Note) -> float:
        total = 0.0
        for group in groups:
            titles, texts = _count(group, note.title), _count(group, note.body)
            if not titles + texts:
                return 0.0
            total += _TITLE * titles + texts
        if wanted.excluded and _count(excluded, f"{note.title}\n{note.body}"):
            return 0.0
        return total or 1.0

    return score


def _count(matcher: Matcher, text: str) -> int:
    return sum(1 for _ in islice(matcher.find(text), _MOST_COUNTED))


def _files(config: Config) -> Iterator[SourceFile]:
    wiki = config.wiki
    layout = detect_layout(wiki.vault_path)
    for file in scan(wiki.vault_path, exclude=wiki.exclude, output=config.site.output, index=wiki.index_path).files:
        if is_page(layout, file.path):
            yield file


def _notes(config: Config, folder: str) -> Iterator[_Note]:
    below = f"{name_key(folder).strip('/')}/" if folder.strip("/") else ""
    for file in _files(config):
        if not name_key(file.path).startswith(below):
            continue
        try:
            yield _note(config.wiki.vault_path, file)
        except WikiError as error:
            _log.info("a file is passed over: %s", error.message)


def _note(vault: Path, file: SourceFile) -> _Note:
    from generator import frontmatter, properties

    front = frontmatter.split(decode(read_note(vault, file, _MOST_BYTES))[0])
    meta = properties.lower_keys(front.meta)
    heading = next((line[2:].strip() for line in front.body.splitlines()[:40] if line.startswith("# ")), "")
    title = properties.as_text(meta.get("title")) or heading or file.path.rpartition("/")[2].removesuffix(".md")
    tags = properties.read_tags(meta, [], _unsaid)
    updated = properties.read_date(meta, properties.UPDATED) or _day(file)
    return _Note(file, title, tags, properties.read_lifecycle(meta, _unsaid), updated, front.body)


def _unsaid(_code: str, _message: str) -> None:
    """What is wrong with a note's properties is for lint to say."""


def _fits(note: _Note, narrowing: Narrowing, tags: Sequence[str]) -> bool:
    have = [name_key(tag) for tag in note.tags]
    keys = [name_key(tag.lstrip("#")) for tag in tags]
    return (
        all(any(tag == key or tag.startswith(f"{key}/") for tag in have) for key in keys)
        and narrowing.lifecycle in ("", note.lifecycle)
        and note.updated[:10] >= narrowing.since
    )


def _hit(score: float, note: _Note, matcher: Matcher) -> Hit:
    passage = best_passage(matcher, note.body, ())
    oldest = (datetime.now(UTC).date() - STALE_AFTER).isoformat()
    return Hit(
        note.file.path, note.title, "", score, passage.snippet, passage.marks, "", note.tags, "", note.updated,
        note.lifecycle, note.updated[:10] < oldest, False,
    )  # fmt: skip


def _day(file: SourceFile) -> str:
    return datetime.fromtimestamp(file.mtime_ns / 1e9, UTC).date().isoformat()
