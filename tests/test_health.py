"""The health pages and the end of a build say what the linter says, and to readers nothing of private pages."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

from project import Page, Project
from upkeep_vault import UpkeepVault

from generator.pages.health import SECTIONS
from generator.upkeep.lint import reading

TODAY = date(2026, 6, 1)
VAULT = {
    "Doc.md": "---\nlifecycle: nonsense\nupdated: 2026-05-30\n---\n"
    "[[Nowhere]] [[Tea#Part]] [[Tea#^gone]]\n\n[[Chai]] [[V]]\n",
    "Tea.md": "---\naliases: [Chai]\nupdated: 2026-05-30\n---\n# Tea\n\n[[Doc]]\n",
    "Old.md": "---\nupdated: 2025-01-02\n---\n[[Tea]]\n",
    "Hard.md": "---\nlifecycle: disputed\nupdated: 2026-05-30\n---\n[[Old]]\n",
    "a/V.md": "---\nupdated: 2026-05-30\n---\nv [[Hard]]\n",
    "b/V.md": "---\nupdated: 2026-05-30\n---\nv [[Hard]]\n",
    "pictures/unused.png": b"\x89PNG",
}


def found(project: Project) -> dict[str, list[str]]:
    """What each section of the health pages lists, as texts."""
    sections = {}
    for file in sorted((project.site / "_health").glob("*.html")):
        items = Page(file).main.select(".issue-list > li")
        sections[file.stem] = [" ".join(item.get_text(" ", strip=True).split()) for item in items]
    return sections


def counts(project: Project) -> dict[str, int]:
    """The numbers of the overview by page, of the sections that have one."""
    rows = Page(project.site / "health.html").main.select(".health-table tbody tr:has(a)")
    return {str(row.a["href"]).rpartition("/")[2][:-5]: int(row.select("td")[0].get_text()) for row in rows if row.a}


def test_the_pages_list_what_is_amiss(project: Project) -> None:
    project.write(VAULT)
    project.build(today=TODAY)
    assert found(project) == {
        "alias-link": ["Doc Doc.md line 7 Chai"],
        "ambiguous-link": ["Doc Doc.md line 7 V → a/V.md, b/V.md"],
        "broken-link": ["Doc Doc.md line 5 Nowhere"],
        "disputed": ["Hard Hard.md"],
        "missing-block": ["Doc Doc.md line 5 Tea#^gone"],
        "missing-heading": ["Doc Doc.md line 5 Tea#Part"],
        "reading": [found(project)["reading"][0]],
        "stale": ["Old Old.md 2025-01-02"],
        "unused-attachment": ["pictures/unused.png"],
    }
    assert "nonsense" in found(project)["reading"][0]
    assert counts(project) == dict.fromkeys(SECTIONS, 1) | {"orphans": 1}  # b/V.md: a link is tied to a/V.md
    link = Page(project.site / "_health/stale.html").main.select_one(".issue-list a")
    assert link is not None
    assert link["href"] == "../Old.html"


def test_they_are_the_findings_of_lint(tmp_path: Path) -> None:
    vault = UpkeepVault(tmp_path)
    vault.write(VAULT)
    vault.build(today=TODAY)
    shown = {name: set() for name in SECTIONS} | {"orphans": set()}
    for issue in vault.lint(today=TODAY).issues:
        name = "reading" if issue.code in reading.CODES else "orphans" if issue.code == "orphan" else issue.code
        if name in shown:
            shown[name].add((issue.path, issue.line, issue.message))
    assert counts(vault) == {name: len(issues) for name, issues in shown.items()}


def test_private_pages_are_named_nowhere(project: Project) -> None:
    project.write(
        {
            "Doc.md": "[[V]] and [[Hidden word#Part]] and [[Hidden word#^b]] and [[Cover word]]\n",
            "public/V.md": "v\n",
            "secret/V.md": "---\npublish: false\n---\n![[secretpicture.png]] [[Gone secret]]\n",
            "secret/Hidden word.md": "---\npublish: false\naliases: [Cover word]\nlifecycle: secretstate\n---\nx\n",
            "secretpicture.png": b"\x89PNG",
        }
    )
    report = project.build(today=TODAY)
    assert {finding.code for finding in report.warnings} >= {"ambiguous-link", "broken-link", "bad-lifecycle"}
    assert found(project) == {}
    assert [path for path, data in project.files().items() if b"secret" in data.lower()] == []


def test_files_are_not_named_where_pages_are_published_one_by_one(project: Project) -> None:
    project.write({"Doc.md": "---\npublish: true\n---\ndoc\n", "loose.png": b"\x89PNG"})
    project.build(site={"publish": "opt-in"}, today=TODAY)
    assert not (project.site / "_health/unused-attachment.html").exists()
    project.build(today=TODAY)
    assert found(project) == {"unused-attachment": ["loose.png"]}


def test_in_chinese(project: Project) -> None:
    project.write({"文.md": "[[没有]]\n"})
    project.build(site={"language": "zh"}, today=TODAY)
    assert Page(project.site / "health.html").main.select_one("h1").get_text() == "健康状况"  # type: ignore[union-attr]
    assert found(project) == {"broken-link": ["文 文.md 第 1 行 没有"]}


def test_a_build_tells_of_broken_links(project: Project) -> None:
    project.write({"Doc.md": "a\n\n[[Nowhere]]\n"})
    arguments = ("build", str(project.vault), "--out", str(project.site))
    done = project.cli(*arguments)
    assert done.code == 0
    assert "Doc.md:3: warning: link to “Nowhere”: there is no such file" in done.out
    strict = project.cli(*arguments, "--strict", "--json")
    (warning,) = json.loads(strict.out)["warnings"]
    assert (strict.code, warning["code"], warning["path"], warning["line"]) == (1, "broken-link", "Doc.md", 3)
    project.write({"Doc.md": "a\n\n[[Other]]\n", "Other.md": "[[Doc]]\n"})
    assert project.cli(*arguments, "--strict").code == 0
