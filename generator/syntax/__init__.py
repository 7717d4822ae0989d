"""The syntaxes of a note, one file each, in the order in which they are registered."""

from __future__ import annotations

from collections.abc import Callable

from markdown_it import MarkdownIt

from generator.fragment import FragmentRenderer
from generator.syntax.block_id import block_id
from generator.syntax.callout import callout
from generator.syntax.code import code
from generator.syntax.comment import comment
from generator.syntax.dispatch import dispatch_by_character
from generator.syntax.emphasis import emphasis
from generator.syntax.footnote import footnote
from generator.syntax.heading import heading
from generator.syntax.highlight import highlight
from generator.syntax.html import html
from generator.syntax.label import quick_labels
from generator.syntax.line_break import line_break
from generator.syntax.link import link
from generator.syntax.math import math
from generator.syntax.mermaid import mermaid
from generator.syntax.query import query
from generator.syntax.table import table
from generator.syntax.tag import tag
from generator.syntax.task import task
from generator.syntax.url import url
from generator.syntax.wikilink import wikilink

Syntax = Callable[[MarkdownIt], None]

SYNTAXES: tuple[Syntax, ...] = (
    comment,
    wikilink,
    link,
    math,
    highlight,
    tag,
    url,
    emphasis,
    footnote,
    table,
    line_break,
    task,
    callout,
    code,
    mermaid,
    query,
    html,
    block_id,
    heading,
)


def build_parser(*, strict_line_breaks: bool = False, raw_html: str = "sanitize") -> MarkdownIt:
    """The one Markdown parser. `raw_html` is `sanitize`, `allow` or `escape`."""
    md = MarkdownIt(
        "commonmark",
        {"html": True, "breaks": not strict_line_breaks, "xhtmlOut": False, "raw_html": raw_html},
        renderer_cls=FragmentRenderer,
    )
    md.enable(["table", "strikethrough"])
    for syntax in SYNTAXES:
        syntax(md)
    quick_labels(md)
    dispatch_by_character(md)
    return md
