"""Which files and folders of a vault are left alone: dot names, archives, Obsidian's filters, `wiki.exclude`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .config import read_obsidian

PRIVATE_FOLDERS = frozenset(("node_modules", "_archives", "_staging", "_raw", "wiki-export"))

# `Doc.md~`, `Doc.md.tmp123`, `Doc.md.tmp.41.99`, `#Doc.md#`, `~$Report.docx`: what programs leave while they save.
_TEMPORARY = re.compile(r".*~|~\$.*|#.*#|.*\.tmp[\w.-]*", re.DOTALL)
_NEVER = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The rules of one vault. `refused` tells of each pattern that cannot be used, and why.

    `from_start` is matched at the start of a path, that of a folder ending in `/`; `anywhere` is Obsidian's
    expressions, which are searched in the paths of files only.
    """

    from_start: re.Pattern[str]
    anywhere: tuple[re.Pattern[str], ...]
    refused: tuple[str, ...]

    def folder(self, path: str, name: str) -> bool:
        """Whether the folder, and all below it, is left alone."""
        return name[0] == "." or name in PRIVATE_FOLDERS or self.from_start.match(f"{path}/") is not None

    def file(self, path: str, name: str) -> bool:
        """Whether the file is left alone."""
        if name[0] == "." or self.from_start.match(path):
            return True
        if self.anywhere and any(pattern.search(path) for pattern in self.anywhere):
            return True
        return name[-3:].lower() != ".md" and _TEMPORARY.fullmatch(name) is not None


def ignore_rules(vault: Path, exclude: Sequence[str], own_paths: Sequence[str]) -> IgnoreRules:
    """The rules from Obsidian's settings, the `exclude` globs and `own_paths`: our output and index, vault-relative."""
    starts = [f"{re.escape(path)}(?:/|\\Z)" for path in own_paths]
    anywhere: list[re.Pattern[str]] = []
    refused: list[str] = []
    templates = read_obsidian(vault, "templates.json").get("folder")
    if isinstance(templates, str) and templates.strip("/"):
        starts.append(f"{re.escape(templates.strip('/'))}/")
    filters = read_obsidian(vault, "app.json").get("userIgnoreFilters")
    for text in filters if isinstance(filters, list) else ():
        if not isinstance(text, str) or not text:
            continue
        if len(text) > 2 and text[0] == text[-1] == "/":
            _add_expression(text, anywhere, refused)
        else:
            starts.append(f"(?i:{re.escape(text)})")
    starts += filter(None, (_glob(glob.strip(), refused) for glob in exclude))
    return IgnoreRules(re.compile("|".join(starts)) if starts else _NEVER, tuple(anywhere), tuple(refused))


def _add_expression(text: str, anywhere: list[re.Pattern[str]], refused: list[str]) -> None:
    """A `/regular expression/` of Obsidian, which is JavaScript's: named groups are spelled differently."""
    expression = re.sub(r"\(\?<(?=[A-Za-z_])", "(?P<", text[1:-1])
    if _is_costly(expression):
        refused.append(f"the excluded-files pattern {text[:80]} could take very long")
        return
    try:
        anywhere.append(re.compile(expression))
    except (re.error, RecursionError, OverflowError) as error:
        refused.append(f"the excluded-files pattern {text[:80]} is not understood: {error}")


def _is_costly(expression: str) -> bool:
    """Whether backtracking could explode: a repeated group, or more than three unbounded repeats."""
    bare = re.sub(r"\\.|\[(?:\\.|[^\]\\])*\]", "x", expression)
    return len(expression) > 1000 or bool(re.search(r"\)[*+{]", bare)) or len(re.findall(r"[*+]|\{\d*,\}", bare)) > 3


def _glob(glob: str, refused: list[str]) -> str | None:
    """A pattern of .gitignore as an expression to match at the start of a path."""
    if not glob.strip("/") or glob[0] == "#":
        return None
    if glob[0] == "!" or glob.count("**") > 3:
        refused.append(f"the exclude pattern {glob[:80]}: `!` and more than three `**` are not supported")
        return None
    *folders, last = [part for part in glob.split("/") if part]
    expression = "" if "/" in glob.rstrip("/") else "(?:.*/)?"
    expression += "".join("(?:.*/)?" if part == "**" else f"{_segment(part)}/" for part in folders)
    expression += (".+" if last == "**" else _segment(last)) + ("/" if glob[-1] == "/" else "/?") + "\\Z"
    try:
        re.compile(expression)
    except (re.error, OverflowError) as error:
        refused.append(f"the exclude pattern {glob[:80]} is not understood: {error}")
        return None
    return expression


def _segment(glob: str) -> str:
    """One part between slashes. A star takes as little as it can and never reconsiders (atomic groups), except
    for the last one: that is still exact for globs, and a hostile `*a*a*a*a` stays quick."""
    runs = [""]
    for token in re.findall(r"\*+|\?|\[!?\]?[^\]]*\]|\\.|.", glob, re.DOTALL):
        if token[0] == "*":
            runs.append("")
        elif token == "?":
            runs[-1] += "[^/]"
        elif token[0] == "[" and len(token) > 2:
            body = re.sub(r"[\\\[\]^]", r"\\\g<0>", token[1:-1])
            runs[-1] += f"[^/{body[1:]}]" if body[0] == "!" else f"[{body}]"
        else:
            runs[-1] += re.escape(token[-1])
    if len(runs) == 1:
        return runs[0]
    first, *middle, last = runs
    return first + "".join(f"(?>[^/]*?{run})" for run in middle) + f"[^/]*{last}"
