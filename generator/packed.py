"""Texts as the index keeps them: compressed, to less than half of their size."""

from __future__ import annotations

import zlib

_LEVEL = 1


def packed(text: str) -> bytes:
    """A text as a BLOB."""
    return zlib.compress(text.encode("utf-8", "replace"), _LEVEL)


def unpacked(blob: bytes) -> str:
    """The text of a BLOB."""
    return zlib.decompress(blob).decode("utf-8")
