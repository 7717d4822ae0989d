"""The graph in a real browser: drawn, searched, filtered, by mouse, finger and keyboard, asking nothing of others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from browser import Log
from project import Project
from test_cases_site import served

from generator.pages import graph_data

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ZH = "茶叶"


def vault(project: Project) -> None:
    """Three folders of pages that link in rings, with a bridge between the first two."""
    for folder in ("alpha", "beta", "gamma"):
        for number in range(10):
            links = f"[[{folder} {(number + 1) % 10}]] [[{folder} {(number + 2) % 10}]]"
            bridge = "[[beta 0]]" if folder == "alpha" and number == 0 else ""
            front = "---\ntags: [even]\nlifecycle: verified\n---\n" if number % 2 == 0 else ""
            project.write({f"{folder}/{folder} {number}.md": f"{front}{links} {bridge}\n"})
    project.write(
        {
            f"{ZH}.md": "[odd](100%25%20odd%20%231.md)\n",
            "100% odd #1.md": "",
            "Alone.md": "",
            "Secret.md": "---\npublish: false\n---\n[[alpha 0]]",
        }
    )


@pytest.fixture
def site(project: Project) -> str:
    vault(project)
    project.build()
    return project.site.as_uri()


def ready(page: Page, box: str = ".graph") -> None:
    page.wait_for_selector(f"{box}[data-ready]")


def view(page: Page, expression: str, box: str = ".graph") -> Any:
    """A value of the drawing: `view` is the one of the page."""
    return page.evaluate(f"(() => {{ const view = document.querySelector('{box}').view; return {expression}; }})()")


def place(page: Page, title: str, box: str = ".graph") -> tuple[float, float]:
    """Where a node is on the screen."""
    expression = f"view.toScreen(view.nodes.find((node) => node.title === {title!r}))"
    x, y = view(page, expression, box)
    frame = page.locator(f"{box} canvas").bounding_box()
    assert frame is not None
    return frame["x"] + x, frame["y"] + y


def ink(page: Page, box: str = ".graph") -> int:
    """How many pixels of the canvas are drawn on."""
    page.wait_for_timeout(80)
    pixels = "c.getContext('2d').getImageData(0, 0, c.width, c.height).data"
    script = f"c => {pixels}.filter((value, i) => i % 4 === 3 && value > 0).length"
    return int(page.locator(f"{box} canvas").evaluate(script))


@pytest.mark.parametrize("over", ["file", "http"])
def test_the_graph_is_drawn_and_opens_pages(project: Project, site: str, page: Page, over: str) -> None:
    if over == "http":
        with served(project.site) as root:
            _opens(page, root.rstrip("/"))
    else:
        _opens(page, site)


def _opens(page: Page, root: str) -> None:
    log = Log(page)
    page.goto(f"{root}/graph.html")
    ready(page)
    assert view(page, "view.nodes.length") == 33
    assert ink(page) > 1000
    assert page.locator("[data-part=status]").inner_text() == "33 pages, 62 links"
    page.mouse.move(*place(page, "alpha 3"))
    assert view(page, "view.nodes[view.hovered].title") == "alpha 3"
    assert view(page, "view.near[view.hovered].map((i) => view.nodes[i].title).sort()") == [
        "alpha 1", "alpha 2", "alpha 4", "alpha 5",
    ]  # fmt: skip
    page.mouse.click(*place(page, "100% odd #1"))
    page.wait_for_url("**/100*")
    assert page.locator("h1").inner_text() == "100% odd #1"
    assert log.errors == []
    assert {url for url in log.requests if not url.startswith(root)} == set()


def test_pan_and_zoom(site: str, page: Page) -> None:
    page.goto(f"{site}/graph.html")
    ready(page)
    start, scale = view(page, "[view.x, view.y]"), view(page, "view.scale")
    frame = page.locator(".graph canvas").bounding_box()
    assert frame is not None
    corner = (frame["x"] + 20, frame["y"] + 20)
    page.mouse.move(*corner)
    page.mouse.down()
    page.mouse.move(corner[0] + 100, corner[1] + 50, steps=4)
    page.mouse.up()
    moved = view(page, "[view.x, view.y]")
    assert moved[0] == pytest.approx(start[0] - 100 / scale, abs=1)
    assert moved[1] == pytest.approx(start[1] - 50 / scale, abs=1)
    before = view(page, "view.toWorld(20, 20)")
    page.mouse.move(*corner)
    page.mouse.wheel(0, -100)
    page.wait_for_timeout(80)
    assert view(page, "view.scale") > scale
    assert view(page, "view.toWorld(20, 20)") == pytest.approx(before, abs=1)
    page.click("[data-part=fit]")
    assert view(page, "[view.x, view.y, view.scale]") == pytest.approx([*start, scale])


def test_keyboard(site: str, page: Page) -> None:
    page.goto(f"{site}/graph.html")
    ready(page)
    page.focus(".graph canvas")
    scale, x = view(page, "view.scale"), view(page, "view.x")
    page.keyboard.press("+")
    assert view(page, "view.scale") > scale
    page.keyboard.press("ArrowRight")
    assert view(page, "view.x") > x
    page.keyboard.press("0")
    assert view(page, "view.scale") == scale
    page.keyboard.press("n")
    first = view(page, "view.nodes[view.selected].title")
    assert page.locator("[data-part=status]").inner_text() == f"{first} · 5 neighbours"
    page.keyboard.press("n")
    page.keyboard.press("p")
    assert view(page, "view.nodes[view.selected].title") == first
    page.keyboard.press("Enter")
    page.wait_for_url("**/*%200.html")
    assert page.locator("h1").inner_text() == first


def test_search_focuses_a_page(site: str, page: Page) -> None:
    page.goto(f"{site}/graph.html")
    ready(page)
    page.fill("[data-part=search]", "beta")
    assert page.locator("[data-part=status]").inner_text() == "10 pages"
    assert page.locator("[data-part=matches] li").count() == 8
    page.fill("[data-part=search]", ZH)
    page.keyboard.press("Enter")
    assert view(page, "view.nodes[view.selected].title") == ZH
    assert view(page, "view.toScreen(view.nodes[view.selected]).map(Math.round)") == view(
        page, "[view.width / 2, view.height / 2].map(Math.round)"
    )
    page.fill("[data-part=search]", "no such page")
    assert page.locator("[data-part=status]").inner_text() == "No page has such a title."


def test_colours_legend_and_filter(site: str, page: Page) -> None:
    page.goto(f"{site}/graph.html")
    ready(page)
    legend = page.locator("[data-part=legend] button")
    assert legend.all_inner_texts()[:3] == ["alpha\n10", "beta\n10", "gamma\n10"]
    colours = view(page, "[...new Set(view.nodes.filter((n) => n.url.startsWith('alpha')).map((n) => n.colour))]")
    assert len(colours) == 1
    assert 0 <= colours[0] < 10
    legend.nth(1).click()
    assert legend.nth(1).get_attribute("aria-pressed") == "true"
    assert view(page, "view.nodes.filter((n, i) => view.isShown(i)).map((n) => n.url.split('/')[0])") == ["beta"] * 10
    page.select_option("[data-part=colour]", "tag")
    assert legend.all_inner_texts() == ["even\n15"]
    legend.first.click()
    assert view(page, "view.nodes.filter((n, i) => view.isShown(i)).length") == 15
    legend.first.click()
    page.select_option("[data-part=colour]", "lifecycle")
    assert legend.all_inner_texts() == ["Draft\n18", "Verified\n15"]
    page.select_option("[data-part=colour]", "community")
    assert legend.count() == 4


def test_light_and_dark(site: str, page: Page) -> None:
    page.goto(f"{site}/graph.html")
    ready(page)
    colour = "getComputedStyle(view.canvas).backgroundColor"
    light = view(page, colour)
    page.click(".theme-switch")
    page.wait_for_timeout(80)
    assert view(page, colour) != light
    assert ink(page) > 1000


def test_a_finger_shows_first_and_opens_then(site: str, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(f"{site}/graph.html")
    ready(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.locator(".graph canvas").scroll_into_view_if_needed()
    page.touchscreen.tap(*place(page, "Alone"))
    assert view(page, "view.nodes[view.selected].title") == "Alone"
    page.touchscreen.tap(*place(page, "Alone"))
    page.wait_for_url("**/Alone.html")
    context.close()


def test_the_graph_around_a_page(project: Project, site: str, page: Page) -> None:
    log = Log(page)
    page.goto(f"{site}/alpha/alpha%200.html")
    page.locator(".local-graph").scroll_into_view_if_needed()
    ready(page, ".local-graph")

    def titles() -> set[str]:
        return set(view(page, "view.nodes.map((n) => n.title)", ".local-graph"))

    near = {"alpha 0", "alpha 1", "alpha 2", "alpha 8", "alpha 9", "beta 0"}
    assert titles() == near
    assert view(page, "view.near[0].length", ".local-graph") == 5
    assert view(page, "view.links.length / 2", ".local-graph") > 5  # also those among the neighbours
    page.select_option(".local-graph select", "2")
    page.wait_for_function("document.querySelector('.local-graph').view.nodes.length > 6")
    assert titles() >= near | {"alpha 3", "alpha 4", "alpha 6", "alpha 7", "beta 1", "beta 2", "beta 8", "beta 9"}
    assert "alpha 5" not in titles()
    assert not any(title.startswith("gamma") for title in titles())
    page.locator(".local-graph canvas").scroll_into_view_if_needed()
    page.mouse.click(*place(page, "beta 0", ".local-graph"))
    page.wait_for_url("**/beta%200.html")
    assert log.errors == []
    assert not [url for url in log.requests if url.endswith("map.js")]


def test_from_a_page_into_the_whole_graph(site: str, page: Page) -> None:
    page.goto(f"{site}/100%25%20odd%20%231.html")
    page.click(".local-graph a")
    ready(page)
    assert view(page, "view.nodes[view.selected].title") == "100% odd #1"


def test_a_note_loads_only_its_part(project: Project, page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_data, "_NEAR", 1)
    vault(project)
    project.build()
    assert len([*(project.site / "_assets/graph").glob("near-*.js")]) == 64
    log = Log(page)
    page.goto(f"{project.site.as_uri()}/gamma/gamma%203.html")
    page.locator(".local-graph").scroll_into_view_if_needed()
    ready(page, ".local-graph")
    loaded = {url.rpartition("/")[2] for url in log.requests if "/near-" in url}
    assert 1 <= len(loaded) <= 5
    assert log.errors == []


def test_communities_first_in_large_wikis(project: Project, page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_data, "WHOLE", 10)
    vault(project)
    project.build()
    log = Log(page)
    page.goto(f"{project.site.as_uri()}/graph.html")
    ready(page)
    assert view(page, "view.nodes.length") == 4
    assert not [url for url in log.requests if "/map-" in url]
    page.focus(".graph canvas")
    page.keyboard.press("n")
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-part=back]:visible")
    assert view(page, "view.nodes.length") == 10
    assert len(set(view(page, "view.nodes.map((n) => n.url.split('/')[0])"))) == 1
    page.click("[data-part=back]")
    assert view(page, "view.nodes.length") == 4
    assert log.errors == []


def test_an_empty_wiki(project: Project, page: Page) -> None:
    project.build()
    log = Log(page)
    page.goto(f"{project.site.as_uri()}/graph.html")
    ready(page)
    page.focus(".graph canvas")
    for key in ("n", "Enter", "+", "0"):
        page.keyboard.press(key)
    assert log.errors == []


def test_chinese(project: Project, page: Page) -> None:
    vault(project)
    project.build(site={"language": "zh"})
    page.goto(f"{project.site.as_uri()}/graph.html")
    ready(page)
    assert page.locator("[data-part=status]").inner_text() == "33 个页面，62 个链接"
    assert page.locator("h1").inner_text() == "关系图谱"


def test_the_exported_page_needs_no_network(project: Project, browser: Browser, tmp_path: Path) -> None:
    vault(project)
    file = tmp_path / "alone" / "graph.html"
    project.json("export", "html", "-o", str(file))
    context = browser.new_context(offline=True)
    page = context.new_page()
    log = Log(page)
    page.goto(file.as_uri())
    ready(page)
    assert view(page, "view.nodes.length") == 33
    assert ink(page) > 1000
    page.mouse.click(*place(page, "alpha 3"))
    assert view(page, "view.nodes[view.selected].title") == "alpha 3"
    assert log.errors == []
    assert {url for url in log.requests if not url.startswith("data:")} == {file.as_uri()}
    context.close()
