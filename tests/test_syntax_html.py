"""HTML in notes: what fixtures cannot say of it."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import nh3
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page_audit import MARKS, faults, parse, render

from generator.syntax.html_tags import HTML_TAGS, CleanTag, clean_style, clean_tag

PIECES = (
    *("<div>", "</div>", "<div", "<b>", "</b>", "<p>", "</p>", "<p/>", "<li>", "<td>", "<table>", "</table>", "<x-y>"),
    *("<script>", "</script>", "<script src='a'>", "<style>", "</style>", "<svg/onload=alert(1)>", "<svg>", "<math>"),
    *(
        "<img src=x onerror=alert(1)>",
        "<img src='a.png'",
        "<a href='javascript:alert(1)'>",
        '<a href="java\tscript:x">',
    ),
    *("<a href='&#106;avascript:x'>", "</a>", "<iframe src='https://a.example'>", "</iframe>", "<iframe srcdoc='<b>'>"),
    *(
        "<div style='position:fixed;top:0'>",
        "<i style=\"background:url('javascript:x')\">",
        "<b onclick=x>",
        "<textarea>",
    ),
    *(
        "<details>",
        "</details>",
        "<summary>",
        "<!--",
        "-->",
        "<!---->",
        "<![CDATA[",
        "]]>",
        "<?",
        "?>",
        "<!x>",
        "<plaintext>",
    ),
    *(
        '"',
        "'",
        "<",
        ">",
        "/",
        "=",
        "&lt;",
        "&#60;",
        "&#2;",
        "`",
        "``",
        "```\n",
        "*",
        "**",
        "_",
        "[",
        "](b)",
        "[[c",
        "]]",
    ),
    *(
        "\n",
        "\n\n",
        "\n> ",
        "\n- ",
        "\n  ",
        "    ",
        "> [!note]\n> ",
        "| a |\n|---|\n| ",
        "# ",
        "text",
        "中文",
        " ",
        "$x$",
        "%%",
    ),
)
SOUP = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=4)), max_size=30).map("".join)


@settings(max_examples=600, deadline=None)
@given(SOUP)
def test_no_soup_makes_an_unsafe_or_unbalanced_page(source: str) -> None:
    source = re.sub("[\x00-\x08\x0e-\x1f]", "\ufffd", source)  # as the parser does with each note
    html, _ = render(source)
    assert faults(MARKS.sub("", html)) == []


@settings(max_examples=200, deadline=None)
@given(SOUP)
def test_soup_is_text_where_html_is_escaped(source: str) -> None:
    tokens, _ = parse(re.sub("[\x00-\x08\x0e-\x1f]", "\ufffd", source), "escape")
    for token in tokens:
        for piece in (token, *(token.children or ())):
            if piece.type in {"html_block", "html_inline"}:
                assert "<" not in re.sub(r'^<p class="raw-html">|</p>\n$', "", piece.content)


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(sorted(HTML_TAGS)), st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=6))).map("".join)
)
def test_a_second_sanitiser_finds_nothing_in_a_clean_tag(name: str, attributes: str) -> None:
    tag = clean_tag(name, attributes, "sanitize")
    if tag is None or name in {"caption", "col", "colgroup", "tbody", "td", "tfoot", "th", "thead", "tr", "iframe"}:
        return
    text = MARKS.sub("", tag.text.replace("\x02H\x03", "x"))
    kept = nh3.clean(
        text, tags={name}, clean_content_tags=set(), link_rel=None, attributes={name: attribute_names(text)}
    )
    assert attribute_names(kept) == attribute_names(text)


def attribute_names(html: str) -> set[str]:
    names: set[str] = set()
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attrs: names.update(name for name, _ in attrs)  # type: ignore[method-assign]
    parser.feed(html)
    return names


def test_a_quote_that_is_read_in_two_ways_brings_in_no_attribute() -> None:
    html, _ = render('<div x"><b onclick=alert(1) y="z">a</div>')
    assert "onclick" not in html.partition(">")[0]
    assert clean_tag("a", 'x"><b onclick=alert(1) y="', "sanitize") == CleanTag("<a>")


@pytest.mark.parametrize(
    ("style", "kept"),
    [
        ("color:red;;", "color:red"),
        ("COLOR: Red ; Text-Align:center", "color:Red;text-align:center"),
        ("margin:0 auto", "margin:0 auto"),
        ("margin-left:-1px", None),
        ("margin:calc(0px - 9em)", None),
        ("text-indent:-.5em", None),
        ("letter-spacing:-1px", "letter-spacing:-1px"),
        ("width:expression(alert(1))", None),
        ("background:url(x)", None),
        ("background:URL (x)", None),
        ("background:linear-gradient(red, blue)", "background:linear-gradient(red, blue)"),
        ("color:var(--text)", "color:var(--text)"),
        ("--text:red", None),
        ("color:red !important", None),
        ("font-family:'a;position:fixed'", None),
        ("color:red/*;position:fixed*/", None),
        ("color:\\72 ed", None),
        ("width:calc(1px", None),
        ("transform:scale(99)", None),
        ("", None),
    ],
)
def test_styles(style: str, kept: str | None) -> None:
    assert clean_style(style) == kept


def test_links_of_html_are_named_with_their_attribute_and_tag() -> None:
    tokens, _ = parse('<video src="a.mp4" poster="b.png"></video>\n\nx <a href="C.md">c</a>')
    inline = [child for token in tokens for child in token.children or () if "html_links" in child.meta]
    assert [token.meta["html_links"] for token in inline] == [
        [("a.mp4", "src", "video"), ("b.png", "poster", "video")],
        [("C.md", "href", "a")],
    ]
    assert inline[0].content == '<video src="\x02H0\x03" poster="\x02H1\x03">'


def test_allowed_html_keeps_its_tags_and_is_balanced() -> None:
    html, _ = render('<script>if (a < b) c()</script>\n\n<div onclick="x()" data-y=z>\n\nd <!-- e -->', "allow")
    assert "<script>if (a < b) c()</script>" in html
    assert '<div onclick="x()" data-y="z">\n<p>d </p>\n</div>' in html


def test_what_is_left_out_is_named_with_its_line() -> None:
    _, problems = render("a\n\n<script>\nb\n</script>\n\nc\n\n<!-- d")
    assert [(kind, line) for kind, _, line in problems] == [("unsafe-html", 3), ("open-comment", 9)]
    assert "<script>" in problems[0][1]


def test_nesting_is_bounded() -> None:
    html, _ = render("<div>" * 5000 + "a" + "</div>" * 5000 + "\n\nb")
    assert html.count("<div>") == html.count("</div>") == 100
    assert html.endswith("<p>b</p>\n")
