"""(c) The largest answers there are, on the help vault: each keeps within what clients show."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import require_shared
from mcp_session import Session, in_session, text_of
from project import Project

from mcp_bridge.envelope import MAX_CHARACTERS
from mcp_bridge.tools import TOOLS

ALL = ["frontmatter", "backlinks", "outline"]
LARGEST: dict[str, list[dict[str, Any]]] = {
    "wiki_query": [
        {"query": query, "limit": 50, "detail": "detailed", "expand": True, "scope": "all"}
        for query in ("", "obsidian", "the note", "link OR file OR vault")
    ],
    "wiki_read_page": [],
    "wiki_context": [
        {"question": question, "max_tokens": 64_000}
        for question in ("How do I link notes?", "obsidian", "如何链接笔记")
    ],
    "wiki_neighbors": [],
    "wiki_status": [{"include": ["sources", "queue", "hubs"]}],
    "memory_bridge": [{"limit": 200}, {"tool_name": "manual", "limit": 200}],
    "wiki_lint": [{"level": "info", "limit": 200}],
    "cross_linker": [{"min_score": 1, "limit": 200}],
    "tag_taxonomy": [{"limit": 200}],
    "wiki_synthesize": [{"threshold": 1, "limit": 20}],
    "daily_update": [{"dry_run": True}],
    "ingest_queue": [{}],
}


@pytest.fixture(scope="module")
def help_vault(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The whole help vault, indexed."""
    vault = require_shared("vaults", "obsidian-help")
    project = Project(tmp_path_factory.mktemp("help"), vault)
    project.update()
    return project


def test_c_the_largest_answer_of_each_tool_is_shown_whole(help_vault: Project) -> None:
    longest = [path for (path,) in help_vault.rows(
        "SELECT path FROM wiki_pages JOIN wiki_content USING (id) ORDER BY word_count DESC LIMIT 5"
    )]  # fmt: skip
    hubs = [path for (path,) in help_vault.rows(
        "SELECT path FROM wiki_pages p JOIN wiki_links l ON target = p.id GROUP BY p.id ORDER BY count(*) DESC LIMIT 5"
    )]  # fmt: skip
    calls = LARGEST | {
        "wiki_read_page": [{"page": page, "max_chars": MAX_CHARACTERS, "include": ALL} for page in longest + hubs],
        "wiki_neighbors": [{"page": page, "depth": 2, "limit": 100} for page in hubs],
    }
    assert list(calls) == [face.function.__name__ for face in TOOLS]
    sizes: dict[str, int] = {}

    async def check(session: Session) -> None:
        for tool, each in calls.items():
            answers = [await session.call(tool, **arguments) for arguments in each]
            assert not any(answer.is_error for answer in answers), tool
            sizes[tool] = max(len(text_of(answer)) for answer in answers)

    in_session(help_vault.config(), check)
    assert max(sizes.values()) < MAX_CHARACTERS, sizes
    assert sizes["wiki_context"] > 20_000, "the calls do ask for much"
    assert sizes["wiki_query"] > 20_000
