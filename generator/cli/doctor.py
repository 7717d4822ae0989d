"""`llmwiki doctor`: is everything there that the program needs?"""

from __future__ import annotations

import os
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING

from generator.cli.arguments import Commands, add_command, add_json, add_vault_option
from generator.cli.settings import settings
from generator.cli.terminal import Style, Styled, dim, say, say_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from generator.config import Config
    from generator.doctor.check import Check

_STYLES: dict[str, Style] = {"ok": "green", "warn": "yellow", "fail": "red"}


def add_doctor(commands: Commands) -> None:
    """`doctor`."""
    parser = add_command(commands, doctor)
    add_vault_option(parser)
    add_json(parser)


def doctor(vault: Path | None, as_json: bool) -> int:
    """Look whether all is well with program, settings, vault, index and agents, and say what to do."""
    from generator.doctor import examine

    checks, config = examine(lambda: settings(vault), Path.cwd(), Path.home())
    failed = any(check.state == "fail" for check in checks)
    if as_json:
        say_json({"ok": not failed, "checks": [*map(asdict, checks)], "settings": _settings(config)})
    else:
        _print(checks, config)
    return int(failed)


def _settings(config: Config | None) -> dict[str, dict[str, object]]:
    """Every setting by its key, with its value and where that came from; secrets are not shown."""
    from generator.config import SECTIONS

    values = {}
    for section, kind in SECTIONS.items() if config is not None else ():
        for item in fields(kind):
            value = getattr(getattr(config, section), item.name)
            shown = (
                "…"
                if value and item.metadata.get("secret")
                else str(value)
                if isinstance(value, os.PathLike)
                else value
            )
            key = f"{section}.{item.name}"
            values[key] = {"value": shown, "origin": config.origins[key]}  # type: ignore[union-attr]
    return values


def _print(checks: Sequence[Check], config: Config | None) -> None:
    width = max(len(check.area) for check in checks)
    for check in checks:
        say(Styled(check.state.ljust(4), _STYLES[check.state]), f"  {check.area.ljust(width)}  {check.message}")
        if check.todo:
            say(dim(f"{' ' * (width + 6)}  → {check.todo}"))
        if check.area == "settings":
            _print_given(config, width)
    counts = {state: sum(check.state == state for check in checks) for state in _STYLES}
    say(f"\n{counts['ok']} ok, {counts['warn']} to look at, {counts['fail']} to mend.")


def _print_given(config: Config | None, width: int) -> None:
    for key, setting in _settings(config).items():
        if setting["origin"] != "default":
            say(dim(f"{' ' * (width + 6)}  {key} = {setting['value']}  ({setting['origin']})"))
