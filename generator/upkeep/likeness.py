"""Which known name was meant by one that is off by a blank, a hyphen, case, or a letter or two."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from generator.analyser import fold

_SQUEEZED = re.compile(r"[\s_-]+")
_LEAST_PIECE = 2
_MOST_CANDIDATES = 2000  # for one name: a bound for names that share their pieces with very many others


def squeezed(name: str) -> str:
    """The name without case, accents, blanks, hyphens and underscores."""
    return _SQUEEZED.sub("", fold(name))


def distance(one: str, other: str, most: int) -> int:
    """How many letters must be changed, added or dropped to get from one to the other; `most + 1` for more."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    row = list(range(len(other) + 1))
    for i, char in enumerate(one, 1):
        above, row[0] = row[0], i
        for j, their in enumerate(other, 1):
            above, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, above + (char != their))
        if min(row) > most:
            return most + 1
    return row[-1]


def allowed(name: str) -> int:
    """How many letters a name may be off: none for short ones, where any two are alike; a number is never a slip."""
    if name.isdecimal():
        return 0
    return 0 if len(name) < 4 else 1 if len(name) < 6 else 2


def nearest(wanted: str, known: Iterable[str]) -> str:
    """The one nearest of a few names; "" where there is none, or where several are as near."""
    return nearest_of({wanted: ""}, {name: name for name in known}).get(wanted, "")


def nearest_of(wanted: Mapping[str, object], known: Mapping[str, str]) -> dict[str, str]:
    """For each wanted name the value of the one nearest known name; names with none, or with several, are left out.

    Linear in the names: of three parts of a name, one stands unchanged in any name that is two letters off, so one
    pass of all parts over all known names finds the candidates.
    """
    by_key: dict[str, set[str]] = {}
    for name, value in known.items():
        by_key.setdefault(squeezed(name), set()).add(value)
    result: dict[str, str] = {}
    unknown: dict[str, str] = {}
    for name in wanted:
        key = squeezed(name)
        if same := by_key.get(key):
            if len(same) == 1:
                result[name] = next(iter(same))
        elif allowed(key):
            unknown[name] = key
    for name, candidates in _candidates(unknown, list(by_key)).items():
        key = unknown[name]
        ranked: dict[int, set[str]] = {}
        for candidate in candidates[:_MOST_CANDIDATES]:
            if _numbers(candidate) == _numbers(key):
                ranked.setdefault(distance(key, candidate, allowed(key)), set()).update(by_key[candidate])
        best = min(ranked, default=99)
        if best <= allowed(key) and len(ranked[best]) == 1:
            result[name] = next(iter(ranked[best]))
    return result


def _numbers(name: str) -> list[str]:
    """`Part 1` and `Part 2` are one letter apart, and not the same."""
    return re.findall(r"\d+", name)


def _candidates(wanted: Mapping[str, str], known: Sequence[str]) -> dict[str, list[str]]:
    """For each wanted name the known keys that hold one of its parts."""
    if not wanted:
        return {}
    from ahocorasick_rs import AhoCorasick

    owners: dict[str, list[str]] = {}
    for name, key in wanted.items():
        count = allowed(key) + 1
        size = max(_LEAST_PIECE, len(key) // count)
        for part in range(count):
            piece = key[part * size : (part + 1) * size if part < count - 1 else len(key)]
            if len(piece) >= _LEAST_PIECE or part == 0:
                owners.setdefault(piece, []).append(name)
    pieces = [piece for piece in owners if piece]
    automaton = AhoCorasick(pieces)
    found: dict[str, list[str]] = {name: [] for name in wanted}
    for key in known:
        names = {
            name
            for number, _, _ in automaton.find_matches_as_indexes(key, overlapping=True)
            for name in owners[pieces[number]]
        }
        for name in names:
            if len(found[name]) < _MOST_CANDIDATES:
                found[name].append(key)
    return found
