"""Links to pages that go become plain text; nothing else of a note changes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from generator import frontmatter
from generator.model import Edit, Finding
from generator.parse_options import ParseOptions
from generator.parser import parse_note
from generator.source_map import LinkSpan, map_source
from generator.syntax.wikilink import shown_text
from generator.upkeep.edits import NoteSource, Replacement, edit_of, source_of
from generator.upkeep.entries import change_entries

LISTS = ("sources", "related", "relationships")
_BULLET = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
_IN_TEXT = frozenset({"wikilink", "markdown", "html", "diagram"})
_DEEPEST = 4  # labels within labels
IsGone = Callable[[str, str], bool]
"""Whether an entry goes, by the property's name (lower case) and the entry's text."""


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A note without the links: the edit (None where there is nothing to change), and the places left as they are."""

    edit: Edit | None
    left: tuple[Finding, ...]


def cleaned(source: NoteSource, targets: Collection[str], is_gone: IsGone, *, drop_lines: bool) -> Cleaned:
    """The note without links whose target is written as one of `targets`, and without the entries of `LISTS` that
    `is_gone` names.

    `drop_lines`: a list item that begins with such a link goes as a whole, as in index.md.
    """
    changes = change_entries(source.text, LISTS, lambda name, entry: "" if is_gone(name, entry) else None)
    left = []
    if changes is None:
        message = "an entry of `sources`, `related` or `relationships` cannot be taken out without touching others"
        left.append(Finding("entry-left", "warning", source.path, 1, message))
    edit = edit_of(source, changes or ())
    if targets:
        before = _now(source, edit)
        edit, still = _without_links(source, before, edit, frozenset(targets), drop_lines)
        left += still
    return Cleaned(edit, tuple(left))


def _now(source: NoteSource, edit: Edit | None) -> NoteSource:
    return source_of(source.path, edit.new_text, source.digest) if edit else source


def _without_links(
    source: NoteSource, before: NoteSource, edit: Edit | None, targets: frozenset[str], drop_lines: bool
) -> tuple[Edit | None, list[Finding]]:
    """First as plain as possible; where that would be read as something else, with its punctuation escaped."""
    for escape in (_as_it_is, _escaped):
        tried = edit
        for _ in range(_DEEPEST):
            now = _now(before, tried)
            spans = [span for span in map_source(now.text).links if span.written.target in targets]
            changes = [_replacement(now.text, span, escape, drop_lines) for span in spans]
            step = edit_of(now, changes)
            if step is None:
                break
            tried = step
        after = _now(before, tried)
        if _is_sound(before.text, after.text, targets):
            return tried, [*_left(after, targets)]
    return edit, [*_left(before, targets)]


def _replacement(text: str, span: LinkSpan, escape: Callable[[str], str], drop_lines: bool) -> Replacement:
    if drop_lines and span.kind == "wikilink":
        start = text.rfind("\n", 0, span.start) + 1
        stop = text.find("\n", span.end)
        if _BULLET.fullmatch(text, start, span.start):
            return Replacement(start, len(text) if stop < 0 else stop + 1, "")
    label = _label(text, span)
    return Replacement(span.start, span.end, label if span.kind == "property" else escape(label))


def _label(text: str, span: LinkSpan) -> str:
    """The text that stays, as it is written in the source: the label, else what the link showed."""
    written = text[span.start : span.end]
    if span.kind == "markdown":
        shown = span.written.label or span.written.target.rpartition("/")[2].removesuffix(".md")
        return shown.partition("|")[0] if span.embed else shown
    inner = written[2 + span.embed : -2]
    _, bar, label = inner.partition("|")
    if bar and label.strip() and not span.embed:
        return label.strip()
    shown = span.written.target if span.embed else shown_text(span.written)
    return shown.replace("|", "\\|") if span.place == "cell" else shown


def _as_it_is(label: str) -> str:
    return label


def _escaped(label: str) -> str:
    return _PUNCTUATION.sub(r"\\\1", label.replace("\\|", "|"))


def _is_sound(before: str, after: str, targets: frozenset[str]) -> bool:
    """Whether the parser finds the same other links, tags and headings as before, and properties of the same names."""
    old_front, new_front = frontmatter.split(before), frontmatter.split(after)
    if new_front.broken != old_front.broken or new_front.meta.keys() != old_front.meta.keys():
        return False
    return _facts(before, targets) == _facts(after, targets)


def _facts(text: str, targets: frozenset[str]) -> tuple[object, ...]:
    note = parse_note("", b"", text, ParseOptions())
    links = Counter(
        (link.kind, link.embed, link.target, link.subpath) for link in note.links if link.target not in targets
    )
    return links, note.tags, [(heading.level, heading.text) for heading in note.headings], len(note.footnotes)


def _left(note: NoteSource, targets: frozenset[str]) -> Iterator[Finding]:
    """The links that are still there: in HTML, in diagrams, or where their place cannot be told."""
    for link in _links(note.text, targets):
        message = f"the link to {link[1]!r} stays: it stands where it cannot be changed for sure"
        yield Finding("link-left", "warning", note.path, link[0], message)


def _links(text: str, targets: frozenset[str]) -> Sequence[tuple[int, str]]:
    note = parse_note("", b"", text, ParseOptions())
    return sorted({(link.line, link.target) for link in note.links if link.target in targets})
