"""(i) The bridge and the programs of others, as `make peers` installs them: the protocol's conformance suite, the
Inspector, the TypeScript SDK, and Claude Code where it was asked for (`make peers CLAUDE=1`)."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp_session import ROOT, command, environment
from needed import missing
from project import Project
from test_mcp_http import serving

from generator.starter import plant
from mcp_bridge.tools import TOOLS

PEERS = ROOT / ".node"
HERE = Path(__file__).parent / "conformance"
BINARIES = PEERS / "node_modules" / ".bin"
NAMES = [face.function.__name__ for face in TOOLS]
# A call that succeeds, and one that fails, for each kind of answer.
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("wiki_query", {"query": "Tuntian"}),
    ("wiki_query", {"limit": 0}),
    ("wiki_read_page", {"page": "Tuntian"}),
    ("wiki_read_page", {"page": "No such page"}),
    ("wiki_context", {"question": "Who held the south?"}),
    ("wiki_neighbors", {"page": "Tuntian"}),
    ("wiki_neighbors", {"page": "../outside.md"}),
    ("wiki_status", {"include": ["sources", "queue", "hubs"]}),
    ("memory_bridge", {}),
    ("wiki_lint", {"level": "info"}),
    ("wiki_lint", {"checks": ["nonsense"]}),
    ("cross_linker", {}),
    ("cross_linker", {"dry_run": False, "ids": ["0"]}),
    ("tag_taxonomy", {}),
    ("wiki_synthesize", {"threshold": 1}),
    ("daily_update", {"dry_run": True}),
    ("ingest_queue", {}),
    ("ingest_queue", {"action": "fail"}),
]
FAILING = {1, 3, 6, 10, 12, 17}


def node(program: str) -> str:
    """The path of a program of a peer; without it the test is skipped, or fails where LLMWIKI_REQUIRE_ALL is 1."""
    if not (PEERS / "installed").exists():
        missing("the programs of others are not installed: run `make peers`")
    return str(BINARIES / program)


def run(home: Path, *arguments: str, code: int = 0, cwd: Path | None = None, **more: str) -> str:
    """What a program prints, in an environment and a home of its own; it must end with this exit code."""
    home.mkdir(parents=True, exist_ok=True)
    path = f"{BINARIES}{os.pathsep}{os.environ['PATH']}"
    env = environment(home, HOME=str(home), PATH=path, MCP_INSPECTOR_SECRET_STORE="memory", **more)
    done = subprocess.run(arguments, env=env, cwd=cwd, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == code, f"{' '.join(arguments)}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The sample vault."""
    project = Project(tmp_path_factory.mktemp("peers"))
    plant(project.vault, "sample")
    project.update()
    return project


@pytest.fixture(scope="module")
def address(sample: Project) -> Iterator[str]:
    """Where a server over the sample vault listens."""
    with serving(sample, "http") as (url, _):
        yield url


def test_i_the_conformance_suite_fails_only_where_the_baseline_says_why(address: str, tmp_path: Path) -> None:
    suite = node("conformance")
    baseline = str(HERE / "baseline.yml")
    told = run(tmp_path, suite, "server", "--url", address, "--expected-failures", baseline, cwd=tmp_path)
    assert len(re.findall(r"^✓ ", told, re.MULTILINE)) >= 10
    for name in ("server-initialize", "tools-list", "completion-complete", "dns-rebinding-protection"):
        assert re.search(rf"^✓ {name}: [1-9]\d* passed, 0 failed", told, re.MULTILINE), name


def test_the_baseline_explains_every_failure() -> None:
    lines = (HERE / "baseline.yml").read_text("utf-8").splitlines()
    listed = [line for line in lines if line.strip().startswith("- ")]
    assert len(listed) > 10
    assert all(re.fullmatch(r"  - [a-z0-9-]+ # .{10,}", line) for line in listed)


@pytest.mark.parametrize("era", ["legacy", "auto", "modern"])
def test_i_the_inspector_finds_every_schema_portable(address: str, tmp_path: Path, era: str) -> None:
    inspector = [node("inspector"), "--cli", address, "--protocol-era", era, "--format", "json", "--quiet"]
    listed = json.loads(run(tmp_path, *inspector, "--method", "tools/list", "--strict"))
    assert [tool["name"] for tool in listed["result"]["tools"]] == NAMES
    call = ["--method", "tools/call", "--tool-name", "wiki_query", "--tool-arg", "query=Tuntian", "limit=1"]
    (hit,) = json.loads(run(tmp_path, *inspector, *call))["result"]["structuredContent"]["data"]["results"]
    assert hit["path"] == "wiki/concepts/Tuntian.md"


def test_i_the_inspector_over_stdio(sample: Project, tmp_path: Path) -> None:
    program, *arguments = command(sample.vault)
    env = {"LLMWIKI_HOME": str(sample.home), "PYTHONPATH": str(ROOT)}
    settings = {"mcpServers": {"wiki": {"command": program, "args": arguments, "env": env}}}
    (tmp_path / "mcp.json").write_text(json.dumps(settings))
    inspector = [node("inspector"), "--cli", "--config", str(tmp_path / "mcp.json"), "--server", "wiki", "--quiet"]
    read = run(tmp_path, *inspector, "--format", "json", "--method", "resources/read", "--uri", "wiki://status")
    (content,) = json.loads(read)["result"]["contents"]
    assert json.loads(content["text"])["stats"]["pages"] > 10
    assert json.loads(run(tmp_path, *inspector, "--format", "json", "--method", "tools/list", "--strict"))


@pytest.mark.parametrize("transport", ["stdio", "http", "sse"])
def test_i_the_typescript_client_takes_every_answer(sample: Project, tmp_path: Path, transport: str) -> None:
    program = node("node") if Path(node("node")).exists() else "node"

    def told(target: str) -> dict[str, Any]:
        env = {"LLMWIKI_HOME": str(sample.home)}
        script = [program, str(HERE / "client.mjs"), str(PEERS / "package.json"), transport, target, json.dumps(CALLS)]
        return dict(json.loads(run(tmp_path, *script, **env)))

    if transport == "stdio":
        answer = told(json.dumps(command(sample.vault)))
    else:
        with serving(sample, transport) as (url, _):
            answer = told(url)
    assert answer["tools"] == NAMES
    assert {at for at, result in enumerate(answer["results"]) if result["isError"]} == FAILING
    for result in answer["results"]:
        if result["body"] is not None:
            assert result["body"]["success"] is not result["isError"]


def test_claude_code_connects_over_stdio_and_http(sample: Project, address: str, tmp_path: Path) -> None:
    if not (BINARIES / "claude").exists():
        pytest.skip("Claude Code is not installed beside the other peers: run `make peers CLAUDE=1`")
    quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "LLMWIKI_HOME": str(sample.home)}
    home, project = tmp_path / "home", tmp_path / "project"
    project.mkdir()

    def claude(*arguments: str) -> str:
        return run(home, str(BINARIES / "claude"), "mcp", *arguments, cwd=project, **quiet)

    claude("add", "wiki", "--", *command(sample.vault))
    claude("add", "--transport", "http", "wiki-http", address)
    listed = claude("list")
    for name in ("wiki", "wiki-http"):
        assert re.search(rf"^{name}: .*Connected$", listed, re.MULTILINE), listed
