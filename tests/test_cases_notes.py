"""The shared cases on parsing and front matter: S01 to S09."""

from __future__ import annotations

import re
import time

import pytest
from cases import all_cases
from project import Project

BOM = "\ufeff"


def make(project: Project, name: str) -> Project:
    all_cases()[name].make(project.vault)
    return project


def test_s01_code_is_literal(project: Project) -> None:
    make(project, "S01").build()
    doc = project.facts("Doc.md")
    assert doc.links == {"Target.md"}
    assert doc.broken == set()
    assert doc.tags == {"real"}
    assert set(project.tags) == {"real"}
    assert doc.headings == ["Doc"]
    codes = [code.get_text() for code in project.page("Doc.md").body.select("code")]
    assert any('if [[ "$n" -gt 3 ]]' in code for code in codes)
    assert sum("[[Ghost" in code for code in codes) == 5


def test_s02_byte_order_marks_and_crlf(project: Project) -> None:
    make(project, "S02").build()
    titles = {path: project.facts(path).title for path in project.notes}
    assert titles == {
        "Bom.md": "Winter Plan",
        "BomHead.md": "First Heading",
        "Dos.md": "Dos Note",
        "Both.md": "Both",
    }
    assert project.tags == {"seed": 4}
    assert project.facts("Bom.md").backlinks == {"Dos.md"}
    assert (project.facts("BomHead.md").headings, project.facts("BomHead.md").levels) == (["First Heading"], [1])
    assert project.facts("Bom.md").headings == ["Winter"]
    assert project.facts("Dos.md").headings == ["H"]
    assert project.facts("Both.md").headings == []
    for file in project.pages():
        html = file.read_bytes().decode()
        assert BOM not in html, file
        assert "\r" not in html, file
    assert [h.get_text() for h in project.page("Both.md").soup.select("h1")] == ["Both"]  # the title alone
    assert project.page("Both.md").body.select("h1, h2, h3") == []


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_s03_a_bracket_does_not_pair_across_paragraphs(project: Project, end: str) -> None:
    files = all_cases()["S03"].files()
    project.write({"Doc.md": files["Doc.md"].replace("\n", end), "Target.md": files["Target.md"]})
    project.build()
    doc = project.facts("Doc.md")
    assert all(len(link.label or "") <= 20 for link in doc.written)
    assert doc.links == {"Target.md"}  # also with CR alone, which ends a line in CommonMark
    assert not any("\n" in (link.label or "") or "paragraph" in (link.label or "") for link in doc.written)
    assert [link.label for link in doc.written if link.opens] == ["ok"]


def test_s04_pathological_input_stays_quick(project: Project) -> None:
    make(project, "S04")
    start = time.process_time()
    project.build()
    assert project.find("needleword") == []  # beyond the first 500 kB: named instead
    assert time.process_time() - start < 60
    assert project.facts("Huge.md").problems == {"oversized-page"}
    assert project.find("small") == ["Small.md"]
    assert project.facts("Small.md").links == {"Huge.md"}
    assert project.notes == ["Brackets.md", "Huge.md", "Small.md", "Ticks.md"]
    assert all(len(hit["snippet"]) < 1000 for hit in project.search("lorem")["hits"])


def test_s04_with_the_size_allowed_the_last_word_is_found(project: Project) -> None:
    make(project, "S04")
    start = time.process_time()
    project.write({".llm-wiki/config.yaml": "wiki:\n  max_page_size_kb: 20000\n"})
    project.build()
    (hit,) = project.search("needleword")["hits"]
    assert time.process_time() - start < 60
    assert hit["path"] == "Huge.md"
    assert "needleword" in hit["snippet"]
    assert len(hit["snippet"]) < 1000


def test_s05_a_date_is_a_title(project: Project) -> None:
    make(project, "S05").build()
    note = project.facts("Meeting.md")
    assert note.title == "2031-04-09"
    page = project.page("Meeting.md")
    assert page.head_title.startswith("2031-04-09")
    assert "00:00:00" not in page.head_title
    assert page.main.select_one("h1").get_text() == "2031-04-09"  # type: ignore[union-attr]
    assert "Meeting.md" in project.find("2031-04-09")
    assert [hit["title"] for hit in project.search("2031-04-09")["hits"]] == ["2031-04-09"]
    shown = project.show("Meeting.md")
    assert shown["title"] == "2031-04-09"
    assert shown["created"] == "2031-04-09"
    meta = str(project.rows("SELECT meta FROM wiki_pages")[0][0])
    assert '"due":"2031-04-09T10:30' in meta
    assert "datetime" not in meta


def test_s06_every_shape_of_tags(project: Project) -> None:
    make(project, "S06").build()
    both, three, one = {"tea", "milk"}, {"tea", "milk", "sugar"}, {"tea"}
    expected = {"a": both, "b": three, "c": both, "d": one, "e": both, "h": one, "i": one}
    expected |= {name: set() for name in "fgklm"}
    assert {path[:-3]: project.facts(path).tags for path in project.notes} == expected
    assert set(project.tags) == three
    assert {file.stem for file in (project.site / "tags").iterdir()} == three
    for name in expected:
        assert f"{name}.md" in project.find(f"body of {name}")
        assert "error" not in {finding.severity for finding in project.build().warnings}


def test_s07_invalid_yaml_costs_one_note_its_metadata_only(project: Project) -> None:
    report = make(project, "S07").build()
    names = ["At", "Colon", "Hash", "Quote", "Star", "Tab"]
    assert project.notes == sorted([*(f"{name}.md" for name in names), "Good.md"])
    for name in names:
        assert project.find(f"word_{name.lower()}")[0] == f"{name}.md"
        page = project.page(f"{name}.md")
        assert len(page.main.select("h1")) == 1, name
        assert page.body.select("h1, h2, h3, h4, h5, h6") == []
    assert project.facts("Good.md").backlinks == {f"{name}.md" for name in names}
    found = {finding.path for finding in report.warnings if finding.code == "invalid-frontmatter"}
    assert found == {f"{name}.md" for name in names}


def test_s08_text_between_rules_never_vanishes(project: Project) -> None:
    report = make(project, "S08").build()
    assert project.find("zebra") == ["Rules.md"]
    assert project.find("yak") == ["Rules.md"]
    assert project.find("betaword") == ["Later.md"]
    assert project.find("omegaword") == ["Open.md"]
    rules, later = project.page("Rules.md").text, project.page("Later.md").text
    assert "Opening zebra paragraph" in rules
    assert "Closing yak paragraph" in rules
    assert all(word in later for word in ("alpha", "betaword", "gamma"))
    assert project.facts("Later.md").title == "Later"
    assert [finding for finding in report.warnings if finding.severity == "error"] == []


def test_s09_a_second_block_is_text_and_is_named(project: Project) -> None:
    source = all_cases()["S09"].files()["Twice.md"]
    report = make(project, "S09").build()
    assert project.facts("Twice.md").title != "Real Title"
    assert project.facts("Twice.md").tags == set()
    findings = [(finding.code, finding.path) for finding in report.warnings]
    assert findings == [("second-frontmatter", "Twice.md")]
    assert project.find("bodyword") == ["Twice.md"]
    assert project.find("Real Title") == ["Twice.md"]
    assert re.search(r"Real Title", project.page("Twice.md").text)
    assert (project.vault / "Twice.md").read_text() == source
