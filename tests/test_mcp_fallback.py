"""When the index is missing, locked or slow: what is served all the same, and what is said of it. And what is kept."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from embeddings_server import serving
from mcp_session import Session, bridge_over, in_session, session_over, text_of
from mcp_wiki import NOTES
from needed import needed
from project import Project
from test_mcp_living import endless, one
from test_mcp_tools import WIKI, files, writing_config

from generator.cache import ResultCache
from generator.config import Config, EmbeddingsSettings
from generator.errors import IndexBusy, QueryTimeout
from generator.query import Program, Query
from mcp_bridge.index import index_state
from mcp_bridge.plain import SLOWLY


@pytest.fixture
def nowhere(project: Project) -> Config:
    """The settings of the small wiki, whose index cannot be written."""
    project.write(NOTES)
    (project.root / "file").write_text("in the way")
    return project.config(wiki={"index_path": project.root / "file" / "index.db"})


# ── without an index ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("arguments", "paths"),
    [
        ({"query": "leafword"}, ["concepts/Tea.md"]),
        ({"query": "LEAFWORD drinks"}, ["concepts/Tea.md"]),
        ({"query": "Tea"}, ["concepts/Tea.md", "Water.md"]),
        ({"query": "tea -waterword"}, ["concepts/Tea.md"]),
        ({"query": '"a leafword"'}, ["concepts/Tea.md"]),
        ({"query": "孟德"}, ["曹操.md"]),
        ({"query": "tag:三国"}, ["曹操.md"]),
        ({"query": "tea", "tags": ["drink"]}, ["concepts/Tea.md"]),
        ({"query": "tea", "folder": "concepts"}, ["concepts/Tea.md"]),
        ({"query": "tea", "since": "2999-01-01"}, []),
        ({"query": "leafword nothingword"}, []),
    ],
)
def test_without_an_index_the_files_are_searched(nowhere: Config, arguments: dict[str, Any], paths: list[str]) -> None:
    async def check(session: Session) -> None:
        answer = await session.data("wiki_query", **arguments)
        assert [hit["path"] for hit in answer["results"]] == paths
        assert SLOWLY in answer["hint"]
        assert answer["total"] == len(paths)

    in_session(nowhere, check)


def test_without_an_index_pages_are_read_by_path_and_name(nowhere: Config) -> None:
    async def check(session: Session) -> None:
        text = await session.read("tea", section="Brewing", include=["outline"])
        assert text.startswith("concepts/Tea.md#Brewing | Tea | ")
        assert SLOWLY in text
        assert "Boil the water." in text
        assert "leafword" not in text
        assert (await session.error("wiki_read_page", page="Twin"))["details"]["candidates"] == [
            "a/Twin.md",
            "b/Twin.md",
        ]
        assert (await session.error("wiki_read_page", page="Coffee"))["code"] == "PAGE_NOT_FOUND"
        assert (await session.error("wiki_read_page", page="../x.md"))["code"] == "PATH_FORBIDDEN"

    in_session(nowhere, check)


def test_without_an_index_the_other_tools_say_what_to_do(nowhere: Config, project: Project) -> None:
    async def check(session: Session) -> None:
        for tool in ("wiki_status", "wiki_lint", "daily_update"):
            error = await session.error(tool)
            assert error["code"] == "INDEX_MISSING"
            assert "WIKI_INDEX_PATH" in error["message"]
            assert str(project.root) not in str(error)

    in_session(nowhere, check)


def test_an_index_that_comes_back_is_used_again(nowhere: Config, project: Project) -> None:
    async def check(session: Session) -> None:
        assert SLOWLY in (await session.data("wiki_query", query="leafword"))["hint"]
        (project.root / "file").unlink()
        assert "hint" not in await session.data("wiki_query", query="leafword")

    in_session(nowhere, check)


# ── locked and slow ─────────────────────────────────────────────────────────────────────────────────────


@contextmanager
def kept_locked(index: Path) -> Iterator[None]:
    """Another process has the file to itself: not even readers get in."""
    db = sqlite3.connect(index, isolation_level=None)
    db.execute("PRAGMA locking_mode = EXCLUSIVE")
    db.execute("BEGIN EXCLUSIVE")
    try:
        yield
    finally:
        db.rollback()
        db.close()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite itself waits no longer than a moment."""
    monkeypatch.setattr("generator.store._BUSY_TIMEOUT_S", 0.05)


def test_a_reading_waits_for_a_lock_longer_each_time(
    project: Project, impatient: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    real = asyncio.sleep

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)
        await real(0)

    async def check() -> None:
        async with bridge_over(project.config()) as bridge:
            await bridge.fresh()
            await bridge.reader.close()
            monkeypatch.setattr("mcp_bridge.index.asyncio.sleep", sleep)
            with kept_locked(project.config().wiki.index_path), pytest.raises(IndexBusy) as refused:
                await bridge.read(index_state)
            assert refused.value.details["retryable"] is True
            assert pauses == [0.1, 0.2, 0.4]
            assert (await bridge.read(index_state))[0] == 1

    asyncio.run(check())


def test_while_the_index_is_locked_the_files_are_searched(project: Project, impatient: None) -> None:
    project.write(NOTES)
    project.update()

    async def check(session: Session) -> None:
        with kept_locked(project.config().wiki.index_path):
            answer = await session.data("wiki_query", query="leafword")
            assert [hit["path"] for hit in answer["results"]] == ["concepts/Tea.md"]
            assert SLOWLY in answer["hint"]
            assert (await session.error("wiki_lint"))["code"] == "INDEX_BUSY"
        assert "hint" not in await session.data("wiki_query", query="leafword")

    in_session(project.config(), check)


def test_a_look_at_the_whole_wiki_has_a_time(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcp_bridge.index.EXAMINATION_S", 0.2)

    def sleepy() -> Program[int]:
        time.sleep(1.0)
        return (yield Query("SELECT 1", (), tuple))[0][0]  # type: ignore[no-any-return]

    async def check() -> None:
        async with bridge_over(project.config()) as bridge:
            for program in (endless, sleepy):
                with pytest.raises(QueryTimeout):
                    await bridge.examine(program)
            assert await bridge.examine(one) == 1

    asyncio.run(check())


# ── one writer at a time ────────────────────────────────────────────────────────────────────────────────


def test_tools_that_write_wait_for_each_other(project: Project) -> None:
    names = {f"wiki/concepts/P{n}.md": f"Page {n} is about a Kettle and no link.\n" for n in range(4)}
    project.write(WIKI | names | {"wiki/log.md": "# Log\n"})

    async def check() -> None:
        async with session_over(writing_config(project, "all")) as session:
            found = await session.data("cross_linker", min_score=1)
            ids = [item["id"] for item in found["suggestions"]]
            assert len(ids) >= 4
            rounds = [session.data("daily_update") for _ in range(3)]
            links = [session.call("cross_linker", min_score=1, dry_run=False, ids=[each]) for each in ids]
            answers = await asyncio.gather(*links, *rounds)
            assert not [text_of(result) for result in answers[: len(ids)] if result.is_error]
            assert sum("wiki/log.md" in answer["written"] for answer in answers[len(ids) :]) >= 1
        log = (project.vault / "wiki/log.md").read_text()
        assert log.count("link | links on 1 page") == len(ids), log
        assert [(project.vault / name).read_text() for name in names] == [
            text.replace("Kettle", "[[Kettle]]") for text in names.values()
        ]

    asyncio.run(check())


def test_a_change_that_has_begun_is_finished_though_nobody_waits(project: Project) -> None:
    begun, go, done = threading.Event(), threading.Event(), threading.Event()

    def program() -> Program[int]:
        begun.set()
        go.wait(5)
        rows: list[Any] = yield Query("SELECT 1", (), tuple)
        done.set()
        return len(rows)

    async def check() -> None:
        async with bridge_over(project.config()) as bridge:
            await bridge.fresh()
            import anyio

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(bridge.change, program)
                while not begun.is_set():
                    await asyncio.sleep(0.01)
                tasks.cancel_scope.cancel()
                assert bridge.writing.locked()
                go.set()
            assert done.is_set()
            assert not bridge.writing.locked()

    asyncio.run(check())


# ── what is kept ────────────────────────────────────────────────────────────────────────────────────────


def test_an_answer_is_kept_until_the_index_changes(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.write(NOTES)
    puts: list[int] = []
    real = ResultCache.put

    def put(self: ResultCache[Any], version: int, *rest: Any) -> None:
        puts.append(version)
        real(self, version, *rest)

    monkeypatch.setattr(ResultCache, "put", put)

    async def check(session: Session) -> None:
        first = await session.data("wiki_query", query="leafword")
        assert await session.data("wiki_query", query="leafword") == first
        assert len(puts) == 1, "the second answer was a kept one"
        await session.data("wiki_query", query="leafword", detail="detailed")
        await session.data("wiki_query", query="leafword", scope="all")
        assert len(puts) == 3, "another question has another answer"
        project.write({"New.md": "leafword\n"})
        assert len(await session.found("leafword")) == 2
        assert puts[3] > puts[0]

    in_session(project.config(), check)


def test_nothing_is_kept_for_no_time(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.write(NOTES)
    config = project.config()
    config = replace(config, performance=replace(config.performance, cache_ttl_seconds=0))

    async def check() -> None:
        async with bridge_over(config) as bridge, session_over(config) as session:
            await bridge.fresh()
            version, _ = await bridge.read(index_state)
            assert version > 0
            bridge.cache.put(version, "key", "value", 5)
            assert bridge.cache.get(version, "key") is None
            assert await session.found("leafword") == ["concepts/Tea.md"]

    asyncio.run(check())


def test_pages_near_in_meaning_are_found_where_vectors_are_configured(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    needed("lancedb")
    monkeypatch.setenv("TEST_KEY", "secret")
    project.write({"Wheels.md": "The automobile has wheels.\n", "Tea.md": "A kettle for tea.\n", "Oil.md": "oil\n"})
    with serving() as server:
        own = EmbeddingsSettings(
            provider="openai", endpoint=server.url, model="weak", timeout_s=2, api_key_env="TEST_KEY"
        )
        config = replace(project.config(), embeddings=own)

        async def check(session: Session) -> None:
            assert "run `llmwiki embed`" in (await session.data("wiki_query", query="car oil"))["hint"]
            await asyncio.to_thread(_embed, config)
            assert "Wheels.md" in await session.found("car oil")
            assert "automobile has wheels" in text_of(await session.call("wiki_context", question="car oil"))
            server.behaviour = lambda _server, handler, _texts: handler.send_error(500)
            answer = await session.data("wiki_query", query="car oil")
            assert [hit["path"] for hit in answer["results"]] == ["Oil.md"]
            assert "found by words only" in answer["hint"]

        in_session(config, check)


def _embed(config: Config) -> None:
    from generator.update import open_and_update
    from generator.vectors.shelf import update_vectors

    store, _, _ = open_and_update(config)
    update_vectors(config, store.db)
    store.close()


def test_plain_search_leaves_the_vault_as_it_was(nowhere: Config, project: Project) -> None:
    before = files(project)

    async def check(session: Session) -> None:
        await session.data("wiki_query", query="leafword")
        await session.read("Tea")

    in_session(nowhere, check)
    assert files(project) == before
