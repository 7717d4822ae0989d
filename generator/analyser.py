"""Text → what the full-text index is given: folded letters, and bigrams where a script writes no spaces.

FTS5 (`porter unicode61`) does the rest: it splits at punctuation and stems English words. Queries pass through the
same function, so that both sides agree by construction.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from operator import add

# Part of the index's identity: raise it whenever `fts_text` gives other text for the same input.
ANALYSER_VERSION = 2

# Scripts whose words are not separated by spaces: Han, kana and Hangul, then Thai, Lao, Myanmar and Khmer.
UNSPACED = (
    "\u2e80-\u2e99\u2e9b-\u2ef3\u2f00-\u2fd5\u3005-\u3007\u3021-\u3029\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff\u1100-\u11ff\ua960-\ua97f\uac00-\ud7ff"
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u0edc-\u0edf\u1000-\u1049\u1050-\u109d\u1780-\u17d3"
)
EMOJI = "\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
_RUN = re.compile(f"[{UNSPACED}]+|[{EMOJI}]")
# All of these stand in one range, which is several times quicker to look for.
_HIGH = re.compile("[\u0e00-\U0010ffff]+")

# Marks that people leave out when they type: accents of Latin, Greek and Cyrillic, Hebrew and Arabic points,
# emoji variants and skin tones, invisible joiners. The marks of Indic scripts are letters, and stay.
OPTIONAL_MARKS = re.compile(
    "[\u00ad\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640"
    "\u064b-\u065f\u0670\u06d6-\u06dc\u1ab0-\u1aff\u1dc0-\u1dff\u200b-\u200f\u2060\u20d0-\u20ff\ufe00-\ufe0f"
    "\ufe20-\ufe2f\ufeff\U0001f3fb-\U0001f3ff]"
)
# Letters that Unicode does not take apart.
WHOLE_LETTERS = str.maketrans({"đ": "d", "ø": "o", "ł": "l", "ħ": "h", "ŧ": "t", "ı": "i", "æ": "ae", "œ": "oe"})
# What tells `C++` and `C#` from `C`.
_SIGN = re.compile(r"(?<=[^\W_])(?:\+\+|#)(?!\w)")
_WORD = re.compile(r"\w+")
_ASCII = frozenset(map(chr, range(128)))


def name_key(text: str) -> str:
    """The form in which names, aliases and tags are compared: NFC, casefolded, without outer blanks."""
    if text.isascii():
        return text.lower().strip()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold()).strip()


class _FoldedCharacters(dict[str, str]):
    """What a character is folded to, worked out when it is first met."""

    def __missing__(self, char: str) -> str:
        bare = OPTIONAL_MARKS.sub("", unicodedata.normalize("NFKD", char)).casefold()
        folded = unicodedata.normalize("NFC", bare.translate(WHOLE_LETTERS))
        self[char] = "".join(c if c.isascii() or _is_searched(c) else " " for c in folded)
        return self[char]


def _is_searched(char: str) -> bool:
    category = unicodedata.category(char)
    return category[0] in "LN" or category in ("Mn", "Mc") or _RUN.match(char) is not None


_FOLDED = _FoldedCharacters()


def path_key(path: str) -> str:
    """How paths are compared: NFC, casefolded, without `.md`."""
    key = name_key(path)
    return key[:-3] if key.endswith(".md") else key


def fold(text: str) -> str:
    """`text` without case, width, accents, optional marks and typographic signs; its length may change."""
    if "\uff9e" in text or "\uff9f" in text:  # voiced marks of half-width kana join the kana before
        text = unicodedata.normalize("NFKC", text)
    lowered = text.lower()
    if lowered.isascii():
        return lowered
    folded = unicodedata.normalize("NFC", lowered)
    # A text has few different characters: to replace each at once is far quicker than to look at every one.
    for char in set(folded) - _ASCII:
        if _FOLDED[char] != char:
            folded = folded.replace(char, _FOLDED[char])
    return folded


def fold_aligned(text: str) -> str:
    """`text` folded as far as every character keeps its place: for finding words in it. It should be in NFC."""
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = "".join(char.lower() if len(char.lower()) == 1 else char for char in text)
    for char in set(lowered) - _ASCII if not lowered.isascii() else ():
        if len(_FOLDED[char]) == 1:
            lowered = lowered.replace(char, _FOLDED[char])
    return lowered


def fts_text(text: str) -> str:
    """What is put into FTS5 for `text`, and what a query word must look like to be found there.

    A run of unspaced script becomes its overlapping bigrams and then its last character: `曹操传` → `曹操 操传 传`.
    Each character thus begins a token, so two or more characters are found as an exact phrase and one as a prefix.
    """
    folded = fold(text)
    if "#" in folded or "++" in folded:
        folded = _SIGN.sub(_spell_sign, folded)
    return folded if folded.isascii() else _HIGH.sub(_split_high, folded)


def _spell_sign(match: re.Match[str]) -> str:
    return " sharp " if match[0] == "#" else " plus plus "


def _split_high(match: re.Match[str]) -> str:
    return _RUN.sub(_bigrams, match[0])


def _bigrams(match: re.Match[str]) -> str:
    run = match[0]
    if len(run) > 1:
        return f" {' '.join(map(add, run, run[1:]))} {run[-1]} "
    if run >= "\U0001f000" or "\u2300" <= run < "\u2c00":
        return f" u{ord(run):x} "  # an emoji: FTS5 takes symbols for blanks, so it gets a word of its own
    return f" {run} "


def fts_row(
    path: str,
    title: str,
    aliases: Iterable[str],
    headings: Iterable[str],
    tags: Iterable[str],
    summary: str,
    content: str,
) -> tuple[str, str, str, str, str, str]:
    """The six columns of a page in `wiki_fts`, for its insertion and (being contentless) for its deletion.

    The file's name stands among the aliases if it holds a word that the title lacks.
    """
    stem = path.rpartition("/")[2].removesuffix(".md")
    known = set(_WORD.findall(fts_text(title)))
    names = list(aliases) if known.issuperset(_WORD.findall(fts_text(stem))) else [stem, *aliases]
    return (
        fts_text(title),
        fts_text(" \n".join(names)),
        fts_text(" \n".join(headings)),
        fts_text(" ".join(tags)),
        fts_text(summary),
        fts_text(content),
    )
