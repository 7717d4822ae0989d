"""Words that a question is made of rather than what it is about, in English and Chinese."""

from __future__ import annotations

import re

ENGLISH = frozenset(
    # articles, conjunctions, prepositions
    "a an the and or but if of in on at to for from by with about into as than "
    # pronouns
    "i me my you your he him his she her it its we us our they them their this that these those there here "
    # verbs of all work, and what is left of `don't`, `it's`, `we'll`
    "is are was were be been being am do does did has have had can could should would will shall may might "
    "s t d ll m re ve don doesn didn isn aren wasn weren won "
    # question words
    "what which who whom whose when where why how not no nor so such too also both either please".split()
)

_PHRASES = (
    "为什么 為什麼 为何 為何 什么时候 什麼時候 什么样 什麼樣 什么 什麼 怎么样 怎麼樣 怎么办 怎么 怎麼 怎样 怎樣 如何 多少 "
    "哪一年 哪一个 哪一種 哪一种 哪一 哪些 哪个 哪個 哪里 哪裡 哪儿 哪年 谁的 誰的 是否 是不是 有没有 有沒有 可不可以 能不能 "
    "请问 請問 告诉我 告訴我"
).split()
_OPENING = "|".join((*_PHRASES, "谁", "誰", "哪", "在"))
_WITHIN = "|".join((*_PHRASES, *"的是了吗嗎呢吧啊在谁誰哪"))
_HAN = "[\u4e00-\u9fff]"
# A particle may as well be part of a word (的士, 目的地): it parts words only where two characters or more, or none,
# stand on either side.
_CHINESE = re.compile(f"(?:(?<={_HAN}{{2}})(?:{_WITHIN})+|(?<!{_HAN})(?:{_OPENING})(?:{_WITHIN})*)(?!{_HAN}(?!{_HAN}))")


def split_chinese(text: str) -> list[str]:
    """The pieces of `text` between Chinese question words and particles; the whole if nothing would be left."""
    pieces = [piece for piece in _CHINESE.split(text) if piece]
    return pieces or [text]
