"""The part of a note's Markdown that an agent asked for: a section, a block, so many characters from an offset."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from generator.links import find_heading
from generator.model import Block, Heading


@dataclass(frozen=True, slots=True)
class Slice:
    """`text` is what stands between the offsets `start` and `end` of a text of `total` characters."""

    text: str
    start: int
    end: int
    total: int


def cut(text: str, offset: int, size: int) -> Slice:
    """At most `size` characters from `offset` on, ending with a line where one ends in the last fifth."""
    end = min(len(text), offset + size)
    if end < len(text):
        newline = text.rfind("\n", offset + size * 4 // 5, end)
        end = newline + 1 if newline >= 0 else end
    return Slice(text[offset:end], offset, end, len(text))


def part(source: str, subpath: str, headings: Sequence[Heading], blocks: Sequence[Block]) -> str | None:
    """The Markdown of the section or of the `^block` that `subpath` names; None if there is none."""
    lines = source.split("\n")
    subpath = subpath.strip().lstrip("#").strip()
    if subpath.startswith("^"):
        wanted = subpath[1:].strip().lower()
        block = next((block for block in blocks if block.id == wanted), None)
        return _block(lines, block) if block else None
    heading = find_heading(subpath, headings)
    if heading is None:
        return None
    later = (other.line for other in headings if other.line > heading.line and other.level <= heading.level)
    return "\n".join(lines[heading.line - 1 : min(later, default=len(lines) + 1) - 1])


def _block(lines: Sequence[str], block: Block) -> str:
    """From the block's first line to that of its id; for a list item, on through what is nested in it."""
    first = block.line - 1
    mark = f"^{block.id}"
    last = next((n for n in range(first, len(lines)) if lines[n].rstrip().lower().endswith(mark)), first)
    if block.tag == "li":
        depth = _indent(lines[first])
        while last + 1 < len(lines) and lines[last + 1].strip() and _indent(lines[last + 1]) > depth:
            last += 1
    return "\n".join(lines[first : last + 1])


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))
