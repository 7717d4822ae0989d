"""Arguments and options that several commands share, and the settings that follow from them."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Annotated

import typer

from generator.config import Config, LoggingSettings, load_config
from generator.errors import VaultError

_NONE_NAMED = "no vault was named"  # what load_config says when neither a flag nor a setting names one
_VAULT_HELP = "The vault. Default: WIKI_VAULT_PATH or the configured one, else this folder if it looks like a vault."
VaultArgument = Annotated[Path | None, typer.Argument(metavar="VAULT", help=_VAULT_HELP, show_default=False)]
VaultOption = Annotated[Path | None, typer.Option("--vault", metavar="VAULT", help=_VAULT_HELP, show_default=False)]
OutOption = Annotated[
    Path | None, typer.Option("--out", metavar="DIR", help="The output folder. Default: `site`.", show_default=False)
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
HostOption = Annotated[
    str | None,
    typer.Option(
        "--host",
        metavar="ADDRESS",
        help="The address to listen on. Default: 127.0.0.1, this machine only.",
        show_default=False,
    ),
]
PortOption = Annotated[
    int | None,
    typer.Option(
        "--port",
        metavar="NUMBER",
        min=0,
        max=65535,
        help="The port. Default: 8000; 0 takes a free one.",
        show_default=False,
    ),
]
OpenOption = Annotated[bool, typer.Option("--open", help="Open the site in the browser.")]


def settings(vault: Path | None, *, output: Path | None = None) -> Config:
    """The settings of this run, with logging set up as they say. Raises `ConfigError`, `VaultError`."""
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
