"""What a finding proposes to do about a note, and how that becomes replacements in its source."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from generator.model import Edit
from generator.source_map import LinkSpan, SourceMap, map_source
from generator.syntax.tag import tag_key
from generator.upkeep.edits import NoteSource, Replacement, edit_of
from generator.upkeep.entries import change_entries
from generator.upkeep.property_text import set_property

_TAG_PROPERTIES = ("tags", "tag")
_UNSAFE = re.compile(r"[\s%()<>\[\]#?|^\\]")


@dataclass(frozen=True, slots=True)
class Relink:
    """Links that say `target#subpath` shall say `new_target#new_subpath`; `label` is shown where none was written."""

    target: str
    subpath: str
    new_target: str
    new_subpath: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class SetProperty:
    """The property gets a value, where it has none."""

    name: str
    value: str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DropSource:
    """An entry of `sources` goes."""

    source: str


@dataclass(frozen=True, slots=True)
class RenameTag:
    """The tag is spelled `new` wherever the page carries it, in front matter and text."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Regenerate:
    """The marked part of index.md is written anew: `text` is what the whole file shall be."""

    text: str


Repair = Relink | SetProperty | DropSource | RenameTag | Regenerate


def repair_note(source: NoteSource, repairs: Sequence[Repair]) -> Edit | None:
    """One edit that makes all the repairs in a note; None where none of them can be made."""
    for repair in repairs:
        if isinstance(repair, Regenerate):
            return Edit(source.path, source.digest, repair.text)
    changes: list[Replacement] = []
    if any(isinstance(repair, Relink | RenameTag) for repair in repairs):
        found = map_source(source.text)
        changes += _relinked(source.text, found, [item for item in repairs if isinstance(item, Relink)])
        changes += _retagged(source.text, found, [item for item in repairs if isinstance(item, RenameTag)])
    if any(isinstance(repair, DropSource) for repair in repairs):
        gone = {repair.source for repair in repairs if isinstance(repair, DropSource)}
        dropped = change_entries(source.text, ("sources",), lambda _, entry: "" if entry.strip() in gone else None)
        changes += dropped or ()
    edit = edit_of(source, changes)
    return _with_properties(source, edit, [item for item in repairs if isinstance(item, SetProperty)])


def _with_properties(source: NoteSource, edit: Edit | None, wanted: Sequence[SetProperty]) -> Edit | None:
    """Properties are added one after the other, each to the text that the one before left."""
    from generator.upkeep.edits import source_of

    for repair in wanted:
        now = source_of(source.path, edit.new_text, source.digest) if edit else source
        value = list(repair.value) if isinstance(repair.value, tuple) else repair.value
        change = set_property(now.text, repair.name, value)
        if change is not None:
            edit = edit_of(now, [change]) or edit
    return edit


def _relinked(text: str, found: SourceMap, repairs: Iterable[Relink]) -> Iterator[Replacement]:
    wanted = {(repair.target, repair.subpath): repair for repair in repairs}
    for link in found.links:
        repair = wanted.get((link.written.target, link.written.subpath))
        if repair is not None:
            yield from _rewritten(text, link, repair)


def _rewritten(text: str, link: LinkSpan, repair: Relink) -> Iterator[Replacement]:
    if link.kind == "markdown":
        start, end = link.destination
        if end > start:
            subpath = f"#{_address(repair.new_subpath)}" if repair.new_subpath else ""
            yield Replacement(start, end, _address(_with_ending(repair.new_target)) + subpath)
        return
    start = link.start + 2 + link.embed
    inner = text[start : link.end - 2]
    left, bar, _ = inner.partition("|")
    if bar and left.endswith("\\"):
        left = left[:-1]
    new = repair.new_target + (f"#{repair.new_subpath}" if repair.new_subpath else "")
    if repair.label and not bar and not link.embed:
        new += ("\\|" if link.place == "cell" else "|") + repair.label
    yield Replacement(start, start + len(left), new)


def _address(text: str) -> str:
    """Percent-encoded where Markdown needs it, as Obsidian writes it: letters of all scripts stay."""
    return _UNSAFE.sub(lambda match: quote(match[0]), text)


def _with_ending(target: str) -> str:
    """Markdown links name notes with their ending."""
    name = target.rpartition("/")[2]
    return target if not target or "." in name else f"{target}.md"


def _retagged(text: str, found: SourceMap, repairs: Sequence[RenameTag]) -> list[Replacement]:
    if not repairs:
        return []
    wanted = {tag_key(repair.old): repair.new for repair in repairs}
    changes = [
        Replacement(tag.start + 1, tag.end, new)
        for tag in found.tags
        if (new := wanted.get(tag_key(tag.name))) and new != tag.name
    ]
    return changes + (change_entries(text, _TAG_PROPERTIES, _Renaming(text, wanted), words=True) or [])


class _Renaming:
    """New spellings for tags of the front matter; what would stand there twice is dropped."""

    def __init__(self, text: str, wanted: dict[str, str]) -> None:
        from generator import frontmatter, properties

        meta = properties.lower_keys(frontmatter.split(text).meta)
        listed = [tag_key(tag) for name in _TAG_PROPERTIES for tag in properties.as_list(meta.get(name))]
        self._taken = {key for key in listed if key not in wanted}
        self._wanted = wanted

    def __call__(self, name: str, entry: str) -> str | None:
        label = entry.strip().lstrip("#")
        new = self._wanted.get(tag_key(label))
        if new is None or new == label:
            return None
        if tag_key(new) in self._taken and tag_key(new) != tag_key(label):
            return ""
        return entry.replace(label, new)
