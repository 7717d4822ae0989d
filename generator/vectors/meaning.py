"""The answer to a question asked by meaning."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Meaning:
    """Pages near a question, the nearest first, with their likeness (0 to 1); `note` says why there are none."""

    pages: tuple[tuple[str, float], ...] = ()
    note: str = ""
