"""What is near a question in meaning, for whoever searches: nothing, and nothing loaded, where that is off."""

from __future__ import annotations

from generator.config import Config
from generator.vectors.meaning import Meaning


def near_in_meaning(config: Config, question: str) -> Meaning:
    """The pages near a question, as far as search by meaning is on. Never raises: what is amiss is in `note`."""
    if config.embeddings.provider == "off":
        return Meaning()
    from generator.vectors.shelf import nearest

    return nearest(config, question)
