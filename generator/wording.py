"""How numbers of things are said."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str = "") -> str:
    """`1 page`, `2 pages`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
