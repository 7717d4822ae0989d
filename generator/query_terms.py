"""Obsidian's search language, as fences of `query` use it: a text becomes a test of notes.

Words must all be there, `OR` asks for either side, `-` for what is not there; `"…"` is a phrase, `/…/` a regular
expression, `( )` groups. `file: path: content: tag: line: block: section: task: task-todo: task-done: match-case:
ignore-case:` and `[property:value]` look at one part of a note.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol
from unicodedata import normalize

from generator.linear_regex import BadRegexError, LinearRegex

MOST_CHARACTERS = 2_000
_MOST_TERMS = 100
_DEEPEST = 20

_OPERATORS = frozenset(
    "file path content tag line block section task task-todo task-done match-case ignore-case".split()
)
_TOKEN = re.compile(
    r'\s*(?:(?P<operator>[a-z][a-z-]*):(?=\S)|"(?P<phrase>(?:[^"\\]|\\.)*)"|/(?P<regex>(?:[^/\\\n]|\\.)+)/'
    r"|(?P<mark>[()\[\]\-])|(?P<word>[^\s()\[\]\"]+))",
    re.DOTALL,
)
_COMPARISON = re.compile(r"([<>])(?=.)")
_NAME = re.compile(r"\s*(?:\"(?P<quoted>[^\"]*)\"|(?P<plain>[^\"\[\]:]+?))\s*(?P<end>[:\]])")


class BadQueryError(ValueError):
    """A query that cannot be understood: `code` is `unclosed`, `empty`, `regex` or `large`."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Text:
    """A piece of text, and how it is compared where case does not count."""

    __slots__ = ("_folded", "raw")

    def __init__(self, raw: str) -> None:
        self.raw = raw
        self._folded: str | None = None

    @property
    def folded(self) -> str:
        """The text in NFC, case folded."""
        if self._folded is None:
            self._folded = fold(self.raw)
        return self._folded


class SearchedNote(Protocol):
    """What a query may look at."""

    @property
    def path(self) -> Text:
        """Where it stands in the vault."""

    @property
    def text(self) -> Text:
        """What a reader sees."""

    @property
    def tags(self) -> frozenset[str]:
        """The keys of its tags."""

    @property
    def properties(self) -> Mapping[str, Any]:
        """By lower-case name."""

    def lines(self) -> Sequence[Text]:
        """The lines of the text."""

    def blocks(self) -> Sequence[Text]:
        """Paragraphs, list items, headings; tables, quotes and code as a whole."""

    def sections(self) -> Sequence[Text]:
        """What stands between two headings, each with the heading that it is under."""

    def tasks(self) -> Sequence[tuple[str, Text]]:
        """Mark and text of each task."""


Test = Callable[[SearchedNote, Text | None], bool]
"""Whether a note, or the one piece of it that an operator looks at, is what a query asks for."""


def fold(text: str) -> str:
    """How texts are compared without case."""
    return text.casefold() if text.isascii() else normalize("NFC", normalize("NFD", text).casefold())


def understand(query: str) -> Callable[[SearchedNote], bool]:
    """The test that a query is. Raises `BadQueryError`; the test raises `linear_regex.TooMuchWorkError`."""
    if len(query) > MOST_CHARACTERS:
        raise BadQueryError("large", f"the search has more than {MOST_CHARACTERS} characters")
    if not query.strip():
        raise BadQueryError("empty", "the search is empty")
    test = _Reader(query).whole()
    return lambda note: test(note, None)


class _Reader:
    def __init__(self, source: str) -> None:
        self._source = source
        self._pos = 0
        self._terms = 0
        self._ignore_case = True

    def whole(self) -> Test:
        test = self._either(0)
        if self._rest():
            raise BadQueryError("unclosed", "a parenthesis or bracket is closed that was not opened")
        return test

    def _rest(self) -> str:
        return self._source[self._pos :].lstrip()

    def _either(self, depth: int) -> Test:
        """Groups of terms with `OR` between them, up to a closing mark or the end."""
        if depth > _DEEPEST:
            raise BadQueryError("large", "the search is nested too deeply")
        groups: list[list[Test]] = [[]]
        while (rest := self._rest()) and rest[0] not in ")]":
            if re.match(r"OR(?=[\s(\"/\[-]|$)", rest) and groups[-1]:
                self._pos = self._source.index("OR", self._pos) + 2
                groups.append([])
            else:
                groups[-1].append(self._term(depth))
        tests = [_all(group) for group in groups if group]
        if not tests:
            raise BadQueryError("empty", "the search, or a part in parentheses, is empty")
        return tests[0] if len(tests) == 1 else _any(tests)

    def _term(self, depth: int) -> Test:
        self._terms += 1
        if self._terms > _MOST_TERMS:
            raise BadQueryError("large", f"the search has more than {_MOST_TERMS} terms")
        match = _TOKEN.match(self._source, self._pos)
        if match is None:
            raise BadQueryError("unclosed", "a quotation mark is not closed")
        if match["operator"] is not None and match["operator"] in _OPERATORS:
            self._pos = match.end()
            return self._operator(match["operator"], depth)
        if match["operator"] is not None:  # `http://…`: a word
            match = re.compile(r"\s*(?P<word>[^\s()\[\]\"]+)").match(self._source, self._pos) or match
            self._pos = match.end()
            return self._matcher(self._word(match["word"]))
        self._pos = match.end()
        if match["mark"] is not None:
            return self._marked(match["mark"], depth)
        if match["phrase"] is not None:
            return self._matcher(self._word(re.sub(r"\\(.)", r"\1", match["phrase"], flags=re.DOTALL)))
        if match["regex"] is not None:
            return self._matcher(self._regex(match["regex"]))
        return self._matcher(self._word(match["word"]))

    def _marked(self, mark: str, depth: int) -> Test:
        if mark == "(":
            test = self._either(depth + 1)
            self._close(")")
            return test
        if mark == "[":
            return self._property(depth)
        rest = self._source[self._pos : self._pos + 1]
        if not rest or rest.isspace():
            return self._matcher(self._word("-"))  # a dash between words
        test = self._term(depth + 1) if depth < _DEEPEST else self._either(depth + 1)
        return lambda note, piece: not test(note, piece)

    def _close(self, mark: str) -> None:
        if not self._rest().startswith(mark):
            raise BadQueryError("unclosed", "a parenthesis or bracket is not closed")
        self._pos = self._source.index(mark, self._pos) + 1

    def _matcher(self, holds: Callable[[Text], bool]) -> Test:
        """A word by itself is looked for in the text and in the path."""
        return lambda note, piece: holds(piece) if piece is not None else holds(note.text) or holds(note.path)

    def _word(self, word: str) -> Callable[[Text], bool]:
        if self._ignore_case:
            wanted = fold(word)
            return lambda text: wanted in text.folded
        return lambda text: word in text.raw

    def _regex(self, pattern: str) -> Callable[[Text], bool]:
        try:
            regex = LinearRegex(pattern, ignore_case=self._ignore_case)
        except BadRegexError as error:
            raise BadQueryError("regex", f"the regular expression /{pattern}/ cannot be used: {error}") from error
        return lambda text: regex.search(text.raw)

    def _operator(self, name: str, depth: int) -> Test:
        if name in {"match-case", "ignore-case"}:
            before, self._ignore_case = self._ignore_case, name == "ignore-case"
            test = self._term(depth + 1)
            self._ignore_case = before
            return test
        if name == "tag":
            return self._tag()
        inner = self._term(depth + 1)
        if name == "content":
            return lambda note, piece: inner(note, note.text)
        if name == "path":
            return lambda note, piece: inner(note, note.path)
        if name == "file":
            return lambda note, piece: inner(note, Text(note.path.raw.rpartition("/")[2]))
        pieces = _PIECES[name]
        return lambda note, piece: any(inner(note, part) for part in pieces(note))

    def _tag(self) -> Test:
        match = re.compile(r'"([^"]*)"|([^\s()\[\]"]+)').match(self._source, self._pos)
        if match is None:
            raise BadQueryError("empty", "`tag:` needs the name of a tag")
        self._pos = match.end()
        wanted = fold((match[1] or match[2] or "").strip().lstrip("#").strip("/"))
        if not wanted:
            raise BadQueryError("empty", "`tag:` needs the name of a tag")
        below = wanted + "/"
        return lambda note, piece: any(tag == wanted or tag.startswith(below) for tag in note.tags)

    def _property(self, depth: int) -> Test:
        """`[name]`, `[name:value]`; the opening bracket is read already."""
        match = _NAME.match(self._source, self._pos)
        if match is None:
            raise BadQueryError("unclosed", "a bracket is not closed, or holds no name of a property")
        self._pos = match.end()
        name = (match["quoted"] if match["quoted"] is not None else match["plain"]).strip().lower()
        if match["end"] == "]":
            return lambda note, piece: name in note.properties
        value = self._source[self._pos :]
        if plain := re.match(r"\s*null\s*\]", value, re.IGNORECASE):
            self._pos += plain.end()
            return lambda note, piece: name in note.properties and note.properties[name] is None
        if compared := re.match(r"\s*([<>])\s*([^\s\[\]()\"]+)\s*\]", value):
            self._pos += compared.end()
            return _compare(name, compared[1], compared[2])
        inner = self._either(depth + 1)
        self._close("]")
        return lambda note, piece: any(inner(note, Text(item)) for item in values(note.properties.get(name)))


def _all(tests: Sequence[Test]) -> Test:
    if len(tests) == 1:
        return tests[0]
    return lambda note, piece: all(test(note, piece) for test in tests)


def _any(tests: Sequence[Test]) -> Test:
    return lambda note, piece: any(test(note, piece) for test in tests)


def _tasks(note: SearchedNote, *, open_ones: bool | None) -> Iterable[Text]:
    return (text for mark, text in note.tasks() if open_ones is None or (mark == " ") == open_ones)


_PIECES: dict[str, Callable[[SearchedNote], Iterable[Text]]] = {
    "line": lambda note: note.lines(),
    "block": lambda note: note.blocks(),
    "section": lambda note: note.sections(),
    "task": lambda note: _tasks(note, open_ones=None),
    "task-todo": lambda note: _tasks(note, open_ones=True),
    "task-done": lambda note: _tasks(note, open_ones=False),
}


def values(value: Any) -> list[str]:
    """A property's value as texts: a list's items one by one."""
    if isinstance(value, list):
        return [text for item in value for text in values(item)]
    if isinstance(value, bool):
        return ["true" if value else "false"]
    return [] if value is None or isinstance(value, Mapping) else [str(value)]


def _compare(name: str, sign: str, limit: str) -> Test:
    """Numbers are compared as numbers, all else (dates, above all) as texts."""

    def holds(value: str) -> bool:
        try:
            first, second = float(value), float(limit)
        except ValueError:
            return value < limit if sign == "<" else value > limit
        return first < second if sign == "<" else first > second

    return lambda note, piece: any(map(holds, values(note.properties.get(name))))
