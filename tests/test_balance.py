"""A note's own HTML stays in its place: on its page, in what is embedded of it, and around Markdown."""

from __future__ import annotations

import pytest
from page_audit import faults
from project import Project

from generator.balance import balanced


@pytest.mark.parametrize(
    ("part", "whole"),
    [
        ("<p>a</p>", "<p>a</p>"),
        ("<div><p>a</p>", "<div><p>a</p></div>"),
        ("<p>a</p></div>", "<p>a</p>"),
        ("</div><p>a<br><img src='>'></p><details><b>", "<p>a<br><img src='>'></p><details><b></b></details>"),
        ('<a title="</a>">x</a>', '<a title="</a>">x</a>'),
        ("a &lt; b", "a &lt; b"),
        ("", ""),
    ],
)
def test_a_part_is_made_whole(part: str, whole: str) -> None:
    assert balanced(part) == whole


OPEN = {
    "div": "<div>\n\nText\n\n## Next\n\nmore",
    "details": "<details>\n<summary>S</summary>\n\n- item\n\n## Next\n\nmore",
    "table": "<table><tr><td>\n\ncell\n\n## Next\n\nmore",
    "nested": "<section><article><div>\n\nText\n\n- <div>\n\n  x\n\n> <details>\n> y",
    "ends only": "Text\n\n</div></main></article></body></html>\n\n## Next",
    "in running text": "a <b>b <i>c\n\nnext *d <u>e* f</b>",
    "in a callout": "> [!note]- T\n> <div>\n>\n> x\n\nafter",
    "a quote that is never closed": '<div title="\n\nText\n\n## Next',
}


@pytest.mark.parametrize("name", OPEN)
def test_the_page_around_a_note_is_left_as_it_is(project: Project, name: str) -> None:
    project.write({"Note.md": OPEN[name] + "\n", "Plain.md": "Text\n"})
    project.build()
    page = project.page("Note.md")
    assert faults(str(page.body)) == []
    body = page.html.index('<div class="markdown-preview-view')
    article = page.html.rindex("</article>")
    assert faults(page.html[body:article]) == []
    outline = [element.name for element in project.page("Plain.md").soup.select_one("body").find_all(recursive=False)]  # type: ignore[union-attr]
    shown = [element.name for element in page.soup.select_one("body").find_all(recursive=False)]  # type: ignore[union-attr]
    assert shown == outline


def test_details_hold_the_markdown_between_their_tags(project: Project) -> None:
    project.write({"Note.md": "<details>\n<summary>S</summary>\n\n**a**\n\n- b\n\n</details>\n\nafter\n"})
    project.build()
    details = project.page("Note.md").body.select_one("details")
    assert details is not None
    assert [child.name for child in details.find_all(recursive=False)] == ["summary", "p", "ul"]
    assert "after" not in details.get_text()


def test_a_section_that_html_runs_through_is_embedded_whole(project: Project) -> None:
    note = "# A\n\n<div class='x'>\n\none\n\n# B\n\ntwo\n\n</div>\n\n# C\n\nthree ^c\n"
    project.write({"Note.md": note, "Embeds.md": "![[Note#A]]\n\n![[Note#B]]\n\n![[Note#^c]]\n\nlast\n"})
    project.build()
    page = project.page("Embeds.md")
    start = page.html.index('<div class="markdown-preview-view')
    assert faults(page.html[start : page.html.rindex("</article>")]) == []
    embeds = page.body.find_all("div", class_="markdown-embed")
    assert ["one" in embeds[0].get_text(), "two" in embeds[1].get_text(), "last" in embeds[1].get_text()] == [
        True,
        True,
        False,
    ]
    assert page.body.find_all("p", recursive=False)[-1].get_text() == "last"
