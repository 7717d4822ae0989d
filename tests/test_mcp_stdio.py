"""The bridge as a process on stdio: what it writes where, and how it ends."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from mcp_session import ERAS, Pipes, environment, process_session, server_process
from project import Project

from generator.store import open_store
from mcp_bridge.tools import TOOLS

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def test_S37_stdout_belongs_to_json_rpc(project: Project) -> None:
    project.write({"Bad.md": "---\ntitle: [unclosed\n---\nbadword\n", "Good.md": "goodword\n"})
    before = {path: (project.vault / path).read_bytes() for path in ("Bad.md", "Good.md")}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("wiki_query", {"query": "goodword"}),
        ("wiki_query", {"limit": "wrong"}),
        ("wiki_read_page", {"page": "Bad"}),
        ("wiki_status", {}),
        ("no_such_tool", {}),
        ("ingest_queue", {}),
        ("wiki_query", {"query": "goodword"}),
    ]
    with server_process(project.vault, project.home, LOG_LEVEL="DEBUG") as pipes:
        _greet(pipes)
        assert len(_ask(pipes, 2, "tools/list", {})["tools"]) == len(TOOLS)
        results = [
            _ask(pipes, number, "tools/call", {"name": name, "arguments": arguments})
            for number, (name, arguments) in enumerate(calls, 3)
        ]
        pipes.stdin.close()
        assert pipes.server.wait(5) == 0
        assert all(isinstance(json.loads(line), dict) for line in pipes.stdout)
        log = pipes.stderr.read().decode()
    assert [bool(result.get("isError")) for result in results] == [False, True, False, False, True, False, False]
    assert results[0] == results[-1]
    assert results[0]["structuredContent"]["data"]["results"][0]["path"] == "Good.md"
    assert "badword" in results[2]["content"][0]["text"]
    assert any(problem["path"] == "Bad.md" for problem in results[3]["structuredContent"]["data"]["index"]["problems"])
    assert "index up to date" in log
    assert "goodword" not in log, "logs hold no page text and no queries"
    assert {path: (project.vault / path).read_bytes() for path in before} == before
    assert sorted(file.name for file in project.vault.rglob("*")) == ["Bad.md", "Good.md"]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to see what is left of a process group")
def test_S37_the_server_ends_with_its_client_in_the_middle_of_indexing(project: Project) -> None:
    text = "\n\n".join(f"A paragraph with [[N{n}]] and **bold** text, number {n}." for n in range(150))
    project.write({f"N{n}.md": text for n in range(900)})
    with server_process(project.vault, project.home) as pipes:
        _greet(pipes)
        pipes.send(_request(2, "tools/call", {"name": "wiki_query"}))
        time.sleep(1.5)  # by now it parses
        pipes.stdin.close()
        assert pipes.server.wait(5) == 0
        assert b"up to date" not in pipes.stderr.read(), "the update had not ended"
        deadline = time.monotonic() + 5
        while (left := _group(pipes.server.pid)) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert left == []
    store, _ = open_store(project.config().wiki.index_path)
    with store.transaction(wait_seconds=0):
        assert store.fingerprints() == {}
    store.close()


@pytest.mark.parametrize("era", ERAS)
def test_S34_changes_made_while_nothing_was_running(project: Project, era: str) -> None:
    project.write({"Gone.md": "goneword [[Stay]]\n", "Stay.md": "stayword\n", "Edit.md": "beforeword\n"})
    project.build()
    project.remove("Gone.md")
    project.write({"Edit.md": "afterword\n", "Fresh.md": "freshword\n"})

    async def check() -> None:
        async with process_session(project.vault, project.home, era=era) as session:
            assert await session.found("goneword") == []
            assert await session.found("afterword") == ["Edit.md"]
            assert await session.found("freshword") == ["Fresh.md"]
            status = await session.data("wiki_status")
            assert (status["stats"]["pages"], status["stats"]["links"]) == (3, 0)
            assert "Gone.md" not in json.dumps(status)
            assert "[backlinks]\nnone" in await session.read("Stay", include=["backlinks"])
            project.write({"Now.md": "nowword\n"})
            assert await session.found("nowword") == ["Now.md"]

    asyncio.run(check())


def test_sigterm_ends_the_server(project: Project) -> None:
    project.write({"A.md": "text\n"})
    with server_process(project.vault, project.home) as pipes:
        _greet(pipes)
        pipes.server.terminate()
        assert pipes.server.wait(5) == 0


def test_a_client_that_was_killed_takes_the_server_with_it(project: Project) -> None:
    project.write({"A.md": "text\n"})
    with server_process(project.vault, project.home) as pipes:
        _greet(pipes)
        assert _ask(pipes, 2, "tools/call", {"name": "wiki_query"})["structuredContent"]["data"]["total"] == 1
        pipes.stdout.close()
        pipes.send(_request(3, "tools/list", {}))
        pipes.stdin.close()
        assert pipes.server.wait(5) in (0, 1)


@pytest.mark.parametrize(
    ("arguments", "settings", "said"),
    [
        (["--vault", "/no/such/vault"], {}, "does not exist"),
        ([], {}, "no vault was named"),
        (["--vault", ".", "--transport", "http", "--host", "0.0.0.0"], {}, "can be reached from other machines"),
        (["--vault", ".", "--host", "0.0.0.0", "--token", "x"], {"MCP_MODE": "sse"}, "--allowed-host"),
        (["--vault", "."], {"LOG_LEVEL": "LOUD"}, "LOG_LEVEL"),
    ],
)
def test_a_start_that_cannot_be_is_refused_in_one_line(
    tmp_path: Path, arguments: list[str], settings: dict[str, str], said: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mcp_bridge", *arguments],
        env=environment(tmp_path / "home", **settings),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("llmwiki-mcp: ")
    assert done.stderr.count("\n") == 1
    assert said in done.stderr
    assert list(tmp_path.iterdir()) == []


def _request(number: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def _greet(pipes: Pipes) -> None:
    pipes.send(INITIALIZE)
    assert pipes.receive()["result"]["serverInfo"]["name"] == "llmwiki"
    pipes.send(INITIALIZED)


def _ask(pipes: Pipes, number: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
    """The result of a request; whatever stands before it on stdout must be JSON-RPC, too."""
    pipes.send(_request(number, method, params))
    while (message := pipes.receive()).get("id") != number:
        pass
    return dict(message["result"])


def _group(leader: int) -> list[int]:
    """The live processes of the group that `leader` began."""
    left = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _parent, group, *_ = stat.read_text().rpartition(")")[2].split()
            if int(group) == leader and state != "Z":
                left.append(int(stat.parent.name))
    return [pid for pid in left if pid != os.getpid()]
