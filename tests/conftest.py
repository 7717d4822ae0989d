"""What all tests may use: a vault of their own with its index and site, and the shared inputs beside the checkout."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from browser import browser as browser
from browser import page as page
from needed import missing
from project import Project

SHARED = Path(os.environ.get("LLMWIKI_SHARED") or Path(__file__).resolve().parents[2] / "shared")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """An empty vault with an index and an output folder of its own."""
    return Project(tmp_path)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared inputs; without it the test is skipped, or fails where LLMWIKI_REQUIRE_ALL is 1."""
    return require_shared()


def require_shared(*parts: str) -> Path:
    """A path below the shared inputs, which must exist."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        missing(f"the shared inputs are not beside the checkout: no {path.name} (set LLMWIKI_SHARED)")
    return path
