"""Each syntax against its fixtures: `tests/syntax/<name>.md` holds title, `.`, input, `.`, expected HTML, `.`.

The characters that stand for what is known later (`generator/syntax/marks.py`) are shown as ␁ ␂ ␃ ␄.
"""

from __future__ import annotations

import unicodedata
from pathlib import Path
from urllib.parse import unquote

import pytest
from linear_cost import growth
from markdown_it.utils import read_fixture_file

from generator import syntax
from generator.facts import Facts, collect
from generator.syntax.tag import tag_file, tag_key, tag_url

FIXTURES = Path(__file__).parent / "syntax"
STRICT_LINE_BREAKS = {"line_break"}
_SHOWN = {1: "␁", 2: "␂", 3: "␃", 4: "␄"}


def render(source: str, *, strict: bool = False) -> tuple[str, Facts]:
    """The body with visible marks, and the facts that the index would get."""
    md = syntax.build_parser(strict_line_breaks=strict)
    env: dict[str, object] = {}
    tokens = md.parse(source, env)
    facts = collect(tokens, 1)
    return md.renderer.render(tokens, md.options, env).translate(_SHOWN), facts


def _examples() -> list[object]:
    return [
        pytest.param(path.stem, source, expected, id=f"{path.stem}:{line}:{title}")
        for path in sorted(FIXTURES.glob("*.md"))
        for line, title, source, expected in read_fixture_file(path)
    ]


@pytest.mark.parametrize(("name", "source", "expected"), _examples())
def test_fixture(name: str, source: str, expected: str) -> None:
    html, _ = render(source, strict=name in STRICT_LINE_BREAKS)
    assert html.rstrip() == expected.rstrip()


def test_every_syntax_has_a_fixture_file() -> None:
    assert {rule.__name__ for rule in syntax.SYNTAXES} <= {path.stem for path in FIXTURES.glob("*.md")}


def test_a_comment_leaves_no_fact_and_moves_no_line() -> None:
    _, facts = render("a %%[[X]] #x\n\n# H\n\n- [[Y]]\n%% b\n\n## I\n\n%%\n[[Z]]\n%%\n\n[[After]] #after\n")
    assert [(link.target, link.line) for link in facts.links] == [("After", 14)]
    assert facts.tags == ["after"]
    assert [(heading.text, heading.line) for heading in facts.headings] == [("I", 8)]
    assert facts.text == "a\nb\nI\nAfter #after"


def test_footnotes_of_a_hidden_text_are_not_numbered() -> None:
    html, facts = render("%%x[^b]%% y[^a]\n\n%%\n[^b]: hidden\n%%\n\n[^a]: [[Seen]]\n[^c]: [[Unused]]\n")
    assert "hidden" not in html
    assert 'href="#␁fn-1"' in html
    assert "fn-2" not in html
    assert [link.target for link in facts.links] == ["Seen"]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("#Tea", "tea"),
        ("TEA/Green/", "tea/green"),
        ("/a//b/", "a/b"),
        ("Stra\u00dfe", "strasse"),
        ("nai\u0308ve", "na\u00efve"),
        ("\u0391\u03a3", "\u03b1\u03c3"),
        ("\u0391\u03c2", "\u03b1\u03c3"),
    ],
)
def test_tag_key(text: str, key: str) -> None:
    assert tag_key(text) == key
    assert tag_key(key) == key


@pytest.mark.parametrize(
    ("key", "file"),
    [
        ("tea", "tags/tea.html"),
        ("tea/green", "tags/tea/green.html"),
        ("\u6807\u7b7e/\U0001f4dd", "tags/\u6807\u7b7e/\U0001f4dd.html"),
        ("\U0001f469\u200d\U0001f4bb", "tags/\U0001f469\u200d\U0001f4bb.html"),
    ],
)
def test_tag_file_of_ordinary_tags_is_the_tag(key: str, file: str) -> None:
    assert tag_file(key) == file
    assert unquote(tag_url(key)) == file
    assert tag_url(key).isascii()


HARD_KEYS = (
    *("index", "con", "nul", "com1", "a.html", "a.html/b", "a", "a/b", "..", ".", "../x", "", "*"),
    *("a b", "a_b", "a?b", "a:b", "a~b", tag_file("a b").removeprefix("tags/").removesuffix(".html")),
    *("x" * 250, "x" * 251, "\u6587" * 250, "\u6587" * 251, "a/" * 400 + "b", "a/" * 400 + "c"),
    *("\u0131", "i", "\ud800"),
)


def test_tag_files_never_collide_and_are_safe() -> None:
    files = [tag_file(key) for key in HARD_KEYS]
    folded = {unicodedata.normalize("NFC", file.upper().casefold()) for file in files}
    assert len(folded) == len(HARD_KEYS)
    folders = {file.rpartition("/")[0] for file in files}
    assert not folders & set(files)
    for file in files:
        assert len(file.encode()) < 1000
        for part in file.split("/"):
            assert 0 < len(part.encode()) <= 255
            assert part.split(".")[0] not in {"con", "nul", "com1", "index", ""}
            assert not set(part) & set('\\:*?"<>| ')


def _hostile(count: int) -> dict[str, str]:
    return {
        "brackets": "[" * 2 * count,
        "comment marks": "%%" * count,
        "comments": "%% " * count,
        "comment blocks": "a %%\n\n" * count,
        "comments in lists and quotes": "> - a %%\n\n" * count,
        "comments over fences": "a %%\n```\nb %%\n\n" * (count // 2),
        "unclosed fences in a comment": "%%\n" + "".join("`" * (3 + i) + "\n" for i in range(count // 50)),
        "marks": "==" * count,
        "open marks": "==a " * count,
        "closing marks": "a== " * count,
        "crossed emphasis": "*a _b ==c ~~d " * (count // 4),
        "cjk emphasis": "\u5f3a\u3002**" * count,
        "hashes": "#" * 2 * count,
        "tags": "#a " * count,
        "one long tag": "#" + "a/\U0001f4dd" * count,
        "notes in place": "^[" * count,
        "nested notes in place": "^[a " * count + "]" * count,
        "references": "[^1] " * count + "\n\n[^1]: x",
        "open references": "[^" * count + "\n\n[^1]: x",
        "definitions": "".join(f"[^{i}]: x\n" for i in range(count // 4)),
        "definitions in one line": "[^a]: " * count,
        "quotes": ">" * count + " a",
        "callouts": "> [!note] a\n\n" * (count // 4),
        "callouts in one line": "> [!" * count,
        "table": "|a|b|\n|--|--|\n" + "|c|d|\n" * (count // 4),
        "broken tables": "a|\n|--" * (count // 4),
        "urls": "http://a " * (count // 4),
        "url with parentheses": "http://a" + ")" * count,
        "url with points": "http://a" + "." * count,
        "tasks": "- [ ] a\n" * (count // 4),
        "line breaks": "\u4e00\n" * count,
    }


@pytest.mark.parametrize("case", _hostile(1))
def test_hostile_input_takes_linear_time(case: str) -> None:
    """Eight times the input may take at most 24 times as long: a quadratic rule would take 64 times."""
    md = syntax.build_parser(strict_line_breaks=True)

    assert growth(lambda count: md.parse(_hostile(count)[case], {}), 250, 2000, 24) <= 24
