"""The values that pass between the stages. All are frozen: a stage takes values and returns new ones.

Paths are vault-relative POSIX strings in NFC. Lines start at 1. Times of pages are ISO 8601 strings
(`2026-01-31` or `2026-01-31T09:30:00`), as a person typed them or as derived from git or the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

LinkKind = Literal["wikilink", "markdown", "property", "html", "diagram"]
Lifecycle = Literal["draft", "verified", "archived", "disputed"]


class SourceFile(NamedTuple):
    """A file of the vault as the scan saw it; `disk` is its real relative name where NFC differs from it."""

    path: str
    disk: str
    mtime_ns: int
    size: int
    ctime_ns: int
    inode: int

    @property
    def is_note(self) -> bool:
        """Whether this is a Markdown note (else: an attachment)."""
        return self.path[-3:].lower() == ".md"

    @property
    def fingerprint(self) -> tuple[int, int, int, int]:
        """Changes whenever the file may have changed, even with its mtime and size kept."""
        return self[2:]


@dataclass(frozen=True, slots=True)
class Changes:
    """The difference between two scans: sorted by path."""

    added: tuple[SourceFile, ...] = ()
    modified: tuple[SourceFile, ...] = ()
    removed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.modified or self.removed)


@dataclass(frozen=True, slots=True)
class Link:
    """A link as written. `subpath` is what follows `#`, without it; `label` is None where none was written.

    `context` is the sentence around it as plain text (at most 240 characters).
    """

    target: str
    subpath: str
    label: str | None
    kind: LinkKind
    embed: bool
    line: int
    context: str


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading outside of containers. `start`/`end` are its section's character offsets in `Document.html`,
    `offset` its place in `Document.text`, `anchor` its id, `raw` its source if that differs from `text`."""

    level: int
    text: str
    raw: str
    anchor: str
    line: int
    offset: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Block:
    """A block with an Obsidian id (without `^`); `start`/`end` as in `Heading`, `tag` is `li` for list items."""

    id: str
    line: int
    start: int
    end: int
    tag: str


@dataclass(frozen=True, slots=True)
class Problem:
    """What the parser could not accept in a note: a named finding, never an exception."""

    code: str
    message: str
    line: int


@dataclass(frozen=True, slots=True)
class Document:
    """All that one parse of one note yields.

    `html` is the body with slots where links and embeds go (see `fragment.py`): it depends on the note's text
    alone. `text` is the visible plain text: no comments, no front matter. `meta` is JSON-serialisable.
    `digest` is the MD5 of the file's bytes. `created` and `updated` are empty where the note does not say.
    """

    path: str
    digest: str
    meta: Mapping[str, Any]
    title: str
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    headings: tuple[Heading, ...]
    blocks: tuple[Block, ...]
    footnotes: tuple[Block, ...]
    links: tuple[Link, ...]
    text: str
    html: str
    summary: str
    category: str
    lifecycle: Lifecycle
    created: str
    updated: str
    sources: tuple[str, ...]
    published: bool
    special: bool
    word_count: int
    language: str
    problems: tuple[Problem, ...] = ()
    queries: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """A link's file. `anchor` is the id in the target page; `subpath_missing` when the page is there
    and the heading or block is not; `tied` lists the other candidates of equal rank."""

    path: str
    anchor: str = ""
    via_alias: bool = False
    subpath_missing: bool = False
    tied: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """Several pages claim the alias: never resolved silently."""

    candidates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Missing:
    """No file of that name."""


Resolution = Found | Ambiguous | Missing


@dataclass(frozen=True, slots=True)
class WikiPage:
    """A page's facts, as the index keeps them."""

    id: int
    path: str
    url: str
    title: str
    category: str
    tags: tuple[str, ...]
    aliases: tuple[str, ...]
    summary: str
    content_hash: str
    lifecycle: Lifecycle
    created_at: str
    updated_at: str
    indexed_at: str
    sources: tuple[str, ...]
    word_count: int
    language: str
    published: bool
    special: bool


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to mend, with where it stands."""

    code: str
    severity: Literal["error", "warning", "info"]
    path: str
    line: int
    message: str
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Edit:
    """A proposed change of one file: refused when the file's MD5 is no longer `base_hash`."""

    path: str
    base_hash: str
    new_text: str


@dataclass(frozen=True, slots=True)
class Report:
    """What a build did. `stages` maps a stage's name to its seconds."""

    pages: int
    parsed: int
    written: int
    kept: int
    removed: int
    warnings: Sequence[Finding]
    seconds: float
    stages: Mapping[str, float] = field(default_factory=dict)
