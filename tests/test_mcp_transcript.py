"""The session that docs/mcp.md shows: a client of the SDK, with the agent's part spoken by a script.

LLMWIKI_UPDATE_GOLDEN=1 writes what is said now in place of what no longer fits.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from datetime import date, timedelta

import pytest
from documentation import DOCS, page
from mcp_session import Session, session_over, text_of
from project import Project

from generator.starter import plant

QUESTION = "What fed Cao Cao's armies, and how much of the harvest did a settler keep?"
PAGE = "wiki/queries/What fed Cao Cao's armies.md"
WRITTEN = """---
category: queries
created: 2026-12-01
updated: 2026-12-01
summary: State farms; a settler with an ox of his own kept half of the harvest.
---

# What fed Cao Cao's armies

State farms on abandoned land, from 196 on: [[Tuntian]].
"""


class _Today(date):
    """The day on which the session is held."""

    @classmethod
    def today(cls) -> date:
        return date(2026, 12, 1)


class Transcript:
    """What is said, line by line; of each answer its size in characters and the part that matters."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.lines: list[str] = []

    def say(self, who: str, text: str) -> None:
        self.lines += [f"{who}: {text}", ""]

    async def ask(self, tool: str, **arguments: object) -> str:
        """The text of an answer; its call and its size are noted."""
        result = await self.session.call(tool, **arguments)
        assert not result.is_error, text_of(result)
        self.lines.append(f"→ {tool} {json.dumps(arguments, ensure_ascii=False)}")
        self.lines.append(f"← {len(text_of(result)):,} characters")
        return text_of(result)

    async def data(self, tool: str, *names: str, **arguments: object) -> dict[str, object]:
        """The data of an answer; those named are noted."""
        await self.ask(tool, **arguments)
        data = await self.session.data(tool, **arguments)
        self.lines += [f"  {name}: {json.dumps(data[name], ensure_ascii=False)}" for name in names] + [""]
        return data


async def held(session: Session, project: Project) -> str:
    """The session: question, query, read, answer with citation, page, daily round."""
    told = Transcript(session)
    tools = (await session.client.list_tools()).tools
    size = sum(len(tool.model_dump_json(by_alias=True, exclude_none=True)) for tool in tools)
    told.lines += [f"{len(tools)} tools, {size:,} characters of descriptions", ""]
    told.say("user", QUESTION)
    found = await told.data("wiki_query", "citations", "total", query="armies grain harvest", limit=3)
    citation = str(found["citations"][0])  # type: ignore[index]
    path = f"{citation[2:].partition('|')[0]}.md"
    text = await told.ask("wiki_read_page", page=path, section="The scheme of 196")
    assert "0.5\\,y & \\text{with the settler's own ox}" in text
    told.lines += [*(f"  {line}" for line in text.splitlines()[:3] if line), "  …", ""]
    told.say(
        "agent",
        "State farms that Cao Cao's men set up from 196 on. A settler kept four tenths of the harvest with an ox lent"
        f" by the state, and half of it with his own: {citation}",
    )
    told.say("user", "Keep that.")
    project.write({PAGE: WRITTEN})
    told.lines += [f"(the agent writes {PAGE})", ""]
    lint = await told.data("wiki_lint", "counts", path=PAGE)
    assert not [issue for issue in lint["issues"] if issue["severity"] == "error"]  # type: ignore[attr-defined]
    plan = await told.data("daily_update", "new", "due", dry_run=True)
    assert PAGE in plan["new"]  # type: ignore[operator]
    await told.ask("daily_update")
    again = await session.data("daily_update")
    assert again["written"] == []
    told.lines += [f"  written: {json.dumps(plan['due'])}", ""]
    index = await told.ask("wiki_read_page", page="wiki/index.md", section="Queries")
    line = next(line for line in index.splitlines() if "What fed" in line)
    told.lines += [f"  {line}"]
    return "\n".join(told.lines) + "\n"


def test_the_session_that_is_shown_is_held(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcp_bridge.tools.insight.date", _Today)
    monkeypatch.setattr("mcp_bridge.tools.upkeep.date", _Today)
    monkeypatch.setattr("generator.retrieval.STALE_AFTER", timedelta(days=36_500))  # no answer grows with the years
    plant(project.vault, "sample")

    async def run() -> str:
        async with session_over(project.config()) as session:
            return await held(session, project)

    told = asyncio.run(run())
    text = page("mcp.md")
    pattern = re.compile(r"(^## A session$.*?^```text\n)(.*?)(^```$)", re.MULTILINE | re.DOTALL)
    shown = pattern.search(text)
    assert shown is not None
    if os.environ.get("LLMWIKI_UPDATE_GOLDEN") == "1":
        (DOCS / "mcp.md").write_text(text[: shown.start(2)] + told + text[shown.end(2) :], "utf-8")
    else:
        assert shown[2] == told
