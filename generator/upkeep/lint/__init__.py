"""The linter: `RULES`, one file each, over what the index holds."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from unicodedata import normalize

from generator.errors import WikiError
from generator.model import Edit, Finding, Heading
from generator.packed import read_headings, unpacked
from generator.query import Program, Query
from generator.secrets import find_secrets
from generator.upkeep.edits import read_indexed, refuse_unknown
from generator.upkeep.lint import (
    age,
    attachments,
    disputed,
    duplicates,
    empty,
    graph,
    index_drift,
    links,
    properties,
    reading,
    secrets,
    sources,
    tags,
)
from generator.upkeep.lint.issue import Issue, LintInput, Rule, SourceFacts
from generator.upkeep.repair import Repair, repair_note
from generator.upkeep.severity import SEVERITIES, Severity
from generator.upkeep.snapshot import Snapshot, take_snapshot
from generator.upkeep.special_files import drifted_index
from generator.upkeep.taxonomy import load_taxonomy
from generator.vault import Layout

RULES: tuple[Rule, ...] = (
    reading.RULE,
    links.RULE,
    properties.RULE,
    duplicates.RULE,
    sources.RULE,
    secrets.RULE,
    tags.RULE,
    disputed.RULE,
    age.RULE,
    graph.RULE,
    empty.RULE,
    attachments.RULE,
    index_drift.RULE,
)
CODES: Mapping[str, Severity] = {code: severity for rule in RULES for code, severity in rule.codes.items()}
"""Every code with its usual severity, in the order of the rules."""
_CHUNK = 500


@dataclass(frozen=True, slots=True)
class LintReport:
    """All issues, by path, line and code; what is shown of them is the caller's choice."""

    issues: tuple[Issue, ...]

    def shown(self, *, level: Severity = "warning", checks: Sequence[str] = (), path: str = "") -> tuple[Issue, ...]:
        """The issues of this level or graver, with these codes (none: all), of one page or of a folder and below."""
        levels = SEVERITIES[: SEVERITIES.index(level) + 1]
        below = path.rstrip("/") + "/"
        return tuple(
            issue
            for issue in self.issues
            if issue.severity in levels
            and (not checks or issue.code in checks)
            and (not path or issue.path == path or issue.path.startswith(below))
        )

    def counts(self) -> dict[Severity, int]:
        """How many issues there are of each severity."""
        found = Counter(issue.severity for issue in self.issues)
        return {severity: found[severity] for severity in SEVERITIES}


def lint(
    vault: Path,
    layout: Layout,
    today: date,
    *,
    findings: Sequence[Finding] = (),
    sources: Mapping[str, SourceFacts] | None = None,
    nearest: bool = False,
    language: str = "en",
) -> Program[LintReport]:
    """Apply every rule to the index, which must be up to date.

    `findings` are those of `generator.update.vault_findings`, `sources` those of the manifest, `nearest` and
    `language` the settings `site.nearest_links` and `site.language`.
    """
    wiki = yield from take_snapshot(nearest=nearest, links="lean")
    given = LintInput(
        wiki=wiki,
        layout=layout,
        today=today,
        findings=findings,
        taxonomy=load_taxonomy(vault),
        sources=sources or {},
        raw_files=_raw_files(vault, layout),
        secrets=(yield from _secrets(vault, wiki)),
        headings=(yield from _headings(wiki)),
        on_canvases=frozenset(on_canvases(vault, wiki)),
        drift=drifted_index(vault, layout, wiki, language),
    )
    issues = [issue for rule in RULES for issue in rule.check(given)]
    return LintReport(tuple(sorted(issues, key=lambda issue: (issue.path, issue.line, issue.code, issue.message))))


def fixes(vault: Path, wiki: Snapshot, issues: Sequence[Issue], ids: Sequence[str] = ()) -> list[Edit]:
    """The edits that mend the issues which offer a fix, or those of them with `ids`; by path.

    A page that cannot be edited, such as one that is not UTF-8, is passed over. Raises `StaleEdit` for an id that no
    issue has.
    """
    refuse_unknown(ids, [issue.id for issue in issues])
    wanted: dict[str, list[Repair]] = {}
    for issue in issues:
        if issue.repair is not None and (not ids or issue.id in ids):
            wanted.setdefault(issue.path, []).append(issue.repair)
    edits: list[Edit] = []
    for path, repairs in sorted(wanted.items()):
        page = wiki.by_path.get(path)
        try:
            source = read_indexed(vault, path, page.content_hash) if page else None
        except WikiError as error:
            if error.code == "STALE":
                raise
            continue
        edit = repair_note(source, list(dict.fromkeys(repairs))) if source else None
        if edit is not None:
            edits.append(edit)
    return edits


def _raw_files(vault: Path, layout: Layout) -> frozenset[str]:
    """Raw sources as pages may name them: from their root, and from the vault's."""
    found: set[str] = set()
    for root in layout.raw_roots:
        for folder, _, names in os.walk(vault / root):
            inside = Path(folder).relative_to(vault / root).as_posix()
            for name in names:
                path = normalize("NFC", name if inside == "." else f"{inside}/{name}")
                found.update((path, f"{root}/{path}"))
    return frozenset(found)


def on_canvases(vault: Path, wiki: Snapshot) -> Iterator[str]:
    """The paths of the files that the vault's canvases show."""
    for path in wiki.files.values():
        if path.lower().endswith(".canvas"):
            try:
                nodes = json.loads((vault / path).read_bytes()).get("nodes", ())
            except (OSError, ValueError, AttributeError, RecursionError):
                continue
            for node in nodes if isinstance(nodes, list) else ():
                if isinstance(node, dict) and isinstance(node.get("file"), str):
                    yield normalize("NFC", node["file"])


def _secrets(vault: Path, wiki: Snapshot) -> Program[list[tuple[int, int, str]]]:
    """Places that look like secrets in what pages show; the line is looked up in the file."""
    found: list[tuple[int, int, str]] = []
    for ids in _chunks(list(wiki.pages)):
        sql = f"SELECT id, content FROM wiki_content WHERE id IN ({', '.join('?' * len(ids))}) ORDER BY id"
        rows = yield Query(sql, tuple(ids), tuple)
        for page_id, content in rows:
            text = unpacked(content)
            for offset, _, name in find_secrets(text):
                found.append((page_id, _line_of(vault / wiki.pages[page_id].path, text[offset : offset + 16]), name))
    return found


def _line_of(file: Path, start: str) -> int:
    """The line of a file that holds `start`; 0 where it cannot be found."""
    try:
        lines = file.read_text("utf-8", "replace").splitlines()
    except OSError:
        return 0
    first = start.partition("\n")[0]
    return next((number for number, line in enumerate(lines, 1) if first in line), 0)


def _headings(wiki: Snapshot) -> Program[dict[int, Sequence[Heading]]]:
    """The headings of the pages in which a heading was not found."""
    wanted = sorted({link.target for link in wiki.links if link.target and "subpath" in link.status})
    found: dict[int, Sequence[Heading]] = {}
    for ids in _chunks(wanted):
        sql = f"SELECT id, headings FROM wiki_content WHERE id IN ({', '.join('?' * len(ids))})"
        rows = yield Query(sql, tuple(ids), tuple)
        found |= {page_id: read_headings(text) for page_id, text in rows}
    return found


def _chunks(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    for at in range(0, len(ids), _CHUNK):
        yield ids[at : at + _CHUNK]
