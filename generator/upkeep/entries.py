"""Entries of list properties are spelled anew or taken out of a note's front matter; every other character stays.

Places come from PyYAML's nodes. What comes out is read again and must be what was meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence

import yaml

from generator import frontmatter
from generator.upkeep.edits import Replacement, replaced

_OPENING = re.compile(r"---[ \t]*\n")
_CLOSING = re.compile(r"^---[ \t]*\n?\Z", re.MULTILINE)
_WORD = re.compile(r"([^\s,\[\]'\"]+)([,\s]*)")
_LOOSE_END = re.compile(r"[,\s]+(?=['\"]?\Z)")
Change = Callable[[str, str], str | None]
"""The new spelling of an entry, "" to drop it, None to leave it; by the property's name (lower case) and the entry's
text, of a mapping that of its `target`."""
_Changes = tuple[list[Replacement], object]
"""What to replace in the front matter, and the value that the property has then."""


def change_entries(
    text: str, names: Collection[str], change: Change, *, words: bool = False
) -> list[Replacement] | None:
    """Change the entries of these properties: list items, or a single value in a list's place; with `words` the words
    of that, too, between commas or blanks.

    `text` is the note with LF line ends. The replacements come in order; [] where there is nothing to do, None where it
    cannot be done without changing anything else.
    """
    front = frontmatter.split(text)
    opening = _OPENING.match(text)
    if front.broken or not front.meta or opening is None:
        return []
    block = text[opening.end() : len(text) - len(front.body)]
    closing = _CLOSING.search(block)
    source = block[: closing.start()] if closing else block
    changes: list[Replacement] = []
    expected = dict(front.meta)
    for key, node in _properties(source):
        name = key.value.strip().lower()
        if name in names and key.value in expected:
            found, expected[key.value] = _changed(source, key, node, expected[key.value], change, words)
            changes += found
    if not changes:
        return []
    at = opening.end()
    shifted = sorted((Replacement(at + c.start, at + c.end, c.text) for c in changes), key=lambda c: c.start)
    after = frontmatter.split(replaced(text, shifted))
    return shifted if not after.broken and after.meta == expected and after.body == front.body else None


def _properties(source: str) -> Iterator[tuple[yaml.ScalarNode, yaml.Node]]:
    """Top-level keys and their values."""
    try:
        root = yaml.compose(source, Loader=yaml.SafeLoader)
    except yaml.YAMLError:
        return
    for key, value in root.value if isinstance(root, yaml.MappingNode) else ():
        if isinstance(key, yaml.ScalarNode):
            yield key, value


def _changed(
    source: str, key: yaml.ScalarNode, node: yaml.Node, value: object, change: Change, words: bool
) -> _Changes:
    name = key.value.strip().lower()
    entries = node.value if isinstance(node, yaml.SequenceNode) else [node]
    new = [change(name, _text_of(entry)) for entry in entries]
    if words and isinstance(node, yaml.ScalarNode) and new == [None]:
        return _changed_words(source, node, value, name, change)
    values = value if isinstance(value, list) else [value]
    changes = _dropped(source, key, node, [spelling == "" for spelling in new])
    left = []
    for entry, before, spelling in zip(entries, values, new, strict=False):
        respelled = _respelled(source, entry, spelling) if spelling else []
        changes += respelled
        if spelling != "":
            left.append(spelling if respelled else before)
    return changes, left if isinstance(value, list) or "" in new else left[0]


def _changed_words(source: str, node: yaml.ScalarNode, value: object, name: str, change: Change) -> _Changes:
    """The words of a value that is a list written as a text."""

    def respelled(match: re.Match[str]) -> str:
        new = change(name, match[1])
        return match[0] if new is None else new and new + match[2]

    written, start = _written(source, node), node.start_mark.index
    new = _WORD.sub(respelled, written)
    if new == written:
        return [], value
    new, after = (_LOOSE_END.sub("", text) for text in (new, _WORD.sub(respelled, node.value)))
    return [Replacement(start, start + len(written), new)], after


def _respelled(source: str, node: yaml.Node, new: str) -> list[Replacement]:
    """An entry's own text keeps its quotes; [] for one that is not a plain or quoted text."""
    if not isinstance(node, yaml.ScalarNode):
        return []
    at = _written(source, node).find(node.value)
    start = node.start_mark.index + at
    return [Replacement(start, start + len(node.value), new)] if at >= 0 else []


def _written(source: str, node: yaml.ScalarNode) -> str:
    """How a plain or quoted text is written; "" for one with an anchor or in a block, and for an alias."""
    written = source[node.start_mark.index : node.end_mark.index].rstrip()
    return "" if written[:1] in "|>&*!" else written


def _text_of(node: yaml.Node) -> str:
    """What an entry names: a scalar, the `target` of a mapping, or the name in `[[name]]` without quotes, which is a
    list in a list to YAML; "" for anything else."""
    if isinstance(node, yaml.ScalarNode):
        return str(node.value)
    if isinstance(node, yaml.MappingNode):
        named = [value for key, value in node.value if key.value == "target"]
        return _text_of(named[0]) if named else ""
    while isinstance(node, yaml.SequenceNode) and len(node.value) == 1:
        node = node.value[0]
    return f"[[{node.value}]]" if isinstance(node, yaml.ScalarNode) else ""


def _dropped(source: str, key: yaml.ScalarNode, value: yaml.Node, gone: Sequence[bool]) -> list[Replacement]:
    if not any(gone):
        return []
    if isinstance(value, yaml.SequenceNode) and not value.flow_style:
        dropped = [_lines_of(source, item) for item, is_gone in zip(value.value, gone, strict=True) if is_gone]
        if all(gone):
            colon = source.index(":", key.end_mark.index) + 1
            return [Replacement(colon, colon, " []"), *dropped]
        return dropped
    if all(gone):
        return [Replacement(value.start_mark.index, _end(source, value), "[]")]
    items = value.value
    last_kept = max(number for number, is_gone in enumerate(gone) if not is_gone)
    changes = [
        Replacement(items[number].start_mark.index, items[number + 1].start_mark.index, "")
        for number in range(last_kept)
        if gone[number]
    ]
    if last_kept + 1 < len(items):
        changes.append(Replacement(items[last_kept].end_mark.index, items[-1].end_mark.index, ""))
    return changes


def _lines_of(source: str, item: yaml.Node) -> Replacement:
    """The lines of an item of a block list, its dash included."""
    start = source.rfind("\n", 0, item.start_mark.index) + 1
    end = _end(source, item)
    if end and source[end - 1] != "\n":
        stop = source.find("\n", end)
        end = len(source) if stop < 0 else stop + 1
    return Replacement(start, end, "")


def _end(source: str, node: yaml.Node) -> int:
    """Where the node's own text ends: a block mapping's mark stands behind the blank lines after it."""
    if isinstance(node, yaml.MappingNode) and not node.flow_style and node.value:
        return _end(source, node.value[-1][1])
    if isinstance(node, yaml.SequenceNode) and not node.flow_style and node.value:
        return _end(source, node.value[-1])
    end: int = node.end_mark.index
    return end
