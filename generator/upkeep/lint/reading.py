"""What scan and parse could not read as it was meant: files, encodings, front matter, values of properties."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from generator.upkeep.lint.issue import Issue, LintInput, Rule, issue
from generator.upkeep.severity import Severity

CODES: Mapping[str, Severity] = {
    "unreadable": "warning",
    "bad-exclude": "warning",
    "bad-encoding": "warning",
    "oversized-page": "warning",
    "invalid-frontmatter": "error",
    "second-frontmatter": "warning",
    "bad-date": "error",
    "bad-lifecycle": "error",
    "reviewed-lifecycle": "info",
    "legacy-aliases": "info",
    "legacy-property": "info",
    "bad-tag": "info",
    "bad-math": "warning",
    "bad-mermaid": "warning",
    "bad-query": "warning",
    "local-path": "warning",
    "open-comment": "warning",
    "unsafe-html": "warning",
    "bad-name": "warning",
    "duplicate-path": "warning",
    "symlink-loop": "warning",
    "symlink-outside": "warning",
}


def _check(c: LintInput) -> Iterator[Issue]:
    for finding in c.findings:
        page = c.wiki.by_path.get(finding.path, finding.path)
        yield issue(page, finding.code, finding.severity, finding.line, finding.message, fix=finding.fix)


RULE = Rule(CODES, _check)
