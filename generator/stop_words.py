"""Words that a question is made of rather than what it is about, in English and Chinese."""

from __future__ import annotations

import re

_ENGLISH_WORDS = """
    a an the and or of in on at to for from by with as i me my you your it its this that is are was were be been
    do does did can please what which who whom whose when where why how
"""
_CHINESE_WORDS = """
    为什么 为什麼 為什麼 为何 為何 什么时候 什麼時候 什么样 什麼樣 什么 什麼 怎么样 怎麼樣 怎么办 怎么 怎麼 怎样 怎樣
    如何 多少 哪一年 哪一个 哪一種 哪一种 哪一 哪些 哪个 哪個 哪里 哪裡 哪儿 哪年 谁的 誰的 是否 是不是 有没有 有沒有
    可不可以 能不能 请问 請問 告诉我 告訴我
"""
ENGLISH = frozenset(_ENGLISH_WORDS.split())
_PHRASES = _CHINESE_WORDS.split()
PHRASE_BIGRAMS = frozenset(phrase[at : at + 2] for phrase in _PHRASES for at in range(len(phrase) - 1))
_OPENING = "|".join((*_PHRASES, "[谁誰哪在]"))
# The looks around keep 目的, 的确, 但是, 是否, 了解, 存在 and their like whole.
_PARTICLES = (
    "(?<!目)的(?![确確士])|(?<![但可还還于於就总總只正])是(?!否)|了(?!解)|(?<![现現存正所实實内內外潜])在"
    "|[吗嗎呢吧啊谁誰哪]"
)
_WITHIN = "|".join((*_PHRASES, _PARTICLES))
_HAN = "[\u4e00-\u9fff]"
# Even so a particle may be part of a word: it parts words only where two characters or more, or none, stand on
# either side.
CHINESE = re.compile(f"(?:(?<={_HAN}{{2}})(?:{_WITHIN})+|(?<!{_HAN})(?:{_OPENING})(?:{_WITHIN})*)(?!{_HAN}(?!{_HAN}))")
_HAN_BIGRAM = re.compile(f"(?![的是]){_HAN}{{2}}")
_CONTRACTION = re.compile(r"(\w+?)(?:n't|'(?:s|d|m|re|ve|ll))")


def is_stop_word(word: str) -> bool:
    """Whether a lower-case English word, or a contraction of one, says nothing of a page."""
    if word in ENGLISH:
        return True
    contraction = _CONTRACTION.fullmatch(word)
    return contraction is not None and (contraction[1] in ENGLISH or f"{contraction[1]}n" in ENGLISH)


def is_telling_bigram(part: str) -> bool:
    """Whether `part` is two Chinese characters that are neither from a question word nor begin with 的 or 是.

    Where a particle is cut out, a word may be cut into: such bigrams across the cut still find it.
    """
    return _HAN_BIGRAM.fullmatch(part) is not None and part not in PHRASE_BIGRAMS


def split_chinese(text: str) -> list[str]:
    """The pieces of `text` between Chinese question words and particles; the whole if nothing would be left."""
    pieces = [piece for piece in CHINESE.split(text) if piece]
    return pieces or [text]
