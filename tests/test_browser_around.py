"""The tree of files, related pages and unlinked mentions in a real browser."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree
from typing import TYPE_CHECKING

import pytest
from browser import Log
from project import Project
from test_cases_site import served

from generator.assets import templates_dir
from generator.query import run
from generator.relevance import related
from generator.store import connect_read_only

if TYPE_CHECKING:
    from playwright.sync_api import Page

VAULT = {
    "Tea.md": "---\naliases: [Chai, 绿茶, 茶]\n---\n[[Water]]\n",
    "Water.md": "water for [[Kettle]]\n",
    "deep/er/Kettle.md": "A kettle is for tea, as 绿茶 needs hot water.\n",
    "deep/Linked.md": "[[Tea]] and tea again\n",
    "deep/绿.md": "喝绿茶的人，不喝红茶\n",
    "100% # odd.md": "[[Tea]]\n",
    "Secret.md": "---\npublish: false\n---\nhidden tea\n",
}


@pytest.fixture
def site(project: Project) -> str:
    project.write(VAULT)
    project.build()
    return project.site.as_uri()


def texts(page: Page, selector: str) -> list[str]:
    return [text.strip() for text in page.locator(selector).all_inner_texts()]


@pytest.mark.parametrize("scheme", ["file", "http"])
def test_the_tree_opens_at_the_page_and_remembers(page: Page, project: Project, site: str, scheme: str) -> None:
    log = Log(page)
    with served(project.site) as address:
        base = site if scheme == "file" else address.rstrip("/")
        page.goto(f"{base}/deep/Linked.html")
        page.wait_for_selector(".site-nav[data-tree]")
        assert texts(page, ".nav-tree > li > a") == ["deep", "100% # odd", "Tea", "Water"]
        assert texts(page, ".nav-tree [aria-current=page]") == ["Linked"]
        page.get_by_role("button", name="Open er").click()
        page.get_by_role("link", name="Kettle", exact=True).first.click()
        page.wait_for_url("**/Kettle.html")
        page.goto(f"{base}/Water.html")
        page.wait_for_selector(".site-nav[data-tree]")
        assert texts(page, ".nav-tree > li > ul > li > a") == ["er", "Linked", "绿"]  # what was open still is
        assert texts(page, ".nav-tree > li > ul > li > ul > li > a") == ["Kettle"]
        page.locator(".nav-tree").get_by_role("link", name="100% # odd").click()
        page.wait_for_selector(".nav-tree [aria-current=page] >> text=odd")
    assert [url for url in log.requests if not url.startswith(base)] == []
    assert log.errors == []


def test_on_a_phone_the_tree_comes_with_the_drawer(page: Page, site: str) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    log = Log(page)
    page.goto(f"{site}/Tea.html")
    assert not any("/tree/" in url for url in log.requests)
    page.click(".nav-button")
    page.wait_for_selector(".nav-tree a[aria-current=page]")
    assert texts(page, ".nav-tree [aria-current=page]") == ["Tea"]


def test_mentions_leave_out_what_links_here(page: Page, site: str) -> None:
    log = Log(page)
    page.goto(f"{site}/Tea.html")
    page.click(".mentions summary")
    page.wait_for_selector(".mentions[data-ready]")
    assert sorted(texts(page, ".mentions a")) == ["Kettle", "绿"]
    assert "tea" in texts(page, ".mentions mark")
    assert log.errors == []
    page.goto(f"{site}/deep/Linked.html")
    page.click(".mentions summary")
    page.wait_for_selector(".mentions[data-ready]")
    assert texts(page, ".mentions li") == ["No other page names this one without a link."]


def test_related_pages_are_those_of_the_command(page: Page, tmp_path: Path) -> None:
    project = Project(tmp_path)
    copytree(templates_dir() / "sample-vault", project.vault, dirs_exist_ok=True)
    project.build()
    private = project.rows("SELECT path FROM wiki_pages WHERE NOT published")
    for (path,) in private:  # the site does not know of them, the command does
        project.remove(str(path))
    project.build()
    db = connect_read_only(project.config().wiki.index_path)
    rows = db.execute("SELECT id, path, url FROM wiki_pages WHERE published AND NOT special ORDER BY path").fetchall()
    page.goto((project.site / "index.html").as_uri())
    shown = page.evaluate(
        "async (urls) => Promise.all(urls.map(async (url) => (await llmwiki.related(url)).map((page) => page.url)))",
        [url for _, _, url in rows],
    )
    urls = {path: url for _, path, url in rows}
    seen = 0
    for (page_id, path, _), found in zip(rows, shown, strict=True):
        expected = [other.path for other in run(db, related(page_id, 8))]
        assert found[:8] == [urls[other] for other in expected], path
        seen += bool(found)
    db.close()
    assert seen > 30
