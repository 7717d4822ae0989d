"""What pages are drawn with, known without loading what draws them: the settings of the look, and the templates."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from hashlib import md5
from pathlib import Path

from generator.assets import templates_dir
from generator.config import Config
from generator.errors import ConfigError

_TEMPLATE_SUFFIXES = frozenset({".html", ".css", ".js", ".svg", ".json"})


@dataclass(frozen=True, slots=True)
class Look:
    """What a page is drawn with: the vault that it comes from, and the settings. `templates` is the user's folder, or
    None."""

    vault: Path
    title: str
    language: str
    base_url: str
    theme: str
    templates: Path | None
    today: date


def look_of(config: Config, today: date) -> Look:
    """The settings that pages are drawn with."""
    site = config.site
    return Look(config.wiki.vault_path, site.title, site.language, site.base_url, site.theme, site.templates, today)


def template_files(user_folder: Path | None) -> dict[str, Path]:
    """Every template and asset by name, the user's over ours."""
    found: dict[str, Path] = {}
    for folder in (templates_dir(), user_folder):
        if folder is None:
            continue
        if not folder.is_dir():
            raise ConfigError(f"site.templates: {folder} is not a folder", hint="make it, or remove the setting")
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder).as_posix()
            if path.suffix in _TEMPLATE_SUFFIXES and not name.startswith(("vault/", "sample-vault/")):
                found[name] = path
    return found


def template_state(user_folder: Path | None) -> str:
    """A digest of all templates: when it changes, so may every page."""
    digest = md5(usedforsecurity=False)
    for name, path in sorted(template_files(user_folder).items()):
        digest.update(name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
