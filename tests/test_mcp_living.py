"""The index while a server runs: fresh at every query, mended when damaged, bounded in time, read by many at once."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from mcp_session import Session, bridge_over, in_session, session_over
from project import Project

from generator.config import Config
from generator.errors import IndexBusy, QueryTimeout
from generator.query import Program, Query
from generator.store import open_store
from mcp_bridge.living import LivingIndex
from mcp_bridge.watch import Watcher


def test_what_was_written_a_moment_ago_is_found(project: Project) -> None:
    async def check(session: Session) -> None:
        for n in range(10):
            project.write({f"new/N{n}.md": f"word{n}x\n"})
            assert await session.found(f"word{n}x") == [f"new/N{n}.md"]
            (project.vault / f"new/N{n}.md").write_text(f"later{n}x\n")  # in place, as most programs write
            assert await session.found(f"later{n}x") == [f"new/N{n}.md"]
            assert await session.found(f"word{n}x") == []
        project.move("new", "old")
        assert await session.found("later3x") == ["old/N3.md"]
        project.remove("old")
        assert await session.found("later3x") == []
        assert (await session.data("wiki_status"))["stats"]["pages"] == 0

    in_session(project.config(), check)


def test_changes_are_taken_in_while_nobody_asks(project: Project) -> None:
    async def check() -> None:
        async with bridge_over(project.config()) as bridge:
            keeper = asyncio.create_task(bridge.living.keep())
            await bridge.fresh()
            project.write({"Later.md": "text\n"})
            for _ in range(100):
                if project.notes == ["Later.md"]:
                    break
                await asyncio.sleep(0.05)
            assert project.notes == ["Later.md"]
            keeper.cancel()

    asyncio.run(check())


def test_every_change_is_heard_by_the_time_of_the_next_question(project: Project) -> None:
    watcher = Watcher(project.config())
    try:
        for n in range(200):
            project.write({"A.md": f"text {n}\n", ".obsidian/workspace.json": str(n)})
            assert watcher.changed(), n
            while watcher.changed():  # what is left of the same change
                continue
    finally:
        watcher.close()


def test_what_may_have_been_missed_counts_as_a_change(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    watcher = Watcher(project.config())
    try:
        while watcher.changed():
            continue
        monkeypatch.setattr(watcher, "_make_mark", lambda: "a mark that never comes")
        assert watcher.changed()
    finally:
        watcher.close()


def test_what_does_not_concern_the_vault_starts_no_update(project: Project) -> None:
    project.write({"A.md": "text\n"})

    async def check(session: Session) -> None:
        version = (await session.data("wiki_status"))["index"]["data_version"]
        project.write({".obsidian/workspace.json": "{}", ".git/HEAD": "x"})
        project.site.mkdir()
        (project.site / "index.html").write_text("x")
        assert (await session.data("wiki_status"))["index"]["data_version"] == version

    in_session(project.config(), check)


def test_many_at_once_while_the_vault_changes(project: Project) -> None:
    project.write({f"N{n}.md": f"crowdword {n}\n" for n in range(30)})

    async def check(session: Session) -> None:
        async def one(n: int) -> None:
            project.write({f"M{n}.md": f"mine{n}word crowdword\n"})
            assert await session.found(f"mine{n}word") == [f"M{n}.md"]
            assert len(await session.found("crowdword", limit=50)) >= 30

        await asyncio.gather(*(one(n) for n in range(15)))
        assert len(await session.found("crowdword", limit=50)) == 45

    in_session(project.config(), check)


def _overwrite(index: Path) -> None:
    with index.open("r+b") as stream:
        stream.seek(index.stat().st_size // 2)
        stream.write(b"\xff" * 4096)


def _truncate(index: Path) -> None:
    with index.open("r+b") as stream:
        stream.truncate(index.stat().st_size // 2)


def _run_sql(sql: str) -> Callable[[Path], None]:
    def damage(index: Path) -> None:
        db = sqlite3.connect(index)
        db.execute(sql)
        db.commit()
        db.close()

    return damage


DAMAGES = {
    "overwritten": _overwrite,
    "truncated": _truncate,
    "not a database": lambda index: index.write_text("not a database"),
    "no full text": _run_sql("DELETE FROM wiki_fts_data"),
    "deleted": lambda index: index.unlink(),
    "another version": _run_sql("PRAGMA user_version = 9999"),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_S35_an_index_damaged_under_the_server_is_mended(project: Project, damage: Callable[[Path], object]) -> None:
    project.write({f"N{n}.md": f"text {n} " + "filler " * 500 for n in range(20)})
    project.write({"Doc.md": "findme\n"})
    config = project.config()

    async def check(session: Session) -> None:
        assert await session.found("findme") == ["Doc.md"]
        damage(config.wiki.index_path)
        assert await session.found("findme") == ["Doc.md"]
        status = await session.data("wiki_status")
        assert (status["index"]["state"], status["stats"]["pages"]) == ("current", 21)

    in_session(config, check)


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_S35_an_index_damaged_before_the_start_is_mended(project: Project, damage: Callable[[Path], object]) -> None:
    project.write({"Doc.md": "findme\n"})
    config = project.config()

    async def check(session: Session) -> None:
        assert await session.found("findme") == ["Doc.md"]

    in_session(config, check)
    damage(config.wiki.index_path)
    in_session(config, check)


def test_a_vault_that_goes_away_and_comes_back(project: Project) -> None:
    project.write({"Doc.md": "findme\n"})

    async def check(session: Session) -> None:
        assert await session.found("findme") == ["Doc.md"]
        away = project.vault.rename(project.root / "away")
        for tool in ("wiki_query", "wiki_status"):
            error = await session.error(tool)
            assert error["code"] == "VAULT_NOT_FOUND"
            assert str(project.root) not in error["message"]
        away.rename(project.vault)
        assert await session.found("findme") == ["Doc.md"]

    in_session(project.config(), check)


def test_without_file_events_changes_are_found_within_a_second(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> Iterator[None]:
        raise OSError("OS file watch limit reached")
        yield

    monkeypatch.setattr("mcp_bridge.watch.watch", broken)

    async def check(session: Session) -> None:
        await session.found("")
        project.write({"New.md": "freshword\n"})
        await asyncio.sleep(1.05)
        assert await session.found("freshword") == ["New.md"]

    in_session(project.config(), check)


def _impatient(project: Project, milliseconds: int) -> Config:
    config = project.config()
    return replace(config, performance=replace(config.performance, query_timeout_ms=milliseconds))


def endless() -> Program[int]:
    """A program that SQLite would run for ever."""
    sql = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
    return (yield Query(sql, (), tuple))[0][0]  # type: ignore[no-any-return]


def one() -> Program[int]:
    return (yield Query("SELECT 1", (), tuple))[0][0]  # type: ignore[no-any-return]


def test_a_query_that_takes_too_long_is_interrupted(project: Project) -> None:
    async def check() -> None:
        async with bridge_over(_impatient(project, 100)) as bridge:
            await bridge.fresh()
            for _ in range(2):
                with pytest.raises(QueryTimeout):
                    await bridge.read(endless)
                assert await bridge.read(one) == 1

    asyncio.run(check())


def test_a_cancelled_query_leaves_the_connection_free(project: Project) -> None:
    async def check() -> None:
        async with bridge_over(project.config()) as bridge:
            await bridge.fresh()
            query = asyncio.create_task(bridge.read(endless))
            await asyncio.sleep(0.1)
            query.cancel()
            with pytest.raises(asyncio.CancelledError):
                await query
            assert await asyncio.wait_for(bridge.read(one), 2) == 1

    asyncio.run(check())


def test_a_timeout_comes_with_what_could_be_had(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.write({"Findme.md": "text\n", "Other.md": "findme\n"})
    calls: list[str] = []

    def slow_at_first(*_: object) -> Program[int]:
        calls.append("")
        return endless()

    monkeypatch.setattr("mcp_bridge.tools.query._answers", slow_at_first)

    async def check(session: Session) -> None:
        error = await session.error("wiki_query", query="findme")
        assert error["code"] == "QUERY_TIMEOUT"
        assert [hit["path"] for hit in error["details"]["partial"]] == ["Findme.md"]

    in_session(_impatient(project, 200), check)
    assert calls


def test_while_another_process_writes_what_is_known_is_served(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write({"Doc.md": "findme\n"})
    config = project.config()
    monkeypatch.setattr("mcp_bridge.living._PATIENCE_S", 0.3)

    async def check(session: Session) -> None:
        assert await session.found("findme") == ["Doc.md"]
        store, _ = open_store(config.wiki.index_path)
        with store.transaction():
            project.write({"New.md": "freshword\n"})
            answer = await session.data("wiki_query", query="findme")
            assert [hit["path"] for hit in answer["results"]] == ["Doc.md"]
            assert "newest ones may be missing" in answer["hint"]
        store.close()
        assert await session.found("freshword") == ["New.md"]

    in_session(config, check)


def test_a_first_index_that_takes_long_is_retryable(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.write({"Doc.md": "findme\n"})
    config = project.config()
    store, _ = open_store(config.wiki.index_path)
    monkeypatch.setattr("mcp_bridge.living._FIRST_PATIENCE_S", 0.2)
    monkeypatch.setattr("mcp_bridge.tools.status._PATIENCE_S", 0.2)

    async def check() -> None:
        async with session_over(config) as session:
            with store.transaction():
                error = await session.error("wiki_query", query="findme")
                assert error["code"] == IndexBusy.code
                assert error["details"]["retryable"] is True
                assert (await session.data("wiki_status"))["index"] == {"state": "building"}
            monkeypatch.undo()
            assert await session.found("findme") == ["Doc.md"]

    asyncio.run(check())
    store.close()


def test_a_stopped_index_does_no_more_work(project: Project) -> None:
    project.write({f"N{n}.md": "text " * 200 for n in range(60)})

    async def check() -> None:
        living = LivingIndex(project.config())
        keeper = asyncio.create_task(living.keep())
        while not living.progress[0]:
            await asyncio.sleep(0)
        assert living.stop()
        keeper.cancel()

    asyncio.run(check())
    assert project.notes == [], "the update was rolled back"
    store, _ = open_store(project.config().wiki.index_path)
    with store.transaction(wait_seconds=0):
        pass
    store.close()
