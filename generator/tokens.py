"""How many tokens of a language model a text takes, without any model: estimated by script, and rather too high."""

from __future__ import annotations

import re
from math import ceil

# Scripts of which each character takes about a token: Han, kana, Hangul, full-width forms, and emoji.
_WIDE = re.compile(
    "[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U0001f000-\U0003ffff]"
)
# Latin with accents and typographic signs count like ASCII; all other scripts take about half a token a character.
_LATIN = re.compile("[\x00-\u024f\u1e00-\u1eff\u2000-\u206f]+")
_LATIN_CHARACTERS_A_TOKEN = 4
_OTHER_CHARACTERS_A_TOKEN = 2


def estimate_tokens(text: str) -> int:
    """Latin characters ÷ 4, other letters ÷ 2, Chinese, Japanese and Korean ones × 1; rounded up."""
    if text.isascii():
        return ceil(len(text) / _LATIN_CHARACTERS_A_TOKEN)
    wide = len(_WIDE.findall(text))
    latin = sum(map(len, _LATIN.findall(text)))
    other = len(text) - wide - latin
    return ceil(wide + latin / _LATIN_CHARACTERS_A_TOKEN + other / _OTHER_CHARACTERS_A_TOKEN)
