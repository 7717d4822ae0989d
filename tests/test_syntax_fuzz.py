"""Notes put together from pieces of every syntax, in any order: no exception, no hang, nothing unsafe on the page.

`LLMWIKI_FUZZ_EXAMPLES` says how many are tried: a few hundred with the other tests, a million overnight.
"""

from __future__ import annotations

import os
import re
import time
from itertools import pairwise

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from page_audit import MARKS, faults

from generator.balance import balanced
from generator.facts import collect
from generator.model import Document
from generator.parse_options import ParseOptions
from generator.parser import parse_note
from generator.source_map import map_source
from generator.syntax import build_parser
from generator.syntax.marks import ID_MARK, ROOT_MARK, SLOT_CLOSE, SLOT_OPEN

EXAMPLES = int(os.environ.get("LLMWIKI_FUZZ_EXAMPLES", "300"))
FRAGMENTS = (
    # links and embeds
    *(
        "[[a]]",
        "[[a|b]]",
        "[[a\\|b]]",
        "[[a#h#i|*c*]]",
        "[[#^x]]",
        "![[a]]",
        "![[a.png|20]]",
        "![[b#c]]",
        "[[",
        "]]",
        "![[",
    ),
    *(
        "[x](y)",
        "![x|30](y.png)",
        "[x](<y z>)",
        "[x](y#z 't')",
        "[r]",
        "[r]: /u\n",
        "[",
        "]",
        "](",
        "!",
        "|",
        "#",
        "^",
        "\\",
    ),
    *("![](https://youtu.be/abcdefghijk)", "https://a.b/c_(d)", "<https://a.b>", "obsidian://open?vault=v&file=f"),
    # marks
    *(
        "*",
        "**",
        "_",
        "__",
        "~~",
        "==",
        "`",
        "``",
        "$",
        "$$",
        "%%",
        "^[",
        "^[inferred]",
        "[^1]",
        "[^1]: n\n",
        "\\*",
        "&amp;",
    ),
    *("#t", "#a/b", "#1", "#标签", " ^id", "\n^id\n", "x^2", "\\frac{", "}", "\\nope"),
    # blocks
    *(
        "\n",
        "\n\n",
        "\n> ",
        "\n> > ",
        "\n> [!note]- t\n> ",
        "\n> [!x|y]+\n",
        "\n- ",
        "\n  - ",
        "\n1. ",
        "\n- [ ] ",
        "\n- [?] ",
    ),
    *(
        "\n# ",
        "\n## ",
        "\nx\n---\n",
        "\n---\n",
        "\n***\n",
        "\n    ",
        "\t",
        "  \n",
        "\n```\n",
        "\n````js\n",
        "\n~~~\n",
        "\n```query\n",
    ),
    *(
        "\n| a | b |\n|---|:-:|\n| ",
        " | ",
        "\n|-|\n",
        "\n```mermaid\nflowchart LR\nA-->B\n```\n",
        "\n```dataview\n",
        "\n$$\n",
    ),
    # HTML
    *(
        "<b>",
        "</b>",
        "<a name=q>",
        "<a href=x>",
        "</a>",
        "<div>",
        "</div>",
        "\n<div>\n",
        "\n</div>\n",
        "<details>",
        "</details>",
    ),
    *(
        "<summary>",
        "<p>",
        "</p>",
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<iframe src='https://a.b'>",
    ),
    *(
        "<!--",
        "-->",
        "<table><tr><td>",
        "</table>",
        "<svg onload=x>",
        "<style>",
        "<",
        ">",
        '"',
        "'",
        "<br>",
        "<span style='color:red'>",
    ),
    *(
        "javascript:alert(1)",
        "[x](javascript:alert(1))",
        "data:text/html,x",
        "<a href='javascript:x'>",
        "\x00",
        "\x01",
        "\x02",
        "\x03",
    ),
    # text
    *(
        "word",
        " ",
        "  ",
        "强调",
        "。",
        "，",
        "日本語",
        "한국",
        "ع",
        "\u202e",
        "\u200d",
        "👩‍💻",
        "é",
        "\u0301",
        "\u2028",
        "\u00a0",
    ),
)
NOTES = st.lists(
    st.one_of(st.sampled_from(FRAGMENTS), st.sampled_from(FRAGMENTS), st.text(max_size=3)), max_size=40
).map("".join)
FRONT = st.one_of(
    st.just(""), st.just("---\ntags: [a]\nup: '[[b]]'\n---\n"), st.just("---\n"), st.just("---\n: [\n---\n")
)
OPTIONS = (ParseOptions(), ParseOptions(strict_line_breaks=True), ParseOptions(raw_html="escape"))
_SVG = re.compile(r"<svg.*?</svg>", re.DOTALL)
_SLOT = re.compile(f"{SLOT_OPEN}([^{SLOT_CLOSE}]*){SLOT_CLOSE}")


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(FRONT, NOTES, st.sampled_from(OPTIONS))
def test_no_note_is_too_strange(front: str, body: str, options: ParseOptions) -> None:
    text = (front + body).replace("\r\n", "\n").replace("\r", "\n")
    start = time.process_time()
    document = parse_note("Note.md", text.encode("utf-8", "surrogatepass"), text, options)
    assert time.process_time() - start < 3
    check(document, has_notes="[^1]:" in text)
    map_source(text)


def check(document: Document, *, has_notes: bool) -> None:
    """The page is safe, whole and balanced; so is each part that can be embedded; each link has its place."""
    html = document.html
    assert faults(shown(html)) == []
    for part in (*document.headings, *document.blocks, *document.footnotes):
        assert 0 <= part.start <= part.end <= len(html)
        assert faults(shown(balanced(html[part.start : part.end]))) == []
    assert all(first.start <= second.start for first, second in pairwise(document.headings))
    slots = [int(number) for number in _SLOT.findall(html) if number.isdigit()]
    assert set(slots) <= set(range(len(document.links)))
    in_body = [i for i, link in enumerate(document.links) if link.kind in {"wikilink", "markdown"}]
    assert has_notes or set(in_body) <= set(slots)  # the links of a footnote that nothing refers to have no place
    ids = re.findall(f'id="{ID_MARK}([^"]*)"', html)
    anchors = [heading.anchor for heading in document.headings]
    assert len(set(anchors)) == len(anchors)
    assert set(anchors) <= set(ids)
    assert not set(document.text) & {ID_MARK, ROOT_MARK, SLOT_OPEN, SLOT_CLOSE}


def shown(html: str) -> str:
    """A body with its slots filled: embeds as an element, links as attributes, the rest as text."""
    html = re.sub(f"{SLOT_OPEN}Q[^{SLOT_CLOSE}]*{SLOT_CLOSE}", "", html)
    html = re.sub(f'="{SLOT_OPEN}[0-9]+{SLOT_CLOSE}"', '="x"', _SVG.sub("", html))
    html = re.sub(f"<a {SLOT_OPEN}[0-9]+{SLOT_CLOSE}>", '<a href="x">', html)
    return MARKS.sub("", html)


@settings(max_examples=EXAMPLES // 3, deadline=None, suppress_health_check=list(HealthCheck))
@given(NOTES, NOTES)
def test_nothing_of_one_note_is_left_for_the_next(before: str, body: str) -> None:
    used, fresh = build_parser(), build_parser()
    _render(used, before)
    assert _render(used, body) == _render(fresh, body)


def _render(md: MarkdownIt, body: str) -> str:
    env: dict[str, object] = {}
    tokens = md.parse(body, env)
    collect(tokens, 1)
    return str(md.renderer.render(tokens, md.options, env))
