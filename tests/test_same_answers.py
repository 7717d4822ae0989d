"""People, agents and readers of the site are told the same: the command, the tool and the health pages have one engine,
with the same ids and the same numbers."""

from __future__ import annotations

from collections import Counter
from datetime import date
from json import loads
from typing import Any

import pytest
from mcp_session import Session, in_session
from project import Page, Project

ALL = 200  # the most that a tool gives in one answer


@pytest.fixture
def wiki(project: Project) -> Project:
    """The sample vault with something for each tool: a taxonomy, a mention, sources that wait and one that is done."""
    project.vault.rmdir()
    assert project.cli("init", str(project.vault), "--sample").code == 0
    project.write(
        {
            "wiki/_meta/taxonomy.md": "| tag | kind | aliases |\n|---|---|---|\n| history | domain | chronicle |\n",
            "wiki/queries/Farms.md": "---\ntitle: Farms\ntags: [chronicle]\nsources: [romance-note.md]\n---\n"
            "Tuntian fed the army of Cao Cao. [[Nowhere]]\n",
        }
    )
    project.json("ingest", "scan", "--apply", "--tool", "claude")
    project.json("ingest", "next", "romance-note.md")
    project.json("ingest", "done", "romance-note.md", "--page", "queries/Farms", "--fallback-summary")
    return project


def test_commands_and_tools_say_the_same(wiki: Project) -> None:
    lint = wiki.json("lint", "--level", "info", "--limit", "0")
    link = wiki.json("link", "--limit", "0")
    tags = wiki.json("tags", "--limit", "0")
    synthesis = wiki.json("synthesize")
    tools, memory = wiki.json("memory"), wiki.json("memory", "claude")
    daily = loads(wiki.cli("daily", str(wiki.vault), "--dry-run", "--json").out)
    status = wiki.json("status")

    async def check(session: Session) -> None:
        found = await session.data("wiki_lint", level="info", limit=ALL)
        assert found["issues"] == lint["issues"]
        assert (found["counts"], found["fixes"]) == (lint["counts"], lint["fixes"])
        links = await session.data("cross_linker", limit=ALL)
        assert links["missing_links"] == link["missing_links"]
        assert links["suggestions"] == [_without(item, "start", "end", "replacement") for item in link["suggestions"]]
        conflicts = (await session.data("tag_taxonomy", limit=ALL))["conflicts"]
        assert [(c["id"], c["kind"], c["tag"], c["canonical"], c["page_count"]) for c in conflicts] == [
            (c["id"], c["kind"], c["tag"], c["canonical"], len(c["pages"])) for c in tags["conflicts"]
        ]
        proposals = (await session.data("wiki_synthesize"))["synthesis"]
        assert [(p["concepts"], p["score"], p["co_occurrence"]) for p in proposals] == [
            (list(p["concepts"]), p["score"], p["co_occurrence"]) for p in synthesis["synthesis"]
        ]
        assert (await session.data("memory_bridge"))["tools"] == tools["tools"]
        assert (await session.data("memory_bridge", tool_name="claude"))["entries"] == memory["entries"]
        plan = await session.data("daily_update", dry_run=True)
        assert {name: plan[name] for name in ("updated", "new", "due")} == {
            name: daily[name] for name in ("updated", "new", "due")
        }
        state = await session.data("wiki_status", include=["queue"])
        assert state["stats"].items() <= status.items()
        assert state["next_steps"] == status["next_steps"]
        assert state["queue"]["counts"] == status["queue"]

    assert lint["issues"]
    assert link["suggestions"]
    assert tags["conflicts"]
    assert synthesis["synthesis"]
    assert memory["entries"]
    in_session(wiki.config(), check)


def test_the_site_counts_what_the_commands_count(wiki: Project) -> None:
    status = wiki.json("status")
    found = Counter(issue["code"] for issue in wiki.json("lint", "--level", "info", "--limit", "0")["issues"])
    wiki.build(today=date.today())
    rows = Page(wiki.site / "health.html").main.select(".health-table tbody tr:has(a)")
    shown = {str(row.a["href"]).rpartition("/")[2][:-5]: int(row.select("td")[0].get_text()) for row in rows if row.a}
    codes = ("broken-link", "disputed", "stale", "alias-link", "unused-attachment")
    assert shown == {code: found[code] for code in codes if found[code]} | {"orphans": found["orphan"]}
    assert [status[name] for name in ("broken", "disputed", "orphans")] == [
        found[code] for code in ("broken-link", "disputed", "orphan")
    ]


def test_status_tells_of_sources_and_queue(wiki: Project) -> None:
    status = wiki.json("status")
    assert status["sources"] == {"new": 0, "changed": 0, "unchanged": 10, "missing": 0}
    assert status["queue"] == {"pending": 9, "processing": 0, "done": 1, "failed": 0}
    steps = {step["action"]: step["count"] for step in status["next_steps"]}
    assert steps["ingest the sources that wait"] == 9
    (wiki.vault / "raw/sources/romance-note.md").unlink()
    wiki.write({"raw/sources/llm-wiki-idea.md": "changed\n", "raw/sources/new.md": "new\n"})
    status = wiki.json("status")
    assert status["sources"] == {"new": 1, "changed": 1, "unchanged": 8, "missing": 1}
    assert {"action": "queue the sources that are new", "count": 1, "examples": ["new.md"]} in status["next_steps"]


def _without(value: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: each for name, each in value.items() if name not in names}
