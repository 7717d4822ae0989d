"""The shared cases on search: S22 to S26."""

from __future__ import annotations

from unicodedata import normalize

from cases import all_cases
from project import Project


def make(project: Project, name: str) -> Project:
    all_cases()[name].make(project.vault)
    project.build()
    return project


def test_s22_punctuation_in_queries(project: Project) -> None:
    make(project, "S22")
    numbered = {
        "KB-1042": 1,
        "bob@example.org": 2,
        "GB/s": 3,
        "7.15": 4,
        "src/main_loop.py": 5,
        "don't": 6,
        "why?": 7,
        "50%": 8,
        "a=b&c": 9,
        "[draft]": 10,
        "#seedling": 11,
        "std::vector": 12,
        "C:\\temp": 13,
        "two-stage": 14,
    }
    for query, number in numbered.items():
        found = project.find(query)
        assert found[:1] == [f"n{number:02}.md"], query
    found = project.find("two-stage")
    assert "n15.md" not in found or found.index("n14.md") < found.index("n15.md")
    assert project.find("KB-10") in ([], ["n01.md"])


def test_s23_short_queries_in_chinese_japanese_and_korean(project: Project) -> None:
    make(project, "S23")
    expected = {
        "人": ["zh.md"],
        "路": ["zh.md"],
        "仓库": ["zh.md"],
        "无人驾驶": ["zh.md"],
        "電車": ["ja.md"],
        "大阪の電車": ["ja.md"],
        "온도": ["ko.md"],
        "毛笔": ["毛笔.md"],
        "电车": [],
        "猫": [],
    }
    for query, paths in expected.items():
        hits = project.search(query)["hits"]
        assert [hit["path"] for hit in hits] == paths, query
        for hit in hits:
            assert query in hit["snippet"] or query in hit["title"], query


def test_s24_accents_on_either_side(project: Project) -> None:
    make(project, "S24")
    expected = {
        "fr.md": ("creme", "Crème", "BRULEE", "souffle"),
        "vi.md": ("viet", "Việt"),
        "de.md": ("zurich", "Zürich", normalize("NFD", "Zürich")),
        "el.md": ("θαλασσα", "θάλασσα"),
    }
    for path, queries in expected.items():
        for query in queries:
            assert project.find(query) == [path], query
    assert project.find("soufle") == []


def test_s25_c_plus_plus_against_c_and_c_sharp(project: Project) -> None:
    make(project, "S25")
    assert project.find("C++")[0] == "cpp.md"
    assert project.find("C#")[0] == "csharp.md"
    assert project.find("c++ templates")[0] == "cpp.md"


def test_s26_snippets_are_plain_text(project: Project) -> None:
    make(project, "S26")
    (hit,) = project.search("kestrel")["hits"]
    assert hit["path"] == "Html Tips.md"
    assert "kestrel" in hit["snippet"]
    for doubled in ("&lt;", "&amp;", "&gt;", "<mark", "<b>"):
        assert doubled not in hit["snippet"]
    (hit,) = project.search("four")["hits"]
    assert "two & three < four" in hit["snippet"]
