"""A real Chromium for tests, and what a page in it asked for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from needed import needed_program

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Request


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium. For one module: while it runs, an event loop runs too, beside which no other can be started."""
    path = os.environ.get("LLMWIKI_CHROMIUM") or needed_program("chromium", "google-chrome")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A new page of a wide window, without motion."""
    context = browser.new_context(viewport={"width": 1200, "height": 900}, reduced_motion="reduce")
    yield context.new_page()
    context.close()


class Log:
    """What a page asked for and complained of."""

    def __init__(self, page: Page) -> None:
        self.requests: list[str] = []
        self.errors: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        page.on("requestfailed", self._failed)

    def _failed(self, request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":  # the page was left before the answer
            self.errors.append(f"failed: {request.url}")
