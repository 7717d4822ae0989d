"""An MCP server over a test's vault: in this process for most tests, as a real process for those about processes."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import CallToolResult, TextContent

from generator.config import Config
from mcp_bridge.index import Bridge
from mcp_bridge.protocol import WikiServer

ROOT = Path(__file__).resolve().parents[1]
ERAS = ("auto", "legacy")


class Session:
    """A connected client, and the output schemas of the server's tools."""

    def __init__(self, client: Client, schemas: Mapping[str, Any]) -> None:
        self.client = client
        self.schemas = schemas

    async def call(self, tool: str, **arguments: Any) -> CallToolResult:
        """The raw result, which must fit the tool's schema, and say the same in both of its halves."""
        result = await self.client.call_tool(tool, arguments)
        assert isinstance(result, CallToolResult)
        if result.structured_content is not None:
            assert json.loads(text_of(result)) == result.structured_content
            if schema := self.schemas.get(tool):
                Draft202012Validator(schema).validate(result.structured_content)
        assert len(text_of(result)) < 48_000
        return result

    async def data(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The data of a call that must succeed."""
        result = await self.call(tool, **arguments)
        assert not result.is_error, text_of(result)
        assert result.structured_content["success"] is True
        assert "error" not in result.structured_content
        return dict(result.structured_content["data"])

    async def error(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The error of a call that must fail: an envelope, in one line."""
        result = await self.call(tool, **arguments)
        assert result.is_error, text_of(result)
        assert set(result.structured_content) == {"success", "error"}
        error = dict(result.structured_content["error"])
        assert set(error) == {"code", "message", "details"}
        assert "\n" not in error["message"]
        assert "Traceback" not in text_of(result)
        return error

    async def found(self, query: str, **arguments: Any) -> list[str]:
        """The paths that wiki_query finds."""
        return [hit["path"] for hit in (await self.data("wiki_query", query=query, **arguments))["results"]]

    async def read(self, page: str, **arguments: Any) -> str:
        """The text of a page that must be readable."""
        result = await self.call("wiki_read_page", page=page, **arguments)
        assert not result.is_error, text_of(result)
        assert result.structured_content is None
        return text_of(result)


def text_of(result: CallToolResult) -> str:
    """The text half of a result."""
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


@asynccontextmanager
async def bridge_over(config: Config) -> AsyncIterator[Bridge]:
    """A bridge whose index is kept up to date on request."""
    bridge = Bridge.over(config)
    try:
        yield bridge
    finally:
        await bridge.reader.close()
        assert bridge.living.stop()


@asynccontextmanager
async def session_over(config: Config, *, era: str = "auto") -> AsyncIterator[Session]:
    """A client of a server in this process."""
    async with bridge_over(config) as bridge, Client(WikiServer(bridge), mode=era) as client:
        yield await _session(client)


@asynccontextmanager
async def process_session(vault: Path, home: Path, *, era: str = "auto") -> AsyncIterator[Session]:
    """A client of a server process on stdio."""
    parameters = StdioServerParameters(command=sys.executable, args=command(vault)[1:], env=environment(home))
    async with Client(stdio_client(parameters), mode=era) as client:
        yield await _session(client)


async def _session(client: Client) -> Session:
    tools = (await client.list_tools()).tools
    return Session(client, {tool.name: tool.output_schema for tool in tools})


def command(vault: Path) -> list[str]:
    """The command line of a server."""
    return [sys.executable, "-W", "error::ResourceWarning", "-m", "mcp_bridge", "--vault", str(vault)]


def environment(home: Path, **more: str) -> dict[str, str]:
    """The environment of a server: nothing of the user's own settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LLMWIKI_", "WIKI_", "MCP_"))}
    return kept | {"LLMWIKI_HOME": str(home), "PYTHONPATH": str(ROOT)} | more


@contextmanager
def server_process(vault: Path, home: Path, **more: str) -> Iterator[Pipes]:
    """A server process in a session of its own; it is killed where the test has not seen its end."""
    pipe = subprocess.PIPE
    server = subprocess.Popen(
        command(vault), stdin=pipe, stdout=pipe, stderr=pipe, env=environment(home, **more), start_new_session=True
    )
    try:
        yield Pipes(server)
    finally:
        if server.poll() is None:
            os.killpg(server.pid, signal.SIGKILL)
            server.wait()
        for stream in (server.stdin, server.stdout, server.stderr):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()


class Pipes:
    """Raw JSON-RPC with a server process."""

    def __init__(self, server: subprocess.Popen[bytes]) -> None:
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stderr is not None
        self.server = server
        self.stdin, self.stdout, self.stderr = server.stdin, server.stdout, server.stderr

    def send(self, *messages: Mapping[str, Any]) -> None:
        """Write messages, a line each."""
        self.stdin.write("".join(json.dumps(message) + "\n" for message in messages).encode())
        self.stdin.flush()

    def receive(self) -> dict[str, Any]:
        """The next line of stdout, which must be a JSON-RPC message."""
        message = json.loads(self.stdout.readline())
        assert message["jsonrpc"] == "2.0"
        return dict(message)


def in_session(config: Config, test: Callable[[Session], Awaitable[None]], *, era: str = "auto") -> None:
    """Run a test against a server in this process."""

    async def run() -> None:
        async with session_over(config, era=era) as session:
            await test(session)

    asyncio.run(run())
