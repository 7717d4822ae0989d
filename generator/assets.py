"""Finds the folders that come with the program: the templates of sites and vaults, the skills of agents."""

from __future__ import annotations

from pathlib import Path

from .errors import WikiError

_PACKAGE = Path(__file__).resolve().parent


def templates_dir() -> Path:
    """The folder of templates, styles and scripts. Raises WikiError when the installation lacks it."""
    return _find("templates", _PACKAGE)


def skills_dir() -> Path:
    """The folder with one folder a skill. Raises WikiError when the installation lacks it."""
    return _find("skills", _PACKAGE)


def _find(name: str, package: Path) -> Path:
    # `_data` first: beside an installed package, a folder of that name belongs to somebody else.
    for folder in (package / "_data" / name, package.parent / name):
        if folder.is_dir():
            return folder
    raise WikiError(
        f"the program's own `{name}` folder is missing from this installation",
        hint="install it again: pip install --force-reinstall sanguo-llmwiki",
    )
