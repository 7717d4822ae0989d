"""A page as pieces small enough for an embedding model: by heading, then by paragraph, with some overlap between."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser

CHUNKING = 1
"""Part of a vector's identity: raise it whenever a page would be cut otherwise."""
TARGET = 1_000  # characters
MOST = 1_500  # but a code block or a table is never cut: a longer one is a piece of its own
OVERLAP = 200
_MARKS = re.compile("[\x00-\x08\x0e-\x1f]")
_HEADING = re.compile("h([1-6])")
_WHOLE = frozenset({"pre", "table"})
_PARAGRAPHS = frozenset(
    {"p", "li", "dt", "dd", "blockquote", "figcaption", "summary", "div", "section", "ul", "ol", "hr"}
)
_SILENT = frozenset({"script", "style", "svg", "math"})
_SENTENCE = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？；])|\n")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a page. `n` counts from 0; `heading` is the way of headings to it, joined by ` › `."""

    n: int
    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class _Paragraph:
    text: str
    whole: bool


@dataclass(slots=True)
class _Section:
    heading: str
    paragraphs: list[_Paragraph] = field(default_factory=list)


def chunks_of(title: str, html: str) -> list[Chunk]:
    """The pieces of a page, given the body that the index keeps. A page without text has none."""
    reader = _Reader()
    reader.feed(_MARKS.sub("", html))
    reader.close()
    reader.end_paragraph()
    found: list[Chunk] = []
    for section in reader.sections:
        heading = section.heading.removeprefix(title).removeprefix(" › ")
        for text in _pieces(section.paragraphs):
            found.append(Chunk(len(found), heading, text))
    return found


def sent_text(title: str, chunk: Chunk) -> str:
    """What is embedded for a piece: where it stands, then its text."""
    return "\n".join(filter(None, (title, chunk.heading, chunk.text)))


def _pieces(paragraphs: Sequence[_Paragraph]) -> Iterator[str]:
    parts: list[str] = []
    size = 0
    fresh = False  # whether more than an overlap is gathered
    for paragraph in _cut_long(paragraphs):
        if fresh and (size + len(paragraph.text) > MOST or size >= TARGET):
            yield "\n".join(parts)
            tail = "" if paragraph.whole else _tail(parts[-1])
            parts = [tail] if tail and len(tail) + len(paragraph.text) < MOST else []
            size = sum(map(len, parts))
        parts.append(paragraph.text)
        size += len(paragraph.text) + 1
        fresh = True
    if fresh:
        yield "\n".join(parts)


def _cut_long(paragraphs: Sequence[_Paragraph]) -> Iterator[_Paragraph]:
    """Paragraphs of at most `TARGET` characters, cut between sentences; what must not be cut stays whole."""
    for paragraph in paragraphs:
        if paragraph.whole or len(paragraph.text) <= TARGET:
            yield paragraph
            continue
        gathered = ""
        for sentence in filter(None, _SENTENCE.split(paragraph.text)):
            while len(gathered) + len(sentence) > TARGET:
                if gathered:
                    yield _Paragraph(gathered, False)
                    gathered = ""
                else:  # a sentence of more characters than a piece may have
                    yield _Paragraph(sentence[:TARGET], False)
                    sentence = sentence[TARGET:]
            gathered = f"{gathered} {sentence}".strip()
        if gathered:
            yield _Paragraph(gathered, False)


def _tail(text: str) -> str:
    """The last whole sentences of a piece, at most `OVERLAP` characters."""
    kept = ""
    for sentence in reversed(_SENTENCE.split(text[-2 * OVERLAP :])[1:]):
        if len(kept) + len(sentence) + 1 > OVERLAP:
            break
        kept = f"{sentence} {kept}".strip()
    return kept


class _Reader(HTMLParser):
    """Gathers the paragraphs of a body below their headings."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.sections = [_Section("")]
        self._way: list[tuple[int, str]] = []
        self._text: list[str] = []
        self._heading = 0
        self._whole = 0
        self._silent_tag = ""  # what is being passed over, and how deep it is nested in itself
        self._silent = 0
        self._preformatted = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._silent_tag:
            self._silent += tag == self._silent_tag
        elif tag in _SILENT or (tag == "a" and ("aria-hidden", "true") in attrs):
            self._silent_tag, self._silent = tag, 1
        elif heading := _HEADING.fullmatch(tag):
            self.end_paragraph()
            self._heading = int(heading[1])
        elif tag in _WHOLE:
            if not self._whole:
                self.end_paragraph()
            self._whole += 1
            self._preformatted += tag == "pre"
        elif tag in _PARAGRAPHS and not self._whole:
            self.end_paragraph()
        elif tag in {"tr", "br"}:
            self._text.append("\n")
        elif tag in {"td", "th"}:
            self._text.append(" | ")

    def handle_endtag(self, tag: str) -> None:
        if self._silent_tag:
            self._silent -= tag == self._silent_tag
            self._silent_tag = self._silent_tag if self._silent else ""
        elif _HEADING.fullmatch(tag) and self._heading:
            self._begin_section()
        elif tag in _WHOLE and self._whole:
            self._preformatted -= tag == "pre"
            self._whole -= 1
            if not self._whole:
                self._end(whole=True)
        elif tag in _PARAGRAPHS and not self._whole:
            self.end_paragraph()

    def handle_data(self, data: str) -> None:
        if not self._silent_tag:
            self._text.append(data if self._preformatted else re.sub(r"\s+", " ", data))

    def end_paragraph(self) -> None:
        """What was gathered is a paragraph."""
        self._end(whole=False)

    def _end(self, *, whole: bool) -> None:
        text = "\n".join(line.strip(" |") if "|" in line else line for line in "".join(self._text).split("\n")).strip()
        self._text = []
        if text:
            self.sections[-1].paragraphs.append(_Paragraph(text, whole))

    def _begin_section(self) -> None:
        text = "".join(self._text).strip()
        self._text = []
        self._way = [*((level, above) for level, above in self._way if level < self._heading), (self._heading, text)]
        self._heading = 0
        self.sections.append(_Section(" › ".join(part for _, part in self._way)))
