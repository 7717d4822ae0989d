"""A finding of the linter, a rule, and what rules are given to look at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from generator.model import Finding, Heading
from generator.upkeep.edits import suggestion_id
from generator.upkeep.repair import Repair
from generator.upkeep.severity import Severity
from generator.upkeep.snapshot import PageFacts, Snapshot
from generator.upkeep.taxonomy import Taxonomy
from generator.vault import Layout


@dataclass(frozen=True, slots=True)
class Issue:
    """One thing to mend. `line` is 0 where it has none; `fix` says what `repair` would do ("" where there is none);
    `about` is what it is about, without a sentence around it: a link as written, a date.

    `id` is a hash over the page's text and the finding: it changes when the page does.
    """

    id: str
    code: str
    severity: Severity
    path: str
    line: int
    message: str
    fix: str = ""
    repair: Repair | None = None
    about: str = ""

    def finding(self) -> Finding:
        """The issue as the plain finding that builds and status list."""
        return Finding(self.code, self.severity, self.path, self.line, self.message, self.fix)


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """A raw source as the manifest has it: when it was added and last ingested, and its state."""

    key: str
    state: str
    added_at: str
    ingested_at: str


@dataclass(frozen=True, slots=True)
class LintInput:
    """All that the rules look at.

    `findings` are those of scan and parse; `raw_files` the paths of raw sources, from their root and from the vault's;
    `secrets` are `(page id, line, what it looks like)`; `headings` are those of pages that a missing heading is looked
    for in; `on_canvases` are the files that canvases show; `drift` is the path of index.md and what it should be, both
    "" where it is that. `mends` tells whether mends are looked for, which takes most of the time.
    """

    wiki: Snapshot
    layout: Layout
    today: date
    findings: Sequence[Finding] = ()
    taxonomy: Taxonomy | None = None
    sources: Mapping[str, SourceFacts] = field(default_factory=dict)
    raw_files: frozenset[str] = frozenset()
    secrets: Sequence[tuple[int, int, str]] = ()
    headings: Mapping[int, Sequence[Heading]] = field(default_factory=dict)
    drift: tuple[str, str] = ("", "")
    on_canvases: frozenset[str] = frozenset()
    mends: bool = True


@dataclass(frozen=True, slots=True)
class Rule:
    """What one file of this package looks for: its codes, each with its severity, and the check itself."""

    codes: Mapping[str, Severity]
    check: Callable[[LintInput], Iterator[Issue]]


def issue(
    page: PageFacts | str,
    code: str,
    severity: Severity,
    line: int,
    message: str,
    *,
    fix: str = "",
    repair: Repair | None = None,
    about: str = "",
) -> Issue:
    """An issue of a page, or of a file by its path."""
    path, digest = (page, "") if isinstance(page, str) else (page.path, page.content_hash)
    return Issue(
        suggestion_id(digest, path, code, line, message), code, severity, path, line, message, fix, repair, about
    )
