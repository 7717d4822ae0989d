"""The best passage of a page for a query: a short piece of plain text, and where the matched words stand in it."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from unicodedata import category, is_normalized, normalize

from generator.analyser import UNSPACED, fold_aligned
from generator.porter import stem
from generator.search_query import Term

LONGEST_SNIPPET = 200
_WINDOW = 150  # within which the words of the best passage stand
_LEAD = 50  # shown before the first of them, at most
_MOST_MATCHES = 5000
_FAR = 20_000  # characters after the first match that are looked through for a better one
_PIECE = 3000  # characters folded at a time
_LETTER = r"[^\W_]"
_WORD = re.compile(f"[{UNSPACED}]+|(?:(?![{UNSPACED}]){_LETTER}|[\u0900-\u0dff])+")
_BLANKS = re.compile(r"\s+")
_SENTENCE_END = re.compile(r"[.!?…]\s|[。！？；]|\n")


@dataclass(frozen=True, slots=True)
class Passage:
    """`marks` are the (start, end) offsets in `snippet` of what matched; `heading` is the last one before it."""

    snippet: str
    marks: tuple[tuple[int, int], ...]
    heading: str


class Matcher:
    """Finds the words of a query in a text as the index would: whatever their case, accents and English ending."""

    def __init__(self, terms: Iterable[Term], *, bigrams: bool = False) -> None:
        """With `bigrams`, two characters of a longer Chinese word are a match too."""
        self._prefixes: list[str] = []
        wholes: set[str] = set()
        words: set[str] = set()
        for term in terms:
            pieces = _WORD.findall(term.surface)
            if len(pieces) > 1 or (pieces and pieces[0] != term.surface):
                wholes.add(term.surface)
            for piece in pieces:
                if term.prefix and piece is pieces[-1]:
                    self._prefixes.append(piece)
                elif _is_literal(piece):
                    wholes.add(piece)
                    wholes.update(_bigrams(piece) if bigrams else ())
                else:
                    words.add(piece)
        self._stems = frozenset(map(stem, words))
        self._wholes = frozenset(wholes)
        self.words = len(self._stems | self._wholes) + len(self._prefixes)
        self._pattern = self._compile()

    def _compile(self) -> re.Pattern[str] | None:
        branches = [_bounded(whole) for whole in sorted(self._wholes, key=len, reverse=True)]
        # A word's last letters may differ from its stem's (`happi` for `happy`): find by the rest, then compare stems.
        starts = {stemmed[:-1] if len(stemmed) > 2 else stemmed for stemmed in self._stems}
        starts.update(prefix for prefix in self._prefixes if not _is_literal(prefix))
        branches.extend(_at_start(start) + f"{_LETTER}*" for start in sorted(starts, key=len, reverse=True))
        branches.extend(re.escape(prefix) for prefix in self._prefixes if _is_literal(prefix))
        return re.compile("|".join(branches)) if branches else None

    def find(self, text: str) -> Iterator[tuple[int, int, str]]:
        """(start, end, which word of the query) of every match in `text`, in order."""
        if self._pattern is None:
            return
        for at, piece in _pieces(text):
            for match in self._pattern.finditer(fold_aligned(piece)):
                key = self._key(match[0])
                if key and match.end() > match.start():
                    yield at + match.start(), at + match.end(), key

    def _key(self, found: str) -> str:
        if found in self._wholes:
            return found
        stemmed = stem(found)
        if stemmed in self._stems:
            return stemmed
        return next((prefix for prefix in self._prefixes if found.startswith(prefix)), "")


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """The text in pieces with their offsets: folding is what takes time, and the first pieces often are enough."""
    start = 0
    while len(text) - start > _PIECE:
        end = start + _PIECE
        cut = text.rfind("\n", start, end)
        if cut <= start:
            cut = text.rfind(" ", start, end)
        end = cut + 1 if cut > start else end
        yield start, text[start:end]
        start = end
    yield start, text[start:]


def _is_literal(word: str) -> bool:
    """Whether the word is of a script in which words have no bounds, or letters have marks: it is found as it is."""
    return re.match(f"[{UNSPACED}\u0900-\u0dff]", word) is not None


def _bigrams(piece: str) -> Iterator[str]:
    if re.match(f"[{UNSPACED}]", piece):
        yield from (piece[at : at + 2] for at in range(len(piece) - 1))


def _bounded(whole: str) -> str:
    found = _at_start(whole) if _is_bounded(whole[0]) else re.escape(whole)
    return found + (f"(?!{_LETTER})" if _is_bounded(whole[-1]) else "")


def _at_start(word: str) -> str:
    """`word` where no letter stands before it. Looking back comes last, since a pattern that begins with a letter is
    searched for many times quicker."""
    return f"{re.escape(word)}(?<!{_LETTER}{re.escape(word)})"


def _is_bounded(char: str) -> bool:
    return char.isalnum() and not _is_literal(char)


def best_passage(matcher: Matcher, text: str, headings: Sequence[tuple[int, str]], fallback: str = "") -> Passage:
    """The passage of `text` that holds most of the query's words close together.

    `headings` are (offset in `text`, heading). Without any match it is `fallback`, or the start of the text.
    """
    if not is_normalized("NFC", text):
        headings = [(len(normalize("NFC", text[:offset])), heading) for offset, heading in headings]
        text = normalize("NFC", text)
    start = _best_start(islice(matcher.find(text), _MOST_MATCHES), matcher.words)
    if start < 0:
        snippet = _cut(fallback or text, 0)
        return Passage(snippet, _marks(matcher, snippet), "")
    snippet = _cut(text, start)
    before = [heading for offset, heading in headings if offset <= start]
    return Passage(snippet, _marks(matcher, snippet), before[-1] if before else "")


def _best_start(matches: Iterable[tuple[int, int, str]], words: int) -> int:
    """Where the first window begins that holds the most different words, long ones counting for more; -1 for none.
    It does not look further than a window with all `words`, nor far beyond the first match."""
    window: deque[tuple[int, str]] = deque()
    counts: dict[str, int] = {}
    best, best_value, value = -1, 0, 0
    farthest = 0
    for start, end, key in matches:
        farthest = farthest or start + _FAR
        if start > farthest:
            break
        window.append((start, key))
        counts[key] = counts.get(key, 0) + 1
        value += len(key) if counts[key] == 1 else 0
        while len(window) > 1 and end - window[0][0] > _WINDOW:
            _, gone = window.popleft()
            counts[gone] -= 1
            if not counts[gone]:
                del counts[gone]
                value -= len(gone)
        if value > best_value:
            best, best_value = window[0][0], value
            if len(counts) >= words:
                break
    return best


def _cut(text: str, start: int) -> str:
    """At most 200 characters around text[start], in one line, of whole words, with `…` where it was cut."""
    begin = _beginning(text, start)
    rough = text[begin : begin + 2 * LONGEST_SNIPPET]
    line = ("…" if text[:begin].strip() else "") + _BLANKS.sub(" ", rough).strip()
    if len(line) <= LONGEST_SNIPPET and not text[begin + 2 * LONGEST_SNIPPET :].strip():
        return line
    at = min(len(line), LONGEST_SNIPPET - 1)
    least = at - 40
    while at > least and at < len(line) and _parts_word(line, at):
        at -= 1
    if at == least:  # no blank in sight: Chinese, or a very long word
        at = min(len(line), LONGEST_SNIPPET - 1)
        while at > 1 and at < len(line) and category(line[at])[0] == "M":
            at -= 1
    return line[:at].rstrip() + "…"


def _beginning(text: str, start: int) -> int:
    """Where to begin for a match at `start`: with its sentence if that is near, else with a word before it."""
    earliest = max(0, start - _LEAD)
    if earliest == 0:
        return 0
    ends = list(_SENTENCE_END.finditer(text, earliest, start))
    if ends:
        return ends[-1].end()
    begin = earliest
    while begin < start and _parts_word(text, begin):
        begin += 1
    if begin < start:
        return begin
    while category(text[earliest])[0] == "M":
        earliest += 1
    return min(earliest, start)


def _parts_word(text: str, at: int) -> bool:
    """Whether a cut before text[at] would go through a word."""
    return not text[at - 1].isspace() and not text[at].isspace()


def _marks(matcher: Matcher, snippet: str) -> tuple[tuple[int, int], ...]:
    """Where matches stand in the snippet; those that touch are one."""
    merged: list[tuple[int, int]] = []
    for start, end, _ in matcher.find(snippet):
        if merged and merged[-1][1] == start:
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return tuple(merged)
