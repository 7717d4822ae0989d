"""The search in a real browser: it answers as the command does, as one types, and shows nothing that is private."""

from __future__ import annotations

from shutil import copytree
from typing import TYPE_CHECKING, Any

import pytest
from browser import Log
from conftest import require_shared
from project import Project
from search_queries import queries
from test_cases_site import served

from generator.assets import templates_dir
from generator.query import run
from generator.retrieval import SearchResult, search

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

VAULT = {
    "Green tea.md": "---\ntags: [drink/hot]\nlifecycle: verified\n---\n# Green tea\n\n## Brewing\n\nA kettle boils.\n",
    "Black tea.md": "---\ntags: [drink]\n---\nStronger, from the same kettle.\n",
    "things/Kettle.md": "---\naliases: [Boiler]\nlifecycle: disputed\n---\nA kettle for tea, kettles of iron.\n",
    "things/100% # odd.md": "An odd name for a kettle.\n",
    "茶叶.md": "---\ntags: [饮品]\n---\n绿茶与红茶都来自茶树。水壶烧开水。\n",
    "Html Tips.md": "kestrel <svg onload=boom()></svg> one\n\n`<img src=x onerror=boom()>` kestrel two & < four\n",
    "Secret.md": "---\npublish: false\ntags: [hushtag]\naliases: [Hushname]\n---\nhushword kettle 秘密茶\n",
    "Said.md": "A kettle %%hushcomment%% stands here.\n",
}


@pytest.fixture
def site(project: Project) -> str:
    project.write(VAULT)
    project.build()
    return project.site.as_uri()


def type_in(page: Page, text: str) -> None:
    """Type into the open search and wait for its answer."""
    page.locator(".search-input").fill(text)
    page.wait_for_function("text => document.querySelector('[data-answered]')?.dataset.answered === text", arg=text)


def found(page: Page) -> list[str]:
    return page.locator(".search-hits [role=option]").evaluate_all("hits => hits.map((hit) => hit.dataset.path)")


def open_search(page: Page) -> None:
    page.keyboard.press("/")
    page.wait_for_selector(".search-dialog[open] .search-input:focus")


# ── the same answers ────────────────────────────────────────────────────────────────────────────────────


def compare(page: Page, project: Project, count: int) -> None:
    """Pages, snippets, marks, headings and totals are those of `llmwiki search`."""
    log = Log(page)
    page.goto((project.site / "index.html").as_uri())
    page.evaluate("llmwiki.load('search', { isData: false })")
    with project.index() as db:
        wrong = []
        for text in queries(db, count):
            answer: SearchResult = run(db, search(text, limit=10, scope="wiki"))
            shown = page.evaluate("async (text) => llmwiki.search.search(text, {})", text)
            if of_browser(shown) != of_command(answer):
                wrong.append((text, of_command(answer), of_browser(shown)))
    assert wrong == []
    assert log.errors == []


def of_command(answer: SearchResult) -> tuple[Any, ...]:
    hits = [
        (
            hit.path,
            hit.title,
            hit.relaxed,
            hit.snippet,
            [hit.snippet[start:end] for start, end in hit.marks],
            hit.heading,
        )
        for hit in answer.hits
    ]
    return answer.total, answer.relaxed, hits


def of_browser(shown: dict[str, Any]) -> tuple[Any, ...]:
    def marked(hit: dict[str, Any]) -> list[str]:
        wide = hit["snippet"].encode("utf-16-le")
        return [wide[2 * start : 2 * end].decode("utf-16-le") for start, end in hit["marks"]]

    hits = [
        (
            hit["path"],
            hit["title"],
            hit["isRelaxed"],
            hit["snippet"],
            marked(hit),
            (hit["heading"] or {}).get("text", ""),
        )
        for hit in shown["hits"]
    ]
    return shown["total"], shown["isRelaxed"], hits


def without_private(project: Project) -> None:
    """The command knows of private pages, which count when it ranks; the site does not."""
    for (path,) in project.rows("SELECT path FROM wiki_pages WHERE NOT published"):
        project.remove(str(path))
    project.build()


def test_answers_as_the_command(page: Page, project: Project) -> None:
    copytree(templates_dir() / "sample-vault", project.vault, dirs_exist_ok=True)
    project.write({path: text for path, text in VAULT.items() if path not in {"Secret.md"}})
    project.build()
    without_private(project)
    compare(page, project, 60)


def test_answers_as_the_command_on_the_help_vault(page: Page, project: Project) -> None:
    for part in ("en", "zh"):
        copytree(require_shared("vaults", "obsidian-help", part), project.vault / part)
    project.build(workers=2)
    assert len(project.notes) == 346
    compare(page, project, 200)


# ── as one types ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("over", ["file", "http"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_typing_finds_and_enter_opens(page: Page, project: Project, over: str, language: str) -> None:
    project.write(VAULT)
    project.build(site={"language": language})
    log = Log(page)
    with served(project.site) as address:
        root = project.site.as_uri() if over == "file" else address.rstrip("/")
        page.goto(f"{root}/things/Kettle.html")
        open_search(page)
        page.keyboard.type("boiler", delay=5)
        page.wait_for_selector("[data-answered=boiler]")
        assert found(page) == ["things/Kettle.md"]
        type_in(page, "水壶")
        assert found(page) == ["茶叶.md"]
        assert page.locator(".search-hits mark").all_inner_texts() == ["水壶"]
        type_in(page, "odd ket")  # the beginning of a word finds it too
        assert found(page)[0] == "things/100% # odd.md"
        assert page.locator(".search-status").inner_text() != ""
        assert ("个" in page.locator(".search-status").inner_text()) == (language == "zh")
        page.keyboard.press("Enter")
        page.wait_for_url("**/100*")
        assert page.locator("h1").inner_text() == "100% # odd"
        assert {url for url in log.requests if not url.startswith(root)} == set()
    assert log.errors == []


def test_keys_move_open_and_close(page: Page, site: str) -> None:
    page.goto(f"{site}/Said.html")
    open_search(page)
    type_in(page, "kettle")
    paths = found(page)
    assert len(paths) == 5
    box = page.locator(".search-input")

    def chosen() -> str | None:
        assert page.locator("[aria-selected=true]").count() == 1
        assert box.get_attribute("aria-activedescendant") == page.locator("[aria-selected=true]").get_attribute("id")
        return page.locator("[aria-selected=true]").get_attribute("data-path")

    assert chosen() == paths[0]
    page.keyboard.press("ArrowDown")
    assert chosen() == paths[1]
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert chosen() == paths[-1]
    page.keyboard.press("Escape")
    page.wait_for_selector(".search-dialog", state="hidden")
    page.keyboard.press("Control+k")
    page.wait_for_selector(".search-dialog[open]")
    page.locator(".search-close").click()
    page.wait_for_selector(".search-dialog", state="hidden")
    page.locator(".search-button").click()
    page.wait_for_selector(".search-dialog[open]")
    page.mouse.click(5, 5)
    page.wait_for_selector(".search-dialog", state="hidden")


def test_filters_narrow(page: Page, site: str) -> None:
    page.goto(f"{site}/Said.html")
    open_search(page)
    type_in(page, "kettle")

    def choose(name: str, value: str) -> list[str]:
        page.locator(f"[data-filter={name}]").select_option(value)
        page.wait_for_selector("[data-answered]")
        return sorted(found(page))

    assert choose("folder", "things") == ["things/100% # odd.md", "things/Kettle.md"]
    assert choose("lifecycle", "disputed") == ["things/Kettle.md"]
    choose("folder", "")
    choose("lifecycle", "")
    assert choose("tag", "drink") == ["Black tea.md", "Green tea.md"]
    page.locator(".search-input").fill("")
    page.wait_for_selector("[data-answered='']")
    assert sorted(found(page)) == ["Black tea.md", "Green tea.md"]  # a filter alone is a question too
    assert page.locator("[data-filter=tag] option").all_inner_texts() == [
        "Any tag", "#drink (2)", "#drink/hot (1)", "#饮品 (1)",
    ]  # fmt: skip


def test_letters_typed_while_it_loads_are_kept(page: Page, site: str) -> None:
    held: list[Route] = []
    page.route("**/_assets/search.js", lambda route: held.append(route))
    page.goto(f"{site}/Said.html")
    with page.expect_request("**/_assets/search.js"):
        page.keyboard.press("/")
    page.keyboard.type("kextq")
    for _ in "xtq":
        page.keyboard.press("Backspace")
    page.keyboard.type("ttle")
    held[0].continue_()
    page.wait_for_selector("[data-answered=kettle]")
    assert page.locator(".search-input").input_value() == "kettle"
    assert "things/Kettle.md" in found(page)
    page.keyboard.type("s")
    page.wait_for_selector("[data-answered=kettles]")


def test_a_phone_has_room_for_it(page: Page, site: str) -> None:
    page.set_viewport_size({"width": 390, "height": 700})
    page.goto(f"{site}/Said.html")
    page.locator(".search-button").click()
    page.wait_for_selector(".search-input:focus")
    type_in(page, "kettle")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    frame = page.locator(".search-dialog").bounding_box()
    assert frame is not None
    assert frame["x"] >= 0
    assert frame["x"] + frame["width"] <= 390
    page.locator(".search-hits [data-path='Black tea.md']").click()
    page.wait_for_url("**/Black*")


def test_the_page_of_the_search_takes_a_query(page: Page, site: str) -> None:
    page.goto(f"{site}/search.html?q=boiler")
    page.wait_for_selector("[data-answered=boiler]")
    assert found(page) == ["things/Kettle.md"]
    type_in(page, "绿茶")
    assert found(page) == ["茶叶.md"]
    assert page.evaluate("new URLSearchParams(location.search).get('q')") == "绿茶"
    type_in(page, "zzz")
    assert found(page) == []
    assert page.locator(".search-status").inner_text() == "No page was found."


def test_a_hit_leads_to_its_heading(page: Page, site: str) -> None:
    page.goto(f"{site}/search.html?q=boils")
    page.wait_for_selector("[data-answered=boils]")
    page.locator(".search-hits [role=option]").first.click()
    page.wait_for_url("**/Green%20tea.html#*")
    assert page.locator(":target").inner_text().startswith("Brewing")


def test_s26_snippets_are_text(page: Page, site: str) -> None:
    page.goto(f"{site}/search.html?q=kestrel")
    page.wait_for_selector("[data-answered=kestrel]")
    assert set(page.locator(".search-hits mark").all_inner_texts()) == {"kestrel"}
    assert "<img src=x onerror=boom()>" in page.locator(".search-snippet").inner_text()
    assert page.locator("svg[onload], img[onerror]").count() == 0


def test_a_missing_file_is_told(page: Page, project: Project, site: str) -> None:
    for file in (project.site / "_assets" / "text").rglob("*.js"):
        file.unlink()
    page.goto(f"{site}/search.html?q=kettle")
    page.wait_for_selector("[data-answered=kettle]")
    assert page.locator(".search-status").inner_text() == "A file of the search is missing: load the page again."


# ── what is private ─────────────────────────────────────────────────────────────────────────────────────


def test_nothing_private_is_in_any_file(project: Project) -> None:
    """Words are cut into stems and bigrams in the files of the search: these are looked for as well."""
    project.write(VAULT)
    project.build()
    kept = [name for name, data in project.files().items() if b"hush" in data.lower() or "秘密".encode() in data]
    assert kept == []
    project.write({"Secret.md": VAULT["Secret.md"].replace("publish: false", "publish: true")})
    project.build()
    shown = {name for name, data in project.files().items() if b"hushword" in data}
    assert any(name.startswith("_assets/search/") for name in shown)  # so that is how it would look
    project.write({"Secret.md": VAULT["Secret.md"]})
    project.build()
    kept = [name for name, data in project.files().items() if b"hush" in data.lower() or "秘密".encode() in data]
    assert kept == []


def test_everything_is_small(project: Project) -> None:
    """What one answer loads: the directory, a file or two a word, and the texts of the pages shown."""
    project.write(VAULT)
    project.build()
    sizes = {name: len(data) for name, data in project.files().items()}
    assert sizes["_assets/search/index.js"] < 10_000
    assert sizes["_assets/search.js"] < 60_000
    assert sizes["_assets/site.js"] < 40_000
