"""The settings of a run, from the command line and everything below it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from generator.errors import VaultError

if TYPE_CHECKING:
    from generator.config import Config, LoggingSettings

_NONE_NAMED = "no vault was named"  # what load_config says when neither a flag nor a setting names one


def settings(vault: Path | None, *, output: Path | None = None) -> Config:
    """The settings of this run, with logging set up as they say. Raises `ConfigError`, `VaultError`."""
    from generator.config import load_config  # help is given without it

    overrides: dict[str, dict[str, object]] = {"site": {"output": output}}
    try:
        config = load_config(vault, overrides=overrides)
    except VaultError as error:
        here = Path.cwd()
        if error.message != _NONE_NAMED or not _looks_like_a_vault(here):
            raise
        config = load_config(here, overrides=overrides)
    _set_up_logging(config.logging)
    return config


def _looks_like_a_vault(folder: Path) -> bool:
    with os.scandir(folder) as entries:
        return any(
            entry.name[-3:].lower() == ".md" if entry.is_file() else entry.name in {".obsidian", "wiki"}
            for entry in entries
        )


def _set_up_logging(logging_settings: LoggingSettings) -> None:
    import logging

    handler: logging.Handler = logging.StreamHandler()
    form = "%(levelname)s: %(message)s"
    if logging_settings.file is not None:
        logging_settings.file.parent.mkdir(parents=True, exist_ok=True)
        handler = logging.FileHandler(logging_settings.file, encoding="utf-8")
        form = "%(asctime)s %(levelname)s %(name)s: %(message)s"
    handler.setFormatter(logging.Formatter(form))
    logger = logging.getLogger("llmwiki")
    logger.handlers[:] = [handler]
    logger.setLevel(logging_settings.level)
