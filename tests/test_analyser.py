"""What is put into the full-text index for a text, and that Python's stems are FTS5's."""

from __future__ import annotations

import re
import sqlite3
import time
from pathlib import Path
from unicodedata import normalize

import pytest

from generator.analyser import fold, fold_aligned, fts_row, fts_text, name_key
from generator.porter import stem


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Plain ASCII, Text", "plain ascii, text"),
        ("魏武帝曹操传", "魏武 武帝 帝曹 曹操 操传 传"),
        ("操", "操"),
        ("GPT模型", "gpt 模型 型"),
        ("大阪の電車", "大阪 阪の の電 電車 車"),
        ("오늘 창고온도를", "오늘 늘 창고 고온 온도 도를 를"),
        ("คลัง", "คล ลั ัง ง"),
        ("仓库，温度", "仓库 库 , 温度 度"),
        ("コーヒー・カップ", "コー ーヒ ヒー ー カッ ップ プ"),
        ("𠮷野家", "𠮷野 野家 家"),
        ("C++ and C#", "c plus plus and c sharp"),
        ("a+b, #tag, item #3", "a+b, #tag, item #3"),
        ("Crème BRÛLÉE", "creme brulee"),
        ("Việt Nam, Đà Nẵng", "viet nam, da nang"),
        ("θάλασσα ΣΊΣΥΦΟΣ", "θαλασσα σισυφοσ"),
        ("Ёлка, чай", "елка, чаи"),
        ("Straße, Łódź, Ørsted, İstanbul, ısı", "strasse, lodz, orsted, istanbul, isi"),
        ("ＧＰＴ ｶﾞｷﾞ", "gpt ガギ ギ"),
        ("مُحَمَّد أحمد", "محمد احمد"),
        ("שָׁלוֹם", "שלום"),
        ("हिन्दी বাংলা", "हिन्दी বাংলা"),
        ("📝️ done 👍🏽", "u1f4dd done u1f44d"),
        ("soft\u00adhyphen zero\u200bwidth", "softhyphen zerowidth"),
        ("don’t — “stop”", "don t stop"),
    ],
)
def test_fts_text(text: str, tokens: str) -> None:
    for form in ("NFC", "NFD"):
        assert fts_text(normalize(form, text)).split() == tokens.split()


def test_folding_again_changes_nothing() -> None:
    for text in ("Ǽǣ ﬁ ﬀ ① ½ ℃ ㈱ ｶﾞ ΰ ŉ İ", "Đường phố", "العربيَّة", "ประเทศไทย"):
        assert fold(fold(text)) == fold(text)


def test_aligned_folding_keeps_every_place() -> None:
    for text in ("İstanbul Æsop Crème", "大阪 ΣΊΣ", "ﬁne ½", "plain"):
        assert len(fold_aligned(text)) == len(text)
    assert fold_aligned("Crème BRÛLÉE") == "creme brulee"


def test_a_query_of_any_length_finds_its_place_in_a_run() -> None:
    """Each substring of two characters or more is an exact phrase of bigrams, each single character a prefix."""
    text = "魏武帝曹操传"
    index = sqlite3.connect(":memory:")
    index.execute(
        "CREATE VIRTUAL TABLE fts USING fts5(text, content='', tokenize='porter unicode61 remove_diacritics 2')"
    )
    index.execute("INSERT INTO fts (rowid, text) VALUES (1, ?)", (fts_text(f"前，{text}。后"),))
    for start in range(len(text)):
        assert index.execute("SELECT rowid FROM fts WHERE fts MATCH ?", (f'"{text[start]}" *',)).fetchall() == [(1,)]
        for end in range(start + 2, len(text) + 1):
            phrase = " ".join(fts_text(text[start:end]).split()[:-1])
            assert index.execute("SELECT rowid FROM fts WHERE fts MATCH ?", (f'"{phrase}"',)).fetchall() == [(1,)]
    assert index.execute("SELECT rowid FROM fts WHERE fts MATCH '\"武曹\"'").fetchall() == []
    index.close()


def test_name_key() -> None:
    assert name_key("  Café ") == name_key(normalize("NFD", "CAFÉ")) == "café"
    assert name_key("STRASSE") == name_key("Straße")
    assert name_key("ﬁ") == "fi"
    assert name_key("①") == "①"


def test_the_file_name_is_searched_where_it_says_more_than_the_title() -> None:
    named = fts_row("a/Kettle.md", "Water heater", ["Boiler"], ["Use", "Care"], ["tea/green"], "s", "c")
    assert named[:4] == ("water heater", "kettle \nboiler", "use \ncare", "tea/green")
    assert fts_row("x/Tea, hot.md", "Hot: tea", [], [], [], "", "")[1] == ""


def test_speed_grows_with_the_length_of_the_text() -> None:
    """Hostile text costs no more than twice as much a character when there is four times as much of it."""
    for unit in ("曹操 ", "é", "++", "c#", "\u0301", "ๆ์", "👍🏽", "a"):
        seconds = []
        for length in (50_000, 200_000):
            text = unit * (length // len(unit))
            started = time.process_time()
            fts_text(text)
            seconds.append(time.process_time() - started)
        assert seconds[1] < 8 * seconds[0] + 0.1, unit


def test_stems_are_those_of_fts5(shared: Path) -> None:
    words: set[str] = {"a", "eed", "y", "sky", "happy", "aed", "ing", "x" * 64 + "ing", "ously", "1990s"}
    for folder in ("en", "de", "fr", "Release notes"):
        for note in (shared / "vaults" / "obsidian-help" / folder).rglob("*.md"):
            words.update(re.findall(r"[a-z0-9]+", fts_text(note.read_text("utf-8"))))
    assert len(words) > 5_000
    ordered = sorted(words)
    index = sqlite3.connect(":memory:")
    index.execute("CREATE VIRTUAL TABLE fts USING fts5(text, tokenize='porter unicode61 remove_diacritics 2')")
    index.execute("CREATE VIRTUAL TABLE terms USING fts5vocab(fts, instance)")
    index.executemany("INSERT INTO fts (rowid, text) VALUES (?, ?)", enumerate(ordered))
    theirs = dict(index.execute("SELECT doc, term FROM terms"))
    assert {word: stem(word) for word in ordered} == {word: theirs[at] for at, word in enumerate(ordered)}
    index.close()
