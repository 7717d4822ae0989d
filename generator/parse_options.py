"""What a parse depends on besides the note itself: known without loading the parser."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from hashlib import md5
from pathlib import Path

PARSING = (
    "facts fragment frontmatter language linear_regex model packed parse_options parser"
    " properties query_fence query_terms record"
).split()
"""The modules that, with all of `syntax/`, decide what a `Document` and its rows hold, and what an embedded search
finds. A test compares them with what these import."""


@cache
def parser_version() -> str:
    """Changes with the source of the parser: the index then parses every note again. Nobody can forget to raise it."""
    here = Path(__file__).parent
    digest = md5(usedforsecurity=False)
    for path in (*(here / f"{name}.py" for name in PARSING), *sorted((here / "syntax").glob("*.py"))):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


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
