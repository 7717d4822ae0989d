"""The shared cases on output paths, unusual names, and text that is embedded in pages: S28 to S32, S39 to S45."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from unicodedata import normalize
from urllib.parse import quote, unquote, urljoin
from urllib.request import urlopen

import pytest
from cases import all_cases
from project import Page, Project
from site_checker import check_site


def make(project: Project, name: str) -> Project:
    all_cases()[name].make(project.vault)
    return project


def opened(project: Project, page: Page, label: str) -> Page:
    """The page behind the link of that label."""
    (href,) = {str(a["href"]) for a in page.body.select("a.internal-link") if a.get_text() == label}
    return Page((page.file.parent / unquote(href.partition("#")[0])).resolve())


def note_pages(project: Project) -> dict[str, str]:
    """The body of every note's own page, by URL."""
    urls = [str(url) for (url,) in project.rows("SELECT url FROM wiki_pages")]
    assert len(set(urls)) == len(urls)
    return {url: Page(project.site / url).text for url in urls}


def urls(project: Project) -> dict[str, str]:
    return {str(path): str(url) for path, url in project.rows("SELECT path, url FROM wiki_pages")}


def test_s28_different_names_with_one_slug(project: Project, tmp_path: Path) -> None:
    make(project, "S28").build()
    pages = note_pages(project)
    assert len(pages) == 11
    for number in range(10):
        assert sum(f"marker{number} " in text for text in pages.values()) == 1, number
    folded = Counter(path.casefold() for path in project.files())
    assert max(folded.values()) == 1
    doc = project.page("Doc.md")
    for label, number in {"Tea Time": 0, "Tea-Time": 1, "Tea Time!": 3, "C++": 6, "C": 5}.items():
        assert f"marker{number} " in opened(project, doc, label).text, label
    assert check_site(project.site) == []

    other = Project(tmp_path / "reversed")
    for path in sorted(project.vault.iterdir(), reverse=True):
        (other.vault / path.name).write_bytes(path.read_bytes())
    other.build()
    assert urls(other) == urls(project)


def test_s29_notes_named_like_generated_pages(project: Project) -> None:
    make(project, "S29").build()
    pages = note_pages(project)
    for number in range(12):
        assert sum(f"marker{number} " in f"{text} " for text in pages.values()) == 1, number
    lists = ("tags.html", "tags/tea.html", "orphans.html", "hot.html", "pages.html", "timeline.html", "health.html")
    for generated in (*lists, "search.html", "graph.html", "index.html", "404.html"):
        assert (project.site / generated).is_file(), generated
        assert generated not in pages
    tag_page = Page(project.site / "tags/tea.html")
    listed = {unquote(str(a["href"])).removeprefix("../") for a in tag_page.main.select("a[href]")} & set(pages)
    assert listed == set(pages) - {"Doc.html"}
    assert len(listed) == 12
    doc = project.page("Doc.md")
    for label, number in {"Tools": 0, "Saw": 2, "tags": 4, "graph": 6}.items():
        assert f"marker{number} " in opened(project, doc, label).text, label
    sheets = doc.soup.select('link[rel="stylesheet"]')
    assert sheets
    assert all((project.site / str(sheet["href"])).stat().st_size > 0 for sheet in sheets)
    assert check_site(project.site) == []


def test_s30_renames_leave_nothing_behind(project: Project, tmp_path: Path) -> None:
    make(project, "S30").build()
    project.move("Old.md", "New.md")
    project.move("sub", "moved")
    project.build()
    project.write({"moved/Late.md": "lateword\n"})
    project.build()
    assert project.find("oldword") == ["New.md"]
    assert project.find("deepword") == ["moved/Deep.md"]
    assert project.find("lateword") == ["moved/Late.md"]
    assert [(link.name, link.opens) for link in project.facts("Ref.md").written] == [("Old", None), ("New", "New.md")]
    assert project.notes == ["New.md", "Ref.md", "moved/Deep.md", "moved/Late.md"]
    fresh = Project(tmp_path / "fresh", project.vault)
    fresh.build()
    assert fresh.files() == project.files()
    assert not any(name.startswith(("Old", "sub/")) for name in project.files())


def test_s31_editors_that_save_by_rename(project: Project) -> None:
    make(project, "S31").build()
    doc, temporary, backup = (project.vault / name for name in ("Doc.md", "Doc.md.tmp123", "Doc.md~"))

    def state(present: str, *absent: str) -> None:
        project.build()
        assert project.notes in (["Doc.md"], [])
        assert project.find(present) == ["Doc.md"]
        assert [word for word in absent if project.find(word)] == []

    temporary.write_text("secondword\n")
    state("version", "secondword")
    temporary.replace(doc)
    state("secondword", "version")

    doc.rename(backup)
    project.build()
    assert project.notes == []
    doc.write_text("thirdword\n")
    state("thirdword", "secondword")
    backup.unlink()
    state("thirdword", "secondword")

    doc.write_text("")
    project.build()
    assert project.notes == ["Doc.md"]
    doc.write_text("fourth")
    project.build()
    doc.write_text("fourthword half and halfword\n")
    state("halfword", "thirdword")
    assert "halfword" in project.page("Doc.md").text
    assert set(urls(project)) == {"Doc.md"}


def test_s32_output_and_index_inside_the_vault(project: Project) -> None:
    make(project, "S32")
    site = project.vault / "_site"
    project.build(site={"output": site}, wiki={"index_path": project.vault / "index.db"})
    before = {path: path.stat().st_mtime_ns for path in project.vault.rglob("*")}
    report = project.build(site={"output": site}, wiki={"index_path": project.vault / "index.db"})
    assert (report.pages, report.parsed, report.written, report.removed) == (1, 0, 0, 0)
    after = {path: path.stat().st_mtime_ns for path in project.vault.rglob("*") if "index.db" not in path.name}
    assert after == {path: before[path] for path in after}
    assert not (site / "_site").exists()
    project.write({"Doc.md": "hello again\n"})
    report = project.build(site={"output": site}, wiki={"index_path": project.vault / "index.db"})
    assert (report.pages, report.parsed) == (1, 1)
    assert not (site / "_site").exists()


def test_s39_decomposed_file_names(project: Project) -> None:
    make(project, "S39").build()
    name = "Café Über.md"
    assert project.notes == sorted([name, "Doc.md", "Doc2.md"])
    for doc in ("Doc.md", "Doc2.md"):
        assert project.facts(doc).links == {name}
        assert project.facts(doc).broken == set()
        assert "cafeword" in opened(project, project.page(doc), project.page(doc).body.select("a")[0].get_text()).text
    assert project.facts(name).backlinks == {"Doc.md", "Doc2.md"}
    assert "Café Über" not in {normalize("NFC", title) for title in project.orphans}
    assert project.tags == {"idée": 2}
    for form in ("NFC", "NFD"):
        assert project.show(normalize(form, name))["path"] == name
    assert check_site(project.site) == []


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name in the standard library
        pass


@contextmanager
def served(site: Path) -> Iterator[str]:
    """The site at an address of a plain web server."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(site)))
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def fetch(address: str) -> str:
    with urlopen(address, timeout=10) as answer:
        assert answer.status == 200
        return str(answer.read().decode())


def test_s40_reserved_characters_in_names(project: Project) -> None:
    make(project, "S40").build()
    paths = [path for path in project.notes if path != "Doc.md"]
    assert len(paths) == 10
    with served(project.site) as root:
        numbers = set()
        for path in paths:
            marker = (project.vault / path).read_text().strip()
            body = fetch(root + quote(project.facts(path).url))
            assert f"<p>{marker}</p>" in body, path
            numbers.add(marker)
        assert len(numbers) == 10
        labels = {"100% cotton": 1, "Q&A": 2, "a+b": 3, 'it\'s "here"': 6, "x": 4, "y": 5, "semi;colon": 8}
        links = {a.get_text(): str(a["href"]) for a in project.page("Doc.md").body.select("a")}
        assert links.keys() == labels.keys()
        for label, href in links.items():
            assert f"<p>marker{labels[label]}</p>" in fetch(urljoin(root, href)), label
    for file in project.pages():
        assert not [b for b in Page(file).soup.find_all("b") if "bold" in b.get_text()], file
    assert project.facts("<b>bold<b> 1 < 2.md").title == "<b>bold<b> 1 < 2"
    assert check_site(project.site) == []


def test_s41_files_that_are_not_text(project: Project) -> None:
    report = make(project, "S41").build()
    secret = {"Secret.md"} if os.geteuid() != 0 else set()
    findings = {finding.path: finding.code for finding in report.warnings}
    assert {"Bin.md", "Nul.md", *secret} <= {path for path, code in findings.items() if code == "unreadable"}
    assert findings["Latin.md"] == "bad-encoding"
    assert project.find("goodword") == ["Good.md"]
    assert project.find("latinword") == ["Latin.md"]
    assert project.find("utf16word") == ["Utf16.md"]
    assert project.find("nulword") == []
    assert not {"Dir.md", "Dangling.md", "Bin.md", "Nul.md"} & set(project.notes)
    assert project.facts("Good.md").links == {"Latin.md"}
    assert check_site(project.site) == []


def test_s42_dot_folders_are_no_part_of_the_vault(project: Project) -> None:
    make(project, "S42").build()
    assert project.notes == ["Doc.md", "wiki/Tea.md"]
    everything = b"".join(project.files().values())
    for word in ("rawword", "trashword", "pluginword", "gitword"):
        assert project.find(word) == []
        assert word.encode() not in everything
    tea, old, readme = project.facts("Doc.md").written
    assert (tea.opens, tea.status) == ("wiki/Tea.md", "")
    assert (old.opens, readme.opens) == (None, None)
    project.write({".git/notes.md": "gitword again\n"})
    report = project.build()
    assert (report.parsed, report.written) == (0, 0)


def test_s44_note_text_in_scripts(project: Project, tmp_path: Path) -> None:
    bare = Project(tmp_path / "bare")
    bare.write({"Doc.md": "[[Snippet]]\n", "Snippet.md": "---\ntags: [ok]\n---\nharmless\n"})
    bare.build()
    make(project, "S44").build()
    new = project.files().keys() - bare.files().keys()
    assert {name for name in new if not name.startswith("_assets/search/")} == {
        "_!--_script_.html"
    }  # the alias leads on
    for file in bare.pages():
        scripts = Page(project.site / file.relative_to(bare.site)).soup.find_all("script")
        assert len(scripts) == len(Page(file).soup.find_all("script")), file
        for script in scripts:
            if script.get("type") == "application/ld+json":
                assert not set(script.get_text()) & set("<>&\u2028\u2029")
            else:
                assert "boom" not in script.get_text()
                assert "\u2028" not in script.get_text()
    data = {
        path: text.decode() for path, text in project.files().items() if path.startswith("_assets/") and "/" in path[8:]
    }
    assert {path.split("/")[1] for path in data} >= {"search", "text", "graph", "tree"}
    assert [path for path, text in data.items() if set(text) & set("<\u2028\u2029")] == []
    title = "Pump</script><script>boom()</script>"
    page = project.page("Snippet.md")
    assert page.head_title.startswith(title)
    assert project.facts("Snippet.md").aliases == ["<!--<script>"]
    assert page.main.select_one("h1").get_text() == title  # type: ignore[union-attr]
    assert json.loads(page.soup.select_one('[type="application/ld+json"]').get_text())["headline"] == title  # type: ignore[union-attr]
    assert project.show("Snippet.md")["title"] == title
    assert check_site(project.site) == []


def test_s45_orphans_and_what_is_no_link(project: Project) -> None:
    make(project, "S45").build()
    listed = {unquote(str(a["href"])) for a in Page(project.site / "orphans.html").main.select("a[href]")}
    by_url = {url: path for path, url in urls(project).items()}
    assert {by_url[url] for url in listed if url in by_url} == {"animals/seal.md", "Solo.md", "Hub.md"}
    assert all(project.facts(path).broken == set() for path in project.notes)
    assert [link.name for link in project.facts("Hub.md").written] == ["parts/seal", "Embedded"]
    assert project.rows("SELECT n FROM wiki_links WHERE status != ''") == []
    links = project.page("Hub.md").body.select('a[href^="https://example.org"]')
    assert [link["href"] for link in links] == ["https://example.org/x_(y)"]


@pytest.mark.parametrize("name", ["S28", "S29", "S40"])
def test_building_twice_gives_the_same_bytes(project: Project, tmp_path: Path, name: str) -> None:
    make(project, name).build()
    fresh = Project(tmp_path / "fresh", project.vault)
    fresh.build(force=True)
    assert fresh.files() == project.files()
