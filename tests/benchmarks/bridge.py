"""What the MCP server costs beside a bare server of the SDK: `python -m tests.benchmarks.bridge [VAULT] [--calls N]`.

VAULT defaults to the official help vault beside the checkout (`../shared/vaults/obsidian-help`); it is indexed first,
in a folder of its own. Start and round trips are measured in turns with a server of one tool that gives back its
argument, in the same run: on a busy machine only the ratios mean something. Nothing is written into the vault.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from mcp.client import Client
from mcp.client.sse import sse_client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

ROOT = Path(__file__).resolve().parents[2]
HELP_VAULT = ROOT.parent / "shared" / "vaults" / "obsidian-help"
# The same transports, without a wiki. What `run` would do for http and sse is spelled out, to print the port.
BARE = """
import socket, sys
from mcp.server import MCPServer
server = MCPServer("bare")
@server.tool()
def echo(text: str = "") -> str:
    "Give the text back."
    return text
if sys.argv[1] == "stdio":
    server.run("stdio")
else:
    import uvicorn
    listener = socket.create_server(("127.0.0.1", 0))
    app = server.streamable_http_app() if sys.argv[1] == "http" else server.sse_app()
    path = {"http": "/mcp", "sse": "/sse"}[sys.argv[1]]
    print(f"http://127.0.0.1:{listener.getsockname()[1]}{path}", file=sys.stderr, flush=True)
    uvicorn.Server(uvicorn.Config(app, log_config=None)).run(sockets=[listener])
"""
QUERIES = (
    "link notes", "canvas", "sync conflict", '"community plugins"', "properties yaml", "块引用", "如何嵌入文件", "标签",
    "obsidian", "how do I publish a vault", "css snippet", "tag:help", "вставка файлов", "backlinks graph view",
)  # fmt: skip
HUB = "(the page that most others link to)"
CALLS: dict[str, list[dict[str, Any]]] = {
    "wiki_query": [{"query": query} for query in QUERIES],
    "wiki_read_page": [{"page": HUB}, {"page": HUB, "include": ["outline", "backlinks"]}],
    "wiki_context": [{"question": "How do I link notes?"}, {"question": "如何嵌入文件"}],
    "wiki_neighbors": [{"page": HUB}],
    "wiki_status": [{}],
    "memory_bridge": [{}],
    "wiki_lint": [{"path": HUB}],
    "cross_linker": [{"path": HUB}],
    "tag_taxonomy": [{}],
    "wiki_synthesize": [{"threshold": 20}],
    "daily_update": [{"dry_run": True}],
    "ingest_queue": [{}],
}
SLOW = frozenset(("wiki_lint", "cross_linker", "tag_taxonomy", "wiki_synthesize", "daily_update", "memory_bridge"))
"""Tools that look at the whole wiki: a few calls are enough."""


class Bench:
    """The commands of the two servers, and their environment."""

    def __init__(self, vault: Path, home: Path, calls: int) -> None:
        self.vault, self.home, self.calls = vault, home, calls
        self.env = {name: value for name, value in os.environ.items() if not name.startswith(("LLMWIKI_", "WIKI_"))}
        self.env |= {"LLMWIKI_HOME": str(home), "PYTHONPATH": str(ROOT), "LOG_LEVEL": "WARNING"}

    def ours(self, transport: str) -> list[str]:
        """Our server."""
        return [sys.executable, "-m", "mcp_bridge", "--vault", str(self.vault), "--transport", transport, "--port", "0"]

    def bare(self, transport: str) -> list[str]:
        """A bare server of the SDK."""
        return [sys.executable, "-c", BARE, transport]


def row(name: str, *values: object) -> None:
    """A line of the report."""
    print(f"{name:<34}" + "".join(f"{value:>14}" for value in values), flush=True)


def milliseconds(seconds: float) -> str:
    return f"{1000 * seconds:.1f} ms"


def percentile(values: Sequence[float], part: float) -> float:
    return sorted(values)[min(len(values) - 1, int(part * len(values)))]


# ── start ───────────────────────────────────────────────────────────────────────────────────────────────


class Pipe:
    """A server on stdio, spoken to in bare JSON: no client of an SDK stands between us and the clock."""

    def __init__(self, command: list[str], env: dict[str, str]) -> None:
        self.begun = time.perf_counter()
        self.server = subprocess.Popen(
            command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.number = 0

    def ask(self, method: str, params: dict[str, Any]) -> tuple[float, dict[str, Any]]:
        """Seconds until the answer, and its result."""
        assert self.server.stdin is not None
        assert self.server.stdout is not None
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        start = time.perf_counter()
        self.server.stdin.write(json.dumps(message).encode() + b"\n")
        self.server.stdin.flush()
        while True:
            answer = json.loads(self.server.stdout.readline())
            if answer.get("id") == self.number:
                return time.perf_counter() - start, answer["result"]

    def greet(self) -> float:
        """Seconds from the start of the process to the answer to `initialize`."""
        client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        self.ask("initialize", client)
        seconds = time.perf_counter() - self.begun
        assert self.server.stdin is not None
        self.server.stdin.write(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        self.server.stdin.flush()
        return seconds

    def call(self, tool: str, arguments: dict[str, Any]) -> float:
        """Seconds of a call, which must succeed."""
        arguments = {name: self.hub if value == HUB else value for name, value in arguments.items()}
        seconds, result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        assert not result.get("isError"), (tool, arguments, result)
        return seconds

    @cached_property
    def hub(self) -> str:
        """The page that most others link to."""
        _, result = self.ask("tools/call", {"name": "wiki_status", "arguments": {"include": ["hubs"]}})
        return str(result["structuredContent"]["data"]["hubs"][0]["path"])

    def memory(self) -> float:
        """The most memory that the process has had, in MB."""
        status = Path(f"/proc/{self.server.pid}/status")
        found = re.search(r"VmHWM:\s+(\d+)", status.read_text()) if status.exists() else None
        return int(found[1]) / 1024 if found else float("nan")

    def processor(self) -> float:
        """Seconds of processor time that it has taken so far: these hold on a busy machine, too."""
        stat = Path(f"/proc/{self.server.pid}/stat")
        if not stat.exists():
            return float("nan")
        times = stat.read_text().rpartition(")")[2].split()[11:13]
        return sum(map(int, times)) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        """End it."""
        assert self.server.stdin is not None
        assert self.server.stdout is not None
        self.server.stdin.close()
        self.server.wait(20)
        self.server.stdout.close()


def start(bench: Bench, rounds: int) -> None:
    """How soon `initialize` is answered, and the first query after it."""
    seconds: dict[str, list[float]] = {"bare": [], "ours": []}
    processor: dict[str, list[float]] = {"bare": [], "ours": []}
    first, first_processor = [], []
    for _ in range(rounds):
        for name, command in (("bare", bench.bare("stdio")), ("ours", bench.ours("stdio"))):
            pipe = Pipe(command, bench.env)
            seconds[name].append(pipe.greet())
            processor[name].append(pipe.processor())
            if name == "ours":
                first.append(pipe.call("wiki_query", {"query": "link notes"}))
                first_processor.append(pipe.processor() - processor[name][-1])
            pipe.close()
    bare, ours = (statistics.median(seconds[name]) for name in ("bare", "ours"))
    best_bare, best_ours = min(seconds["bare"]), min(seconds["ours"])
    row("", "bare SDK", "ours", "ratio")
    row("initialize, median", milliseconds(bare), milliseconds(ours), f"{ours / bare:.2f}")
    row("initialize, best", milliseconds(best_bare), milliseconds(best_ours), f"{best_ours / best_bare:.2f}")
    bare, ours = (statistics.median(processor[name]) for name in ("bare", "ours"))
    row("its processor time, median", milliseconds(bare), milliseconds(ours), f"{ours / bare:.2f}")
    row("first query after it: median, best", "", milliseconds(statistics.median(first)), milliseconds(min(first)))
    row("its processor time, median", "", milliseconds(statistics.median(first_processor)))


# ── calls ───────────────────────────────────────────────────────────────────────────────────────────────


def tools(bench: Bench) -> None:
    """Each tool over stdio, beside the bare round trip; then the memory of the server that has done all that."""
    bare, ours = Pipe(bench.bare("stdio"), bench.env), Pipe(bench.ours("stdio"), bench.env)
    kept = Pipe(bench.ours("stdio"), bench.env)
    fresh = Pipe(bench.ours("stdio"), bench.env | {"LLMWIKI_PERFORMANCE__CACHE_TTL_SECONDS": "0"})
    for pipe in (bare, ours, kept, fresh):
        pipe.greet()
    for arguments in CALLS["wiki_query"]:  # each page of the file is read once
        kept.call("wiki_query", arguments)
        fresh.call("wiki_query", arguments)
    row("over stdio", "median", "P99", "beside bare", "calls")
    trips = [bare.call("echo", {"text": "link notes"}) for _ in range(bench.calls)]
    floor = statistics.median(trips)
    row("bare SDK", milliseconds(floor), milliseconds(percentile(trips, 0.99)), "", len(trips))
    for name, pipe in (("wiki_query, none kept", fresh), ("wiki_query, kept", kept)):
        report(name, floor, pipe, "wiki_query", bench.calls)
    for tool in CALLS:
        report(tool, floor, ours, tool, 3 if tool in SLOW else max(10, bench.calls // 5))
    row("memory after all these, at most", f"{ours.memory():.0f} MB")
    row("memory after queries alone", f"{fresh.memory():.0f} MB")
    for pipe in (bare, ours, kept, fresh):
        pipe.close()


def report(name: str, floor: float, pipe: Pipe, tool: str, calls: int) -> None:
    """A line about calls of one tool."""
    each = CALLS[tool]
    seconds = [pipe.call(tool, each[n % len(each)]) for n in range(calls)]
    median = statistics.median(seconds)
    row(name, milliseconds(median), milliseconds(percentile(seconds, 0.99)), f"{median / floor:.1f} x", calls)


@contextmanager
def listening(command: list[str], env: dict[str, str]) -> Iterator[str]:
    """The address of a server over HTTP."""
    server = subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True)
    assert server.stderr is not None
    try:
        found = re.search(r"http://\S+", server.stderr.readline())
        assert found
        yield found[0]
    finally:
        server.kill()
        server.wait()
        server.stderr.close()


def transports(bench: Bench) -> None:
    """wiki_query over each transport with the SDK's own client, beside a bare server's round trip over it."""
    row("with the SDK's client", "bare median", "bare P99", "query median", "query P99")
    for transport in ("stdio", "http", "sse"):
        bare = over(transport, bench.bare(transport), bench, "echo", [{"text": "link notes"}])
        ours = over(transport, bench.ours(transport), bench, "wiki_query", CALLS["wiki_query"])
        shown = [
            milliseconds(part) for each in (bare, ours) for part in (statistics.median(each), percentile(each, 0.99))
        ]
        row(transport, *shown)


def over(transport: str, command: list[str], bench: Bench, tool: str, calls: list[dict[str, Any]]) -> list[float]:
    """Seconds of each call over a transport."""

    async def timed(client: Client) -> list[float]:
        seconds = []
        for n in range(len(calls) + bench.calls):
            begun = time.perf_counter()
            await client.call_tool(tool, calls[n % len(calls)])
            seconds.append(time.perf_counter() - begun)
        return seconds[len(calls) :]

    async def connected(make: Callable[[], Any]) -> list[float]:
        async with Client(make(), mode="legacy") as client:
            return await timed(client)

    if transport == "stdio":
        parameters = StdioServerParameters(command=command[0], args=command[1:], env=bench.env)
        with open(os.devnull, "w") as nowhere:
            return asyncio.run(connected(lambda: stdio_client(parameters, errlog=nowhere)))
    with listening(command, bench.env) as address:
        client: Callable[[str], Any] = streamable_http_client if transport == "http" else sse_client
        running: Awaitable[list[float]] = connected(lambda: client(address))
        return asyncio.run(running)  # type: ignore[arg-type]


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vault", nargs="?", type=Path, default=HELP_VAULT)
    parser.add_argument("--calls", type=int, default=300, help="calls of each quick tool")
    parser.add_argument("--rounds", type=int, default=7, help="starts of each server")
    parser.add_argument("--home", type=Path, help="where the index is kept, so that a second run need not build it")
    options = parser.parse_args()
    if not options.vault.is_dir():
        sys.exit(f"there is no vault at {options.vault}")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options.vault.resolve(), options.home or Path(folder), options.calls)
        index = [sys.executable, "-m", "generator", "index", str(bench.vault)]
        print(subprocess.run(index, env=bench.env, check=True, capture_output=True, text=True).stdout.strip())
        print(f"load of the machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors\n")
        start(bench, options.rounds)
        print()
        tools(bench)
        print()
        transports(bench)


if __name__ == "__main__":
    main()
