"""One setting: its value as a source gave it, where that stands, and how it becomes the type of its field.

Text is taken as a person typed it, from YAML and from the environment alike: `title: 2031` and `token: 007`
stay text, `yes` and `true` are both true, and a key with nothing behind it is not set.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import NoneType
from typing import Any, Literal, NoReturn, get_args, get_origin

from .errors import ConfigError

_TRUTH = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}


@dataclass(frozen=True, slots=True)
class Given:
    """A value as given; relative paths start at `base`. `file` and `line` are None outside of files."""

    value: object
    base: Path
    origin: str
    file: str | None = None
    line: int | None = None

    def refuse(self, message: str, hint: str = "") -> NoReturn:
        """Raise the ConfigError that names this value's place."""
        prefix = "" if self.file else f"{self.origin}: "
        raise ConfigError(prefix + message, path=self.file, line=self.line, hint=hint)

    def check_known(self, key: str, known: Collection[str]) -> None:
        """Refuse a key that is none of `known` (dotted keys) and name the nearest one."""
        if key in known:
            return
        from difflib import get_close_matches  # 10 ms, and only for an error

        section = key.partition(".")[0]
        siblings = [other.partition(".")[2] for other in known if other.startswith(f"{section}.")]
        if nearest := get_close_matches(key, known, n=1, cutoff=0.75):
            hint = f"did you mean `{nearest[0]}`?"
        elif siblings:
            hint = f"`{section}` has: {', '.join(siblings)}"
        else:
            hint = f"the sections are: {', '.join(dict.fromkeys(other.partition('.')[0] for other in known))}"
        self.refuse(f"there is no setting `{key}`", hint)

    def typed(self, key: str, kind: Any, rules: Mapping[str, Any]) -> object:
        """The value as `kind`, an annotation of a field with the metadata `rules`. Raises ConfigError."""
        kinds = (
            [option for option in get_args(kind) if option is not NoneType] if NoneType in get_args(kind) else [kind]
        )
        expected, result = _convert(self.value, kinds[0], rules, self.base)
        if result is None:
            shown = "" if rules.get("secret") else f", not {_shown(self.value)}"
            self.refuse(f"`{key}` should be {expected}{shown}")
        return result


def absolute(path: str | Path, base: Path) -> Path:
    """`path` with `~` expanded and without `..`; a relative one starts at `base`."""
    return Path(os.path.abspath(base / Path(path).expanduser()))


def _convert(value: object, kind: Any, rules: Mapping[str, Any], base: Path) -> tuple[str, object]:
    """What is expected, in words, and the value as `kind`: None if it cannot be that."""
    if get_origin(kind) is tuple:
        return "a list of text", _several(value)
    text = str(value).strip() if isinstance(value, str | int | float | Path) else ""
    if get_origin(kind) is Literal:
        return _choice(text, get_args(kind))
    if kind is bool:
        return "true or false", _TRUTH.get(text.lower())
    if kind is int:
        return _whole_number(text, rules.get("least", 0), rules.get("most"))
    if kind is float:
        return "a number from 0 to 1", _share(text)
    if kind is Path:
        return "a path", _path(text, base)
    if rules.get("url"):
        return "an address that starts with http:// or https://", text if _is_web(text) else None
    return "text", text or None


def _several(value: object) -> tuple[str, ...] | None:
    if isinstance(value, str):
        value = [part.strip() for part in value.split(",") if part.strip()]
    return tuple(map(str, value)) if isinstance(value, list | tuple) else None


def _choice(text: str, options: tuple[str, ...]) -> tuple[str, str | None]:
    found = next((option for option in options if option.lower() == text.lower()), None)
    return f"one of {', '.join(options)}", found


def _whole_number(text: str, least: int, most: int | None) -> tuple[str, int | None]:
    expected = f"a whole number from {least}" + ("" if most is None else f" to {most}") + ("" if most else " up")
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 10):
        return expected, None
    number = int(text)
    return expected, number if number >= least and (most is None or number <= most) else None


def _share(text: str) -> float | None:
    if not re.fullmatch(r"[01]|[01]?\.[0-9]{1,9}", text):
        return None
    return float(text) if float(text) <= 1 else None


def _path(text: str, base: Path) -> Path | None:
    if not text or "\0" in text:
        return None
    try:
        return absolute(text, base)
    except RuntimeError:  # `~name` of nobody
        return None


def _is_web(text: str) -> bool:
    return text.startswith(("http://", "https://")) and not any(character.isspace() for character in text)


def _shown(value: object) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return f"`{text[:60]}{'…' if len(text) > 60 else ''}`"
