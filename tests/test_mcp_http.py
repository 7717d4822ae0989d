"""The bridge over HTTP and SSE, as a process: real clients, who is let in, health, and how it ends."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest
from mcp.client import Client
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp_session import ERAS, command, environment
from mcp_types import CallToolResult
from project import Project

from generator.config import McpSettings
from generator.errors import ConfigError
from mcp_bridge.http import MOST_BYTES, is_loopback, listen

GREETING = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
HEADERS = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


@contextmanager
def serving(project: Project, transport: str, *options: str, **env: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The address of a server process, and the process; it is killed where the test has not seen its end."""
    server = subprocess.Popen(
        [*command(project.vault), "--transport", transport, "--port", "0", *options],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=environment(project.home, LLMWIKI_LOGGING__FILE=str(project.root / "log" / "bridge.log"), **env),
    )  # fmt: skip
    assert server.stderr is not None
    assert server.stdout is not None
    try:
        said = server.stderr.readline()
        match = re.search(r"http://\S+", said)
        assert match is not None, said
        yield match[0], server
    finally:
        if server.poll() is None:
            server.kill()
        server.wait()
        server.stderr.close()
        server.stdout.close()


def status(url: str, body: bytes | None = None, **headers: str) -> int:
    """The status with which a request is answered."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(url, data=body, headers={**(HEADERS if body else {}), **named})
    try:
        with urllib.request.urlopen(request, timeout=20) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        error.close()
        return error.code


def announced(url: str, size: int, authorization: str) -> int:
    """The status for a request that announces a body of this size, and waits for leave to send it."""
    address = urlsplit(url)
    connection = HTTPConnection(address.netloc, timeout=20)
    connection.putrequest("POST", address.path)
    for name, value in (HEADERS | {"authorization": authorization, "content-length": str(size)}).items():
        connection.putheader(name, value)
    connection.endheaders()
    try:
        return connection.getresponse().status
    finally:
        connection.close()


@pytest.mark.parametrize("era", ERAS)
def test_f_clients_over_http_query_at_the_same_time(project: Project, era: str) -> None:
    project.write({"Tea.md": "leafword\n"})

    async def one(url: str) -> list[str]:
        async with Client(streamable_http_client(url), mode=era) as client:
            result = await client.call_tool("wiki_query", {"query": "leafword"})
            assert isinstance(result, CallToolResult)
            return [hit["path"] for hit in (result.structured_content or {})["data"]["results"]]

    async def check(url: str) -> None:
        assert await asyncio.gather(*(one(url) for _ in range(8))) == [["Tea.md"]] * 8

    with serving(project, "http") as (url, server):
        assert url.endswith("/mcp")
        asyncio.run(check(url))
        server.send_signal(signal.SIGTERM)
        assert server.wait(10) == 0
        assert server.stdout is not None
        assert server.stdout.read() == ""


def test_f_a_client_over_sse_finds_what_was_just_written(project: Project) -> None:
    async def check(url: str) -> None:
        async with Client(sse_client(url), mode="legacy") as client:
            for word in ("firstword", "secondword"):
                project.write({f"{word}.md": f"{word}\n"})
                result = await client.call_tool("wiki_query", {"query": word})
                assert isinstance(result, CallToolResult)
                assert (result.structured_content or {})["data"]["total"] == 1

    with serving(project, "sse") as (url, server):
        assert url.endswith("/sse")
        asyncio.run(check(url))
        server.send_signal(signal.SIGINT)
        assert server.wait(10) == 0


@pytest.mark.parametrize("transport", ["http", "sse"])
def test_g_strangers_are_turned_away(project: Project, transport: str) -> None:
    token = "a-secret-that-is-long"
    with serving(project, transport, LLMWIKI_MCP__TOKEN=token) as (url, _):
        health = url.rpartition("/")[0] + "/health"
        body = json.dumps(GREETING).encode() if transport == "http" else None
        bearer = f"Bearer {token}"
        assert status(health) == 200
        assert status(health, Host="evil.example") == 421
        assert status(health, Origin="http://evil.example") == 403
        assert status(url, body) == 401
        assert status(url, body, authorization="Bearer wrong") == 401
        assert status(url, body, authorization=f"Basic {token}") == 401
        assert status(url, body, authorization=bearer, Host="evil.example") == 421
        assert status(url, body, authorization=bearer, Origin="http://evil.example") == 403
        if transport == "http":
            assert status(url, body, authorization=bearer) == 200
            assert announced(url, MOST_BYTES + 1, bearer) == 413
    assert token not in (project.root / "log" / "bridge.log").read_text()


def test_health_tells_the_state_of_the_index(project: Project) -> None:
    with serving(project, "http") as (url, _):
        with urllib.request.urlopen(url.removesuffix("/mcp") + "/health", timeout=20) as response:
            told = json.load(response)
        assert told["status"] == "ok"
        assert told["index"] in ("building", "updating", "current")


def test_a_full_log_is_put_aside(project: Project) -> None:
    log = project.root / "log" / "bridge.log"
    log.parent.mkdir()
    log.write_text("an old line\n" * 450_000)
    with serving(project, "http", LOG_LEVEL="INFO"):
        for _ in range(200):
            if log.exists() and "index up to date" in log.read_text():
                break
            time.sleep(0.1)
    assert "an old line" not in log.read_text()
    assert "index up to date" in log.read_text()
    assert log.with_name("bridge.log.1").read_text().startswith("an old line")


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True), ("127.8.8.8", True), ("::1", True), ("localhost", True), ("LOCALHOST", True),
        ("0.0.0.0", False), ("::", False), ("192.168.1.4", False), ("wiki.example", False), ("", False),
        ("localhost.evil.example", False),
    ],
)  # fmt: skip
def test_g_only_loopback_needs_no_token(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback
    settings = McpSettings(mode="http", host=host, port=0)
    if not loopback:
        for token, names in ((None, []), ("secret", []), (None, ["wiki.example"])):
            with pytest.raises(ConfigError, match="other machines"):
                listen(replace(settings, token=token), names)


def test_a_port_that_is_taken_is_told_in_one_line(project: Project) -> None:
    with listen(McpSettings(mode="http", port=0), []) as taken:
        port = taken.getsockname()[1]
        taken.listen()
        done = subprocess.run(
            [*command(project.vault), "--transport", "http", "--port", str(port)],
            env=environment(project.home), capture_output=True, text=True, check=False, timeout=30,
        )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith(f"llmwiki-mcp: cannot listen on 127.0.0.1 port {port}")
    assert done.stderr.count("\n") == 1
