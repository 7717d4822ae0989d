"""How the index keeps what one page holds: texts compressed to less than half of their size, outlines as JSON."""

from __future__ import annotations

import json
import zlib

from generator.model import Block, Heading

_LEVEL = 4


def packed(text: str) -> bytes:
    """A text as a BLOB."""
    return zlib.compress(text.encode("utf-8", "replace"), _LEVEL)


def unpacked(blob: bytes) -> str:
    """The text of a BLOB."""
    return zlib.decompress(blob).decode("utf-8")


def read_headings(text: str) -> tuple[Heading, ...]:
    """The headings of wiki_content's JSON column."""
    return tuple(Heading(*row) for row in json.loads(text)) if text != "[]" else ()


def read_blocks(text: str) -> tuple[Block, ...]:
    """The blocks (or footnotes) of wiki_content's JSON column."""
    return tuple(Block(*row) for row in json.loads(text)) if text != "[]" else ()
