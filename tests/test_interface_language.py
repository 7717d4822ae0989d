"""What the program itself says within a note is in the site's language, while the parse knows of none."""

from __future__ import annotations

import pytest
from project import Project

from generator.render import messages
from generator.syntax.code import PLUGIN_FENCES

NOTE = (
    "---\na: [\n---\n- [ ] open\n- [x] done\n\nSaid^[inferred] and^[Ambiguous] noted[^1].\n\n[^1]: A note.\n\n"
    + "".join(f"```{name}\nx\n```\n\n" for name in sorted(PLUGIN_FENCES))
    + "```query\n(a\n```\n\n![[Nowhere]]\n"
)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_note_is_shown_in_the_language_of_the_site(project: Project, language: str) -> None:
    project.write({"Note.md": NOTE, "Embeds.md": "![[Note]]\n"})
    project.build(site={"language": language})
    texts = messages(language)
    page = project.page("Note.md")
    for body in (page.body, project.page("Embeds.md").body):
        assert [box["aria-label"] for box in body.select("input")] == [texts["task.open"], texts["task.done"]]
        marks = body.select(".provenance")
        assert [(mark.get_text(), mark["title"]) for mark in marks] == [
            (texts[f"provenance.{kind}"], texts[f"provenance.{kind}.title"]) for kind in ("inferred", "ambiguous")
        ]
        assert body.select_one(".footnote-backref")["aria-label"] == texts["footnote.back"]  # type: ignore[index]
        notices = [notice.get_text() for notice in body.select(".fence-notice")]
        assert notices == [texts[f"fence.{name}"] for name in sorted(PLUGIN_FENCES)] + [texts["query.bad.unclosed"]]
        assert body.select_one(".embed-missing").get_text() == texts["embed.missing"].format(name="Nowhere")  # type: ignore[union-attr]
    problem = page.soup.select_one(".page-problem")
    assert problem is not None
    assert ("属性" in problem.get_text()) == (language == "zh")
    assert "\x02" not in page.html


def test_another_language_needs_no_new_parse(project: Project) -> None:
    project.write({"Note.md": "lang-free: see^[inferred]\n\n- [ ] a\n"})
    project.build(site={"language": "en"})
    english = project.rows("SELECT html FROM wiki_content")
    project.build(site={"language": "zh"})
    assert project.rows("SELECT html FROM wiki_content") == english
    assert "推断" in project.page("Note.md").text
