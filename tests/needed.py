"""What a test needs of the machine: without it the test is skipped, or fails where LLMWIKI_REQUIRE_ALL is 1."""

from __future__ import annotations

import importlib
import os
import shutil
from typing import Any, NoReturn

import pytest


def missing(reason: str) -> NoReturn:
    """End the test, since something is not there."""
    if os.environ.get("LLMWIKI_REQUIRE_ALL") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


def needed(name: str) -> Any:
    """A module of an extra."""
    try:
        return importlib.import_module(name)
    except ImportError:
        missing(f"{name} is not installed")


def needed_program(*names: str) -> str:
    """The path of the first of these programs that is there."""
    for name in names:
        if path := shutil.which(name):
            return path
    missing(f"{names[0]} is not installed")
