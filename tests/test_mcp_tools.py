"""The tools beside search and reading: what lies around a page, upkeep, memory, and who may write."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any
from unicodedata import normalize

import pytest
from cases import all_cases
from mcp_session import Session, in_session, session_over, text_of
from project import Project

from generator.config import Config
from mcp_bridge.tools import TOOLS

WIKI = {
    "schema.md": "schema\n",
    "wiki/concepts/Tea.md": "---\ntitle: Tea\ntags: [drink]\n---\nTea is made with [[Water]]. See [[Nowhere]].\n",
    "wiki/concepts/Water.md": "---\ntitle: Water\ntags: [Drink]\n---\nwaterword\n",
    "wiki/concepts/Kettle.md": "---\ntitle: Kettle\n---\nA kettle heats water for [[Tea]], only [[Water]].\n",
    "wiki/concepts/Cup.md": "---\ntitle: Cup\n---\nA cup holds [[Tea]] and [[Water]]. A Kettle fills it.\n",
    "raw/sources/leaf.md": "rawleafword about leaves\n",
}
FOR_PATHS = ("wiki_read_page", "wiki_neighbors", "wiki_lint", "cross_linker", "tag_taxonomy", "wiki_synthesize")


@pytest.fixture
def wiki(project: Project) -> Project:
    """A small layered wiki."""
    project.write(WIKI)
    return project


def writing_config(project: Project, policy: Any) -> Config:
    """The project's settings under which agents may write so much."""
    config = project.config()
    return replace(config, mcp=replace(config.mcp, writes=policy))


def files(project: Project) -> dict[str, bytes]:
    """Every file of the vault."""
    return {str(path): path.read_bytes() for path in project.vault.rglob("*") if path.is_file()}


def named(tool: str, name: str) -> dict[str, Any]:
    """The arguments with which a tool is asked about a page."""
    if tool == "wiki_synthesize":
        return {"concepts": [name]}
    return {"page" if tool in ("wiki_read_page", "wiki_neighbors") else "path": name}


def test_neighbors_tell_links_backlinks_and_why_pages_are_related(wiki: Project) -> None:
    async def check(session: Session) -> None:
        near = await session.data("wiki_neighbors", page="Kettle")
        assert [link["path"] for link in near["links"]] == ["wiki/concepts/Tea.md", "wiki/concepts/Water.md"]
        assert near["backlinks"] == []
        assert {page["path"] for page in near["related"]} == {"wiki/concepts/Tea.md", "wiki/concepts/Water.md"}
        assert all(page["linked"] for page in near["related"])
        far = await session.data("wiki_neighbors", page="Kettle", depth=2)
        (cup,) = [page for page in far["related"] if page["hops"] == 2]
        assert cup["path"] == "wiki/concepts/Cup.md"
        assert set(cup["common"]) == {"wiki/concepts/Tea.md", "wiki/concepts/Water.md"}
        tea = await session.data("wiki_neighbors", page="Tea", limit=1)
        assert tea["counts"]["backlinks"] == 2
        assert tea["backlinks"] == [
            {"path": "wiki/concepts/Cup.md", "line": 4, "context": "A cup holds Tea and Water."}
        ]  # fmt: skip

    in_session(wiki.config(), check)


def test_context_lists_its_pages_and_fences_their_text(wiki: Project) -> None:
    async def check(session: Session) -> None:
        text = text_of(await session.call("wiki_context", question="What is a kettle for?"))
        assert text.splitlines()[1] == "[1] wiki/concepts/Kettle.md"
        assert "A kettle heats water" in text
        assert "rawleafword" in text_of(await session.call("wiki_context", question="rawleafword"))
        assert "rawleafword about" not in text_of(
            await session.call("wiki_context", question="rawleafword", scope="wiki")
        )

    in_session(wiki.config(), check)


def test_query_searches_pages_unless_raw_sources_are_asked_for(wiki: Project) -> None:
    async def check(session: Session) -> None:
        assert await session.found("rawleafword") == []
        assert await session.found("rawleafword", scope="raw") == ["raw/sources/leaf.md"]
        everything = await session.data("wiki_query", query="rawleafword", scope="all", detail="detailed")
        assert [hit["scope"] for hit in everything["results"]] == ["raw"]
        assert await session.found("waterword") == ["wiki/concepts/Water.md"]
        expanded = await session.data("wiki_query", query="waterword", expand=True)
        assert expanded["results"][0]["path"] == "wiki/concepts/Water.md"
        assert {hit["through"] for hit in expanded["results"][1:]} == {"wiki/concepts/Water.md"}

    in_session(wiki.config(), check)


def test_lint_is_paged_and_narrowed(wiki: Project) -> None:
    async def check(session: Session) -> None:
        every = await session.data("wiki_lint", level="info", limit=200)
        assert ("broken-link", "wiki/concepts/Tea.md") in {(i["code"], i["path"]) for i in every["issues"]}
        first = await session.data("wiki_lint", level="info", limit=1)
        second = await session.data("wiki_lint", level="info", limit=1, cursor=first["next_cursor"])
        assert [*first["issues"], *second["issues"]] == every["issues"][:2]
        assert (await session.error("wiki_lint", cursor=first["next_cursor"]))["code"] == "INVALID_CURSOR"
        only = await session.data("wiki_lint", checks=["broken-link"], path="wiki/concepts/Tea.md")
        assert {issue["code"] for issue in only["issues"]} == {"broken-link"}
        assert (await session.error("wiki_lint", checks=["nonsense"]))["code"] == "INVALID_ARGUMENTS"

    in_session(wiki.config(), check)


def test_links_are_written_by_id_and_a_changed_page_is_stale(wiki: Project) -> None:
    config = writing_config(wiki, "all")
    cup = wiki.vault / "wiki/concepts/Cup.md"

    async def check(session: Session) -> None:
        found = await session.data("cross_linker", path="wiki/concepts/Cup.md", min_score=1)
        (proposal,) = [item for item in found["suggestions"] if item["text"] == "Kettle"]
        assert (await session.error("cross_linker", dry_run=False))["code"] == "INVALID_ARGUMENTS"
        before = cup.read_text()
        cup.write_text(before + "more\n")
        error = await session.error("cross_linker", min_score=1, dry_run=False, ids=[proposal["id"]])
        assert error["code"] == "STALE"
        assert cup.read_text() == before + "more\n"
        cup.write_text(before)
        done = await session.data("cross_linker", min_score=1, dry_run=False, ids=[proposal["id"]])
        assert done["changed"] == ["wiki/concepts/Cup.md"]
        assert cup.read_text() == before.replace("A Kettle", "A [[Kettle]]")

    in_session(config, check)


def test_tags_are_enforced_by_id(wiki: Project) -> None:
    wiki.write({"wiki/_meta/taxonomy.md": "| tag | kind | aliases |\n|---|---|---|\n| drink | topic | beverage |\n"})
    wiki.write({"wiki/concepts/Milk.md": "---\ntags: [beverage]\n---\nmilk\n"})

    async def check(session: Session) -> None:
        found = await session.data("tag_taxonomy")
        (alias,) = [item for item in found["conflicts"] if item["tag"] == "beverage"]
        assert alias["canonical"] == "drink"
        assert alias["pages"] == ["wiki/concepts/Milk.md"]
        done = await session.data("tag_taxonomy", enforce=True, ids=[alias["id"]])
        assert done["changed"] == ["wiki/concepts/Milk.md"]
        assert "drink" in (wiki.vault / "wiki/concepts/Milk.md").read_text()

    in_session(writing_config(wiki, "all"), check)


def test_syntheses_and_memory_tell_where_knowledge_meets_and_came_from(wiki: Project) -> None:
    wiki.write({"wiki/concepts/Leaf.md": "---\nsources: ['agent:claude/1']\n---\nleaf\n"})

    async def check(session: Session) -> None:
        found = await session.data("wiki_synthesize", threshold=2)
        assert found["synthesis"][0]["concepts"] == ["wiki/concepts/Tea.md", "wiki/concepts/Water.md"]
        assert found["synthesis"][0]["evidence"]
        assert (await session.data("memory_bridge"))["tools"] == {"claude": 1, "manual": 4}
        mine = await session.data("memory_bridge", tool_name="claude")
        assert [entry["path"] for entry in mine["entries"]] == ["wiki/concepts/Leaf.md"]
        both = await session.data("memory_bridge", tool_name="claude", other_tool="manual")
        assert len(both["only_in"]["manual"]) == 4
        assert both["shared"] == []
        assert (await session.error("memory_bridge", date_range="soon"))["code"] == "INVALID_ARGUMENTS"

    in_session(wiki.config(), check)


def test_the_daily_round_writes_what_is_generated_and_nothing_else(wiki: Project) -> None:
    before = files(wiki)

    async def check(session: Session) -> None:
        plan = await session.data("daily_update", dry_run=True)
        assert plan["due"]
        assert plan["written"] == []
        assert files(wiki) == before
        done = await session.data("daily_update")
        assert done["written"] == plan["due"]
        assert (await session.data("daily_update"))["written"] == []
        after = files(wiki)
        assert {path: after[path] for path in before} == before
        assert {Path(path).name for path in after.keys() - before.keys()} == {
            Path(path).name for path in done["written"]
        }

    in_session(wiki.config(), check)


@pytest.mark.parametrize(
    ("policy", "writing"),
    [
        ("none", set()),
        ("generated", {"daily_update", "ingest_queue"}),
        ("all", {"daily_update", "ingest_queue", "cross_linker", "tag_taxonomy"}),
    ],
)
def test_hints_and_refusals_follow_the_policy(wiki: Project, policy: str, writing: set[str]) -> None:
    calls = {
        "daily_update": {"dry_run": False},
        "cross_linker": {"dry_run": False, "ids": ["0"]},
        "tag_taxonomy": {"enforce": True, "ids": ["0"]},
        "ingest_queue": {"action": "next"},
    }

    async def check(session: Session) -> None:
        tools = (await session.client.list_tools()).tools
        assert {tool.name for tool in tools if not tool.annotations or not tool.annotations.read_only_hint} == writing
        for name, arguments in calls.items():
            result = await session.call(name, **arguments)
            refused = "READ_ONLY_MODE" in text_of(result)
            assert refused == (name not in writing), (name, text_of(result))

    in_session(writing_config(wiki, policy), check)


def test_d_tools_that_only_read_leave_every_byte_as_it_was(wiki: Project) -> None:
    before = files(wiki)

    async def check(session: Session) -> None:
        for face in TOOLS:
            name = face.function.__name__
            extra = {"page": "Tea"} if name in ("wiki_read_page", "wiki_neighbors") else {}
            extra |= {"question": "tea"} if name == "wiki_context" else {}
            extra |= {"dry_run": True} if name == "daily_update" else {}
            assert not (await session.call(name, **extra)).is_error
        assert files(wiki) == before

    in_session(wiki.config(), check)


def test_S05_a_date_as_a_title_survives_every_tool(project: Project) -> None:
    all_cases()["S05"].make(project.vault)

    async def check(session: Session) -> None:
        (hit,) = (await session.data("wiki_query", query="2031-04-09", detail="detailed"))["results"]
        assert (hit["title"], hit["created"][:10]) == ("2031-04-09", "2031-04-09")
        assert "due: 2031-04-09T10:30" in await session.read("Meeting", include=["frontmatter"])
        assert (await session.data("wiki_neighbors", page="2031-04-09"))["title"] == "2031-04-09"
        (entry,) = (await session.data("memory_bridge", tool_name="manual"))["entries"]
        assert entry["title"] == "2031-04-09"
        assert "title: 2031-04-09\n" in text_of(await session.call("wiki_context", question="agenda text"))

    in_session(project.config(), check)


def test_S11_a_bare_name_tells_of_the_alternatives(project: Project) -> None:
    all_cases()["S11"].make(project.vault)

    async def check(session: Session) -> None:
        for tool in ("wiki_read_page", "wiki_neighbors"):
            error = await session.error(tool, page="Valve")
            assert error["code"] == "AMBIGUOUS_PAGE"
            assert set(error["details"]["candidates"]) == {"q/w/Valve.md", "archive/Valve.md"}

    in_session(project.config(), check)


def test_S36_every_tool_answers_for_an_empty_vault(project: Project) -> None:
    async def check(session: Session) -> None:
        for name in ("wiki_query", "wiki_status", "wiki_lint", "cross_linker", "tag_taxonomy", "wiki_synthesize"):
            data = await session.data(name)
            assert not any(value for key, value in data.items() if key in ("results", "issues", "suggestions"))
        assert (await session.data("memory_bridge"))["tools"] == {}
        assert (await session.data("daily_update", dry_run=True))["updated"] == []
        assert text_of(await session.call("wiki_context", question="x")).startswith("0 pages")

    in_session(project.config(), check)
    project.write({"Empty.md": "", "OnlyMeta.md": "---\naliases: [Om]\n---\n\n", "Space.md": "  \n\n"})

    async def check_notes(session: Session) -> None:
        stats = (await session.data("wiki_status"))["stats"]
        assert (stats["pages"], stats["orphans"], stats["broken"]) == (3, 3, 0)
        assert (await session.data("wiki_neighbors", page="Om"))["links"] == []

    in_session(project.config(), check_notes)


def test_S39_both_forms_of_a_name_open_the_note(project: Project) -> None:
    all_cases()["S39"].make(project.vault)

    async def check(session: Session) -> None:
        for form in ("NFC", "NFD"):
            name = normalize(form, "Café Über")
            assert "cafeword" in await session.read(f"{name}.md")
            near = await session.data("wiki_neighbors", page=name)
            assert {link["path"] for link in near["backlinks"]} == {"Doc.md", "Doc2.md"}

    in_session(project.config(), check)


def test_S43_no_tool_leaves_the_vault(project: Project) -> None:
    all_cases()["S43"].make(project.vault)
    outside = {path: path.read_bytes() for path in project.root.glob("*.md")}
    names = [
        "../outside.md", "sub/../../outside.md", str(project.root / "outside.md"), "../vault-private/secret.md",
        "%2e%2e/outside.md", "..\\outside.md", "./In.md/../../outside.md", "In.md\x00.md", "~/x.md",
        "file:///etc/passwd", "C:\\x", ".obsidian/app.json", "x" * 10_000,
    ]  # fmt: skip

    async def check() -> None:
        async with session_over(writing_config(project, "all")) as session:
            for tool in FOR_PATHS:
                for name in names:
                    result = await session.call(tool, **named(tool, name))
                    assert result.is_error, (tool, name, text_of(result))
                    assert "TOPSECRET" not in text_of(result)
                    assert str(project.root) not in text_of(result), (tool, name)
                for name in ("In.md", "./In.md"):
                    assert not (await session.call(tool, **named(tool, name))).is_error, (tool, name)

    asyncio.run(check())
    assert {path: path.read_bytes() for path in project.root.glob("*.md")} == outside
