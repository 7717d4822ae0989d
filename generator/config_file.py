"""A configuration file: two levels of YAML, every setting with its line.

The nodes are read and not the values they would become: the line is theirs alone, and so is the text as typed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

import yaml

from .errors import ConfigError
from .setting import Given

_MAX_FILE_BYTES = 1_000_000
_NULL = "tag:yaml.org,2002:null"


def read_settings(file: Path, shown: str, base: Path, known: Collection[str]) -> dict[str, Given]:
    """The settings of a YAML file by dotted key. `shown` is the file's name for people.

    Raises ConfigError, with the line where there is one, for what cannot be read or is not in `known`.
    """
    root = _compose(_read_text(file, shown), shown)
    settings: dict[str, Given] = {}
    for section, body, line in _entries(root, shown, "the file"):
        place = Given(None, base, f"{shown}:{line}", shown, line)
        if not any(key.startswith(f"{section}.") for key in known):
            place.check_known(section, known)
        for name, node, at in _entries(body, shown, f"`{section}`"):
            key = f"{section}.{name}"
            given = Given(_value(node, key, shown), base, f"{shown}:{at}", shown, at)
            given.check_known(key, known)
            if key in settings:
                given.refuse(f"`{key}` is set twice", f"the first is in line {settings[key].line}")
            if given.value is not None:
                settings[key] = given
    return settings


def _read_text(file: Path, shown: str) -> str:
    try:
        with file.open("rb") as stream:
            data = stream.read(_MAX_FILE_BYTES + 1)
    except OSError as error:
        raise ConfigError(f"cannot read this file: {error.strerror}", path=shown) from None
    if len(data) > _MAX_FILE_BYTES:
        raise ConfigError("this is too large for a configuration file (over 1 MB)", path=shown)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError("this file is not UTF-8 text", path=shown, line=line, hint="save it as UTF-8") from None


def _compose(text: str, shown: str) -> yaml.Node | None:
    if not text.strip():
        return None
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        node: yaml.Node | None = yaml.compose(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else None
        hint = "put text that holds `: # @ * [ {` or a tab into quotes, and indent with spaces"
        raise ConfigError(f"this is not valid YAML: {error.problem}", path=shown, line=line, hint=hint) from None
    except (yaml.YAMLError, RecursionError):
        raise ConfigError(
            "this is not valid YAML: it holds control characters or is nested too deeply", path=shown
        ) from None
    return node


def _entries(node: yaml.Node | None, shown: str, what: str) -> Iterator[tuple[str, yaml.Node, int]]:
    """Key, value and line of a mapping; nothing for a key with nothing behind it."""
    if node is None or node.tag == _NULL:
        return
    if not isinstance(node, yaml.MappingNode):
        line = node.start_mark.line + 1
        hint = "write `section:` and below it, indented, `key: value`"
        raise ConfigError(f"{what} should hold settings", path=shown, line=line, hint=hint)
    for key, value in node.value:
        yield str(key.value), value, key.start_mark.line + 1


def _value(node: yaml.Node, key: str, shown: str) -> str | list[str] | None:
    if isinstance(node, yaml.ScalarNode):
        return None if node.tag == _NULL else str(node.value)
    if isinstance(node, yaml.SequenceNode) and all(isinstance(item, yaml.ScalarNode) for item in node.value):
        return [str(item.value) for item in node.value if item.tag != _NULL]
    raise ConfigError(f"`{key}` should be one value or a plain list", path=shown, line=node.start_mark.line + 1)
