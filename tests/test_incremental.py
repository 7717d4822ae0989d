"""Incremental equals clean: after any sequence of edits, site and index are those of a first build, byte for byte.

All files keep one time of change, so that no date can hide a page that was not drawn again.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from editor import MOMENT, Editor
from project import TODAY, Project

from generator.model import Report

SEEDS = int(os.environ.get("LLMWIKI_TEST_SEEDS", "5"))
"""How many random histories are tried; a change of keys or links deserves a hundred."""


def clean(project: Project, root: Path, site: dict[str, object]) -> tuple[Project, Report]:
    """A first build of the same vault elsewhere."""
    fresh = Project(root, project.vault)
    return fresh, fresh.build(site=site)


TABLES = {
    "files": "SELECT path, disk, mtime_ns, size, ctime_ns, inode, problem FROM wiki_files",
    "pages": "SELECT path, url, title, category, tags, aliases, summary, content_hash, lifecycle, created_at,"
    " updated_at, sources, word_count, language, published, special, meta, problems FROM wiki_pages",
    "content": "SELECT p.path, c.headings, c.blocks, c.footnotes, c.content, c.html"
    " FROM wiki_content c JOIN wiki_pages p USING (id)",
    "links": "SELECT p.path, n, l.name, subpath, label, kind, embed, line, context, f.path, anchor, status, candidates"
    " FROM wiki_links l JOIN wiki_pages p ON p.id = l.source LEFT JOIN wiki_files f ON f.id = l.target",
    "dangling": "SELECT source, n FROM wiki_links WHERE target NOT IN (SELECT id FROM wiki_files)",
    "tags": "SELECT tag, label, count, first_seen FROM wiki_tags",
    "page_tags": "SELECT t.tag, p.path, t.label FROM wiki_page_tags t JOIN wiki_pages p ON p.id = t.page",
    "answers": "SELECT query, problem, p.path FROM wiki_answers a LEFT JOIN json_each(a.pages) LEFT JOIN wiki_pages p"
    " ON p.id = value",
    "meta": "SELECT key, value FROM wiki_meta"
    " WHERE key IN ('page_count', 'parse_state', 'dates_state', 'names_state', 'index_version')",
}


def tables(project: Project) -> dict[str, list[str]]:
    """The index's rows without ids and times of indexing, sorted, and every posting of the full-text index."""
    found = {}
    with project.index() as db:
        for name, sql in TABLES.items():
            found[name] = sorted(map(repr, db.execute(sql)))
        db.execute("CREATE VIRTUAL TABLE temp.postings USING fts5vocab(main, wiki_fts, instance)")
        sql = "SELECT term, p.path, col, offset FROM postings JOIN wiki_pages p ON p.id = doc"
        found["postings"] = sorted(map(repr, db.execute(sql)))
        found["strays"] = sorted(
            map(repr, db.execute("SELECT id FROM wiki_fts_docsize WHERE id NOT IN (SELECT id FROM wiki_pages)"))
        )
    return found


def assert_equal(project: Project, fresh: Project, what: str) -> None:
    mine, theirs = project.files(), fresh.files()
    assert mine.keys() == theirs.keys(), what
    differing = [name for name in mine if mine[name] != theirs[name]]
    if differing:
        assert mine[differing[0]].decode() == theirs[differing[0]].decode(), f"{what}: {differing}"
    incremental, first = tables(project), tables(fresh)
    assert first["postings"] and not first["dangling"] and not first["strays"]  # noqa: PT018
    for name in incremental:
        assert incremental[name] == first[name], f"{what}: table {name}"


@pytest.mark.parametrize("seed", range(SEEDS))
def test_random_edits(project: Project, tmp_path: Path, seed: int) -> None:
    editor = Editor(project, seed)
    editor.start()
    history = ["start"]
    for step in range(7):
        report = project.build(site=editor.site)
        fresh, first = clean(project, tmp_path / f"clean{step}", editor.site)
        assert_equal(project, fresh, "; ".join(history))
        assert (report.pages, report.warnings) == (first.pages, first.warnings)
        again = project.build(site=editor.site)
        assert (again.parsed, again.written, again.removed) == (0, 0, 0)
        history.append(editor.step())


CHANGES = {
    "lang": ("lang: en", "lang: fr"),
    "title": ("title: One", "title: Two"),
    "title case": ("title: One", "title: one"),
    "summary": ("summary: first", "summary: second"),
    "lifecycle": ("lifecycle: draft", "lifecycle: disputed"),
    "alias": ("aliases: [First]", "aliases: [Second]"),
    "tag": ("tags: [tea]", "tags: [coffee]"),
    "spelling of a tag": ("tags: [tea]", "tags: [TEA]"),
    "tag below another": ("tags: [tea/green]", "tags: [tea/black]"),
    "created": ("created: 2026-05-31", "created: 2024-01-01"),
    "updated": ("updated: 2026-05-31", "updated: 2024-01-01"),
    "category": ("category: one", "category: two"),
    "publish": ("publish: true", "publish: false"),
    "sources": ("sources: [a.pdf]", "sources: [b.pdf]"),
    "property link": ("up: '[[Second]]'", "up: '[[Target]]'"),
    "css": ("cssclasses: [a]", "cssclasses: [b]"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_one_property_changes(project: Project, tmp_path: Path, change: str) -> None:
    """Every page that shows a property is drawn again when that alone changes."""
    other = "---\nupdated: 2026-05-30\ncreated: 2026-05-30\n---\n"
    project.write(
        {
            "sub/Note.md": f"---\n{CHANGES[change][0]}\n---\n# Head\nSame text, [[Target]].\n",
            "sub/Target.md": other + "t [[First]] [[Second]]\n",
            "Embeds.md": other + "![[Note]] [[sub/Note]]\n",
            "Readme.md": other + "![[Note#Head]]\n",
            "Tags.md": other.replace("---\n", "---\ntags: [Tea, other]\n", 1) + "#tea/green/old\n",
        }
    )
    for path in project.vault.rglob("*"):
        os.utime(path, ns=(MOMENT, MOMENT))
    project.build()
    text = (project.vault / "sub/Note.md").read_text()
    project.write({"sub/Note.md": text.replace(*CHANGES[change])})
    os.utime(project.vault / "sub/Note.md", ns=(MOMENT, MOMENT))
    project.build()
    fresh, _ = clean(project, tmp_path / "clean", {})
    assert_equal(project, fresh, change)


SHAPES = (
    "[[Beta]] [[beta.md]] [[BETA]] [[sub/Beta]] [[/Beta]] [[Beta/]] [[./Beta]] [[./Beta/]] [[./sub/../Beta]]"
    " [[./sub/.]] [[../Beta]] [[Cafe\u0301]] [[Café]] [[Capital]] [[x.png]] [[./Beta#Intro]] [[Nowhere]] [[ΛΌΓΟΣ]]"
    " [[a.b]] [[./..]]\n"
    "[a](Beta/) [b](./Beta/) [c](Beta.md) [d](C#%20sharp.md) [e](sub/Beta.md#intro) [f](x.png) [g](../Beta.md)\n"
)


@pytest.mark.parametrize("place", ["Doc.md", "sub/Doc.md", "sub/deep/Doc.md"])
def test_a_changed_page_finds_every_name_that_a_first_build_finds(project: Project, tmp_path: Path, place: str) -> None:
    project.write(
        {
            place: "nothing yet\n",
            "Beta.md": "# Intro\n",
            "sub/Beta.md": "# Intro\n",
            "sub.md": "a note named as a folder\n",
            "sub/deep/Beta.md": "deep\n",
            "Café.md": "c\n",
            "λόγος.md": "l\n",
            "Paris.md": "---\naliases: [Capital]\n---\n",
            "C# sharp.md": "c\n",
            "a.b.md": "dots\n",
            "x.png": "x",
        }
    )
    project.build()
    project.write({place: SHAPES})
    project.build()
    fresh, _ = clean(project, tmp_path / "clean", {})
    assert_equal(project, fresh, place)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("# Intro\ntext ^mark\n", "# Other\ntext ^mark\n"),
        ("# Other\ntext\n", "# Intro\ntext ^mark\n"),
        ("# Intro\ntext ^mark\n", "# First\n# Intro\nmore ^mark\n"),
        ("# Intro\ntext ^mark\n", ""),
        ("# Intro\n# Intro\n", "# Intro\n"),
    ],
)
def test_subpaths_follow_the_page_that_they_lead_into(
    project: Project, tmp_path: Path, before: str, after: str
) -> None:
    links = "[[T#Intro]] [[T#^mark]] [x](T.md#intro) [[t#Intro#Intro]] ![[T#Intro]] ![[T#^mark]]\n"
    diagram = "```mermaid\nflowchart LR\n  A[T] --> B[T#Intro]\n  class A,B internal-link;\n```\n"
    project.write(
        {"T.md": before, "Doc.md": links, "sub/Doc.md": links, "Embeds.md": "![[Doc]]\n", "Drawn.md": diagram}
    )
    project.build()
    project.write({"T.md": after})
    project.build()
    fresh, _ = clean(project, tmp_path / "clean", {})
    assert_equal(project, fresh, after)


def test_nodes_of_diagrams_are_links_but_no_backlinks(project: Project, tmp_path: Path) -> None:
    drawn = "```mermaid\nflowchart LR\n  A[Target] --> B[Nowhere]\n  class A,B internal-link;\n```\n"
    project.write({"Drawn.md": drawn, "Target.md": "t\n"})
    project.build()
    assert project.orphans == {"Drawn", "Target"}
    assert project.page("Drawn.md").body.select('a[href="Target.html"]')
    assert project.page("Target.md").soup.select(".backlinks") == []
    project.write({"Target.md": "---\npublish: false\n---\nt\n"})
    project.build()
    assert not project.page("Drawn.md").body.select('a[href="Target.html"]')
    fresh, _ = clean(project, tmp_path / "clean", {})
    assert_equal(project, fresh, "target unpublished")


def test_an_edit_writes_only_the_pages_that_show_it(project: Project) -> None:
    project.write({f"n{i}.md": f"note {i} with [[n{i + 1}]]\n" for i in range(30)})
    for path in project.vault.iterdir():
        os.utime(path, ns=(MOMENT, MOMENT))
    project.build()
    project.write({"n3.md": "note 3 rewritten, still with [[n4]]\n"})
    os.utime(project.vault / "n3.md", ns=(MOMENT, MOMENT))
    before = {name: (project.site / name).stat().st_mtime_ns for name in project.files()}
    report = project.build()
    after = {name: (project.site / name).stat().st_mtime_ns for name in project.files()}
    changed = {name for name in after if after[name] != before.get(name)}
    assert report.parsed == 1
    # Its own page, the page that quotes its sentence, those beside it, lists with its first sentence, and the search.
    own = {"n3.html", "n3.md", "n4.html", "_assets/text/n3.js"}
    lists = {"index.html", "hot.html", "orphans.html", "feed.xml", "llms.txt", "timeline/2026-05.html"}
    changed.discard(".llmwiki-site.json")
    assert report.written == len(changed)
    assert own <= {name for name in changed if not name.startswith("_assets/search/")} <= own | lists


def test_a_day_passes(project: Project, tmp_path: Path) -> None:
    """Pages that show how long ago something was are drawn again when that changes."""
    project.write({"Old.md": "---\nupdated: 2026-03-04\n---\nold\n", "New.md": "---\nupdated: 2026-05-28\n---\nnew\n"})
    project.build(today=TODAY)
    assert project.page("Old.md").soup.select(".stale-badge") == []
    later = TODAY.replace(day=20)
    project.build(today=later)
    fresh = Project(tmp_path / "clean", project.vault)
    fresh.build(today=later)
    assert_equal(project, fresh, "a day passed")
    assert len(project.page("Old.md").soup.select(".stale-badge")) == 1


def test_templates_change(project: Project, tmp_path: Path) -> None:
    project.write({"Doc.md": "doc\n"})
    templates = tmp_path / "templates"
    templates.mkdir()
    project.build(site={"templates": templates})
    (templates / "orphans.html").write_text("{% extends 'base.html' %}{% block main %}own template{% endblock %}")
    (templates / "style.css").write_text("/* own style */")
    project.build(site={"templates": templates})
    assert "own template" in (project.site / "orphans.html").read_text()
    assert (project.site / "_assets/style.css").read_text().startswith("/* own style */")
    (templates / "orphans.html").unlink()
    (templates / "style.css").unlink()
    project.build(site={"templates": templates})
    fresh, _ = clean(project, tmp_path / "clean", {"templates": templates})
    assert_equal(project, fresh, "own templates removed")


def test_two_output_folders_of_one_vault(project: Project, tmp_path: Path) -> None:
    project.write({"A.md": "[[B]]\n", "B.md": "b\n"})
    second = tmp_path / "second"
    project.build()
    project.build(site={"output": second})
    project.write({"B.md": "changed\n"})
    project.build()
    project.build(site={"output": second})
    fresh, _ = clean(project, tmp_path / "clean", {})
    assert fresh.files() == project.files()
    assert {
        path.relative_to(second).as_posix(): path.read_bytes() for path in second.rglob("*") if path.is_file()
    } == fresh.files()
