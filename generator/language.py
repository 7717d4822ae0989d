"""Which language a page is written in, told by its script: enough for `lang`, text direction and fonts."""

from __future__ import annotations

import re

RTL = frozenset({"ar", "fa", "he", "ur"})
_SAMPLE = 2000
# Scripts in the order in which they decide: kana before Han, Persian letters before Arabic ones.
_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]"), 0.05),
    ("ko", re.compile("[\uac00-\ud7af\u1100-\u11ff]"), 0.15),
    ("zh", re.compile("[\u4e00-\u9fff\u3400-\u4dbf]"), 0.12),
    ("fa", re.compile("[\u067e\u0686\u0698\u06af\u06cc]"), 0.03),
    ("ar", re.compile("[\u0600-\u06ff]"), 0.25),
    ("he", re.compile("[\u0590-\u05ff]"), 0.25),
    ("th", re.compile("[\u0e00-\u0e7f]"), 0.25),
    ("km", re.compile("[\u1780-\u17ff]"), 0.25),
    ("bn", re.compile("[\u0980-\u09ff]"), 0.25),
    ("hi", re.compile("[\u0900-\u097f]"), 0.25),
    ("el", re.compile("[\u0370-\u03ff]"), 0.25),
    ("uk", re.compile("[\u0404\u0406\u0407\u0490\u0454\u0456\u0457\u0491]"), 0.02),
    ("ru", re.compile("[\u0400-\u04ff]"), 0.25),
)
_LATIN = re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]+")
_LETTER = re.compile(r"[^\W\d_]+")


def detect_language(text: str, default: str = "en") -> str:
    """A BCP 47 language tag for `text`; `default` for Latin script, whose languages look alike."""
    sample = text[:_SAMPLE]
    if sample.isascii():
        return default
    others = "".join(_LETTER.findall(_LATIN.sub(" ", sample)))
    if len(others) * 50 < len(sample):
        return default  # a few foreign letters: no script has its share
    letters = len(others) + sum(map(len, _LATIN.findall(sample)))
    for language, script, share in _SCRIPTS:
        if len(script.findall(others)) >= share * letters:
            return language
    return default


def direction(language: str) -> str:
    """`rtl` or `ltr`."""
    return "rtl" if language.split("-")[0] in RTL else "ltr"
