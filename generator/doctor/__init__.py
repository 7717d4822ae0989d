"""Is everything there that the program needs, and in order? Each answer says what to do; nothing is changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from generator.config import Config
from generator.doctor.agents import registration_checks, skill_checks
from generator.doctor.check import Check, fail
from generator.doctor.program import program_checks
from generator.doctor.wiki import extra_checks, settings_check, wiki_checks
from generator.errors import WikiError


def examine(load: Callable[[], Config], here: Path, home: Path) -> tuple[list[Check], Config | None]:
    """All checks in their order, and the settings if they can be used.

    `load` reads the settings and may raise `WikiError`, which becomes a failed check; `here` is the project in which
    the agent works, `home` the person's home folder.
    """
    checks = program_checks()
    try:
        config = load()
    except WikiError as error:
        where = f"{error.path}:{error.line}: " if error.path and error.line else f"{error.path}: " if error.path else ""
        area = "vault" if error.code == "VAULT_NOT_FOUND" else "settings"
        broken = fail(area, where + error.message, error.hint)
        return [*checks, broken, *skill_checks(here, home), *registration_checks(here, home, None)], None
    vault = config.wiki.vault_path
    return [
        *checks,
        settings_check(config),
        *wiki_checks(config),
        *extra_checks(config),
        *skill_checks(here, home),
        *registration_checks(here, home, vault),
    ], config
