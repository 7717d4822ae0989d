"""What an export format is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from generator.exports.selection import Selection

Pieces = Iterable[str]
PALETTE = (
    "#4E79A7", "#F28E2B", "#E15759", "#76B7B2", "#59A14F", "#EDC948", "#B07AA1", "#FF9DA7", "#9C755F", "#BAB0AC",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Format:
    """`files` gives the text of each file by its name, in pieces, so that no large export is ever held as a whole."""

    name: str
    purpose: str
    files: Callable[[Selection], Mapping[str, Pieces]]
