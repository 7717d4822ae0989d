"""ingest_queue: a source goes from hand to hand to done, one worker each, and what wiki_status tells of it."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from cases import all_cases
from mcp_session import Session, in_session, session_over, text_of
from project import Project
from test_mcp_tools import files, writing_config

from generator.sources.manifest import FILE

SUMMARY = "---\ntitle: Leaf\ncategory: sources\nsources: [leaf.md]\n---\nWhat the source says. [[Tea]]\n"
PAGES = {
    "schema.md": "schema\n",
    "wiki/concepts/Tea.md": "---\ntitle: Tea\n---\nTea.\n",
    "wiki/log.md": "# Log\n",
    "raw/sources/leaf.md": "rawleafword, whole\n",
    "raw/sources/old.md": "older text\n",
}


@pytest.fixture
def waiting(project: Project) -> Project:
    """A layered wiki with two sources in the queue, and one file beside it."""
    project.write(PAGES)
    project.json("ingest", "scan", "--apply")
    project.write({"raw/sources/new.md": "not queued\n"})
    return project


def test_a_source_is_taken_made_into_pages_and_done(waiting: Project) -> None:
    async def check(session: Session) -> None:
        queue = await session.data("ingest_queue")
        assert queue["counts"] == {"pending": 2, "processing": 0, "done": 0, "failed": 0}
        assert [source["key"] for source in queue["sources"]] == ["leaf.md", "old.md"]
        assert queue["hint"].startswith("1 files below raw/sources are not in the queue")
        taken = await session.data("ingest_queue", action="next")
        assert (taken["source"]["key"], taken["source"]["path"]) == ("leaf.md", "raw/sources/leaf.md")
        assert taken["text"] == PAGES["raw/sources/leaf.md"]
        early = await session.error("ingest_queue", action="done", key="leaf.md", pages=["concepts/Tea"])
        assert early["code"] == "SOURCE_REFUSED"
        assert "write the summary page first" in early["message"]
        assert "--fallback" not in early["message"]
        waiting.write({"wiki/sources/Leaf.md": SUMMARY})
        done = await session.data("ingest_queue", action="done", key="leaf.md", pages=["concepts/Tea"])
        assert done["source"]["state"] == "done"
        assert done["source"]["pages"] == ["wiki/sources/Leaf.md", "wiki/concepts/Tea.md"]
        assert done["counts"] == {"pending": 1, "processing": 0, "done": 1, "failed": 0}
        assert "ingest | leaf.md" in (waiting.vault / "wiki/log.md").read_text()

    in_session(waiting.config(), check)
    assert json.loads((waiting.vault / FILE).read_text())["sources"]["leaf.md"]["state"] == "done"


def test_a_source_that_cannot_be_read_fails_for_good_after_three_times(waiting: Project) -> None:
    async def check(session: Session) -> None:
        for attempt in (1, 2, 3):
            await session.data("ingest_queue", action="next", key="old.md")
            given_back = await session.data("ingest_queue", action="fail", key="old.md", why="no\nsense")
            assert (given_back["source"]["attempts"], given_back["source"]["error"]) == (attempt, "no sense")
        assert given_back["counts"]["failed"] == 1
        assert (await session.data("ingest_queue", action="next"))["source"]["key"] == "leaf.md"
        nothing = await session.data("ingest_queue", action="next")
        assert ("source" not in nothing, nothing["hint"]) == (True, "nothing waits")

    in_session(waiting.config(), check)


def test_each_source_goes_to_one_of_many_that_ask_at_once(project: Project) -> None:
    project.write({"schema.md": "schema\n", "wiki/A.md": "a\n"} | {f"raw/sources/s{n}.md": "text\n" for n in range(9)})
    project.json("ingest", "scan", "--apply")

    async def check(session: Session) -> None:
        taken = await asyncio.gather(*(session.data("ingest_queue", action="next") for _ in range(12)))
        keys = [answer["source"]["key"] for answer in taken if "source" in answer]
        assert sorted(keys) == [f"s{n}.md" for n in range(9)]

    in_session(project.config(), check)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"action": "done"}, "INVALID_ARGUMENTS"),
        ({"action": "fail", "key": "leaf.md"}, "INVALID_ARGUMENTS"),
        ({"action": "status", "key": "leaf.md"}, "INVALID_ARGUMENTS"),
        ({"action": "next", "why": "because"}, "INVALID_ARGUMENTS"),
        ({"action": "next", "pages": ["Tea"]}, "INVALID_ARGUMENTS"),
        ({"action": "scan"}, "INVALID_ARGUMENTS"),
        ({"action": "next", "key": "nothing.md"}, "SOURCE_NOT_FOUND"),
        ({"action": "fail", "key": "leaf.md", "why": "never taken"}, "SOURCE_REFUSED"),
        ({"action": "done", "key": "leaf.md"}, "SOURCE_REFUSED"),
    ],
)
def test_wrong_use_is_refused_and_writes_nothing(waiting: Project, arguments: dict[str, Any], code: str) -> None:
    before = files(waiting)

    async def check(session: Session) -> None:
        error = await session.error("ingest_queue", **arguments)
        assert error["code"] == code
        assert "llmwiki " not in error["message"], "an agent has no command line"
        assert files(waiting) == before

    in_session(waiting.config(), check)


def test_a_page_that_was_not_written_is_not_recorded(waiting: Project) -> None:
    async def check(session: Session) -> None:
        await session.data("ingest_queue", action="next")
        error = await session.error("ingest_queue", action="done", key="leaf.md", pages=["concepts/Coffee"])
        assert error["code"] == "PAGE_NOT_FOUND"
        assert (await session.data("ingest_queue"))["counts"]["processing"] == 1

    in_session(waiting.config(), check)


def test_without_leave_to_write_the_queue_can_only_be_looked_at(waiting: Project) -> None:
    async def check(session: Session) -> None:
        assert (await session.data("ingest_queue"))["counts"]["pending"] == 2
        for action, more in (("next", {}), ("done", {"key": "leaf.md"}), ("fail", {"key": "leaf.md", "why": "x"})):
            assert (await session.error("ingest_queue", action=action, **more))["code"] == "READ_ONLY_MODE"

    in_session(writing_config(waiting, "none"), check)


def test_a_text_that_is_too_long_is_cut_and_says_so(project: Project) -> None:
    project.write({"schema.md": "schema\n", "wiki/A.md": "a\n", "raw/sources/long.md": '"quoted"\n' * 9_000})
    project.json("ingest", "scan", "--apply")

    async def check(session: Session) -> None:
        taken = await session.data("ingest_queue", action="next")  # checks the size of the answer
        assert len(taken["text"]) == 24_000
        assert "81000 characters" in taken["hint"]

    in_session(project.config(), check)


def test_status_tells_of_sources_queue_and_hubs_on_request(waiting: Project) -> None:
    waiting.write({"wiki/concepts/Cup.md": "[[Tea]]\n", "wiki/concepts/Pot.md": "[[Tea]] [[Tea]] [[Cup]]\n"})

    async def check(session: Session) -> None:
        bare = await session.data("wiki_status")
        assert not {"sources", "queue", "hubs"} & bare.keys()
        status = await session.data("wiki_status", include="sources, queue, hubs")
        assert status["sources"] == {"total": 2, "by_kind": {"document": 2}, "by_tool": {}}
        assert status["queue"]["counts"]["pending"] == 2
        assert status["queue"]["next"] == ["leaf.md", "old.md"]
        assert status["hubs"] == [
            {"path": "wiki/concepts/Tea.md", "title": "Tea", "backlinks": 2},
            {"path": "wiki/concepts/Cup.md", "title": "Cup", "backlinks": 1},
        ]
        assert (await session.error("wiki_status", include=["everything"]))["code"] == "INVALID_ARGUMENTS"

    in_session(waiting.config(), check)


def test_S36_the_queue_of_an_empty_vault(project: Project) -> None:
    async def check(session: Session) -> None:
        queue = await session.data("ingest_queue")
        assert (set(queue["counts"].values()), queue["sources"]) == ({0}, [])
        assert (await session.data("ingest_queue", action="next"))["hint"] == "nothing waits"

    in_session(project.config(), check)
    assert files(project) == {}


def test_S43_the_queue_does_not_lead_out_of_the_vault(project: Project) -> None:
    all_cases()["S43"].make(project.vault)
    outside = "../../../outside.md"
    (project.root / "outside.md").write_text("TOPSECRET\n")
    entry = {"state": "pending", "added_at": "2026-01-01T00:00:00Z"}
    project.write({FILE: json.dumps({"sources": {outside: entry, "/etc/passwd": entry, "In\0.md": entry}})})

    async def check() -> None:
        async with session_over(project.config()) as session:
            for key in (outside, "/etc/passwd", "passwd", "In\0.md", "x" * 10_000, str(project.root / "outside.md")):
                for action, more in (("next", {}), ("done", {"pages": [outside]}), ("fail", {"why": "x"})):
                    result = await session.call("ingest_queue", action=action, key=key, **more)
                    assert "TOPSECRET" not in text_of(result)
                    assert "root:" not in text_of(result)
                    assert result.is_error, (action, key, text_of(result))
            assert "source" not in await session.data("ingest_queue", action="next")

    asyncio.run(check())
