"""The files of the search: worked on after a change they are what they would be if all were made anew."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from project import Project

import generator
from generator import shard_files
from generator.analyser import fts_text
from generator.digits import NUMBER, NUMBERS, VALUES
from generator.postings import Entry, Term, changed, posting, tokens
from generator.shard_files import Cut, Shard, cut, cut_again

Page = dict[str, Entry]
SCHEMA = Path(generator.__file__).with_name("schema.sql").read_text("utf-8")


def test_numbers_are_read_as_they_were_written() -> None:
    numbers = [*range(3000), 45**2, 45**3 - 1, 45**3, 10**9]
    written = b"".join(NUMBERS[number] for number in numbers)
    assert [VALUES[each] for each in NUMBER.findall(written)] == numbers
    assert not set(written) & set(b'"\\<\n ')


def entry(random: Random) -> Entry:
    """How a word may stand on a page: in its text alone, or in other columns too."""
    often = random.randint(1, 60)
    places = b"".join(NUMBERS[random.choice((0, 7, 3000))] for _ in range(often))
    if random.random() < 0.7:
        return Entry(NUMBERS[2 * (often - 1)], places)
    return Entry(NUMBERS[2 * 0b100001 + 1] + NUMBERS[1] + NUMBERS[often], NUMBERS[4] + places)


def page(random: Random) -> Page:
    """Rare words, common ones, and some that come first or last of all."""
    words = [f"w{int(random.paretovariate(0.6))}" for _ in range(random.randint(0, 120))]
    words += [f"u{random.randint(0, 4000)}" for _ in range(40)]
    words += random.sample(["!draft", "#tea", "=name", "the", "\U00020000字", "￦", "中文"], 3)
    return {word: entry(random) for word in words}


def postings(pages: dict[int, Page]) -> list[Term]:
    """The words of pages with all that is to be said of them."""
    words: dict[str, list[tuple[int, Entry]]] = {}
    for number in sorted(pages):
        for word, each in pages[number].items():
            words.setdefault(word, []).append((number, each))
    return [posting(word, entries) for word, entries in words.items()]


class Files:
    """Shards as files by name."""

    def __init__(self) -> None:
        self.held: dict[str, list[str]] = {}

    def put(self, made: list[Cut | Shard]) -> list[Shard]:
        return [self._put(each) if isinstance(each, Cut) else each for each in made]

    def _put(self, each: Cut) -> Shard:
        for held in (each.pages, each.places):
            self.held[repr(held)] = held
        return Shard(each.first, repr(each.pages), repr(each.places))


@pytest.mark.parametrize("seed", range(12))
def test_a_change_of_the_files_is_as_good_as_new_ones(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shard_files, "_LEAST", 1500)
    monkeypatch.setattr(shard_files, "_MOST", 4000)
    monkeypatch.setattr(shard_files, "_ONE_IN", 8)
    random = Random(seed)
    pages = {number: page(random) for number in random.sample(range(4000), 60)}
    files = Files()
    shards = files.put(list(cut(postings(pages))))
    assert len(shards) > 10
    kept = 0
    for _ in range(25):
        changes: dict[str, dict[int, Entry | None]] = {}
        for number in {*random.sample(sorted(pages), min(2, len(pages))), random.randrange(4000)}:
            for word in pages.pop(number, {}):
                changes.setdefault(word, {})[number] = None
            if random.random() < 0.7:
                pages[number] = (
                    page(random) if random.random() < 0.5 else {f"u{random.randint(0, 4000)}": entry(random)}
                )
                for word, each in pages[number].items():
                    changes.setdefault(word, {})[number] = each
        made = list(cut_again(shards, files.held.__getitem__, changes))
        kept += sum(isinstance(each, Shard) for each in made)
        shards = files.put(made)
        assert shards == Files().put(list(cut(postings(pages))))
    assert kept > 25


def test_all_may_go_and_come_back() -> None:
    one = {"tea": Entry(NUMBERS[0], NUMBERS[3])}
    files = Files()
    shards = files.put(list(cut(postings({5: one}))))
    assert list(cut_again(shards, files.held.__getitem__, {"tea": {5: None}})) == []
    assert files.put(list(cut_again([], files.held.__getitem__, {"tea": {5: one["tea"]}}))) == shards
    assert changed(Term("tea", "", ""), {7: one["tea"], 9: None}) == posting("tea", [(7, one["tea"])])


def test_a_change_leaves_most_files_alone(project: Project) -> None:
    """A page more changes the files of its own words, not those of all."""
    random = Random(1)
    for number in range(120):
        words = " ".join(f"w{random.randint(0, 30_000)}x" for _ in range(400))
        project.write({f"n{number:03}.md": f"{words}\n"})
    project.build()
    before = {name for name in project.files() if name.startswith("_assets/search/")}
    assert len(before) > 30
    project.write({"n050b.md": "kettle\n", "n060.md": "another text\n"})
    project.remove("n070.md")
    project.build()
    after = {name for name in project.files() if name.startswith("_assets/search/")}
    fresh = Project(project.root / "clean", project.vault)
    fresh.build()
    assert {name: data for name, data in fresh.files().items() if name.startswith("_assets/search/")} == {
        name: data for name, data in project.files().items() if name.startswith("_assets/search/")
    }
    project.write({"n050b.md": "kettles\n"})
    project.build()
    again = {name for name in project.files() if name.startswith("_assets/search/")}
    assert len(again - after) <= 8


def fts5_words(texts: list[str]) -> list[list[str]]:
    """The words that FTS5 itself makes of analysed texts."""
    tokenizer = re.search(r'CREATE VIRTUAL TABLE wiki_fts .*?(tokenize = ".*?")', SCHEMA, re.DOTALL)
    assert tokenizer is not None
    found: dict[int, list[tuple[int, str]]] = {}
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute(f"CREATE VIRTUAL TABLE f USING fts5(c, content = '', {tokenizer[1]})")
        db.execute("CREATE VIRTUAL TABLE v USING fts5vocab(f, instance)")
        db.executemany("INSERT INTO f (rowid, c) VALUES (?, ?)", enumerate(texts))
        for term, doc, offset in db.execute("SELECT CAST(term AS BLOB), doc, offset FROM v"):
            found.setdefault(doc, []).append((offset, term.decode("utf-8", "replace")))
    return [[word for _, word in sorted(found.get(number, ()))] for number in range(len(texts))]


def test_every_character_makes_the_words_that_fts5_makes() -> None:
    characters = [chr(code) for code in range(0x20, 0x20000) if not 0xD800 <= code < 0xE000]
    texts = [fts_text(f"x {char} running{char}s {char}{char}") for char in characters]
    differing = [
        char for char, text, words in zip(characters, texts, fts5_words(texts), strict=True) if tokens(text) != words
    ]
    assert differing == []


@pytest.mark.parametrize("letter", ["a", "я", "ა", "𐐨"])
def test_words_without_end_are_cut_as_fts5_cuts_them(letter: str) -> None:
    texts = [fts_text(letter * length) for length in (8_000, 10_922, 10_923, 32_768, 40_000)]
    assert [tokens(text) for text in texts] == fts5_words(texts)


ODD = (
    "ა" * 20_000, "中" * 500, "é̀x", "ﷺ", "𠀀字", "👩‍👩‍👧", "\u200bzero", "İstanbul", "ß", "Ⅷ", "①",
    "ｶﾞ", "x_y", "C++", "don't", "ﬁne", "\u0301start", "ำไทย", "हिन्दी", "한국어", "عَرَبِيّ",
    "\x01control", "a\u00adb", "\ue000private", "⽔⽕", "v1.2", "𝔘𝔫𝔦", "\U000e0041",
)  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_odd_words_are_worked_in_as_they_are_in_new_files(project: Project, seed: int) -> None:
    random = Random(seed)

    def write(number: int) -> None:
        strange = "".join(
            chr(random.choice((random.randrange(0xA0, 0x3000), random.randrange(0xE000, 0x1FFFF)))) for _ in "123"
        )
        words = " ".join([*random.choices(ODD, k=random.randint(5, 30)), strange])
        project.write({f"n{number}.md": f"---\ntitle: {random.choice(('x', '中文', 'C++'))}\n---\n# H\n\n{words}\n"})

    for number in range(6):
        write(number)
    project.build()
    for _ in range(3):
        write(random.randrange(7))
        project.build()
    fresh = Project(project.root / "clean", project.vault)
    fresh.build()
    mine, theirs = ({k: v for k, v in p.files().items() if "search/" in k} for p in (project, fresh))
    assert mine == theirs
