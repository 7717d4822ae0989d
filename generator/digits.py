"""How numbers are written in the files of the search: in base 45, each with one of 45 characters for its last digit and
of 45 others for those before it, so that small ones take one character and none needs a blank. Nothing in them can end
a string or a script."""

from __future__ import annotations

import re
from collections.abc import Iterable

BASE = 45
# All that can be seen of ASCII, but for `!`, `"`, `<` and `\`.
DIGITS = bytes(code for code in range(35, 127) if code not in (60, 92))


class _Numbers(dict[int, bytes]):
    """How numbers are written, worked out when first met."""

    def __missing__(self, number: int) -> bytes:
        digits = [DIGITS[number % BASE]]
        rest = number // BASE
        while rest:
            digits.append(DIGITS[BASE + rest % BASE])
            rest //= BASE
        written = bytes(reversed(digits))
        if len(self) < 100_000:
            self[number] = written
        return written


class _Values(dict[bytes, int]):
    """What written numbers mean, worked out when first met."""

    def __missing__(self, written: bytes) -> int:
        number = 0
        for digit in map(DIGITS.index, written):
            number = number * BASE + digit % BASE
        if len(self) < 100_000:
            self[written] = number
        return number


NUMBERS = _Numbers()
VALUES = _Values()
NUMBER = re.compile(b"[%b]*[%b]" % (re.escape(DIGITS[BASE:]), re.escape(DIGITS[:BASE])))


def numbers(values: Iterable[int]) -> str:
    """Numbers as one text."""
    return b"".join(map(NUMBERS.__getitem__, values)).decode("ascii")
