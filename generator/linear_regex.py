r"""Regular expressions whose cost grows with the text alone, for expressions that come out of notes.

Python's own engine tries one way after another, so `(a+)+b` can cost it years. Here all ways are followed at once:
the set of places in the expression that the text may have reached is a state, and states are kept. The syntax is
JavaScript's without what cannot be read like this: references back (`\1`) and looking around (`(?=…)`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from unicodedata import category

_MOST_INSTRUCTIONS = 1000
_MOST_STEPS = 1_000_000  # places that are followed one by one, over all texts: two seconds
_MOST_KEPT = 50_000  # transitions; then the states are forgotten and found anew
_DEEPEST = 50

Test = Callable[[str], bool]
_COUNT = re.compile(r"\{(\d{1,4})(,?)(\d{0,4})\}")
_HEX = re.compile(r"x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,6})\}")
_PROPERTY = re.compile(r"[pP]\{(?:(?:gc|General_Category)=)?([A-Z][a-z]?)\}")
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "0": "\0"}


class BadRegexError(ValueError):
    """An expression that is malformed, that cannot be read in this way, or that is too large."""


class TooMuchWorkError(Exception):
    """The texts and the expression are of the kind that makes for too many states."""


def _is_word(character: str) -> bool:
    return character == "_" or character.isalnum()


_CLASSES: dict[str, Test] = {"d": str.isdecimal, "w": _is_word, "s": str.isspace}
# The kinds of place beside a character that `^`, `$`, `\b` and `\B` ask for.
_EDGE, _WORD, _OTHER = 0, 1, 2


def _kind(character: str) -> int:
    if character in {"", "\n"}:
        return _EDGE
    return _WORD if _is_word(character) else _OTHER


@dataclass(slots=True)
class _Instruction:
    """`test` reads a character, `edge` looks at the place; neither: go on at `next` and, if it is there, `other`."""

    next: int = -1
    other: int = -1
    test: Test | None = None
    edge: str = ""


@dataclass(slots=True)
class _State:
    """Places that are reached after a character of the kind `before`; `steps` are the states that follow."""

    places: frozenset[int]
    before: int
    steps: dict[str, _State] = field(default_factory=dict)


class LinearRegex:
    """A compiled expression. Raises `BadRegexError`; `search` raises `TooMuchWorkError`."""

    def __init__(self, pattern: str, *, ignore_case: bool) -> None:
        self._ignore_case = ignore_case
        self._program = _Compiler(pattern, ignore_case).program
        self._match = len(self._program) - 1
        self._found = _State(frozenset(), _EDGE)
        self._states: dict[tuple[frozenset[int], int], _State] = {}
        self._kept = 0
        self._left = _MOST_STEPS

    def search(self, text: str) -> bool:
        """Whether the expression matches somewhere in `text`."""
        if self._ignore_case:
            text = text.lower()
        state = self._state(frozenset((0,)), _EDGE)
        for character in text:
            state = state.steps.get(character) or self._step(state, character)
            if state is self._found:
                return True
        return self._step(state, "") is self._found

    def _state(self, places: frozenset[int], before: int) -> _State:
        known = self._states.get((places, before))
        if known is None:
            known = self._states[places, before] = _State(places, before)
        return known

    def _step(self, state: _State, character: str) -> _State:
        following: set[int] = {0}  # a match may begin at any place
        here = self._reached(state, _kind(character))
        self._left -= len(here)
        if self._left < 0:
            raise TooMuchWorkError
        if self._match in here:
            after = self._found
        else:
            for place in here:
                instruction = self._program[place]
                if character and instruction.test and instruction.test(character):
                    following.add(instruction.next)
            after = self._state(frozenset(following), _kind(character))
        if self._kept > _MOST_KEPT:
            self._states, self._kept = {}, 0
            return after
        self._kept += 1
        state.steps[character] = after
        return after

    def _reached(self, state: _State, ahead: int) -> set[int]:
        """All places that can be reached from those of the state without reading a character."""
        seen: set[int] = set()
        pending = list(state.places)
        while pending:
            place = pending.pop()
            if place in seen:
                continue
            seen.add(place)
            instruction = self._program[place]
            if instruction.test is not None or place == self._match:
                continue
            if instruction.edge and not _holds(instruction.edge, state.before, ahead):
                continue
            pending += [target for target in (instruction.next, instruction.other) if target >= 0]
        return seen


def _holds(edge: str, before: int, ahead: int) -> bool:
    if edge == "^":
        return before == _EDGE
    if edge == "$":
        return ahead == _EDGE
    return ((before == _WORD) != (ahead == _WORD)) == (edge == "b")


class _Compiler:
    """Reads the expression once; `program` ends with the instruction that is a match."""

    def __init__(self, pattern: str, ignore_case: bool) -> None:
        self._pattern = pattern
        self._ignore_case = ignore_case
        self._pos = 0
        self.program: list[_Instruction] = []
        self._alternatives(0)
        if self._pos < len(pattern):
            raise BadRegexError("a parenthesis is closed that was not opened")
        self._add(_Instruction())

    def _add(self, instruction: _Instruction) -> int:
        if len(self.program) >= _MOST_INSTRUCTIONS:
            raise BadRegexError("it is too large")
        self.program.append(instruction)
        return len(self.program) - 1

    def _peek(self) -> str:
        return self._pattern[self._pos : self._pos + 1]

    def _alternatives(self, depth: int) -> None:
        """`a|b|c`: each is tried from the same place, and all go on at the same one."""
        if depth > _DEEPEST:
            raise BadRegexError("it is nested too deeply")
        ends: list[int] = []
        while True:
            split = self._add(_Instruction(next=len(self.program) + 1))
            self._sequence(depth)
            if self._peek() != "|":
                break
            self._pos += 1
            ends.append(self._add(_Instruction()))
            self.program[split].other = len(self.program)
        for end in ends:
            self.program[end].next = len(self.program)

    def _sequence(self, depth: int) -> None:
        while (character := self._peek()) and character not in "|)":
            entry = self._add(_Instruction(next=len(self.program) + 1))
            begin = self._pos
            self._atom(depth)
            self._quantify(entry, begin, depth)

    def _quantify(self, entry: int, begin: int, depth: int) -> None:
        """Repeat the atom that stands at `begin` as its quantifier says; it is compiled once, behind `entry`."""
        after_atom = self._pos
        counts = self._counts()
        if counts is None:
            return
        least, most = counts
        after = self._pos
        if most == 0:
            del self.program[entry + 1 :]
            return
        last = entry
        for _ in range(least - 1):
            last = self._again(begin, after_atom, depth)
        skips = [entry] if least == 0 else []
        skips += [self._again(begin, after_atom, depth) for _ in range(most - max(least, 1))]
        if most < 0:
            self._add(_Instruction(next=last, other=len(self.program) + 1))
        for skip in skips:
            self.program[skip].other = len(self.program)
        self._pos = after

    def _counts(self) -> tuple[int, int] | None:
        """How often the quantifier at this place asks for what is before it; -1 is without end, None no quantifier."""
        least, most = 0, -1
        if (character := self._peek()) in {"*", "+", "?"}:
            self._pos += 1
            least, most = {"*": (0, -1), "+": (1, -1), "?": (0, 1)}[character]
        elif counted := _COUNT.match(self._pattern, self._pos):
            self._pos = counted.end()
            least = int(counted[1])
            most = int(counted[3]) if counted[3] else -1 if counted[2] else least
            if 0 <= most < least:
                raise BadRegexError("a count ends before it begins")
        else:
            return None
        if self._peek() == "?":
            self._pos += 1  # as few as possible: whether there is a match is the same
        if self._peek() and self._peek() in "*+?":
            raise BadRegexError("nothing to repeat")
        return least, most

    def _again(self, begin: int, end: int, depth: int) -> int:
        """Compile an atom once more; returns where one enters it."""
        entry = self._add(_Instruction(next=len(self.program) + 1))
        self._pos = begin
        self._atom(depth)
        self._pos = end
        return entry

    def _atom(self, depth: int) -> None:
        character = self._peek()
        if character == "(":
            self._group(depth)
            return
        self._pos += 1
        if character in "*+?":
            raise BadRegexError("nothing to repeat")
        if character in "^$":
            self._add(_Instruction(next=len(self.program) + 1, edge=character))
        elif character == ".":
            self._read(lambda c: c != "\n")
        elif character == "[":
            self._read(self._set())
        elif character == "\\" and self._peek() in {"b", "B"}:
            self._add(_Instruction(next=len(self.program) + 1, edge=self._peek()))
            self._pos += 1
        else:
            self._read(self._escape() if character == "\\" else self._literal(character))

    def _read(self, test: Test) -> None:
        self._add(_Instruction(next=len(self.program) + 1, test=test))

    def _group(self, depth: int) -> None:
        self._pos += 1
        if opening := re.compile(r"\?(?::|<[A-Za-z_$][\w$]*>)").match(self._pattern, self._pos):
            self._pos = opening.end()
        elif self._peek() == "?":
            raise BadRegexError("looking ahead or behind is not possible here")
        self._alternatives(depth + 1)
        if self._peek() != ")":
            raise BadRegexError("a parenthesis is not closed")
        self._pos += 1

    def _literal(self, character: str) -> Test:
        if self._ignore_case:
            character = character.lower()
        return lambda c: c == character

    def _escape(self) -> Test:
        """What a backslash writes; the backslash is read already."""
        character = self._peek()
        if not character:
            raise BadRegexError("it ends with a backslash")
        found = self._class() or self._property()
        if found is not None:
            return found
        if character in "123456789k":
            raise BadRegexError("a reference back is not possible here")
        return self._literal(self._escaped_character())

    def _class(self) -> Test | None:
        character = self._peek()
        test = _CLASSES.get(character.lower())
        if test is None:
            return None
        self._pos += 1
        return test if character.islower() else _not(test)

    def _property(self) -> Test | None:
        match = _PROPERTY.match(self._pattern, self._pos)
        if match is None:
            return None
        self._pos = match.end()
        name, ignore_case = match[1], self._ignore_case

        def test(c: str) -> bool:
            return category(c).startswith(name) or (ignore_case and category(c.upper()[:1]).startswith(name))

        return test if match[0][0] == "p" else _not(test)

    def _escaped_character(self) -> str:
        if match := _HEX.match(self._pattern, self._pos):
            self._pos = match.end()
            code = int(match[1] or match[2] or match[3], 16)
            if code > 0x10FFFF:
                raise BadRegexError("there is no such character")
            return chr(code)
        character = self._peek()
        self._pos += 1
        return _CONTROLS.get(character, character)

    def _set(self) -> Test:
        """`[a-z\\d]`; the opening bracket is read already."""
        negative = self._peek() == "^"
        self._pos += negative
        tests: list[Test] = []
        singles: set[str] = set()
        ranges: list[tuple[str, str]] = []
        while self._peek() != "]":
            first = self._set_item(tests)
            if first is None:
                continue
            if self._peek() == "-" and self._pattern[self._pos + 1 : self._pos + 2] not in {"]", ""}:
                self._pos += 1
                last = self._set_item(tests)
                if last is None or last < first:
                    raise BadRegexError("a range of characters ends before it begins")
                ranges.append((first, last))
            else:
                singles.add(first)
        self._pos += 1
        ignore_case = self._ignore_case

        def holds(c: str) -> bool:
            return c in singles or any(a <= c <= b for a, b in ranges) or any(test(c) for test in tests)

        def test_set(c: str) -> bool:
            return (holds(c) or (ignore_case and holds(c.upper()))) != negative

        return test_set

    def _set_item(self, tests: list[Test]) -> str | None:
        """One character of a set; None where it was a class, which is put among `tests`."""
        character = self._peek()
        if not character:
            raise BadRegexError("a set of characters is not closed")
        self._pos += 1
        if character != "\\":
            return character
        if not self._peek():
            raise BadRegexError("it ends with a backslash")
        found = self._class() or self._property()
        if found is not None:
            tests.append(found)
            return None
        return self._escaped_character()


def _not(test: Test) -> Test:
    return lambda c: not test(c)
