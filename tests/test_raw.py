"""Raw sources: searched beside the pages, kept up to date like them, never in the site, never in the pages' way."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from project import Project

from generator.query import run
from generator.raw import extracted_path, source_key
from generator.retrieval import SearchResult, search

WIKI = {
    "schema.md": "# Schema\n",
    "wiki/concepts/Boiling.md": "---\nsources: [kettle.md]\n---\nThe kettle boils water.\n",
    "raw/sources/kettle.md": "---\ntags: [metal]\naliases: [Report on kettles]\n---\n"
    "# On kettles\n\nThe kettle boils water quickly. 水壶烧水。\n",
    "raw/sources/notes.txt": "First paragraph of the notes.\n\nA kettle whistles.\n",
    "raw/sources/Annual report.pdf": b"%PDF-1.4 \x00\x01 not text",
}  # fmt: skip


def found(project: Project, text: str, **options: object) -> SearchResult:
    with project.index() as db:
        return run(db, search(text, **options))  # type: ignore[arg-type]


def hits(project: Project, text: str, **options: object) -> list[tuple[str, str]]:
    return [(hit.path, hit.scope) for hit in found(project, text, **options).hits]


@pytest.fixture
def wiki(project: Project) -> Project:
    project.write(WIKI)
    project.update()
    return project


def test_scopes(wiki: Project) -> None:
    page = ("wiki/concepts/Boiling.md", "wiki")
    report, notes = ("raw/sources/kettle.md", "raw"), ("raw/sources/notes.txt", "raw")
    assert hits(wiki, "kettle boils", scope="wiki") == [page]
    assert hits(wiki, "kettle boils", scope="raw") == [report, notes]
    assert hits(wiki, "kettle boils") == [page, report, notes]
    assert found(wiki, "kettle boils").relaxed
    assert found(wiki, "kettle boils").total == 3
    assert hits(wiki, "whistles") == [notes]
    assert hits(wiki, "烧水", scope="all") == [report]
    assert wiki.json("search", "kettle", "--scope", "raw")["total"] == 2


def test_a_hit_tells_where_it_is(wiki: Project) -> None:
    hit = found(wiki, "quickly").hits[0]
    assert (hit.title, hit.tags, hit.url, hit.heading) == ("On kettles", ("metal",), "", "On kettles")
    assert [hit.snippet[start:end] for start, end in hit.marks] == ["quickly"]
    assert found(wiki, "whistles").hits[0].summary == "First paragraph of the notes."


def test_filters_and_names(wiki: Project) -> None:
    assert hits(wiki, "kettle tag:metal") == [("raw/sources/kettle.md", "raw")]
    assert hits(wiki, "report on kettles")[0] == ("raw/sources/kettle.md", "raw")
    assert hits(wiki, "annual report")[0] == ("raw/sources/Annual report.pdf", "raw")
    assert hits(wiki, "annual report.pdf")[0] == ("raw/sources/Annual report.pdf", "raw")
    assert hits(wiki, "kettle path:concepts") == [("wiki/concepts/Boiling.md", "wiki")]
    assert hits(wiki, "kettle -quickly", scope="raw") == [("raw/sources/notes.txt", "raw")]
    assert hits(wiki, "") == [("wiki/concepts/Boiling.md", "wiki")], "what is new in the wiki"


def test_raw_sources_never_change_how_pages_rank(project: Project) -> None:
    pages = {f"wiki/concepts/{n}.md": f"kettle {'water ' * n} words {'kettle ' * (n % 3)}\n" for n in range(1, 9)}
    project.write({"schema.md": "x\n"} | pages)
    project.update()
    before = [(hit.path, hit.score) for hit in found(project, "kettle water").hits]
    project.write({f"raw/sources/{n}.txt": "kettle " * 50 + "water" for n in range(30)})
    project.update()
    assert [(hit.path, hit.score) for hit in found(project, "kettle water", scope="wiki").hits] == before
    both = found(project, "kettle water", limit=50).hits
    assert [hit.path for hit in both if hit.scope == "wiki"] == [path for path, _ in before]
    assert [hit.scope for hit in both[:4]] == ["wiki", "raw", "wiki", "raw"]


def test_they_are_kept_up_to_date(wiki: Project) -> None:
    wiki.write({"raw/sources/notes.txt": "Now about a lantern.\n", "raw/sources/new.md": "lantern two\n"})
    wiki.remove("raw/sources/kettle.md")
    wiki.update()
    assert hits(wiki, "whistles") == []
    assert hits(wiki, "quickly") == []
    assert {path for path, _ in hits(wiki, "lantern")} == {"raw/sources/notes.txt", "raw/sources/new.md"}
    wiki.move("raw/sources/new.md", "raw/sources/moved.md")
    wiki.update()
    assert {path for path, _ in hits(wiki, "lantern")} == {"raw/sources/notes.txt", "raw/sources/moved.md"}
    version = wiki.rows("SELECT value FROM wiki_meta WHERE key = 'data_version'")
    wiki.update()
    assert wiki.rows("SELECT value FROM wiki_meta WHERE key = 'data_version'") == version


TABLES = (
    "SELECT path, sha256, has_text, title, tags, aliases, summary, updated_at FROM raw_pages ORDER BY path",
    "SELECT p.path, c.headings, c.content FROM raw_content c JOIN raw_pages p USING (id) ORDER BY 1",
    "SELECT t.tag, p.path FROM raw_page_tags t JOIN raw_pages p ON p.id = t.page ORDER BY 1, 2",
    "SELECT s.source, p.path FROM wiki_page_sources s JOIN wiki_pages p ON p.id = s.page ORDER BY 1, 2",
)


def test_incremental_equals_clean(wiki: Project, tmp_path: Path) -> None:
    wiki.write({"raw/sources/notes.txt": "other\n", "raw/sources/deep/a.md": "# A\n\n#tag text\n"})
    wiki.update()
    wiki.remove("raw/sources/kettle.md")
    wiki.write({"wiki/concepts/Boiling.md": "---\nsources: [deep/a.md, 'https://example.org/x#y']\n---\nx\n"})
    wiki.update()
    fresh = Project(tmp_path / "fresh", wiki.vault)
    fresh.update()
    for sql in TABLES:
        assert wiki.rows(sql) == fresh.rows(sql)
    with wiki.index() as mine, fresh.index() as theirs:
        postings = []
        for db in (mine, theirs):
            db.execute("CREATE VIRTUAL TABLE temp.postings USING fts5vocab(main, raw_fts, instance)")
            sql = "SELECT term, p.path, col, offset FROM postings JOIN raw_pages p ON p.id = doc ORDER BY 1, 2, 3, 4"
            postings.append(db.execute(sql).fetchall())
    assert postings[0] == postings[1] != []


def test_the_text_of_other_files_comes_from_beside_the_index(wiki: Project) -> None:
    assert hits(wiki, "dividend") == []
    digest = hashlib.sha256(bytes(WIKI["raw/sources/Annual report.pdf"])).hexdigest()  # type: ignore[arg-type]
    place = extracted_path(wiki.config().wiki.index_path, digest)
    place.parent.mkdir()
    wiki.update()
    place.write_text("The dividend was paid.\n", "utf-8")
    wiki.update()
    assert hits(wiki, "dividend") == [("raw/sources/Annual report.pdf", "raw")]
    wiki.write({"raw/sources/Annual report.pdf": b"%PDF another"})
    wiki.update()
    assert hits(wiki, "dividend") == []
    assert hits(wiki, "annual report")[0] == ("raw/sources/Annual report.pdf", "raw")


def test_a_text_that_cannot_be_read_is_found_by_name(wiki: Project) -> None:
    wiki.write({"raw/sources/blob.txt": b"a\x00b", "raw/sources/bad.md": b"caf\xe9 kestrel"})
    wiki.update()
    version = wiki.rows("SELECT value FROM wiki_meta WHERE key = 'data_version'")
    wiki.update()
    assert wiki.rows("SELECT value FROM wiki_meta WHERE key = 'data_version'") == version
    assert hits(wiki, "blob") == [("raw/sources/blob.txt", "raw")]
    assert hits(wiki, "kestrel") == [("raw/sources/bad.md", "raw")]


def test_the_raw_folder_of_a_flat_vault(project: Project) -> None:
    project.write({"concepts/A.md": "kettle\n", "entities/B.md": "b\n", "_raw/clip.md": "kettle clip\n"})
    project.update()
    assert hits(project, "kettle") == [("concepts/A.md", "wiki"), ("_raw/clip.md", "raw")]
    project.remove("_raw")
    project.update()
    assert hits(project, "kettle") == [("concepts/A.md", "wiki")]


def test_they_are_in_no_page_of_the_site(wiki: Project) -> None:
    wiki.build()
    for name, content in wiki.files().items():
        assert b"whistles" not in content, name
        assert b"quickly" not in content, name


@pytest.mark.parametrize(
    ("source", "key"),
    [
        ("raw/sources/A.PDF", "a.pdf"),
        ("[[raw/sources/a.pdf|the report]]", "a.pdf"),
        ("_raw/a.pdf", "a.pdf"),
        ("./a.pdf#section", "a.pdf"),
        ("https://example.org/x#y", "https://example.org/x#y"),
        ("conversation:2026-01-01", "conversation:2026-01-01"),
        ("报告.md", "报告.md"),
    ],
)
def test_a_key_of_a_source(source: str, key: str) -> None:
    assert source_key(source) == key
