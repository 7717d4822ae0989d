"""Where the pieces of a note stand: every piece that is found is exactly what stands at its place."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from generator.source_map import map_source
from generator.syntax.wikilink import find_wikilinks


def prose(text: str) -> list[str]:
    return [text[piece.start : piece.end] for piece in map_source(text).prose]


def links(text: str) -> list[str]:
    return [text[link.start : link.end] for link in map_source(text).links]


def test_prose_is_what_is_neither_code_nor_math_nor_link() -> None:
    text = "Tea `code` $x^2$ [[Link]] [a](b.md) ![c](d.png) <a href='x'>in a</a> #tag %%hidden%% <!-- no --> end\n"
    assert "".join(prose(text)).split() == ["Tea", "end"]


def test_blocks_of_code_and_math_hold_no_prose() -> None:
    text = "```\nTea\n```\n\n~~~\nTea\n~~~\n\n    Tea\n\n$$\nTea\n$$\n\n%%\nTea\n%%\n\n<div>\nTea\n</div>\n\nend\n"
    assert prose(text) == ["end"]


def test_front_matter_holds_links_and_no_prose() -> None:
    text = '---\nname: Tea\nrelated: ["[[A|b]]", "[[C]]"]\n---\nx\n'
    found = map_source(text)
    assert prose(text) == ["x"]
    assert [(link.written.target, link.kind, link.line) for link in found.links] == [
        ("A", "property", 3),
        ("C", "property", 3),
    ]


def test_links_in_front_matter_are_those_of_the_parser() -> None:
    text = "---\na: '[[[A]] [[B[[C]] [[D]]] [[]] [[E'\nb: '[[\n  F]]'\n---\n"
    assert [link.written for link in map_source(text).links] == find_wikilinks(text.partition("\nb:")[0])
    assert [link.written.target for link in map_source(text).links] == ["A", "C", "D"]
    assert [link.line for link in map_source(text).links] == [2, 2, 2]


def test_places_of_prose_know_headings_and_cells() -> None:
    text = (
        "# One\n\ntwo\n\n| three | four |\n|---|---|\n| five \\| six | seven |\n\n> [!note] eight\n> nine\n\nten\n===\n"
    )
    assert [(text[p.start : p.end].strip(), p.place) for p in map_source(text).prose] == [
        ("One", "heading"), ("two", "text"), ("three", "cell"), ("four", "cell"), ("five \\| six", "cell"),
        ("seven", "cell"), ("eight", "heading"), ("nine", "text"), ("ten", "heading"),
    ]  # fmt: skip


def test_links_in_labels_quotes_lists_and_cells() -> None:
    text = (
        "> - [![p](a%20b.png)](c.md) and\n>   ![[E#h|20]]\n\n"
        '| x |\n|---|\n| [[T\\|t]] and [[U#s\\|u]] |\n\n- [ ] [[Task]]\n\n1. [d](<e f.md> "title")\n'
    )
    assert links(text) == [
        "[![p](a%20b.png)](c.md)", "![p](a%20b.png)", "![[E#h|20]]", "[[T\\|t]]", "[[U#s\\|u]]", "[[Task]]",
        '[d](<e f.md> "title")',
    ]  # fmt: skip
    found = map_source(text).links
    assert [link.line for link in found] == [1, 1, 2, 6, 6, 8, 10]
    assert text[slice(*found[-1].destination)] == "<e f.md>"


def test_tags_stand_at_their_hash() -> None:
    text = "#one and a#not #two/three `#no`\n"
    assert [text[tag.start : tag.end] for tag in map_source(text).tags] == ["#one", "#two/three"]


def test_a_comment_that_cuts_a_line_leaves_the_rest_in_place() -> None:
    text = "before %%a\n\nb%% after [[L]]\n"
    assert links(text) == ["[[L]]"]
    assert prose(text) == ["before", "after "]


PIECES = st.sampled_from(
    ["Tea", " ", "\n", "\n\n", "[[Tea]]", "[[a|b]]", "[x](y.md)", "`", "``", "*", "**", "$", "$$", "> ",
     "- ", "| ", "|---|\n", "# ", "%%", "==", "<a>", "</a>", "<b>", "![[e]]", "\\", "^[n]", "[^1]", "茶", "---\n",
     "```\n", "\t", "#tag", "    "]
)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(st.lists(PIECES, max_size=25))
def test_pieces_never_overlap_and_say_what_stands_there(parts: list[str]) -> None:
    text = "".join(parts)
    found = map_source(text)
    for piece in found.prose:
        assert 0 <= piece.start < piece.end <= len(text)
        assert "\n" not in text[piece.start : piece.end]
        assert text.count("\n", 0, piece.start) + 1 == piece.line
    for link in found.links:
        written = text[link.start : link.end]
        assert written.startswith(("[", "!["))
        assert written.endswith(("]]", ")"))
    for tag in found.tags:
        assert text[tag.start : tag.end] == f"#{tag.name}"
    places = sorted((piece.start, piece.end) for piece in (*found.prose, *found.tags))
    assert all(end <= start for (_, end), (start, _) in pairwise(places))
