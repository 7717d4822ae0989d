"""The pages of the vault in tests/vault, without what stands around <main>, against those in tests/golden.

LLMWIKI_UPDATE_GOLDEN=1 writes the pages anew. Diagrams are left out of that vault: how one is drawn is its renderer's
affair.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from project import Project

TESTS = Path(__file__).resolve().parent
GOLDEN = TESTS / "golden"
UPDATE = os.environ.get("LLMWIKI_UPDATE_GOLDEN") == "1"
_MAIN = re.compile(r"<main\b.*</main>\n", re.DOTALL)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The site of the vault, and the golden pages written from it where that was asked for."""
    project = Project(tmp_path_factory.mktemp("golden"), TESTS / "vault")
    project.build()
    if UPDATE:
        _rewrite(project)
    return project


def _rewrite(project: Project) -> None:
    for old in GOLDEN.rglob("*.html"):
        old.unlink()
    for file in project.pages():
        target = GOLDEN / file.relative_to(project.site)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(main_of(file), "utf-8")


def main_of(file: Path) -> str:
    """The part of a page that is its own; of a page that only sends on, all."""
    text = file.read_text("utf-8")
    (main,) = _MAIN.findall(text) or [text]
    return str(main)


def golden_pages() -> list[str]:
    return sorted(file.relative_to(GOLDEN).as_posix() for file in GOLDEN.rglob("*.html"))


@pytest.mark.parametrize("url", golden_pages())
def test_page(built: Project, url: str) -> None:
    assert main_of(built.site / url) == (GOLDEN / url).read_text("utf-8")


def test_there_is_a_golden_page_for_every_page(built: Project) -> None:
    assert golden_pages() == sorted(file.relative_to(built.site).as_posix() for file in built.pages())
    assert len(golden_pages()) > 20


def test_only_what_a_published_page_shows_is_copied(built: Project) -> None:
    others = {path for path in built.files() if not path.endswith((".html", ".md")) and not path.startswith("_assets/")}
    assert others == {"assets/cup.svg", ".llmwiki-site.json", "feed.xml", "llms.txt"}


def test_nothing_private_is_in_the_site(built: Project) -> None:
    """Comments, scripts and unpublished pages say `secret` in this vault."""
    notes = [file.read_text("utf-8").lower() for file in (TESTS / "vault").rglob("*.md")]
    assert sum(note.count("secret") for note in notes) > 6
    leaks = [path for path, data in built.files().items() if b"secret" in data.lower()]
    assert leaks == []
