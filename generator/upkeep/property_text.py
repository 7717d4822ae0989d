"""Changes of single properties in a note's front matter that leave every other character as it was.

Places come from PyYAML's own nodes. Each change is read again afterwards: one that did not come out as meant is not
proposed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence

import yaml

from generator import frontmatter
from generator.upkeep.edits import Replacement, disjoint, replaced

_PLAIN = re.compile(r"[^\W\d_][^:#\[\]{},&*!|>'\"%@`\n]*[^\s:#\[\]{},&*!|>'\"%@`\n]|[^\W\d_]|\d{4}-\d\d-\d\d")
_WORDS_OF_YAML = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
_PIECE = re.compile(r"([^\s,\[\]'\"]+)([,\s]*)")
_OPENING = re.compile(r"---[ \t]*\n")
Rename = Callable[[str], str | None]
"""The new spelling of an entry, "" to drop it, None to leave it."""


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


def change_entries(text: str, names: tuple[str, ...], rename: Rename) -> list[Replacement]:
    """Rename or drop entries of list properties: list items, or words of a text with commas or blanks.

    [] where nothing is to be changed, or where it cannot be done without touching anything else.
    """
    front = frontmatter.split(text)
    if front.broken or not front.meta:
        return []
    opening = _OPENING.match(text)
    if opening is None:
        return []
    block = text[opening.end() : len(text) - len(front.body)]
    yaml_text = block[: block.rstrip().rfind("---")] if block.rstrip().endswith("---") else block
    changes: list[Replacement] = []
    for key, value in _entries(yaml_text):
        if key.strip().lower() in names:
            changes += _changes(yaml_text, value, rename)
    shifted = [Replacement(opening.end() + c.start, opening.end() + c.end, c.text) for c in changes]
    return shifted if _is_sound(text, shifted, front, names) else []


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


def _entries(source: str) -> Iterator[tuple[str, yaml.Node]]:
    """Top-level keys and the nodes of their values."""
    try:
        root = yaml.compose(source, Loader=yaml.SafeLoader)
    except yaml.YAMLError:
        return
    if isinstance(root, yaml.MappingNode):
        for key, value in root.value:
            if isinstance(key, yaml.ScalarNode):
                yield key.value, value


def _changes(source: str, node: yaml.Node, rename: Rename) -> list[Replacement]:
    if isinstance(node, yaml.ScalarNode):
        return _in_scalar(source, node, rename, split=True)
    if not isinstance(node, yaml.SequenceNode):
        return []
    found: list[Replacement] = []
    spellings = [rename(item.value) if isinstance(item, yaml.ScalarNode) else None for item in node.value]
    for number, (item, new) in enumerate(zip(node.value, spellings, strict=True)):
        if new == "":
            found.append(_without(source, node, number, [spelling != "" for spelling in spellings]))
        elif isinstance(item, yaml.ScalarNode):
            found += _in_scalar(source, item, rename, split=False)
    return found


def _in_scalar(source: str, node: yaml.ScalarNode, rename: Rename, *, split: bool) -> list[Replacement]:
    """A scalar's own text keeps its quotes, and `#` before a tag."""
    start, end = node.start_mark.index, node.end_mark.index
    written = source[start:end].rstrip()
    if written[:1] in "|>&*!":
        return []
    if split and rename(node.value) is None:
        return [
            Replacement(start + match.start(), start + match.end(1 if new else 2), new)
            for match in _PIECE.finditer(written)
            if (new := rename(match[1])) is not None
        ]
    new = rename(node.value)
    at = written.find(node.value)
    return [Replacement(start + at, start + at + len(node.value), new)] if new and at >= 0 else []


def _without(source: str, node: yaml.SequenceNode, number: int, stays: Sequence[bool]) -> Replacement:
    """Drop an item: its line in a block list; in a flow list the item with the comma after it, or before it where all
    that follow go too."""
    item = node.value[number]
    start, end = item.start_mark.index, item.end_mark.index
    if not node.flow_style:
        line = source.rfind("\n", 0, start) + 1
        stop = source.find("\n", end)
        return Replacement(line, len(source) if stop < 0 else stop + 1, "")
    is_last = number + 1 == len(node.value)
    if any(stays[:number]) and not any(stays[number:]):
        return Replacement(node.value[number - 1].end_mark.index, end, "")
    return Replacement(start, end if is_last else node.value[number + 1].start_mark.index, "")


def _is_sound(text: str, changes: list[Replacement], before: frontmatter.FrontMatter, names: tuple[str, ...]) -> bool:
    """Whether the note reads the same as before but for these properties."""
    ordered = sorted(changes, key=lambda change: change.start)
    if len([*disjoint(ordered)]) < len(ordered):
        return False
    after = frontmatter.split(replaced(text, ordered))

    def others(meta: object) -> dict[str, object]:
        items = meta.items() if isinstance(meta, dict) else ()
        return {key: value for key, value in items if key.strip().lower() not in names}

    same_keys = before.meta.keys() == after.meta.keys()
    return same_keys and not after.broken and after.body == before.body and others(after.meta) == others(before.meta)
