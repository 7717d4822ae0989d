"""Pages without any content."""

from __future__ import annotations

from collections.abc import Iterator

from generator.upkeep.lint.issue import Issue, LintInput, Rule, issue


def _check(c: LintInput) -> Iterator[Issue]:
    unreadable = {finding.path for finding in c.findings if finding.code == "invalid-frontmatter"}
    linking = {link.source for link in c.wiki.links}
    for page in c.wiki.content_pages:
        if not page.word_count and page.id not in linking and page.path not in unreadable:
            yield issue(page, "empty-page", "warning", 0, "it has no text")


RULE = Rule({"empty-page": "warning"}, _check)
