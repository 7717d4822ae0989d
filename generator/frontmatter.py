"""Front matter: the YAML block at the very top of a note, read the way Obsidian reads it.

Scalars follow YAML 1.2: `no`, `on`, `007`, `12:30` and `1_000` are text, dates stay as typed. Broken YAML costs
a note its properties, never its text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml
from frontmatter.default_handlers import YAMLHandler

from generator.model import Problem

_BLOCK = re.compile(r"\A---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_SECOND_BLOCK = re.compile(r"\A\s*^---[ \t]*\n(?:[^\n]*\n){0,40}?---[ \t]*(?:\n|\Z)", re.MULTILINE)
_KEY_LINE = re.compile(r"^[^\s#:\-\[{>|][^:\n]*:(?:\s|$)", re.MULTILINE)
_TAB = re.compile(r"^[^\s#][^:\n]*:[ ]*\t", re.MULTILINE)
_MAX_NODES = 20_000


class _ObsidianLoader(yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader):  # type: ignore[misc]
    """A safe loader with the scalars of YAML 1.2's core schema, less the dates."""


_ObsidianLoader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in (
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
    ("int", r"^[-+]?(?:0|[1-9][0-9]*)$", "-+0123456789"),
    ("float", r"^[-+]?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$", "-+0123456789"),
    ("null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
):
    _ObsidianLoader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(_pattern), list(_first))


class ObsidianHandler(YAMLHandler):
    """python-frontmatter's YAML handler with Obsidian's scalars and block rule."""

    def detect(self, text: str) -> bool:
        """Whether `text` opens with a closed block."""
        return _BLOCK.match(text) is not None

    def split(self, text: str) -> tuple[str, str]:
        """The block's YAML and the text after it."""
        match = _BLOCK.match(text)
        return (match[1], text[match.end() :]) if match else ("", text)

    def load(self, fm: str, **kwargs: Any) -> Any:
        """The YAML's value; raises `yaml.YAMLError`."""
        return yaml.load(fm, Loader=_ObsidianLoader)


_HANDLER = ObsidianHandler()


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """`meta` is JSON-serialisable with text keys; `body` starts at line `body_line`. `broken` is the source of a
    block whose YAML does not parse: it is shown on the page, so that nothing is lost."""

    meta: Mapping[str, Any]
    body: str
    body_line: int
    broken: str = ""
    problems: tuple[Problem, ...] = ()


def split(text: str) -> FrontMatter:
    """Read `text` (LF line ends, no BOM). Never raises: what is wrong comes back in `problems`."""
    if not text.startswith("---") or not _HANDLER.detect(text):
        return FrontMatter({}, text, 1)
    source, body = _HANDLER.split(text)
    body_line = 1 + text.count("\n", 0, len(text) - len(body))
    try:
        value = _HANDLER.load(source)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        if not _KEY_LINE.search(source):
            return FrontMatter({}, text, 1)  # prose between two rules
        return FrontMatter({}, body, body_line, source, (_yaml_problem(error),))
    if value is None:
        # `---`, nothing, `---`: an empty block; `---`, comment lines, `---` too.
        return FrontMatter({}, body, body_line, "", _second_block(body, body_line))
    if not isinstance(value, dict):
        return FrontMatter({}, text, 1)
    plain = _Plain()
    meta = plain.convert(value)
    if plain.left < 0:
        problem = Problem("invalid-frontmatter", "front matter is too large or refers to itself", 1)
        return FrontMatter({}, body, body_line, source, (problem,))
    return FrontMatter(meta, body, body_line, "", (*_tab(source), *_second_block(body, body_line)))


def _tab(source: str) -> tuple[Problem, ...]:
    """Parsers disagree on a tab after a key: we read the value, others lose all of them."""
    match = _TAB.search(source)
    if match is None:
        return ()
    line = source.count("\n", 0, match.start()) + 2
    return (
        Problem("invalid-frontmatter", "a tab follows the colon: write a space, many programs accept no tab", line),
    )


def _yaml_problem(error: Exception) -> Problem:
    mark = getattr(error, "problem_mark", None)
    line = mark.line + 2 if mark is not None else 1
    reason = getattr(error, "problem", None) or str(error).splitlines()[0]
    return Problem("invalid-frontmatter", f"front matter is not valid YAML: {reason}", line)


def _second_block(body: str, body_line: int) -> tuple[Problem, ...]:
    match = _SECOND_BLOCK.match(body) if body.lstrip()[:3] == "---" else None
    if match is None or not _KEY_LINE.search(match[0]):
        return ()
    line = body_line + len(body[: body.index("---")].split("\n")) - 1
    return (
        Problem("second-frontmatter", "a second front matter block is read as text: merge it into the first", line),
    )


class _Plain:
    """Turns YAML values into JSON-serialisable ones, with a bound that aliases cannot multiply past."""

    def __init__(self) -> None:
        self.left = _MAX_NODES

    def convert(self, value: Any) -> Any:
        self.left -= 1
        if self.left < 0:
            return None
        if isinstance(value, dict):
            return {str(key): self.convert(item) for key, item in value.items()}
        if isinstance(value, (list, tuple, set)):
            return [self.convert(item) for item in value]
        if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
            return str(value)
        if isinstance(value, bytes):
            return value.decode("utf-8", "replace")
        return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)
