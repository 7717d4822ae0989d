"""Fences of `query`: what Obsidian's search language asks for, what it finds, what is drawn again when that changes."""

from __future__ import annotations

import os
import re
import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path
from random import Random

import pytest
from editor import MOMENT
from hypothesis import given, settings
from hypothesis import strategies as st
from project import Project
from test_incremental import assert_equal, clean

from generator.linear_regex import BadRegexError, LinearRegex, TooMuchWorkError
from generator.query_fence import keep_answers, read_answers
from generator.query_terms import BadQueryError, understand

NOTES = {
    "Alpha.md": "---\nstatus: Draft\nrating: 4\naliases: [First, Name]\nempty:\ntags: [work/now]\n---\n"
    "## Plan\nA meeting about HappyCow work.\n\n- [ ] call Ann\n- [x] email Bob\n  - [ ] buy tea\n\n"
    "## Later\nA dog runs.\n",
    "Beta.md": "---\nstatus: Published\nrating: 11\ndue: 2026-03-01\n---\nOne meetup, 2022-01-01.\nThe dog\n\n"
    "> quoted cat\n> and bird\n",
    "sub/Gamma.md": "A dog and a cat in one line. #myjob/work\n\n| cell | bird |\n|------|------|\n| fish | tea |\n",
    "汉字.md": "会议记录：喝茶。\n\n- [?] 问茶\n",
    "Secret.md": "---\npublish: false\ntags: [work]\nstatus: Draft\n---\nmeeting dog cat\n",
    "Hidden.md": "visible %%whisper%% text\n",
}

QUERIES = {
    "meeting": "Alpha",
    "meeting work": "Alpha",
    "meeting OR meetup": "Alpha Beta",
    "meeting work OR meetup dog": "Alpha Beta",
    "dog (meetup OR cat)": "Beta Gamma",
    "dog -fish": "Alpha Beta",
    "dog -(meetup dog)": "Alpha Gamma",
    '"dog and a cat"': "Gamma",
    '"a \\"dog"': "",
    "-dog -visible": "汉字",
    "会议": "汉字",
    "喝茶 OR fish": "Gamma 汉字",
    "whisper": "",
    "happycow": "Alpha",
    "match-case:happycow": "",
    "match-case:HappyCow": "Alpha",
    "match-case:(HappyCow ignore-case:MEETING)": "Alpha",
    "file:gamma": "Gamma",
    "file:.md -file:(alpha OR beta OR hidden)": "Gamma 汉字",
    "path:sub/": "Gamma",
    'path:"sub/Gamma"': "Gamma",
    "content:gamma": "",
    "gamma": "Gamma",
    "tag:#work": "Alpha",
    "tag:work": "Alpha",
    "tag:WORK/now": "Alpha",
    "tag:myjob": "Gamma",
    "line:(dog cat)": "Gamma",
    "line:(dog meetup)": "",
    "dog -line:(dog cat)": "Alpha Beta",
    "block:(dog meetup)": "Beta",
    "block:(cat bird)": "Beta",
    "block:(fish cell)": "Gamma",
    "block:(dog fish)": "",
    "block:(call tea)": "",
    "section:(dog meeting)": "",
    "section:(later dog)": "Alpha",
    "task:call": "Alpha",
    "task:(call email)": "",
    "task:茶": "汉字",
    "task-todo:email": "",
    "task-done:email": "Alpha",
    "task-todo:tea": "Alpha",
    "task-todo:茶": "",
    "task-done:问茶": "汉字",
    "[status]": "Alpha Beta",
    "[Status:draft]": "Alpha",
    "[status:Draft OR Published]": "Alpha Beta",
    "[status:/^pub/]": "Beta",
    '["status":"Draft"] [rating]': "Alpha",
    "[aliases:Name]": "Alpha",
    "[empty:null]": "Alpha",
    "[status:null]": "",
    "[nothing]": "",
    "[rating:<5]": "Alpha",
    "[rating:>5]": "Beta",
    "[due:<2026-04-01]": "Beta",
    r"/\d{4}-\d{2}-\d{2}/": "Beta",
    r"path:/^sub\/[A-Z]/": "Gamma",
    r"line:/^The dog$/": "Beta",
    "match-case:/happy/": "",
    "https://a.b": "",
    "a - dog": "Beta",
    "meeting\nwork": "Alpha",
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What each query finds: the names of the pages."""
    project = Project(tmp_path_factory.mktemp("queries"))
    project.write(NOTES)
    project.update()
    with closing(sqlite3.connect(project.config().wiki.index_path)) as db:
        names = {page: path.rpartition("/")[2][:-3] for page, path in db.execute("SELECT id, path FROM wiki_pages")}
        # As if a page asked them, but for the page: it would be found, too, by what it does not hold.
        asks = "INSERT INTO wiki_queries SELECT id, ? FROM wiki_pages WHERE path = 'Alpha.md'"
        db.executemany(asks, [(query,) for query in QUERIES])
        keep_answers(db, ())
        answers = read_answers(db)
    return {query: " ".join(names[page] for page in answer.pages) for query, answer in answers.items()}


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_finds(found: dict[str, str], query: str) -> None:
    assert found[query] == QUERIES[query]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ('"open', "unclosed"),
        ("(a", "unclosed"),
        ("a)", "unclosed"),
        ("[a", "unclosed"),
        ("[a:b", "unclosed"),
        ("[]", "unclosed"),
        ("()", "empty"),
        ("", "empty"),
        ("tag:(", "empty"),
        ("/[/", "regex"),
        (r"/(a)\1/", "regex"),
        ("/(?=a)/", "regex"),
        ("a " * 2_000, "large"),
        ("a " * 200, "large"),
        ("(" * 100 + "a" + ")" * 100, "large"),
        ("-" * 100 + "a", "large"),
        ("line:" * 100 + "a", "large"),
    ],
)
def test_a_bad_query_says_why(query: str, code: str) -> None:
    with pytest.raises(BadQueryError) as caught:
        understand(query)
    assert caught.value.code == code


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.sampled_from([*'()[]"/-:\\ ', "OR", "a", "tag:", "line:", "[a:", "null", "<5", "match-case:"])).map(
        "".join
    )
)
def test_any_text_is_a_query_or_a_bad_one(query: str) -> None:
    try:
        test = understand(query)
    except BadQueryError:
        return
    assert callable(test)


# ── on the page ─────────────────────────────────────────────────────────────────────────────────────────


def fence(query: str) -> str:
    return f"before\n\n```query\n{query}\n```\n\nafter\n"


def test_an_answer_is_a_list_of_links_with_their_number(project: Project) -> None:
    project.write(NOTES | {"deep/Ask.md": fence("dog -fish")})
    report = project.build()
    assert list(report.warnings) == []
    page = project.page("deep/Ask.md")
    result = page.body.select_one(".query-result")
    assert result is not None
    assert [(link.get_text(), link["href"]) for link in result.select("a")] == [
        ("Alpha", "../Alpha.html"),
        ("Beta", "../Beta.html"),
    ]
    assert result.select_one(".query-head code").get_text() == "dog -fish"  # type: ignore[union-attr]
    assert "2 pages" in result.get_text()


def test_an_answer_speaks_the_language_of_the_site(project: Project) -> None:
    project.write(NOTES | {"Ask.md": fence("dog -fish") + fence('"open')})
    project.build(site={"language": "zh"})
    body = project.page("Ask.md").body
    assert "2 个页面" in body.get_text()
    assert "没有闭合" in body.select_one(".fence-notice").get_text()  # type: ignore[union-attr]


def test_private_pages_are_in_no_answer(project: Project) -> None:
    project.write(
        NOTES | {"Ask.md": fence("meeting") + fence("tag:work") + fence("[status:draft]") + fence("file:secret")}
    )
    project.build()
    assert "Secret" not in project.page("Ask.md").html
    assert [len(result.select("a")) for result in project.page("Ask.md").body.select(".query-result")] == [1, 1, 1, 0]


def test_a_page_does_not_find_itself_by_the_words_of_its_query(project: Project) -> None:
    project.write({"Ask.md": fence("zebra"), "Other.md": "a zebra\n"})
    project.build()
    assert [link.get_text() for link in project.page("Ask.md").body.select(".query-result a")] == ["Other"]


def test_a_bad_query_shows_its_source_and_is_named(project: Project) -> None:
    project.write({"Ask.md": fence("<b>(dog")})
    report = project.build()
    assert [(finding.code, finding.line) for finding in report.warnings] == [("bad-query", 3)]
    body = project.page("Ask.md").body
    assert body.select_one("pre code.language-query").get_text() == "<b>(dog"  # type: ignore[union-attr]
    assert body.select_one(".fence-notice") is not None
    assert body.select(".query-result") == []


def test_a_query_is_answered_where_its_page_is_embedded(project: Project) -> None:
    project.write(
        NOTES | {"sub/Ask.md": fence("dog -fish"), "Show.md": "![[Ask]]\n", "Deep.md": "> [!note]\n> ![[Show]]\n"}
    )
    project.build()
    for page in ("Show.md", "Deep.md"):
        hrefs = [link["href"] for link in project.page(page).body.select(".query-result a")]
        assert hrefs == ["Alpha.html", "Beta.html"]


CHANGES = {
    "a page is found": {"Gamma.md": "no longer anything\n", "New.md": "a dog\n"},
    "a page is not found any more": {"Beta.md": "nothing\n"},
    "a page is private": {"Beta.md": "---\npublish: false\n---\nThe dog\n"},
    "a page is renamed": {"Beta.md": None, "Better.md": "The dog\n"},
    "a title changes": {"Beta.md": "---\ntitle: Other\n---\nThe dog\n"},
    "a tag changes": {"Beta.md": "The dog #t\n"},
    "the query changes": {"Ask.md": fence("cat")},
    "the query goes": {"Ask.md": "no query\n"},
    "the query breaks": {"Ask.md": fence("(cat")},
}


@pytest.mark.parametrize("change", CHANGES)
def test_pages_with_queries_are_drawn_again_when_the_answer_changes(
    project: Project, tmp_path: Path, change: str
) -> None:
    asks = {"Ask.md": fence("dog"), "Tag.md": fence("tag:t"), "Embed.md": "![[Ask]]\n", "index.md": "![[Embed]]\n"}
    project.write({"Beta.md": "The dog\n", "Gamma.md": "dog and cat\n"} | asks)
    _same_time(project)
    project.build()
    project.write({path: text for path, text in CHANGES[change].items() if text is not None})
    for path, text in CHANGES[change].items():
        if text is None:
            project.remove(path)
    _same_time(project)
    project.build()
    fresh, _ = clean(project, tmp_path / "clean", {})
    assert_equal(project, fresh, change)


def _same_time(project: Project) -> None:
    for path in project.vault.rglob("*.md"):
        os.utime(path, ns=(MOMENT, MOMENT))


def test_a_page_with_a_query_is_not_drawn_again_for_nothing(project: Project) -> None:
    project.write({"Ask.md": fence("dog"), "Beta.md": "The dog\n", "Zeta.md": "z\n"})
    project.build()
    before = (project.site / "Ask.html").stat().st_mtime_ns
    project.write({"Beta.md": "The dog and more\n"})
    project.build()
    assert (project.site / "Ask.html").stat().st_mtime_ns == before


def test_a_hostile_query_costs_seconds_and_says_so(project: Project) -> None:
    project.write({"Text.md": _digits(200_000) + "\n", "A.md": fence("/(a+)+$b/"), "B.md": fence("/[01]*1[01]{200}x/")})
    start = time.process_time()
    project.build()
    assert time.process_time() - start < 60
    assert project.page("A.md").body.select(".query-result a") == []
    assert "takes too long" in project.page("B.md").text
    project.write({"Text.md": f"1{'0' * 200}x\n"})
    project.build()
    assert [link.get_text() for link in project.page("B.md").body.select(".query-result a")] == ["Text"]


# ── regular expressions ─────────────────────────────────────────────────────────────────────────────────

ATOMS = st.sampled_from(["a", "b", ".", "[ab]", "[^a]", r"\d", r"\w", r"\s", "(a|b)", "(?:ab|c)", "[a-c0-9]", r"\x61"])
EDGES = st.sampled_from(["^", "$", r"\b"])
TIMES = st.sampled_from(["", "", "", "*", "+", "?", "{2}", "{1,2}", "{0,}", "{0}", "*?"])


@st.composite
def expressions(draw: st.DrawFn, depth: int = 2) -> str:
    parts = []
    for _ in range(draw(st.integers(1, 4))):
        if draw(st.integers(0, 5)) == 0:
            parts.append(draw(EDGES))
        else:
            inner = f"({draw(expressions(depth - 1))})" if depth and draw(st.booleans()) else draw(ATOMS)
            parts.append(inner + draw(TIMES))
    text = "".join(parts)
    return f"{text}|{draw(expressions(depth - 1))}" if depth and draw(st.integers(0, 4)) == 0 else text


@settings(max_examples=500, deadline=None)
@given(expressions(), st.text("abcAB1 \n_-", max_size=12), st.booleans())
def test_expressions_match_where_pythons_do(pattern: str, text: str, ignore_case: bool) -> None:
    expected = re.search(pattern, text, re.MULTILINE | (re.IGNORECASE if ignore_case else 0)) is not None
    assert LinearRegex(pattern, ignore_case=ignore_case).search(text) == expected


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        (r"\p{Lu}\p{L}+", "x Ab", True),
        (r"\P{L}", "abc", False),
        (r"\u4e2d", "中", True),
        (r"\u{1F600}", "😀", True),
        (r"a\/b", "a/b", True),
        (r"(?<year>\d+)", "in 2026", True),
        (r"[\d-]+x", "1-x", True),
        (r"[]a]", "a]", False),
        (r"\bcat\b", "a cat.", True),
        (r"\Bcat", "cat", False),
        (r"a{,2}", "a{,2}", True),
    ],
)
def test_what_javascript_writes(pattern: str, text: str, matches: bool) -> None:
    assert LinearRegex(pattern, ignore_case=False).search(text) == matches


@pytest.mark.parametrize(
    "pattern",
    [
        "(",
        ")",
        "[a",
        "a**",
        "*a",
        r"\1",
        "(?=a)",
        "(?<!a)b",
        "a{3,1}",
        "\\",
        "[z-a]",
        r"[\d-z]x[",
        "a{999}{9}",
        "(" * 60 + ")" * 60,
    ],
)
def test_bad_expressions_are_named(pattern: str) -> None:
    with pytest.raises(BadRegexError):
        LinearRegex(pattern, ignore_case=True)


@pytest.mark.parametrize("times", ["?", "*", "+", "{2}", "{0,2}", "{0}"])
def test_nested_repetition_is_compiled_at_once(times: str) -> None:
    start = time.process_time()
    with suppress(BadRegexError):  # it may be too large
        LinearRegex("(" * 49 + "a" + f"){times}" * 49, ignore_case=True).search("aaa")
    assert time.process_time() - start < 2


def test_too_many_states_are_given_up() -> None:
    regex = LinearRegex("[01]*1[01]{200}x", ignore_case=False)
    with pytest.raises(TooMuchWorkError):
        regex.search(_digits(200_000))


def _digits(count: int) -> str:
    return "".join(Random(1).choices("01", k=count))
