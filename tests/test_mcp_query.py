"""wiki_query and wiki_status: answers, arguments as agents send them, cursors, bounds."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcp_session import ERAS, Session, in_session
from mcp_wiki import NOTES
from project import Project


@pytest.fixture
def wiki(project: Project) -> Project:
    """The small wiki."""
    project.write(NOTES)
    return project


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
