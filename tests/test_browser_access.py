"""What axe finds on every kind of page, in both themes: nothing serious."""

from __future__ import annotations

from shutil import copytree
from typing import TYPE_CHECKING

import pytest
from project import Project

from generator.assets import templates_dir

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Page

KINDS = (
    "index", "concepts/index", "tags", "pages", "orphans", "hot", "timeline", "health", "search", "graph", "404",
)  # fmt: skip
NOTE = (
    "---\ntags: [drink]\nlifecycle: disputed\n---\n# Note\n\nSee [[index]], ==marked== and `code`.[^1]\n\n"
    "> [!warning] Hot\n> water\n\n- [ ] open\n- [x] done\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n"
    "```python\nx = 1  # a comment\n```\n\n## Part\n\n$x^2$ and [out](https://example.org)\n\n"
    "## 中文\n\n文字\n\n[^1]: A footnote.\n"
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = Project(tmp_path_factory.mktemp("access"))
    copytree(templates_dir() / "sample-vault", project.vault, dirs_exist_ok=True)
    project.write({"wiki/concepts/Of every kind.md": NOTE})
    project.build()
    return project.site


def serious(page: Page) -> list[str]:
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [
        f"{each['id']} ({each['impact']}): {node['html'][:120]}"
        for each in found
        if each["impact"] in {"serious", "critical"}
        for node in each["nodes"][:3]
    ]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 390])
def test_axe_finds_nothing_serious(browser: Browser, site: Path, theme: str, width: int) -> None:
    context = browser.new_context(
        color_scheme=theme,  # type: ignore[arg-type]
        viewport={"width": width, "height": 900},
        reduced_motion="reduce",
    )
    page = context.new_page()
    files = [next(site.rglob(f"{kind}.html")) for kind in KINDS]
    files += [
        next(site.rglob("Of every kind.html")),
        next((site / "tags").rglob("*.html")),
        *(site / "timeline").glob("*.html"),
    ]
    wrong = {}
    for file in files:
        page.goto(file.as_uri())
        page.wait_for_load_state("load")
        found = serious(page)
        if found:
            wrong[file.relative_to(site).as_posix()] = found
    assert wrong == {}
    for query in ("the", "zzz"):
        page.goto((site / "search.html").as_uri() + f"?q={query}")
        page.wait_for_selector(f"[data-answered={query}]")
        assert serious(page) == []
    page.goto(files[-1].as_uri())
    page.keyboard.press("/")
    page.wait_for_selector(".search-input:focus")
    page.locator(".search-input").fill("the")
    page.wait_for_selector("[data-answered=the]")
    assert serious(page) == []
    page.keyboard.press("Escape")
    page.wait_for_selector(".search-dialog", state="hidden")
    page.keyboard.press("?")
    page.wait_for_selector(".keys-dialog[open]")
    assert serious(page) == []
    context.close()
