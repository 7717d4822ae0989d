"""One small vault for each rule of Obsidian's syntax, with what the page of `Doc.md` then holds.

`id` is the rule's number, or a word where it has none. `shows` maps CSS selectors, looked for in the note's body, to
how often they are there; `text` must and `hides` must not be in its visible text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Rule:
    id: str
    doc: str
    shows: Mapping[str, int] = field(default_factory=dict)
    text: tuple[str, ...] = ()
    hides: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)


NOTE = {"Note.md": "# Head\nbody\n"}
