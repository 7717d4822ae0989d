"""The shared cases on links, embeds, tags and rendering: S10 to S21, S27."""

from __future__ import annotations

import time
from urllib.parse import unquote

from bs4 import Tag
from cases import all_cases
from project import Page, Project


def make(project: Project, name: str) -> Project:
    all_cases()[name].make(project.vault)
    return project


def opened(project: Project, page: Page, anchor: Tag) -> Page:
    """The page that a link on `page` opens."""
    path = unquote(str(anchor["href"]).partition("#")[0])
    target = (page.file.parent / path).resolve()
    assert target.is_relative_to(project.site.resolve())
    assert target.is_file(), f"{path} is not a file"
    return Page(target)


def test_s10_escaped_pipe_in_a_table(project: Project) -> None:
    make(project, "S10").build()
    doc = project.facts("Doc.md")
    assert doc.links == {"parts/Pump.md", "Valve.md"}
    assert doc.broken == set()
    assert not any(link.name.endswith("\\") or link.subpath.endswith("\\") for link in doc.written)
    assert "Pump" not in project.orphans
    page = project.page("Doc.md")
    rows = [row.find_all("td") for row in page.body.select("tbody tr")]
    assert [len(row) for row in rows] == [2, 2, 2]
    anchor = rows[0][0].find("a")
    assert isinstance(anchor, Tag)
    assert anchor.get_text() == "the pump"
    assert rows[1][0].get_text() == "seat"
    assert "pump" in opened(project, page, anchor).text


def test_s11_same_name_in_several_folders(project: Project) -> None:
    make(project, "S11").build()
    assert [link.opens for link in project.facts("start.md").written] == ["q/w/Valve.md", "archive/Valve.md"]
    assert [link.opens for link in project.facts("archive/src.md").written] == ["archive/Valve.md"]
    assert [link.opens for link in project.facts("archive/deep/src2.md").written] == ["q/w/Valve.md"]
    project.write({"Valve.md": "three\n"})
    project.build()
    assert [link.opens for link in project.facts("start.md").written] == ["Valve.md", "archive/Valve.md"]
    assert [link.opens for link in project.facts("archive/src.md").written] == ["Valve.md"]
    assert [link.opens for link in project.facts("archive/deep/src2.md").written] == ["Valve.md"]


def test_s12_dots_in_names(project: Project) -> None:
    make(project, "S12").build()
    others = {"v1.2 release.md", "B.A. Plan.md", "memo.ok.md", "node.js.md", "data.csv.md", "After.md"}
    doc = project.facts("Doc.md")
    assert doc.links == others
    assert doc.broken == set()
    assert len({project.page(path).file for path in others}) == 6
    assert {project.facts(path).title for path in others} == {path[:-3] for path in others}
    texts = {path: project.page(path).text.split()[-1] for path in others}
    assert sorted(texts.values()) == list("abcdef")


def test_s13_markdown_links_are_note_links(project: Project) -> None:
    make(project, "S13").build()
    index, other = project.facts("Index.md"), project.facts("Sub/Other.md")
    assert index.links == {"Sub/My Note.md"}
    assert other.links == {"Sub/My Note.md", "Index.md"}
    assert project.facts("Sub/My Note.md").backlinks == {"Index.md", "Sub/Other.md"}
    assert index.broken == other.broken == set()
    page = project.page("Index.md")
    anchors = {a.get_text(): a for a in page.body.select("p a")}
    assert anchors["d"]["href"] == "https://example.org/long%20name.md"
    assert page.soup.find(id=unquote(str(anchors["e"]["href"])[1:])) is not None
    assert str(anchors["e"]["href"]).startswith("#")
    target = opened(project, page, anchors["c"])
    assert target.soup.find(id=unquote(str(anchors["c"]["href"]).partition("#")[2])) is not None


def test_s14_alias_against_file_name(project: Project) -> None:
    report = make(project, "S14").build()
    doc = project.facts("Doc.md")
    kettle, labelled, boiler, urn = doc.written
    assert (kettle.opens, kettle.status) == ("Kettle.md", "")
    assert (labelled.opens, labelled.label) == ("Water Heater.md", "Boiler")
    assert (boiler.opens, boiler.status) == ("Water Heater.md", "alias")
    assert (urn.opens, urn.status) == (None, "ambiguous")
    assert urn.candidates.split("\n") == ["Dispenser.md", "Samovar.md"]
    assert project.facts("Water Heater.md").backlinks == {"Doc.md"}
    assert project.facts("Samovar.md").backlinks == project.facts("Dispenser.md").backlinks == set()
    page = project.page("Doc.md")
    anchors = page.body.select("a.internal-link")
    assert [a.get_text() for a in anchors] == ["Kettle", "Boiler", "Boiler", "Urn"]
    assert [opened(project, page, a).file.name for a in anchors[:3]] == [
        "Kettle.html",
        "Water Heater.html",
        "Water Heater.html",
    ]
    assert not anchors[3].has_attr("href")
    assert [finding.path for finding in report.warnings if finding.code == "legacy-aliases"] == ["Dispenser.md"]
    shown = project.show("Doc.md")
    assert [link["resolved"] for link in shown["links"]][:3] == ["Kettle.md", "Water Heater.md", "Water Heater.md"]
    assert len(shown["ambiguous"]) == 1


def test_s15_empty_and_half_typed_links(project: Project) -> None:
    make(project, "S15").build()
    doc = project.facts("Doc.md")
    assert doc.links == {"Target.md"}
    assert doc.broken == set()
    assert [(link.name, link.subpath) for link in doc.written] == [("Target", ""), ("", "Here")]
    page = project.page("Doc.md")
    (here,) = (a for a in page.body.select("a.internal-link") if "Here" in a.get_text())
    assert str(here["href"]).startswith("#")
    heading = page.body.find(id=unquote(str(here["href"])[1:]))
    assert isinstance(heading, Tag)
    assert heading.name == "h2"
    assert not any(file.name == ".html" or "//" in str(file) for file in project.pages())
    assert "stray" in page.text


def test_s16_embed_loops_end(project: Project) -> None:
    start = time.monotonic()
    make(project, "S16").build()
    assert time.monotonic() - start < 10
    assert 1 <= str(project.page("Mirror.md").body).count("mirrorword") <= 3
    page = project.page("A.md")
    for word in ("alphaword", "betaword", "gammaword"):
        assert 1 <= str(page.body).count(word) <= 3, word
    assert "![[" not in page.text
    notice = page.body.select_one(".embed-cycle a.internal-link")
    assert notice is not None
    assert opened(project, page, notice).file == page.file
    assert "plainword" in project.page("Plain.md").text


def test_s17_section_embeds(project: Project) -> None:
    make(project, "S17").build()
    page = project.page("Page.md")
    for word in ("twobody", "subbody", "tailbody", "onebody"):
        assert page.text.count(word) == 1, word
    assert page.text.index("twobody") < page.text.index("onebody")
    assert "threebody" not in page.text
    missing = [note.get_text() for note in page.body.select(".embed-missing")]
    assert len(missing) == 3
    for shown, name in zip(missing, ("Manual#No such part", "Nowhere", "Manual#^nope"), strict=True):
        assert name in shown
    assert [link.status for link in project.facts("Page.md").written] == ["", "", "subpath", "missing", "subpath"]


def test_s18_a_hash_in_a_link_is_no_tag(project: Project) -> None:
    make(project, "S18").build()
    assert project.facts("Doc.md").tags == set()
    assert project.tags == {}
    assert not (project.site / "tags").exists()
    assert "^b1" not in project.page("Pump.md").text
    assert "^b1" not in project.facts("Pump.md").text


def test_s19_what_may_stand_before_a_tag(project: Project) -> None:
    make(project, "S19").build()
    assert project.facts("Doc.md").tags == {"y1984", "ok", "fine", "tea", "nbsp", "wide"}


def test_s20_tags_fold_case_and_nest(project: Project) -> None:
    make(project, "S20").build()
    assert set(project.tags) == {"tea", "tea/green", "tea/green/sencha"}
    files = {path.relative_to(project.site / "tags").as_posix() for path in (project.site / "tags").rglob("*.html")}
    assert files == {"tea.html", "tea/green.html", "tea/green/sencha.html"}

    def listed(file: str) -> list[str]:
        page = Page(project.site / "tags" / file)
        anchors = [opened(project, page, a) for a in page.main.select("a[href]")]
        return [p.file.stem for p in anchors if p.file.parent == project.site]

    assert [name for name in listed("tea.html") if len(name) == 1] == ["A", "B", "C", "D"]
    assert [name for name in listed("tea/green.html") if len(name) == 1] == ["C", "D"]
    assert project.tags["tea/green/sencha"] == 1
    assert project.facts("D.md").tags == {"tea/green/sencha"}


def test_s21_tags_in_other_scripts(project: Project) -> None:
    make(project, "S21").build()
    doc = project.facts("Doc.md")
    assert doc.tags == {"タグ", "📝", "naïve-idea"}
    assert doc.headings == ["index"]
    page = project.page("Doc.md")
    assert "#?-x" in page.text
    anchors = page.body.select("a.tag")
    assert [a.get_text() for a in anchors] == ["#タグ", "#📝", "#naïve-idea"]
    for anchor in anchors:
        target = opened(project, page, anchor)
        assert target.file != project.site / "index.html"
        assert any(opened(project, target, a).file == page.file for a in target.main.select("a[href]"))


def test_s27_nested_and_neighbouring_callouts(project: Project) -> None:
    make(project, "S27").build()
    page = project.page("Doc.md")
    callouts = page.body.select(".callout")
    titles = [" ".join(callout.select_one(".callout-title").get_text().split()) for callout in callouts]  # type: ignore[union-attr]
    assert titles[:3] == ["Outer Target title", "Inner", "Second"]
    assert len(titles) == 4
    assert titles[3]
    outer, inner, second, unknown = callouts
    assert outer in inner.parents
    assert outer not in second.parents
    assert unknown["data-callout"] == "made-up"
    assert page.text.count("[!") == 1
    assert "plain quote [!note] stays text" in page.text
    link = outer.select_one("a.internal-link")
    assert link is not None
    assert opened(project, page, link).file == project.page("Target.md").file
    folded = outer if outer.name == "details" else outer.find("details")
    assert isinstance(folded, Tag)
    assert not folded.has_attr("open")
    assert "outer body" in outer.get_text()
    assert project.facts("Doc.md").links == {"Target.md"}
