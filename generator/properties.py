"""Front matter becomes a page's fields: tolerant of every shape that people write, with a finding where it is off."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, cast

from generator.model import Lifecycle, Problem
from generator.syntax.tag import tag_key

_LIFECYCLES = frozenset({"draft", "verified", "archived", "disputed"})
_PRIVATE_TAGS = frozenset({"visibility/internal", "visibility/pii"})
_DATE = re.compile(
    r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2}))?(?:\.\d+)?\s*(Z|[+-]\d{2}:?\d{2})?)?"
)
_SUMMARY = 200
_PLURALS = {"tag": "tags", "cssclass": "cssclasses"}
CREATED = ("created", "created_at", "date")
UPDATED = ("updated", "updated_at", "modified")
Note = Callable[[str, str], None]
"""Called with the code and the message of a finding."""


def _ignore(code: str, message: str) -> None:
    """For a second reading: the first has named what is wrong."""


def lower_keys(meta: Mapping[str, Any]) -> dict[str, Any]:
    """Property names are compared without case; the first spelling wins."""
    result: dict[str, Any] = {}
    for key, value in meta.items():
        result.setdefault(key.strip().lower(), value)
    return result


def as_text(value: Any) -> str:
    """A scalar as people typed it; "" for nothing, lists and mappings."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, int, float)):
        return str(value).strip()
    return ""


def as_list(value: Any) -> list[str]:
    """A list of texts; a scalar is a list of one."""
    values = value if isinstance(value, list) else [value]
    return [text for text in map(as_text, values) if text]


def is_true(value: Any) -> bool:
    """`true`, `"True"`, `yes`; the text `"false"` is false."""
    return value is True or (isinstance(value, str) and value.strip().lower() in {"true", "yes", "on", "1"})


def is_false(value: Any) -> bool:
    """`false`, `"False"`, `no`."""
    return value is False or (isinstance(value, str) and value.strip().lower() in {"false", "no", "off", "0"})


def read_tags(meta: Mapping[str, Any], inline: list[str], note: Note) -> tuple[str, ...]:
    """The tags of a page as first spelled, without `#`: `tags` (list, or text with commas or spaces), `tag`, inline."""
    written: list[str] = []
    for name in ("tags", "tag"):
        value = meta.get(name)
        _note_legacy(meta, name, note)
        if isinstance(value, str):
            written += re.split(r"[,\s]+", value)
        else:
            written += [re.sub(r"\s+", "-", part.strip()) for item in as_list(value) for part in item.split(",")]
    result: dict[str, str] = {}
    for tag in written:
        label = tag.lstrip("#").strip("/")
        if label and label.isdigit():
            note("bad-tag", f"the tag {label!r} has only digits: Obsidian does not accept it")
        elif label:
            result.setdefault(tag_key(label), label)
    for label in inline:
        result.setdefault(tag_key(label), label)
    return tuple(result.values())


def read_classes(meta: Mapping[str, Any], note: Note = _ignore) -> tuple[str, ...]:
    """`cssclasses`, and the legacy `cssclass`; a text holds one class a word."""
    found: dict[str, None] = {}
    for name in ("cssclasses", "cssclass"):
        _note_legacy(meta, name, note)
        found.update(dict.fromkeys(part for text in as_list(meta.get(name)) for part in text.split()))
    return tuple(found)


def _note_legacy(meta: Mapping[str, Any], name: str, note: Note) -> None:
    """Since version 1.9 Obsidian reads lists only, under the names in the plural."""
    value = meta.get(name)
    if name in {"tag", "cssclass"} and value is not None:
        note("legacy-property", f"`{name}` is read no more by Obsidian: write a list `{_PLURALS[name]}`")
    elif isinstance(value, (str, int, float)) and as_text(value):
        note("legacy-property", f"`{name}` is a text: Obsidian wants a list")


def read_aliases(meta: Mapping[str, Any], note: Note) -> tuple[str, ...]:
    """`aliases`, and the legacy `alias`; a single text counts as one alias."""
    result: dict[str, None] = {}
    for name in ("aliases", "alias"):
        value = meta.get(name)
        if isinstance(value, str) and value.strip():
            note("legacy-aliases", f"`{name}` is a text: Obsidian wants a list")
            parts = [part.strip() for part in value.split(",")]
        else:
            parts = as_list(value)
        result.update(dict.fromkeys(part for part in parts if part))
    return tuple(result)


def read_lifecycle(meta: Mapping[str, Any], note: Note) -> Lifecycle:
    """`draft` where nothing, or nothing known, is written."""
    value = as_text(meta.get("lifecycle")).lower()
    if value == "reviewed":
        note("reviewed-lifecycle", "lifecycle `reviewed` is read as `verified`")
        return "verified"
    if value and value not in _LIFECYCLES:
        note("bad-lifecycle", f"lifecycle {value!r} is none of draft, verified, archived, disputed")
    return cast(Lifecycle, value) if value in _LIFECYCLES else "draft"


def read_date(meta: Mapping[str, Any], names: tuple[str, ...], note: Note = _ignore) -> str:
    """The first of `names` that holds a date, as ISO 8601 (`2026-01-31`, `2026-01-31T09:30:00`); else ""."""
    for name in names:
        value = as_text(meta.get(name))
        if not value:
            continue
        match = _DATE.fullmatch(value)
        if match and 1 <= int(match[2]) <= 12 and 1 <= int(match[3]) <= 31:
            day = f"{match[1]}-{int(match[2]):02d}-{int(match[3]):02d}"
            if match[4] is None:
                return day
            return f"{day}T{int(match[4]):02d}:{match[5]}:{match[6] or '00'}{match[7] or ''}"
        note("bad-date", f"`{name}: {value}` is not a date (write 2026-01-31)")
    return ""


def is_published(meta: Mapping[str, Any], tags: tuple[str, ...], *, opt_in: bool) -> bool:
    """Whether the page may be in the site: `publish`, `draft` and the `visibility/*` tags decide."""
    publish = meta.get("publish")
    if is_false(publish) or is_true(meta.get("draft")) or any(tag_key(tag) in _PRIVATE_TAGS for tag in tags):
        return False
    return is_true(publish) if opt_in else True


def summarise(meta: Mapping[str, Any], first_paragraph: str) -> str:
    """`summary`, else `description`, else the first paragraph: one line, at most 200 characters."""
    text = as_text(meta.get("summary")) or as_text(meta.get("description")) or first_paragraph[: 4 * _SUMMARY]
    text = " ".join(text.split())
    if len(text) <= _SUMMARY:
        return text
    cut = text[: _SUMMARY - 1]
    stop = max(cut.rfind(mark) for mark in "。！？.!?")
    if stop >= _SUMMARY // 2:
        return cut[: stop + 1]
    space = cut.rfind(" ")
    return (cut[:space] if space >= _SUMMARY // 2 else cut).rstrip(" ,;:，；：、") + "…"


def to_problems(notes: list[tuple[str, str]], lines: Mapping[str, int]) -> tuple[Problem, ...]:
    """Findings about properties, at the line of the property that the message names (else line 1)."""
    result = []
    for code, message in notes:
        name = message.partition("`")[2].partition(":")[0].partition("`")[0].split(" ")[0]
        result.append(Problem(code, message, lines.get(name, 1)))
    return tuple(result)
