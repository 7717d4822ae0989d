"""What people type, how it is ranked, and what is shown of each page found."""

from __future__ import annotations

import asyncio
import random
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date

import aiosqlite
import pytest
from project import Project

from generator import words
from generator.passage import LONGEST_SNIPPET, Matcher, best_passage
from generator.query import run, run_async
from generator.retrieval import SearchResult, search
from generator.search_query import Search, parse_query
from generator.store import connect_read_only
from generator.update import open_and_update

Index = Callable[[Mapping[str, str]], sqlite3.Connection]
TODAY = date(2026, 6, 1)


@pytest.fixture
def index(project: Project) -> Iterator[Index]:
    """Index the files and open the index."""
    opened: list[sqlite3.Connection] = []

    def make(files: Mapping[str, str]) -> sqlite3.Connection:
        project.write(files)
        store, _, _ = open_and_update(project.config())
        store.close()
        opened.append(connect_read_only(project.config().wiki.index_path))
        return opened[-1]

    yield make
    for db in opened:
        db.close()


def find(db: sqlite3.Connection, text: str, **options: object) -> list[str]:
    return [hit.path for hit in result(db, text, **options).hits]


def complete(db: sqlite3.Connection, text: str) -> set[str]:
    """The pages that hold all of the words."""
    return {hit.path for hit in result(db, text).hits if not hit.relaxed}


def result(db: sqlite3.Connection, text: str, **options: object) -> SearchResult:
    return run(db, search(text, today=TODAY, **options))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("graph view", '"graph" AND "view"'),
        ("What is the graph view?", '"graph" AND "view"'),
        ("the who", '"the" AND "who"'),
        ("what's up", '"up"'),
        ("I can't embed", '"embed"'),
        ("don’t", '"don t"'),
        ("Don Quixote", '"don" AND "quixote"'),
        ('"the who" band', '"the who" AND "band"'),
        ("“a phrase”", '"a phrase"'),
        ('"unclosed phrase', '"unclosed phrase"'),
        ("word*", '"word" *'),
        ("a OR b OR c d", '("a" OR "b" OR "c") AND "d"'),
        ("tea AND milk", '"tea" AND "milk"'),
        ("AND", '"and"'),
        ("OR tea", '"tea"'),
        ("title:tea", '{title aliases} : ("tea")'),
        ('TITLE:"green tea"', '{title aliases} : ("green tea")'),
        ("C++", '"c plus plus"'),
        ("C#", '"c sharp"'),
        ("node.js", '"node js"'),
        ("KB-1042", '"kb 1042"'),
        ("C:\\temp", '"c temp"'),
        ("path:", '"path"'),
        ("std::vector", '"std vector"'),
        ("--flag", '"flag"'),
        ("📝", '"u1f4dd"'),
        ("人", '"人" *'),
        ("仓库", '"仓库"'),
        ("无人驾驶", '"无人 人驾 驾驶"'),
        ("GPT模型", '"gpt 模型"'),
        ("模型GPT", '"模型 型 gpt"'),
        ("曹操是谁？", '"曹操"'),
        ("什么是双向链接", '"双向 向链 链接"'),
        ("长城的长度", '"长城" AND "长度"'),
        ("目的地", '"目的 的地"'),
        ("吗啡的作用", '"吗啡" AND "作用"'),
        ("什么", '"什么"'),
        ("温度、湿度", '"温度" AND "湿度"'),
        ('* - "" !!! ()', ""),
        ("", ""),
        ("-draft", ""),
    ],
)
def test_words(text: str, match: str) -> None:
    assert parse_query(text).match == match


def test_filters_and_exclusions() -> None:
    wanted = parse_query('tea -milk -"hot water" tag:#drink -tag:x path:"my notes" file:kettle lifecycle：verified')
    assert wanted.match == '"tea"'
    assert [term.match for term in wanted.excluded] == ['"milk"', '"hot water"']
    assert [(each.field, each.value, each.negative) for each in wanted.filters] == [
        ("tag", "#drink", False),
        ("tag", "x", True),
        ("path", "my notes", False),
        ("file", "kettle", False),
        ("lifecycle", "verified", False),
    ]


def test_any_text_is_a_query(index: Index) -> None:
    """Whatever is typed, FTS5 accepts what is made of it, and soon."""
    db = index({"Tea.md": "tea and milk 仓库 #drink\n", "C.md": 'c++ "quoted" don\'t\n'})
    random_text = random.Random(7)
    signs = ["", "'", '"', "*", "-", "(", ")", ":", "^", "+", "{", "}", "\\", "%", "#", ";--", "\x00", "�"]
    words = [
        "tea",
        "仓库",
        "人",
        "OR",
        "AND",
        "NOT",
        "NEAR",
        "tag:",
        "path:",
        "title:",
        "é",
        "́",
        "ี",
        "📝",
        "，",
        "：",
        "“",
        "的",
        "是",
    ]
    pieces = [*signs, *words, " ", " "]
    texts = ["".join(random_text.choices(pieces, k=random_text.randint(1, 14))) for _ in range(400)]
    texts += [piece * 10_000 for piece in pieces] + [piece + " " for piece in pieces]
    texts += [" ".join(f"w{n}" for n in range(1000)), "仓库温度" * 5000, "a OR " * 2000, "-x " * 3000, "tag:x " * 2000]
    for text in texts:
        started = time.process_time()
        assert isinstance(result(db, text), SearchResult)
        assert time.process_time() - started < 2, text[:40]


OPERATORS = {
    "Tea.md": "---\ntags: [drink/hot]\nlifecycle: verified\n---\nGreen tea with milk, a hot drink.\n",
    "Coffee.md": "---\ntags: [drink]\n---\nCoffee with milk. A drink that is hot.\n",
    "notes/Kettle.md": "---\naliases: [Boiler]\ntags: [tool]\n---\nThe kettle boils water for tea.\n",
    "notes/Running.md": "Runners ran; running shoes.\n",
}


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("tea", {"Tea.md", "notes/Kettle.md"}),
        ("tea milk", {"Tea.md"}),
        ("tea -milk", {"notes/Kettle.md"}),
        ('"hot drink"', {"Tea.md"}),
        ("ket*", {"notes/Kettle.md"}),
        ("green OR water", {"Tea.md", "notes/Kettle.md"}),
        ("milk green OR coffee", {"Tea.md", "Coffee.md"}),
        ("tag:drink", {"Tea.md", "Coffee.md"}),
        ("tag:#Drink/Hot", {"Tea.md"}),
        ("milk -tag:drink/hot", {"Coffee.md"}),
        ("path:NOTES/", {"notes/Kettle.md", "notes/Running.md"}),
        ("file:notes", set()),
        ("file:run", {"notes/Running.md"}),
        ("tea -path:notes", {"Tea.md"}),
        ("title:tea", {"Tea.md"}),
        ("title:boiler", {"notes/Kettle.md"}),
        ("lifecycle:verified", {"Tea.md"}),
        ("-milk", {"notes/Kettle.md", "notes/Running.md"}),
        ("runs", {"notes/Running.md"}),
        ("shoe", {"notes/Running.md"}),
    ],
)
def test_operators(index: Index, text: str, paths: set[str]) -> None:
    db = index(OPERATORS)
    assert complete(db, text) == paths


def test_a_question_finds_what_it_is_about(index: Index) -> None:
    db = index(OPERATORS | {"曹操.md": "魏武帝曹操是东汉末年的政治家。\n", "刘备.md": "刘备是谁的对手？\n"})
    assert find(db, "is there any milk in my tea")[0] == "Tea.md"
    assert find(db, "曹操是谁？")[0] == "曹操.md"
    assert find(db, "什么人是东汉末年的政治家")[0] == "曹操.md"


def test_arguments_narrow_like_operators(index: Index) -> None:
    db = index(OPERATORS | {"notes/Old.md": "---\nupdated: 2020-01-01\n---\ntea of old\n"})
    assert find(db, "tea", folder="notes/", since="2021-01-01") == ["notes/Kettle.md"]
    assert find(db, "", tags=["drink", "drink/hot"]) == ["Tea.md"]
    assert find(db, "", lifecycle="verified") == ["Tea.md"]
    assert find(db, "", folder="note") == []
    assert [(hit.path, hit.stale) for hit in result(db, "old").hits] == [("notes/Old.md", True)]


def test_pages_with_some_of_the_words_follow(index: Index) -> None:
    db = index({"a.md": "red green blue\n", "b.md": "red green\n", "c.md": "red\n", "d.md": "yellow\n"})
    found = result(db, "red green blue")
    assert [(hit.path, hit.relaxed) for hit in found.hits] == [("a.md", False), ("b.md", True), ("c.md", True)]
    assert (found.total, found.relaxed) == (3, True)
    alone = result(db, "red green blue", limit=1)
    assert ([hit.path for hit in alone.hits], alone.total, alone.relaxed) == (["a.md"], 1, False)
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)
    assert result(db, '"green blue red"').hits == ()


def test_pages_of_results_join_without_gap(index: Index) -> None:
    db = index({f"n{at:02}.md": "word " * (at % 5 + 1) + ("extra" if at % 3 else "") for at in range(30)})
    for text in ("word", "word extra", ""):
        whole = find(db, text, limit=30)
        parts = [path for offset in range(0, 30, 7) for path in find(db, text, limit=7, offset=offset)]
        assert parts == (whole if text != "word extra" else find(db, text, limit=20)), text
        assert result(db, text, limit=7, offset=14).total == len(parts)


def test_names_come_first(index: Index) -> None:
    db = index(
        {
            "Sync.md": "A service.\n",
            "Obsidian Sync plans.md": "sync sync sync obsidian sync\n",
            "long.md": "---\ntitle: Sync, sync and sync again\n---\nsync sync sync sync\n",
            "Other.md": "---\naliases: [Cloud sync]\n---\nsomething else\n",
            "cloud.md": "cloud sync cloud sync cloud sync\n",
            "v1.2.md": "---\ntitle: The second release\n---\nnews\n",
            "!!!.md": "loud\n",
        }
    )
    assert find(db, "sync")[0] == "Sync.md"
    assert find(db, "SYNC.md")[0] == "Sync.md"
    assert find(db, "cloud sync")[0] == "Other.md"
    assert find(db, "v1.2")[0] == "v1.2.md"
    assert find(db, "!!!") == ["!!!.md"]


def test_a_title_weighs_more_than_a_text(index: Index) -> None:
    body = "filler words stand here and there. " * 5
    db = index({"a.md": f"kestrel {body} kestrel {body}", "The kestrel bird.md": f"Nothing. {body}{body}"})
    assert find(db, "kestrel") == ["The kestrel bird.md", "a.md"]


def test_special_pages_are_found_by_name_only(index: Index) -> None:
    db = index(
        {
            "wiki/index.md": "# Wiki Index\n\n- [[Tea]] kettle\n",
            "wiki/log.md": "kettle logged\n",
            "wiki/Tea.md": "kettle\n",
            "schema.md": "kettle schema\n",
            "raw/sources/x.md": "raw\n",
        }
    )
    assert find(db, "kettle") == ["wiki/Tea.md"]
    assert find(db, "") == ["wiki/Tea.md"]
    for name in ("index", "index.md", "wiki/index", "Wiki Index"):
        found = result(db, name)
        assert found.hits[0].path == "wiki/index.md", name
        assert found.total == len(found.hits), name


def test_equal_pages_are_ordered_by_path(project: Project, index: Index) -> None:
    """Whatever the order in which they came into the index."""
    names = ["m.md", "b.md", "z.md", "a.md"]
    for name in names:
        db = index({name: "same words here\n"})
    assert find(db, "words") == sorted(names)
    project.remove("b.md")
    assert find(index({"c.md": "same words here\n"}), "words") == ["a.md", "c.md", "m.md", "z.md"]


def test_very_common_words_are_bounded(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of too many pages, those with the word in their names and the newest are ranked; all are counted."""
    monkeypatch.setattr(words, "MOST_SCORED", 3)
    monkeypatch.setattr(words, "MOST_SCORED_LOOSELY", 3)
    monkeypatch.setattr(words, "MOST_NEWEST", 3)
    pages = {f"{at:02}.md": f"---\nupdated: 2026-01-{at + 1:02}\n---\ncommon text\n" for at in range(12)}
    db = index(pages | {"Common sense.md": "---\nupdated: 2020-01-01\n---\ntext\n", "rare.md": "rare text\n"})
    found = result(db, "common", limit=5)
    assert [hit.path for hit in found.hits][:1] == ["Common sense.md"]
    assert {hit.path for hit in found.hits[1:]} <= {"11.md", "10.md", "09.md"}
    assert found.total == 13
    assert [(hit.path, hit.relaxed) for hit in result(db, "rare common").hits] == [("rare.md", True)]


def test_punctuation_as_typed_comes_first(index: Index) -> None:
    db = index(
        {"a.md": "net worth, the net\n", "z.md": "written for .NET\n", "b.md": "don't\n", "c.md": "don t don t\n"}
    )
    assert find(db, ".NET") == ["z.md", "a.md"]
    assert find(db, "don’t") == ["b.md", "c.md"]


def passage(text: str, content: str, headings: Sequence[tuple[int, str]] = ()) -> tuple[str, list[str], str]:
    found = best_passage(Matcher(parse_query(text).terms), content, headings, "the summary")
    assert len(found.snippet) <= LONGEST_SNIPPET
    assert "\n" not in found.snippet
    return found.snippet, [found.snippet[start:end] for start, end in found.marks], found.heading


def test_the_passage_is_where_the_words_stand_together() -> None:
    filler = "Nothing of interest happens in this sentence. " * 20
    content = f"Kettle. {filler}\nThe kettle boils the water. Then tea.\n{filler}"
    at = content.index("The kettle")
    snippet, marks, heading = passage("water kettles", content, [(0, "First"), (at, "Second"), (at + 100, "Third")])
    assert snippet.startswith("…The kettle boils the water. Then tea. Nothing")
    assert snippet.endswith("…")
    assert marks == ["kettle", "water"]
    assert heading == "Second"
    assert passage("absent", content) == ("the summary", [], "")


@pytest.mark.parametrize(
    ("text", "content", "marks"),
    [
        ("happiness", "Happy and happily; perhaps happier", ["Happy"]),
        ("creme", "Crème brûlée cremex", ["Crème"]),
        ("zurich", "Zu\u0308rich", ["Z\u00fcrich"]),
        ("θαλασσα", "η θάλασσα", ["θάλασσα"]),
        ("C++", "C++, C, C#", ["C++", "C", "C"]),
        ("仓库", "大仓库的仓库。仓", ["仓库", "仓库"]),
        ("人", "无人驾驶", ["人"]),
        ("plug*", "plugins unplugged Plug", ["plugins", "Plug"]),
        ("หน้า", "ทุกหน้าที่", ["หน้า"]),
        ("art", "part arts artist cart art", ["arts", "art"]),
        ("kestrel", "kestrel <svg onload=boom()></svg> & <mark>", ["kestrel"]),
    ],
)
def test_marks(text: str, content: str, marks: list[str]) -> None:
    assert passage(text, content)[1] == marks


def test_a_snippet_is_of_whole_words() -> None:
    content = "lorem " * 100 + "needle " + "ipsum " * 100
    snippet, marks, _ = passage("needle", content)
    assert set(snippet.strip("…").split()) == {"lorem", "needle", "ipsum"}
    assert marks == ["needle"]
    assert len(passage("仓库", "一二三四五六七八九十" * 40 + "仓库" + "百千万" * 100)[0]) == LONGEST_SNIPPET
    assert len(passage("needle", "x" * 300 + " needle " + "y" * 5000)[0]) <= LONGEST_SNIPPET


def test_a_passage_of_a_huge_page_is_found_soon() -> None:
    for content in ("lorem ipsum " * 50_000 + "needle", "仓 " * 200_000 + "needle", "e" * 500_000, "ee " * 200_000):
        started = time.process_time()
        passage("needle lorem e* 仓 ee", content)
        assert time.process_time() - started < 3


def test_both_ways_of_running_give_the_same(project: Project, index: Index) -> None:
    db = index(OPERATORS)

    async def found(text: str) -> SearchResult:
        async with aiosqlite.connect(project.config().wiki.index_path) as connection:
            return await run_async(connection, search(text, today=TODAY))

    for text in ("tea milk", "", "path:notes boiler"):
        assert asyncio.run(found(text)) == result(db, text)


def test_an_unused_search_is_empty() -> None:
    assert parse_query("   ") == Search("")
