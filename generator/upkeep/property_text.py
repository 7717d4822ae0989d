"""Changes of single properties in a note's front matter that leave every other character as it was.

Places come from PyYAML's own nodes. Each change is read again afterwards: one that did not come out as meant is not
proposed.
"""

from __future__ import annotations

import json
import re

from generator import frontmatter
from generator.upkeep.edits import Replacement

_PLAIN = re.compile(r"[^\W\d_][^:#\[\]{},&*!|>'\"%@`\n]*[^\s:#\[\]{},&*!|>'\"%@`\n]|[^\W\d_]|\d{4}-\d\d-\d\d")
_WORDS_OF_YAML = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})


def set_property(text: str, name: str, value: str | list[str]) -> Replacement | None:
    """Give the property a value, where it has none; None where it has one or the front matter cannot be read."""
    front = frontmatter.split(text)
    if front.broken or _spelling(front.meta, name, empty=False):
        return None
    written = _written(value)
    block = text[: len(text) - len(front.body)]
    key = _spelling(front.meta, name, empty=True)
    if not block:
        change = Replacement(0, 0, f"---\n{name}: {written}\n---\n" + ("\n" if text.strip() else ""))
    elif key:
        place = _empty_value(block, key)
        if place is None:
            return None
        change = Replacement(place, place, f" {written}" if block[place - 1] == ":" else written)
    else:
        end = block.rstrip("\n").rfind("\n") + 1
        change = Replacement(end, end, f"{name}: {written}\n")
    after = frontmatter.split(text[: change.start] + change.text + text[change.end :])
    wanted = dict(front.meta) | {key or name: value}
    return change if after.meta == wanted and after.body.lstrip("\n") == front.body.lstrip("\n") else None


def _spelling(meta: object, name: str, *, empty: bool) -> str:
    """How a property is spelled in the front matter: an empty one, or one with a value."""
    items = meta.items() if isinstance(meta, dict) else ()
    return next((k for k, v in items if k.strip().lower() == name and (v in (None, "", [])) == empty), "")


def _written(value: str | list[str]) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    if _PLAIN.fullmatch(value) and value.lower() not in _WORDS_OF_YAML:
        return value
    return json.dumps(value, ensure_ascii=False)


def _empty_value(block: str, key: str) -> int | None:
    """The place right after `key:`, where no value stands."""
    match = re.search(rf"^{re.escape(key)}[ \t]*:[ \t]*(?=$|#)", block, re.MULTILINE)
    return None if match is None or match[0] == "" else match.start() + match[0].rindex(":") + 1
