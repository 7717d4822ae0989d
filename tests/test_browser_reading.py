"""The comforts of reading in a real browser: theme, previews, copies, zoom, outline, keys; a page without script."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import pytest
from browser import Log
from conftest import require_shared
from project import Project
from test_cases_site import served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="3000" height="1500"><rect width="3000" height="1500"/></svg>'
FILLER = "Words that fill a line or two of the page, so that there is something to scroll.\n\n" * 12
VAULT = {
    "Reader.md": (
        "See [[Target]], [[Target#Second part|a section]], [[茶]] and [out](https://example.org/x).[^1]"
        " And [[#Here]].\n\n"
        f"```python\nprint('tea')\n```\n\n![plan](wide.svg)\n\n"
        f"## First\n\n{FILLER}\n\n## Here\n\n{FILLER}\n\n## Last\n\nend\n\n"
        "[^1]: The note says [[Target|more]].\n"
    ),
    "Target.md": f"Opening words.\n\n## First part\n\n{FILLER}\n\n## Second part\n\nKettles are boiled here.\n\n"
    "## Third\n\nno\n",
    "茶.md": "绿茶来自茶树。\n",
    "wide.svg": SVG,
    "Secret.md": "---\npublish: false\n---\nhidden\n",
}


@pytest.fixture
def site(project: Project) -> str:
    project.write(VAULT)
    project.build()
    return project.site.as_uri()


def preview(page: Page) -> str:
    page.wait_for_selector(".link-preview:not([hidden])")
    return page.locator(".link-preview").inner_text()


def no_preview(page: Page) -> None:
    page.wait_for_selector(".link-preview", state="hidden")


# ── theme ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_theme_is_switched_and_remembered_without_a_flash(browser: Browser, site: str, scheme: str) -> None:
    context = browser.new_context(color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    # What the page looks like when its body is first there, before any deferred script has run.
    page.add_init_script(
        "new MutationObserver((_, observer) => { if (document.body) { observer.disconnect();"
        " window.first = getComputedStyle(document.documentElement).colorScheme; } })"
        ".observe(document, { childList: true, subtree: true });"
    )
    other = "dark" if scheme == "light" else "light"

    def is_dark() -> bool:
        return bool(page.evaluate("document.body.classList.contains('theme-dark')"))

    page.goto(f"{site}/Reader.html")
    assert is_dark() == (scheme == "dark")
    page.locator(".theme-switch").click()
    assert is_dark() == (other == "dark")
    page.goto(f"{site}/Target.html")
    assert is_dark() == (other == "dark")
    assert page.evaluate("window.first") == other
    page.keyboard.press("t")  # back to what the system says: nothing is remembered any more
    assert is_dark() == (scheme == "dark")
    assert page.evaluate("localStorage.getItem('llmwiki-theme')") is None
    context.close()


# ── previews ────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("over", ["file", "http"])
def test_links_are_previewed_on_hover_and_focus(page: Page, project: Project, site: str, over: str) -> None:
    log = Log(page)
    with served(project.site) as address:
        root = site if over == "file" else address.rstrip("/")
        page.goto(f"{root}/Reader.html")
        links = page.locator(".markdown-rendered p").first
        links.get_by_role("link", name="Target", exact=True).hover()
        assert preview(page).split()[:3] == ["Target", "Opening", "words."]
        page.mouse.move(2, 400)
        no_preview(page)
        links.get_by_role("link", name="a section").hover()
        shown = preview(page)
        assert "Second part" in shown
        assert "Kettles are boiled here." in shown
        assert "Opening" not in shown
        assert "Third" not in shown
        page.keyboard.press("Escape")
        no_preview(page)
        links.get_by_role("link", name="a section").focus()
        page.keyboard.press("Tab")  # on to the link to 茶
        assert "绿茶来自茶树" in preview(page)
        described = page.evaluate("document.activeElement.getAttribute('aria-describedby')")
        assert page.locator(f"#{described}").get_attribute("role") == "tooltip"
        page.keyboard.press("Tab")  # a link to elsewhere has none
        no_preview(page)
        assert {url for url in log.requests if not url.startswith(root)} == set()
    assert log.errors == []


def test_footnotes_are_previewed(page: Page, site: str) -> None:
    page.goto(f"{site}/Reader.html")
    page.locator(".footnote-ref a").hover()
    assert preview(page).strip() == "The note says more."
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((each) => each.id)")
    assert len(ids) == len(set(ids))


def test_touch_opens_links_without_previews(browser: Browser, site: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(f"{site}/Reader.html")
    page.locator(".markdown-rendered").get_by_role("link", name="a section").tap()
    page.wait_for_url("**/Target.html#*")
    assert page.locator(".link-preview").is_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.locator(".search-button").tap()
    page.wait_for_selector(".search-input:focus")
    page.locator(".search-close").tap()
    page.wait_for_selector(".search-dialog", state="hidden")
    context.close()


# ── copies, images, outline ─────────────────────────────────────────────────────────────────────────────


def test_headings_and_code_are_copied(browser: Browser, project: Project, site: str) -> None:
    with served(project.site) as address:
        context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
        page = context.new_page()
        page.goto(f"{address}Reader.html")
        page.locator(".code-box .copy-button").click()
        page.wait_for_function("document.querySelector('.toast').textContent !== ''")
        assert page.evaluate("navigator.clipboard.readText()").rstrip("\n") == "print('tea')"
        page.locator("h2 .heading-anchor").nth(1).click()
        copied = page.wait_for_function("navigator.clipboard.readText().then((text) => /^http/.test(text) && text)")
        assert copied.json_value() == page.url
        assert "#" in page.url
        assert page.locator(":target, h2").first.count() == 1
        context.close()


def test_images_are_enlarged_by_mouse_and_keyboard(page: Page, site: str) -> None:
    page.goto(f"{site}/Reader.html")
    image = page.get_by_role("button", name="plan")
    image.click()
    page.wait_for_selector(".zoom-dialog[open] img")
    page.keyboard.press("Escape")
    page.wait_for_selector(".zoom-dialog", state="detached")
    image.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".zoom-dialog[open] img")
    page.locator(".zoom-dialog").click()
    page.wait_for_selector(".zoom-dialog", state="detached")
    assert page.evaluate("document.activeElement.tagName") == "IMG"


def test_the_outline_marks_the_current_heading(page: Page, site: str) -> None:
    page.set_viewport_size({"width": 1400, "height": 700})
    page.goto(f"{site}/Reader.html")

    def current(text: str) -> None:
        page.wait_for_function(
            "text => document.querySelector('.outline [aria-current]')?.textContent.trim() === text", arg=text
        )

    page.locator(".outline a", has_text="Here").click()
    current("Here")
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    current("Last")
    page.evaluate("scrollTo(0, document.getElementById('first')?.offsetTop ?? document.querySelector('h2').offsetTop)")
    current("First")
    assert page.locator(".outline [aria-current]").count() == 1


# ── keys ────────────────────────────────────────────────────────────────────────────────────────────────


def test_keys(page: Page, site: str) -> None:
    page.goto(f"{site}/Reader.html")
    page.keyboard.press("?")
    page.wait_for_selector(".keys-dialog[open]")
    assert page.locator(".keys-dialog kbd").all_inner_texts() == ["/", "g", "h", "t", "?", "Esc"]
    page.keyboard.press("g")  # belongs to the dialog
    page.keyboard.press("Escape")
    page.wait_for_selector(".keys-dialog", state="hidden")
    assert page.url.endswith("/Reader.html")
    page.keyboard.press("/")
    page.wait_for_selector(".search-input:focus")
    page.keyboard.type("g?/")
    assert page.locator(".search-input").input_value() == "g?/"
    page.keyboard.press("Escape")
    page.wait_for_selector(".search-dialog", state="hidden")
    page.keyboard.press("g")
    page.wait_for_url("**/graph.html")
    page.keyboard.press("h")
    page.wait_for_url("**/index.html")


def test_the_first_tab_skips_to_the_content(page: Page, site: str) -> None:
    page.goto(f"{site}/Reader.html")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip-link"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "_main"


def test_a_page_is_whole_without_script(browser: Browser, site: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    log = Log(page)
    page.goto(f"{site}/Reader.html")
    assert "Words that fill" in page.locator(".markdown-rendered").inner_text()
    assert page.locator("img[alt=plan]").is_visible()
    assert page.locator(".nav-folders a, .nav-pages a").first.is_visible()
    assert page.locator(".copy-button").count() == 0
    page.locator(".search-button").click()
    page.wait_for_url("**/search.html")
    assert "needs JavaScript" in page.locator("main").inner_text()
    page.goto(f"{site}/Reader.html")
    page.locator(".markdown-rendered").get_by_role("link", name="a section").click()
    page.wait_for_url("**/Target.html#*")
    assert page.locator("h2:target").inner_text().startswith("Second part")
    assert log.errors == []
    context.close()


def test_motion_only_where_it_is_wanted(page: Page, site: str) -> None:
    page.goto(f"{site}/Reader.html")
    moving = page.evaluate(
        "[...document.querySelectorAll('*')].filter((each) => { const style = getComputedStyle(each);"
        " return parseFloat(style.transitionDuration) > 0.01 || style.scrollBehavior === 'smooth'"
        " || (style.animationName !== 'none' && parseFloat(style.animationDuration) > 0.01); }).length"
    )
    assert moving == 0


# ── every page ──────────────────────────────────────────────────────────────────────────────────────────


def test_no_page_of_the_english_help_complains(page: Page, project: Project) -> None:
    """All pages in one visit each: no error, and nothing asked of others than by what the notes themselves embed."""
    fresh = Project(project.root / "help", require_shared("vaults", "obsidian-help", "en"))
    fresh.build(workers=2)
    root = fresh.site.as_uri()
    pages = [file for file in fresh.pages() if "http-equiv" not in file.read_text("utf-8")]
    assert len(pages) > 173
    page.route("http*://**", lambda route: route.abort())
    log = Log(page)
    ours = 0
    for file in pages:
        page.goto(file.as_uri(), wait_until="load")
        ours += 1
    own = [url for url in log.requests if url.startswith((root, "data:", "blob:", "about:"))]
    assert ours == len(pages)
    assert len(own) > len(pages)
    embedded = [url for url in log.requests if url not in own]
    written = "".join(file.read_text("utf-8") for file in fresh.vault.rglob("*.md"))
    assert [url for url in embedded if url.split("?")[0].rstrip("/") not in written.replace("&amp;", "&")] == []
    # The console's "Failed to load" names no address: files of ours that are missing are among the failed requests.
    foreign = ("failed: http", "Failed to load resource: net::ERR_")
    assert [error for error in log.errors if not error.startswith(foreign)] == []


def test_a_picture_of_a_note_needs_no_other_host(page: Page, project: Project) -> None:
    pixel = base64.b64decode(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    )
    project.write({"A.md": "![[dot.png]] [[B]]\n", "B.md": "b\n", "dot.png": pixel})
    project.build()
    log = Log(page)
    for name in ("A", "B", "index", "graph", "search", "tags", "hot", "timeline", "orphans", "health", "pages", "404"):
        page.goto((project.site / f"{name}.html").as_uri())
    assert {url for url in log.requests if not url.startswith((project.site.as_uri(), "data:"))} == set()
    assert log.errors == []
