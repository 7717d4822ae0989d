"""Every rule of Obsidian's syntax by its number: what the page of a small vault holds for it."""

from __future__ import annotations

import re

import pytest
from conftest import require_shared
from page_audit import faults
from project import Project
from syntax_rules import Rule
from syntax_rules_blocks import BLOCKS, EMBEDS, INLINE
from syntax_rules_links import LINKS, MARKDOWN_LINKS, ORDER, SUBPATHS

ALL = (*ORDER, *LINKS, *MARKDOWN_LINKS, *SUBPATHS, *EMBEDS, *INLINE, *BLOCKS)

ELSEWHERE = {
    "L16": "test_l16_links_in_properties_are_links",
}
"""Rules about more than the body of a page, with the test in this file that holds them."""


@pytest.mark.parametrize("rule", ALL, ids=[rule.id for rule in ALL])
def test_rule(project: Project, rule: Rule) -> None:
    project.write({**rule.files, "Doc.md": rule.doc})
    project.build()
    page = project.page("Doc.md")
    body = page.body
    found = {selector: len(body.select(selector)) for selector in rule.shows}
    assert found == dict(rule.shows)
    for anchor in body.select(".heading-anchor"):
        anchor.decompose()
    text = body.get_text()
    assert [wanted for wanted in rule.text if wanted not in text] == []
    assert [hidden for hidden in rule.hides if hidden in text] == []
    whole = page.html[page.html.index('<div class="markdown-preview-view') : page.html.rindex("</article>")]
    assert faults(re.sub(r"<svg.*?</svg>|<object.*?</object>", "", whole, flags=re.DOTALL)) == []


def test_l16_links_in_properties_are_links(project: Project) -> None:
    project.write(
        {"Doc.md": '---\nup: "[[Note|above]]"\nmany: ["[[Note]]", "text", "[[Gone]]"]\n---\nx\n', "Note.md": "n\n"}
    )
    project.build()
    links = project.page("Doc.md").main.select(".frontmatter a")
    assert [(link.get("href"), link.get_text()) for link in links] == [
        ("Note.html", "above"),
        ("Note.html", "Note"),
        (None, "Gone"),
    ]
    assert project.facts("Note.md").backlinks == {"Doc.md"}


def test_every_numbered_rule_is_here() -> None:
    spec = require_shared("spec", "obsidian-markdown.md").read_text("utf-8")
    numbered = set(re.findall(r"^\| ([PLSE]\d+) \|", spec, re.MULTILINE))
    assert len(numbered) == 7 + 18 + 17 + 17
    assert numbered - {rule.id for rule in ALL} - set(ELSEWHERE) == set()


def test_every_row_and_list_without_a_number_is_here() -> None:
    """Thirteen kinds of inline syntax; the block syntax has no table, so its names are ours."""
    spec = require_shared("spec", "obsidian-markdown.md").read_text("utf-8")
    inline = spec.partition("### 1.7")[2].partition("### 1.8")[0]
    rows = re.findall(r"^\|(?! Syntax|---)", inline, re.MULTILINE)
    named = [rule.id for rule in ALL if not re.fullmatch(r"[PLMSE]\d+", rule.id)]
    assert len(rows) == named.index("no-shortcodes") + 1
    assert len({rule.id for rule in ALL}) == len(ALL)
