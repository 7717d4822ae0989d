"""What people type, and what they must find: a table of queries in English, Chinese and between, on one small vault."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest
from project import Project

from generator.query import run
from generator.retrieval import search
from generator.store import connect_read_only

VAULT = {
    "Tea.md": "---\ntags: [drink/hot]\naliases: [Chai, 茶]\nlifecycle: verified\n---\n"
    "# Tea\n\nGreen tea is brewed with hot water. Don't boil it.\n",
    "Coffee.md": "---\ntags: [drink/hot, bean]\n---\nRoasted beans, ground and brewed. Espresso is strong.\n",
    "Running.md": "---\ntags: [sport]\n---\nRunners ran marathons; running shoes wear out.\n",
    "dev/C++.md": "# C++\n\nA language with templates. std::vector grows.\n",
    "dev/C#.md": "# C#\n\nA language for .NET.\n",
    "dev/C.md": "# C\n\nA language of pointers.\n",
    "dev/Node.js.md": "JavaScript outside of the browser. See KB-1042, mail ada@example.org, v1.2.3.\n",
    "dev/Errors.md": "ERR_CONN_RESET happens at 50% load; use --force or C:\\temp. SELECT * FROM t WHERE a='b';\n",
    "Café Zürich.md": "Crème brûlée, naïve façade. Straße in Zürich.\n",
    "Tiếng Việt.md": "Phở là món ăn. Đà Nẵng.\n",
    "Θάλασσα.md": "Η θάλασσα είναι μπλε.\n",
    "Москва.md": "Столица. Ёлка у Кремля.\n",
    "history/赤壁之战.md": "---\ntags: [历史/战役]\naliases: [Battle of Red Cliffs]\n---\n"
    "# 赤壁之战\n\n曹操南下，周瑜以火攻破之。孙权与刘备联军。\n",
    "history/曹操.md": "---\ntags: [历史/人物]\n---\n"
    "# 曹操\n\n魏武帝曹操，字孟德，东汉末年的政治家。官渡之战击败袁绍。\n",
    "history/刘备.md": "---\ntags: [历史/人物]\nlifecycle: draft\n---\n刘备，字玄德，蜀汉的开国皇帝。\n",
    "机器学习.md": "GPT模型是一种大语言模型，由OpenAI训练。无人驾驶也用它。\n",
    "温度.md": "温度、湿度与气压。仓库的温度不超过25℃。\n",
    "東京.md": "東京タワーは日本の首都にある。ｶﾀｶﾅ。\n",
    "서울.md": "서울은 대한민국의 수도이다.\n",
    "หน้าแรก.md": "ทุกหน้าที่คุณเปิด\n",
    "Party 🎉.md": "Balloons and cake 🎂.\n",
    "The Who.md": "A band of the sixties.\n",
    "Stop words.md": "The and of to be or not to be.\n",
    "Zero.md": "Nothing but 0 and 007 here.\n",
}


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    project = Project(tmp_path_factory.mktemp("human"))
    project.write(VAULT)
    project.update()
    with closing(connect_read_only(project.config().wiki.index_path)) as connection:
        yield connection


FIRST = {
    "tea": "Tea",
    "TEA": "Tea",
    "Tea.md": "Tea",
    "  tea  ": "Tea",
    "chai": "Tea",
    "茶": "Tea",
    "green tea": "Tea",
    "how do I brew tea?": "Tea",
    "What is tea": "Tea",
    "don't boil": "Tea",
    "don’t boil": "Tea",
    "dont boil tea": "Tea",
    '"hot water"': "Tea",
    "“hot water”": "Tea",
    '"hot water': "Tea",
    "tea OR zeppelin": "Tea",
    "zeppelin OR tea": "Tea",
    "boil* water": "Tea",
    "brewing water": "Tea",
    "tag:drink/hot tea": "Tea",
    "tag:#Drink tea": "Tea",
    "lifecycle:verified": "Tea",
    "title:chai": "Tea",
    "tea -espresso": "Tea",
    "brewed -tea": "Coffee",
    "bean": "Coffee",
    "roasting beans": "Coffee",
    "esp*": "Coffee",
    "tag:bean": "Coffee",
    "-tag:sport espresso": "Coffee",
    "run": "Running",
    "runs": "Running",
    "marathon": "Running",
    "shoe": "Running",
    "RUNNERS": "Running",
    "tag:sport": "Running",
    "C++": "dev/C++",
    "c++": "dev/C++",
    "C#": "dev/C#",
    "C": "dev/C",
    "std::vector": "dev/C++",
    ".NET": "dev/C#",
    "language pointers": "dev/C",
    "title:C++": "dev/C++",
    "path:dev pointers": "dev/C",
    "node.js": "dev/Node.js",
    "Node js": "dev/Node.js",
    "KB-1042": "dev/Node.js",
    "kb1042 node": "dev/Node.js",
    "ada@example.org": "dev/Node.js",
    "v1.2.3": "dev/Node.js",
    "1.2.3": "dev/Node.js",
    "JavaScript browser": "dev/Node.js",
    "ERR_CONN_RESET": "dev/Errors",
    "50%": "dev/Errors",
    "--force": "dev/Errors",
    "C:\\temp": "dev/Errors",
    "SELECT * FROM t WHERE a='b';": "dev/Errors",
    "happens at load": "dev/Errors",
    "file:errors": "dev/Errors",
    "cafe zurich": "Café Zürich",
    "CAFÉ": "Café Zürich",
    "creme brulee": "Café Zürich",
    "naive": "Café Zürich",
    "strasse": "Café Zürich",
    "Zu\u0308rich": "Café Zürich",
    "façade": "Café Zürich",
    "pho": "Tiếng Việt",
    "Phở": "Tiếng Việt",
    "da nang": "Tiếng Việt",
    "θαλασσα": "Θάλασσα",
    "ΘΑΛΑΣΣΑ": "Θάλασσα",
    "москва": "Москва",
    "елка": "Москва",
    "КРЕМЛЯ": "Москва",
    "赤壁": "history/赤壁之战",
    "赤壁之战": "history/赤壁之战",
    "火攻": "history/赤壁之战",
    "周瑜火攻": "history/赤壁之战",
    "red cliffs": "history/赤壁之战",
    "谁在赤壁用了火攻？": "history/赤壁之战",
    "tag:历史/战役": "history/赤壁之战",
    "曹操": "history/曹操",
    "操": "history/曹操",
    "曹操是谁？": "history/曹操",
    "曹操是誰": "history/曹操",
    "官渡之战": "history/曹操",
    "东汉末年的政治家": "history/曹操",
    "谁击败了袁绍": "history/曹操",
    "魏武帝": "history/曹操",
    "孟德": "history/曹操",
    "刘备": "history/刘备",
    "蜀汉开国皇帝": "history/刘备",
    "tag:历史 lifecycle:draft 玄德": "history/刘备",
    "path:history 皇帝": "history/刘备",
    "GPT模型": "机器学习",
    "gpt 模型": "机器学习",
    "大语言模型": "机器学习",
    "openai": "机器学习",
    "无人驾驶": "机器学习",
    "什么是GPT": "机器学习",
    "温度、湿度": "温度",
    "仓库 温度": "温度",
    "仓库的温度是多少": "温度",
    "２５℃": "温度",
    "“气压”": "温度",
    "東京タワー": "東京",
    "日本の首都": "東京",
    "カタカナ": "東京",
    "ｶﾀｶﾅ": "東京",
    "서울": "서울",
    "대한민국": "서울",
    "수도": "서울",
    "หน้า": "หน้าแรก",
    "🎉": "Party 🎉",
    "🎂 cake": "Party 🎉",
    "party": "Party 🎉",
    "the who": "The Who",
    '"the who"': "The Who",
    "band of the sixties": "The Who",
    "to be or not to be": "Stop words",
    "the": "The Who",
    "0": "Zero",
    "007": "Zero",
}
NOTHING = [
    "zeppelin",
    '"water hot"',
    "tag:nothing tea",
    "tea -water -green",
    "path:nowhere",
    "lifecycle:archived",
    "xyzzy*",
]
ALL = ["", "   ", "*", "-", "!!!", "()", '""', "???"]


@pytest.mark.parametrize("query", FIRST)
def test_the_first_hit(db: sqlite3.Connection, query: str) -> None:
    hits = run(db, search(query)).hits
    assert [hit.path for hit in hits[:1]] == [f"{FIRST[query]}.md"]


@pytest.mark.parametrize("query", NOTHING)
def test_nothing_is_found(db: sqlite3.Connection, query: str) -> None:
    assert [hit.path for hit in run(db, search(query)).hits if not hit.relaxed] == []


@pytest.mark.parametrize("query", ALL)
def test_without_a_word_the_newest_are_shown(db: sqlite3.Connection, query: str) -> None:
    assert run(db, search(query)).total == len(VAULT)


def test_there_are_enough_of_them() -> None:
    assert len(FIRST) + len(NOTHING) + len(ALL) >= 80
