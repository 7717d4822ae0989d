"""Every way in which a call can fail: always an envelope that teaches, never a path to the outside."""

from __future__ import annotations

from typing import Any

import pytest
from mcp_session import ERAS, Session, in_session
from mcp_wiki import NOTES
from project import Project

from generator.errors import PathForbidden
from mcp_bridge.tools.read_page import note_source


@pytest.fixture
def wiki(project: Project) -> Project:
    """The small wiki."""
    project.write(NOTES)
    return project


@pytest.mark.parametrize("era", ERAS)
def test_b_every_failure_is_an_envelope(wiki: Project, era: str) -> None:
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
        ("wiki_context", {}, "INVALID_ARGUMENTS"),
        ("wiki_context", {"question": "tea", "max_tokens": 1}, "INVALID_ARGUMENTS"),
        ("wiki_neighbors", {"page": "Tee"}, "PAGE_NOT_FOUND"),
        ("wiki_neighbors", {"page": "Twin"}, "AMBIGUOUS_PAGE"),
        ("wiki_neighbors", {"page": "Tea", "depth": 3}, "INVALID_ARGUMENTS"),
        ("wiki_status", {"verbose": True}, "INVALID_ARGUMENTS"),
        ("wiki_status", {"include": ["all"]}, "INVALID_ARGUMENTS"),
        ("memory_bridge", {"date_range": "soon"}, "INVALID_ARGUMENTS"),
        ("memory_bridge", {"tool_name": "x", "cursor": "garbage"}, "INVALID_CURSOR"),
        ("wiki_lint", {"checks": ["nonsense"]}, "INVALID_ARGUMENTS"),
        ("wiki_lint", {"path": "../x"}, "PATH_FORBIDDEN"),
        ("wiki_lint", {"cursor": "garbage"}, "INVALID_CURSOR"),
        ("cross_linker", {"cursor": "garbage"}, "INVALID_CURSOR"),
        ("cross_linker", {"dry_run": False, "ids": ["0"]}, "READ_ONLY_MODE"),
        ("tag_taxonomy", {"cursor": "garbage"}, "INVALID_CURSOR"),
        ("tag_taxonomy", {"enforce": True, "ids": ["0"]}, "READ_ONLY_MODE"),
        ("wiki_synthesize", {"concepts": ["Tee"]}, "PAGE_NOT_FOUND"),
        ("wiki_synthesize", {"cursor": "garbage"}, "INVALID_CURSOR"),
        ("daily_update", {"dry_run": "perhaps"}, "INVALID_ARGUMENTS"),
        ("ingest_queue", {"action": "fail"}, "INVALID_ARGUMENTS"),
        ("ingest_queue", {"action": "next", "key": "nothing.pdf"}, "SOURCE_NOT_FOUND"),
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


def test_e_a_page_that_became_a_link_to_the_outside_is_refused(project: Project) -> None:
    (project.root / "outside.md").write_text("TOPSECRET\n")
    (project.vault / "In.md").symlink_to(project.root / "outside.md")
    with pytest.raises(PathForbidden):
        note_source(project.vault, "In.md")


def _bytes(project: Project) -> dict[str, bytes]:
    files = (file for file in project.root.rglob("*") if file.is_file() and not file.is_relative_to(project.home))
    return {str(file): file.read_bytes() for file in files}
