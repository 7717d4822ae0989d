"""What a parse depends on besides the note itself: known without loading the parser."""

from __future__ import annotations

from dataclasses import dataclass

PARSER_VERSION = 1
"""Rises with every change of what a `Document` holds: the index then parses every note again."""


@dataclass(frozen=True, slots=True)
class ParseOptions:
    """All that a parse depends on besides the note itself. `pages_root` is "" or `wiki`."""

    strict_line_breaks: bool = False
    raw_html: str = "sanitize"
    pages_root: str = ""
    layout: str = "plain"
    language: str = "en"
    opt_in: bool = False
    max_page_size_kb: int = 500
