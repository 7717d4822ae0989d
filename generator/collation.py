"""The order of titles: Latin letters without case, Chinese by sound.

The commonest 3,755 Chinese characters stand in GB 2312 in the order of their pinyin, so that a table made from the
codec that every Python has gives the order of a dictionary, the same on every machine. Rarer ones follow by code point.
"""

from __future__ import annotations

from functools import cache

from generator.analyser import name_key

_FIRST_ROW, _LAST_ROW = 0xB0, 0xD7  # of GB 2312's first level, sorted by pinyin
_HAN = range(0x4E00, 0xA000)


def title_key(title: str) -> str:
    """What titles are sorted by."""
    key = name_key(title)
    return key if key.isascii() else key.translate(_by_sound())


@cache
def _by_sound() -> dict[int, int]:
    common = bytes(
        byte for row in range(_FIRST_ROW, _LAST_ROW + 1) for cell in range(0xA1, 0xFF) for byte in (row, cell)
    ).decode("gb2312", "ignore")
    order = {ord(char): place for place, char in enumerate(common, _HAN.start)}
    rare = (code for code in _HAN if code not in order)
    return order | {code: place for place, code in enumerate(rare, _HAN.start + len(order))}
