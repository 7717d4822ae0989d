"""Sources that pages name and that are no longer there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from unicodedata import normalize

from generator.upkeep.lint.issue import Issue, LintInput, Rule, issue
from generator.upkeep.repair import DropSource

# Keys that name no file: addresses, conversations, what an agent wrote.
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_IS_LINK = re.compile(r"\[\[|\]\(")


def _check(c: LintInput) -> Iterator[Issue]:
    if c.layout.kind == "plain":  # it has no place for raw sources: what `sources` means there is its own affair
        return
    for page in c.wiki.content_pages:
        for entry in page.sources:
            key = normalize("NFC", entry.strip())
            if _ELSEWHERE.match(key) or _IS_LINK.search(key) or _is_there(c, key):
                continue
            message = f"the source {entry!r} is neither below {' or '.join(c.layout.raw_roots)} nor an address"
            yield issue(
                page, "lost-source", "warning", 1, message, fix="drop it from `sources`", repair=DropSource(entry)
            )


RULE = Rule({"lost-source": "warning"}, _check)


def _is_there(c: LintInput, key: str) -> bool:
    """A section of a source is written `key#section`."""
    return key in c.raw_files or (("#" in key) and key.partition("#")[0] in c.raw_files)
