"""English stems exactly as FTS5's `porter` makes them: to tell which words of a text a query has matched.

M. F. Porter, "An algorithm for suffix stripping", 1980, with the two later amendments that SQLite has (`bli`, `logi`).
"""

from __future__ import annotations

from functools import lru_cache

_STEP_2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "logi": "log", "bli": "ble",
    "alli": "al", "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate",
    "alism": "al", "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble",
}  # fmt: skip
_STEP_3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_STEP_4 = dict.fromkeys(
    [
        "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment",
        "ent", "ion", "ou", "ism", "ate", "iti", "ous", "ive", "ize",
    ],
    "",
)  # fmt: skip
_LONGEST = 64


@lru_cache(maxsize=1 << 14)
def stem(word: str) -> str:
    """The stem of a lower-case word. Letters beyond ASCII are consonants, of as many as UTF-8 needs for them: a word
    that ends in one is its own stem."""
    if not word.isascii():
        return _stem_mixed(word) if word[-1].isascii() else word
    return _stem(word) if 3 <= len(word) <= _LONGEST else word


def _stem_mixed(word: str) -> str:
    """The stem of a word of several scripts."""
    spelled = word.encode().decode("latin-1")
    return _stem(spelled).encode("latin-1").decode() if 3 <= len(spelled) <= _LONGEST else word


def _stem(word: str) -> str:
    word = _plural(word)
    word = _past_and_gerund(word)
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _replace_suffix(word, _STEP_2, 0)
    word = _replace_suffix(word, _STEP_3, 0)
    word = _replace_suffix(word, _STEP_4, 1)
    return _final_e_and_l(word)


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past_and_gerund(word: str) -> str:
    if word.endswith("eed") and len(word) > 3:
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        base = word.removesuffix(suffix)
        if base != word and _has_vowel(base):
            break
    else:
        return word
    if base.endswith(("at", "bl", "iz")):
        return base + "e"
    if len(base) > 1 and base[-1] == base[-2] and _shape(base)[-1] == "c" and base[-1] not in "lsz":
        return base[:-1]
    return base + "e" if _measure(base) == 1 and _ends_short(base) else base


def _replace_suffix(word: str, suffixes: dict[str, str], above: int) -> str:
    """Replace the longest suffix that the word has, if the rest's measure is greater than `above`."""
    for length in range(min(7, len(word) - 1), 1, -1):
        replacement = suffixes.get(word[-length:])
        if replacement is not None:
            base = word[:-length]
            if word[-length:] == "ion" and not base.endswith(("s", "t")):
                return word
            return base + replacement if _measure(base) > above else word
    return word


def _final_e_and_l(word: str) -> str:
    if word.endswith("e"):
        base = word[:-1]
        measure = _measure(base)
        if measure > 1 or (measure == 1 and not _ends_short(base)):
            word = base
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word


def _shape(word: str) -> str:
    """`v` for a vowel and `c` for a consonant, letter by letter."""
    shape = ""
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and shape.endswith("c"))
        shape += "v" if vowel else "c"
    return shape


def _has_vowel(word: str) -> bool:
    return "v" in _shape(word)


def _measure(word: str) -> int:
    """How often a vowel is followed by a consonant."""
    return _shape(word).count("vc")


def _ends_short(word: str) -> bool:
    """Whether the word ends in consonant, vowel, consonant, the last not being w, x or y."""
    return _shape(word)[-3:] == "cvc" and word[-1] not in "wxy"
