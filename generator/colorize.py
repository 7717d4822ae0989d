"""Colours for Obsidian's own graph view: `colorGroups` in `.obsidian/graph.json`, and nothing else of that file.

The file is Obsidian's. Only the characters of the one value are replaced, so that all else stays byte for byte; before
that, the file is copied beside itself, once a minute at most, and `undo` puts the last copy back.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import time

from generator.errors import Unreadable, WikiError
from generator.exports.format import PALETTE
from generator.layout import stable_colours
from generator.vault import write_atomic
from generator.wiki import Wiki

FILE = ".obsidian/graph.json"
KEY = "colorGroups"
_BACKUP = re.compile(r"graph\.llmwiki-(\d{14,20})\.json")
_BACKUP_EVERY_S = 60
_SPACE = re.compile(r"[ \t\r\n]*")
_MOST = 10  # groups


@dataclass(frozen=True, slots=True)
class Group:
    """A search of Obsidian's and the colour (`#RRGGBB`) of the notes that it finds; of several, the first counts."""

    query: str
    colour: str

    def value(self) -> dict[str, object]:
        """As Obsidian keeps it."""
        return {"query": self.query, "color": {"a": 1, "rgb": int(self.colour[1:], 16)}}


def groups_by(wiki: Wiki, way: str) -> tuple[Group, ...]:
    """Groups by category, tag, community or visibility, at most ten, the largest first."""
    if way == "visibility":
        return (Group('tag:"visibility/pii"', "#E15759"), Group('tag:"visibility/internal"', "#F28E2B"))
    searches = {"category": _categories, "tag": _tags, "community": _communities}[way](wiki)[:_MOST]
    names = [name for name, _ in searches]
    return tuple(
        Group(query, PALETTE[colour]) for (_, query), colour in zip(searches, stable_colours(names), strict=True)
    )


def _categories(wiki: Wiki) -> list[tuple[str, str]]:
    """By folder where the category is the name of one, else by the property that says it."""
    folders = {folder.rpartition("/")[2].casefold(): folder for folder in sorted(wiki.folders, reverse=True) if folder}
    counts = Counter(page.category for page in wiki.content_pages if page.category)
    found = []
    for name in sorted(counts, key=lambda name: (-counts[name], name)):
        folder = folders.get(name.casefold())
        found.append((name, f"path:{_quoted(folder)}" if folder else f'["category":{_quoted(name)}]'))
    return found


def _tags(wiki: Wiki) -> list[tuple[str, str]]:
    top = {tag: len(wiki.nested_tags[tag]) for tag in wiki.child_tags.get("", ()) if tag != "visibility"}
    return [
        (tag, f"tag:{_quoted('#' + wiki.tag_labels[tag])}") for tag in sorted(top, key=lambda tag: (-top[tag], tag))
    ]


def _communities(wiki: Wiki) -> list[tuple[str, str]]:
    """Obsidian cannot search for a community, so each is found by the folder in which most of it lies, while no larger
    community has that folder."""
    folders: dict[str, str] = {}
    counts: dict[int, Counter[str]] = {}
    for page, community in zip(wiki.content_pages, wiki.layout.members, strict=True):
        if community >= 0 and page.folder:
            counts.setdefault(community, Counter())[page.folder] += 1
    for community in sorted(counts):
        best = min(counts[community], key=lambda folder: (-counts[community][folder], folder))
        folders.setdefault(best, wiki.graph.paths[wiki.layout.communities[community].hub])
    return [(hub, f"path:{_quoted(folder)}") for folder, hub in folders.items()]


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


# ── the file ────────────────────────────────────────────────────────────────────────────────────────────


def with_groups(text: str, groups: Sequence[Group]) -> str:
    """The text of a `graph.json` with these groups, all else as it is. Raises `Unreadable` where it is no object."""
    value = json.dumps([group.value() for group in groups], ensure_ascii=False, separators=(",", ":"))
    if not text.strip("\ufeff \t\r\n"):
        return f'{{\n  "{KEY}": {value}\n}}'
    start, end, is_empty = _place(text)
    if end:
        return text[:start] + value + text[end:]
    return f'{text[:start]}"{KEY}":{value}{"" if is_empty else ","}{text[start:]}'


def _place(text: str) -> tuple[int, int, bool]:
    """Where the value stands; without one, where a member may be put in, an end of 0, and whether it would be alone."""
    decoder = json.JSONDecoder()
    try:
        if not isinstance(decoder.decode(text.removeprefix("\ufeff")), dict):
            raise _damaged()
        first = at = _skip(text, text.index("{") + 1)
        found = (first, 0, text[first] == "}")
        while text[at] != "}":
            key, at = decoder.raw_decode(text, at)
            start = _skip(text, _skip(text, at) + 1)
            _, end = decoder.raw_decode(text, start)
            if key == KEY:
                found = (start, end, False)  # of several, the last one counts
            at = _skip(text, end)
            at = _skip(text, at + 1) if text[at] == "," else at
    except (ValueError, RecursionError):
        raise _damaged() from None
    return found


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _damaged() -> Unreadable:
    return Unreadable("this is not a JSON object", path=FILE, hint="open Obsidian's graph once, or delete the file")


def write_groups(vault: Path, groups: Sequence[Group], *, now: float | None = None) -> bool:
    """Put the groups into the vault's `graph.json`; returns whether that changed it. Raises `Unreadable`, `OSError`."""
    file = vault / FILE
    before = file.read_bytes() if file.exists() else b""
    try:
        after = with_groups(before.decode("utf-8"), groups).encode()
    except UnicodeDecodeError:
        raise _damaged() from None
    if before == after or (not before and not groups):
        return False
    file.parent.mkdir(exist_ok=True)
    _back_up(file, before, time() if now is None else now)
    write_atomic(file, after)
    return True


def undo(vault: Path) -> bool:
    """Put back the file as the last backup has it, and remove that; returns whether the file is there now."""
    file = vault / FILE
    backups = _backups(file)
    if not backups:
        raise WikiError(
            "there is no backup to go back to", path=FILE, hint="`llmwiki colorize --clear` takes colours out"
        )
    before = backups[-1].read_bytes()
    if before:
        write_atomic(file, before)
    else:
        file.unlink(missing_ok=True)
    backups[-1].unlink()
    return bool(before)


def _back_up(file: Path, data: bytes, now: float) -> None:
    """Keep the file as it was; an empty copy says that there was none. Within a minute the first copy is the one."""
    moment = int(now * 1000)
    backups = _backups(file)
    if not backups or moment - _moment(backups[-1]) >= _BACKUP_EVERY_S * 1000:
        write_atomic(file.with_name(f"graph.llmwiki-{moment:014}.json"), data)


def _backups(file: Path) -> list[Path]:
    found = [path for path in file.parent.glob("graph.llmwiki-*.json") if _BACKUP.fullmatch(path.name)]
    return sorted(found, key=_moment)


def _moment(backup: Path) -> int:
    match = _BACKUP.fullmatch(backup.name)
    return int(match[1]) if match else 0
