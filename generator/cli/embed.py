"""`llmwiki embed`: the vectors of the pages, brought up to date."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from generator.cli.arguments import Commands, add_command, add_json, add_vault_option
from generator.cli.reading import reading
from generator.cli.settings import settings
from generator.cli.terminal import dim, progress_bar, say, say_json
from generator.wording import counted

if TYPE_CHECKING:
    from generator.config import Config


def add_embed(commands: Commands) -> None:
    """`embed`."""
    parser = add_command(commands, embed)
    add_vault_option(parser)
    add_json(parser)


def embed(vault: Path | None, as_json: bool) -> None:
    """Embed the pages that changed, so that they are found by meaning. Needs embeddings.provider in the settings."""
    from dataclasses import asdict

    from generator.vectors.shelf import update_vectors

    config = settings(vault)
    with reading(config) as (store, _, _), progress_bar() as progress:
        done = update_vectors(config, store.db, progress)
    if as_json:
        say_json(asdict(done))
    else:
        gone = f", {counted(done.forgotten, 'page')} forgotten" if done.forgotten else ""
        say(f"{counted(done.embedded, 'page')} embedded{gone}. {counted(done.pages, 'page')} can be found by meaning.")


def near_in_meaning(config: Config, question: str) -> tuple[tuple[tuple[str, float], ...], str]:
    """The pages near a question, and a note where there should be some; a note is printed for people too."""
    from generator.vectors import near

    meaning = near.near_in_meaning(config, question)
    if meaning.note:
        say(dim(meaning.note), to_stderr=True)
    return meaning.pages, meaning.note
