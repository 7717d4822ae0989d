"""Entries of list properties are taken out of a note's front matter; every other character stays.

Places come from PyYAML's nodes. What is left is read again and must be what was meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

import yaml

from generator import frontmatter
from generator.upkeep.edits import Replacement, replaced

_OPENING = re.compile(r"---[ \t]*\n")
_CLOSING = re.compile(r"^---[ \t]*\n?\Z", re.MULTILINE)
IsGone = Callable[[str, str], bool]
"""Whether an entry goes, by the property's name (lower case) and the entry's text; of a mapping, its `target`."""


def drop_entries(text: str, names: Iterable[str], is_gone: IsGone) -> list[Replacement] | None:
    """Take the entries out of these properties: list items, or a single value in a list's place.

    `text` is the note with LF line ends. [] where there is nothing to do, None where it cannot be done without changing
    anything else.
    """
    front = frontmatter.split(text)
    opening = _OPENING.match(text)
    if front.broken or not front.meta or opening is None:
        return []
    block = text[opening.end() : len(text) - len(front.body)]
    closing = _CLOSING.search(block)
    source = block[: closing.start()] if closing else block
    wanted = set(names)
    changes: list[Replacement] = []
    expected = dict(front.meta)
    for key, value in _properties(source):
        name = key.value.strip().lower()
        if name not in wanted or key.value not in expected:
            continue
        entries = value.value if isinstance(value, yaml.SequenceNode) else [value]
        gone = [is_gone(name, text_of_entry(entry)) for entry in entries]
        if any(gone):
            changes += _changes(source, key, value, gone)
            expected[key.value] = _without(expected[key.value], gone)
    changes = [Replacement(c.start + opening.end(), c.end + opening.end(), c.text) for c in changes]
    if not changes:
        return []
    after = frontmatter.split(replaced(text, changes))
    return changes if not after.broken and after.meta == expected and after.body == front.body else None


def text_of_entry(node: yaml.Node) -> str:
    """What an entry names: a scalar, the `target` of a mapping, or the name in `[[name]]` without quotes, which is a
    list in a list to YAML; "" for anything else."""
    if isinstance(node, yaml.ScalarNode):
        return str(node.value)
    if isinstance(node, yaml.MappingNode):
        named = [value for key, value in node.value if key.value == "target"]
        return text_of_entry(named[0]) if named else ""
    while isinstance(node, yaml.SequenceNode) and len(node.value) == 1:
        node = node.value[0]
    return f"[[{node.value}]]" if isinstance(node, yaml.ScalarNode) else ""


def _properties(source: str) -> list[tuple[yaml.ScalarNode, yaml.Node]]:
    try:
        root = yaml.compose(source, Loader=yaml.SafeLoader)
    except yaml.YAMLError:
        return []
    pairs = root.value if isinstance(root, yaml.MappingNode) else []
    return [(key, value) for key, value in pairs if isinstance(key, yaml.ScalarNode)]


def _without(value: object, gone: Sequence[bool]) -> object:
    items = value if isinstance(value, list) else [value]
    return [item for item, is_gone in zip(items, gone, strict=False) if not is_gone]


def _changes(source: str, key: yaml.ScalarNode, value: yaml.Node, gone: Sequence[bool]) -> list[Replacement]:
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
