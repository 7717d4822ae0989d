"""The tools, over vaults of a few notes: answers, arguments as agents send them, and every way to fail."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcp_session import ERAS, Session, in_session
from project import Project

from generator.errors import PathForbidden
from mcp_bridge.tools.read_page import _source

TEA = """---
title: Tea
aliases: [茶]
tags: [drink/hot, asia]
---
Tea is a leafword drink. See [[Water]].

## Brewing

Boil the water. ^boil

### Time

Three minutes.

- leaf ^leaf
    - oolong
    - puer
- cup

## History

茶之为饮，发乎神农氏。
"""
NOTES = {
    "concepts/Tea.md": TEA,
    "Water.md": "waterword for [[Tea]]\n",
    "a/Twin.md": "one\n",
    "b/Twin.md": "two\n",
    "曹操.md": "---\ntags: [三国]\n---\n魏武帝曹操，字孟德。\n",
}


@pytest.fixture
def wiki(project: Project) -> Project:
    project.write(NOTES)
    return project


# ── wiki_query ──────────────────────────────────────────────────────────────────────────────────────────


def test_query_answers_with_all_that_a_citation_needs(wiki: Project) -> None:
    async def check(session: Session) -> None:
        answer = await session.data("wiki_query", query="leafword")
        (hit,) = answer["results"]
        assert hit["path"] == "concepts/Tea.md"
        assert hit["title"] == "Tea"
        assert hit["tags"] == ["drink/hot", "asia"]
        assert "**leafword**" in hit["snippet"]
        assert hit["stale"] is False
        assert hit["scope"] == "wiki"
        assert {"score", "heading", "summary", "updated"} <= set(hit)
        assert answer["citations"] == ["[[concepts/Tea|Tea]]"]
        assert (answer["total"], answer["relaxed"]) == (1, False)
        assert "next_cursor" not in answer
        detailed = (await session.data("wiki_query", query="leafword", detail="detailed"))["results"][0]
        assert detailed["aliases"] == ["茶"]
        assert detailed["category"] == "concepts"
        assert {"lifecycle", "created", "sources", "words"} <= set(detailed)
        assert detailed.items() >= hit.items()

    in_session(wiki.config(), check)


@pytest.mark.parametrize(
    ("arguments", "paths"),
    [
        ({"query": "曹操"}, ["曹操.md"]),
        ({"query": "操"}, ["曹操.md"]),
        ({"tags": ["drink"]}, ["concepts/Tea.md"]),
        ({"tags": "drink, asia"}, ["concepts/Tea.md"]),
        ({"tags": '["drink", "asia"]'}, ["concepts/Tea.md"]),
        ({"tags": ["drink", "三国"]}, []),
        ({"query": "leafword", "folder": "concepts"}, ["concepts/Tea.md"]),
        ({"query": "leafword", "folder": "./concepts/"}, ["concepts/Tea.md"]),
        ({"query": "leafword", "folder": "a"}, []),
        ({"query": "leafword", "since": "7d"}, ["concepts/Tea.md"]),
        ({"query": "leafword", "since": "2999-01-01"}, []),
        ({"query": "leafword", "lifecycle": "verified"}, []),
        ({"q": "leafword"}, ["concepts/Tea.md"]),
        ({"search": "leafword", "top_k": "3"}, ["concepts/Tea.md"]),
        ({"text": "leafword", "max_results": 3, "tags": None}, ["concepts/Tea.md"]),
        ({"query": 2031}, []),
    ],
)
def test_arguments_as_agents_send_them(wiki: Project, arguments: dict[str, Any], paths: list[str]) -> None:
    async def check(session: Session) -> None:
        answer = await session.data("wiki_query", **arguments)
        assert [hit["path"] for hit in answer["results"]] == paths
        assert ("hint" in answer) == (not paths)

    in_session(wiki.config(), check)


def test_cursors_lead_through_all_results(project: Project) -> None:
    project.write({f"N{n:02}.md": f"pageword {n}\n" for n in range(23)})

    async def check(session: Session) -> None:
        seen: list[str] = []
        cursor = ""
        while True:
            answer = await session.data("wiki_query", query="pageword", limit=7, cursor=cursor)
            assert answer["total"] == 23
            seen += [hit["path"] for hit in answer["results"]]
            if not (cursor := answer.get("next_cursor", "")):
                break
        assert sorted(seen) == sorted(project.notes)
        first = await session.data("wiki_query", query="pageword", limit=7)
        for wrong in ("garbage", "7-0123456789ab", "-1-0", "9" * 400):
            assert (await session.error("wiki_query", query="pageword", cursor=wrong))["code"] == "INVALID_CURSOR"
        other = await session.error("wiki_query", query="other", cursor=first["next_cursor"])
        assert other["code"] == "INVALID_CURSOR"

    in_session(project.config(), check)


def test_the_largest_answer_keeps_within_what_clients_show(project: Project) -> None:
    aliases = json.dumps([f"别名{n}{'长' * 60}" for n in range(30)], ensure_ascii=False)
    text = "sizeword " + "长句子没有空格 " * 300
    project.write({f"N{n:02}.md": f"---\naliases: {aliases}\ntags: [t{n}]\n---\n{text}" for n in range(60)})

    async def check(session: Session) -> None:
        first = await session.data("wiki_query", query="sizeword", limit=50, detail="detailed")
        assert 0 < len(first["results"]) < 50
        rest = await session.data(
            "wiki_query", query="sizeword", limit=50, detail="detailed", cursor=first["next_cursor"]
        )
        assert not {hit["path"] for hit in first["results"]} & {hit["path"] for hit in rest["results"]}

    in_session(project.config(), check)


# ── wiki_read_page ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "name", ["concepts/Tea.md", "./concepts/Tea.md", "Tea", "tea", "茶", "[[Tea]]", "[[concepts/Tea|some tea]]"]
)
def test_a_page_is_read_by_any_of_its_names(wiki: Project, name: str) -> None:
    async def check(session: Session) -> None:
        first, *_, last = (await session.read(name)).splitlines()
        assert first.startswith("concepts/Tea.md | Tea | ")
        assert last == "end of page"

    in_session(wiki.config(), check)


@pytest.mark.parametrize("argument", ["page", "path", "title", "name", "identifier", "file"])
def test_the_page_argument_has_many_names(wiki: Project, argument: str) -> None:
    async def check(session: Session) -> None:
        result = await session.call("wiki_read_page", **{argument: "Water"})
        assert not result.is_error

    in_session(wiki.config(), check)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"section": "Brewing"}, TEA[TEA.index("## Brewing") : TEA.index("## History")]),
        ({"section": "#brewing#time"}, TEA[TEA.index("### Time") : TEA.index("## History")]),
        ({"section": "^boil"}, "Boil the water. ^boil"),
        ({"section": "^leaf"}, "- leaf ^leaf\n    - oolong\n    - puer"),
        ({"page": "Tea#History"}, "## History\n\n茶之为饮，发乎神农氏。"),
        ({"page": "[[Tea#^boil|boil]]"}, "Boil the water. ^boil"),
    ],
)
def test_a_part_of_a_page(wiki: Project, arguments: dict[str, Any], expected: str) -> None:
    async def check(session: Session) -> None:
        text = await session.read(**({"page": "Tea"} | arguments))
        _, body = text.split("\n\n", 1)
        assert body.removesuffix("end of page").strip() == expected.strip()

    in_session(wiki.config(), check)


def test_what_is_included_stands_beside_the_text(wiki: Project) -> None:
    async def check(session: Session) -> None:
        text = await session.read("Tea", include=["frontmatter", "outline", "backlinks"])
        assert "aliases: [茶]" in text
        assert "### Time (line 12)" in text
        assert "- Water.md:1 | Water | waterword for Tea" in text
        assert "leafword" in text
        assert "aliases" not in await session.read("Tea")

    in_session(wiki.config(), check)


def test_offsets_lead_through_a_long_page(project: Project) -> None:
    body = "".join(f"第{n}行 line {n} 🍵\n" for n in range(6000))
    project.write({"Long.md": f"---\nx: 1\n---\n{body}"})

    async def check(session: Session) -> None:
        parts: list[str] = []
        offset = 0
        while True:
            _, rest = (await session.read("Long", offset=offset, max_chars=48_000)).split("\n\n", 1)
            text, last = rest.rsplit("\n\n", 1)
            parts.append(text + "\n")
            if last == "end of page":
                break
            offset = int(last.removeprefix("next offset: ").split(" of ")[0])
        assert len(parts) > 1
        assert "".join(parts) == body
        error = await session.error("wiki_read_page", page="Long", offset=len(body) + 1)
        assert error["code"] == "INVALID_ARGUMENTS"
        assert str(len(body)) in error["details"]["fields"]["offset"]

    in_session(project.config(), check)


def test_comments_and_code_are_given_as_they_stand(project: Project) -> None:
    text = "before %%a comment%% after\n\n```python\n# not a heading\n```\n"
    project.write({"Raw.md": text.replace("\n", "\r\n")})

    async def check(session: Session) -> None:
        assert text.strip() in await session.read("Raw")

    in_session(project.config(), check)


def test_a_page_with_very_much_around_it_keeps_within_bounds(project: Project) -> None:
    headings = "\n".join(f"## heading {n} {'x' * 200}" for n in range(900))
    project.write({"Hub.md": f"---\nx: {'y' * 30_000}\n---\n{headings}\n"})
    project.write({f"L{n}.md": f"{'word ' * 60} [[Hub]] {'word ' * 60}\n" for n in range(90)})

    async def check(session: Session) -> None:
        text = await session.read("Hub", include=["frontmatter", "outline", "backlinks"], max_chars=48_000)
        assert len(text) < 48_000
        assert "… and" in text

    in_session(project.config(), check)


# ── wiki_status ─────────────────────────────────────────────────────────────────────────────────────────


def test_status_counts_and_says_what_to_do(wiki: Project) -> None:
    wiki.write({"Broken.md": "[[Nowhere]]\n"})

    async def check(session: Session) -> None:
        status = await session.data("wiki_status")
        assert status["stats"]["pages"] == len(wiki.notes)
        assert status["stats"]["broken"] == 1
        assert status["index"]["state"] == "current"
        assert status["index"]["data_version"] >= 1
        assert any("Broken.md:1" in step["examples"] for step in status["next_steps"])

    in_session(wiki.config(), check)


def test_S05_a_date_is_a_legal_title(project: Project) -> None:
    front = "title: 2031-04-09\ncreated: 2031-04-09\ndue: 2031-04-09T10:30:00Z\ntags: [log]"
    project.write({"Meeting.md": f"---\n{front}\n---\nagenda text\n"})

    async def check(session: Session) -> None:
        answer = await session.data("wiki_query", query="2031-04-09", detail="detailed")
        (hit,) = answer["results"]
        assert (hit["path"], hit["title"], hit["created"]) == ("Meeting.md", "2031-04-09", "2031-04-09")
        text = await session.read("2031-04-09", include="frontmatter")
        assert text.startswith("Meeting.md | 2031-04-09 | ")
        assert "due: 2031-04-09T10:30:00Z" in text

    in_session(project.config(), check)


@pytest.mark.parametrize("era", ERAS)
def test_S36_empty_and_nearly_empty_vaults(project: Project, era: str) -> None:
    async def check(session: Session) -> None:
        assert await session.found("x") == []
        assert await session.found("") == []
        status = await session.data("wiki_status")
        assert (status["stats"]["pages"], status["stats"]["orphans"], status["stats"]["links"]) == (0, 0, 0)
        assert (await session.error("wiki_read_page", page="x"))["code"] == "PAGE_NOT_FOUND"
        project.write({"Empty.md": "", "OnlyMeta.md": "---\naliases: [Om]\n---\n\n", "Space.md": "  \n\n"})
        stats = (await session.data("wiki_status"))["stats"]
        assert (stats["pages"], stats["orphans"], stats["broken"]) == (3, 3, 0)
        assert (await session.read("Empty")).endswith("end of page")
        assert (await session.read("Om")).startswith("OnlyMeta.md | ")

    in_session(project.config(), check, era=era)


def test_S41_files_that_are_not_readable_text(project: Project) -> None:
    project.write(
        {
            "Latin.md": b"caf\xe9 latinword\n",
            "Bin.md": bytes(range(256)) * 40,
            "Utf16.md": "utf16word\n".encode("utf-16"),
            "Nul.md": b"nulword\x00after\n",
            "Good.md": "goodword [[Latin]]\n",
        }
    )
    (project.vault / "Dir.md").mkdir()
    (project.vault / "Dangling.md").symlink_to("nowhere.md")

    async def check(session: Session) -> None:
        assert await session.found("goodword") == ["Good.md"]
        assert await session.found("latinword") == ["Latin.md"]
        problems = {problem["path"] for problem in (await session.data("wiki_status"))["index"]["problems"]}
        assert {"Bin.md", "Nul.md", "Latin.md"} <= problems
        for name in ("Bin.md", "Nul"):
            assert (await session.error("wiki_read_page", page=name))["code"] == "UNREADABLE"
        for name in ("Dir.md", "Dangling.md"):
            assert (await session.error("wiki_read_page", page=name))["code"] == "PAGE_NOT_FOUND"
        assert "latinword" in await session.read("Latin")
        assert "utf16word" in await session.read("Utf16")

    in_session(project.config(), check)


# ── errors ──────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("era", ERAS)
def test_every_failure_is_an_envelope(wiki: Project, era: str) -> None:
    cases: list[tuple[str, dict[str, Any], str]] = [
        ("no_such_tool", {}, "UNKNOWN_TOOL"),
        ("wiki_query", {"limit": 0}, "INVALID_ARGUMENTS"),
        ("wiki_query", {"limit": 51}, "INVALID_ARGUMENTS"),
        ("wiki_query", {"limit": "many"}, "INVALID_ARGUMENTS"),
        ("wiki_query", {"query": {"deep": 1}}, "INVALID_ARGUMENTS"),
        ("wiki_query", {"tags": {"deep": 1}}, "INVALID_ARGUMENTS"),
        ("wiki_query", {"lifecycle": "reviewed"}, "INVALID_ARGUMENTS"),
        ("wiki_query", {"since": "yesterday"}, "INVALID_ARGUMENTS"),
        ("wiki_query", {"query": "a", "q": "b"}, "INVALID_ARGUMENTS"),
        ("wiki_query", {"cursor": "garbage"}, "INVALID_CURSOR"),
        ("wiki_query", {"folder": "../x"}, "PATH_FORBIDDEN"),
        ("wiki_read_page", {}, "INVALID_ARGUMENTS"),
        ("wiki_read_page", {"page": "Tea", "include": "all"}, "INVALID_ARGUMENTS"),
        ("wiki_read_page", {"page": "Tea", "max_chars": 48_001}, "INVALID_ARGUMENTS"),
        ("wiki_read_page", {"page": "Tea", "offset": -1}, "INVALID_ARGUMENTS"),
        ("wiki_read_page", {"page": "Tee"}, "PAGE_NOT_FOUND"),
        ("wiki_read_page", {"page": "Tea", "section": "Nothing"}, "PAGE_NOT_FOUND"),
        ("wiki_read_page", {"page": "Twin"}, "AMBIGUOUS_PAGE"),
        ("wiki_status", {"verbose": True}, "INVALID_ARGUMENTS"),
    ]

    async def check(session: Session) -> None:
        for tool, arguments, code in cases:
            error = await session.error(tool, **arguments)
            assert error["code"] == code, (tool, arguments, error)
            assert await session.found("leafword") == ["concepts/Tea.md"], "the next call works"

    in_session(wiki.config(), check, era=era)


def test_errors_teach(wiki: Project) -> None:
    async def check(session: Session) -> None:
        error = await session.error("wiki_query", limit=99, colour="red")
        assert set(error["details"]["fields"]) == {"limit", "colour"}
        assert "query" in error["details"]["allowed"]
        assert "wiki_query" in (await session.error("nope"))["details"]["tools"]
        missing = await session.error("wiki_read_page", page="Te")
        assert "concepts/Tea.md" in missing["details"]["nearest"]
        assert len(missing["details"]["nearest"]) <= 3
        twins = await session.error("wiki_read_page", page="Twin")
        assert twins["details"]["candidates"] == ["a/Twin.md", "b/Twin.md"]
        part = await session.error("wiki_read_page", page="Tea", section="Nothing")
        assert part["details"]["sections"] == ["Brewing", "Time", "History"]

    in_session(wiki.config(), check)


FORBIDDEN = [
    "../outside.md",
    "sub/../../outside.md",
    "../vault-private/secret.md",
    "%2e%2e/outside.md",
    "..\\outside.md",
    "./In.md/../../outside.md",
    "In.md\x00.md",
    "~/x.md",
    "file:///etc/passwd",
    "C:\\x",
    "",
    ".obsidian/app.json",
    "x" * 10_000,
    "Linked.md/../../outside.md",
]


def test_S43_paths_stay_inside_the_vault(project: Project) -> None:
    project.write({"In.md": "ok\n", ".obsidian/app.json": '{"k":"TOPSECRET"}'})
    for outside in ("vault-private/secret.md", "outside.md"):
        (project.root / outside).parent.mkdir(exist_ok=True)
        (project.root / outside).write_text("TOPSECRET\n")
    (project.vault / "Linked.md").symlink_to(project.root / "outside.md")
    (project.vault / "folder").symlink_to(project.root / "vault-private")
    before = _bytes(project)

    async def check(session: Session) -> None:
        absolute = str(project.root / "outside.md")
        for name in (*FORBIDDEN, absolute, str(project.vault / "In.md"), "Linked.md", "folder/secret.md"):
            error = await session.error("wiki_read_page", page=name)
            assert error["code"] == "PATH_FORBIDDEN", name
            assert "TOPSECRET" not in str(error)
            assert str(project.root) not in str(error)
        for name in (*FORBIDDEN, absolute, "folder"):
            if name:
                assert (await session.error("wiki_query", folder=name))["code"] == "PATH_FORBIDDEN", name
        assert await session.found("TOPSECRET") == []
        assert "ok" in await session.read("In.md")
        assert "ok" in await session.read("./In.md")

    in_session(project.config(), check)
    assert _bytes(project) == before


def test_a_page_that_became_a_link_to_the_outside_is_refused(project: Project) -> None:
    (project.root / "outside.md").write_text("TOPSECRET\n")
    (project.vault / "In.md").symlink_to(project.root / "outside.md")
    with pytest.raises(PathForbidden):
        _source(project.vault, "In.md")


def _bytes(project: Project) -> dict[str, bytes]:
    files = (file for file in project.root.rglob("*") if file.is_file() and not file.is_relative_to(project.home))
    return {str(file): file.read_bytes() for file in files}
