"""The vault that `llmwiki init` makes: a copy of one of our templates that touches nothing which is there already."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from generator.assets import templates_dir
from generator.errors import VaultError
from generator.vault import detect_layout, is_page, scan

Starter = Literal["layered", "flat", "sample"]
_FOLDERS: dict[Starter, str] = {"layered": "vault/layered", "flat": "vault/flat", "sample": "sample-vault"}


@dataclass(frozen=True, slots=True)
class Planted:
    """What became of the template's files: `created`, and `kept` where one of that name was there. Sorted paths."""

    created: tuple[str, ...]
    kept: tuple[str, ...]


def plant(folder: Path, starter: Starter) -> Planted:
    """Lay the template into `folder`, making it if need be; no file is ever overwritten.

    Raises `VaultError` for a file in place of the folder, and for a vault whose notes would no longer be pages.
    Raises OSError for what cannot be written.
    """
    if folder.exists() and not folder.is_dir():
        raise VaultError(f"{folder} is a file, not a folder", hint="name the folder that the vault should be")
    if starter != "flat":
        _refuse_other_vault(folder)
    template = templates_dir() / _FOLDERS[starter]
    created, kept = [], []
    for source in sorted(template.rglob("*")):
        if not source.is_file():
            continue
        name = source.relative_to(template).as_posix()
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            with target.open("xb") as stream:
                stream.write(source.read_bytes())
            created.append(name)
        except FileExistsError:
            kept.append(name)
    return Planted(tuple(created), tuple(kept))


def _refuse_other_vault(folder: Path) -> None:
    """In the layered layout only what lies below `wiki/` is a page: notes elsewhere would leave the wiki."""
    if not folder.is_dir() or (layout := detect_layout(folder)).kind == "layered":
        return
    notes = [
        file.path for file in scan(folder, exclude=(), output=None, index=None).files if is_page(layout, file.path)
    ]
    strangers = [path for path in notes if not path.startswith("wiki/")]
    if strangers:
        raise VaultError(
            f"{folder} holds notes already ({strangers[0]}, …), which a layered vault would not show",
            hint="build it as it is, add the flat layout with --flat, or choose an empty folder",
        )
