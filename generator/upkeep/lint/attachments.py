"""Pictures, sounds, films and PDF files that no page and no canvas shows."""

from __future__ import annotations

from collections.abc import Iterator

from generator.syntax.media import MEDIA_EXTENSIONS, extension
from generator.upkeep.lint.issue import Issue, LintInput, Rule, issue

_MEDIA = frozenset().union(*(MEDIA_EXTENSIONS[kind] for kind in ("image", "audio", "video", "pdf")))


def _check(c: LintInput) -> Iterator[Issue]:
    for file, path in c.wiki.files.items():
        is_raw = path.startswith(("raw/", *(f"{root}/" for root in c.layout.raw_roots)))
        if (
            file in c.wiki.unused
            and path not in c.on_canvases
            and extension(path) in _MEDIA
            and not (is_raw and c.layout.kind != "plain")
        ):
            yield issue(path, "unused-attachment", "info", 0, "no page refers to it")


RULE = Rule({"unused-attachment": "info"}, _check)
