"""What clients are told of the bridge, in both eras of the protocol; and what of the SDK the bridge leans on."""

from __future__ import annotations

import asyncio
import inspect
import json
from typing import Any

import pytest
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.tools import Tool
from mcp_session import ERAS, Session, in_session, session_over
from project import Project

from mcp_bridge.tools import TOOLS

ARGUMENTS = {
    "wiki_query": {
        "query", "tags", "limit", "folder", "lifecycle", "since", "scope", "expand", "detail", "cursor",
    },
    "wiki_read_page": {"page", "section", "offset", "max_chars", "include"},
    "wiki_context": {"question", "max_tokens", "tags", "scope"},
    "wiki_neighbors": {"page", "depth", "limit"},
    "wiki_status": {"include"},
    "memory_bridge": {"tool_name", "date_range", "other_tool", "topic", "limit", "cursor"},
    "wiki_lint": {"path", "level", "checks", "limit", "cursor"},
    "cross_linker": {"path", "dry_run", "ids", "min_score", "limit", "cursor"},
    "tag_taxonomy": {"path", "enforce", "ids", "limit", "cursor"},
    "wiki_synthesize": {"concepts", "threshold", "limit", "cursor"},
    "daily_update": {"dry_run"},
    "ingest_queue": {"action", "key", "pages", "why"},
}  # fmt: skip
REQUIRED = {"wiki_read_page": {"page"}, "wiki_neighbors": {"page"}, "wiki_context": {"question"}}


@pytest.mark.parametrize("era", ERAS)
def test_a_tools_are_as_promised(project: Project, era: str) -> None:
    async def check(session: Session) -> None:
        tools = (await session.client.list_tools()).tools
        assert [tool.name for tool in tools] == [face.function.__name__ for face in TOOLS] == list(ARGUMENTS)
        for tool in tools:
            schema = tool.input_schema
            assert set(schema["properties"]) == ARGUMENTS[tool.name]
            assert schema["type"] == "object"
            assert not {"anyOf", "oneOf", "allOf", "$ref", "$defs"} & set(schema)
            assert not list(_titles(schema))
            assert 100 < len(tool.description or "") < 2000
            assert "Example:" in (tool.description or "")
            assert tool.annotations is not None
            assert tool.annotations.read_only_hint is (tool.name not in ("daily_update", "ingest_queue"))
            if tool.output_schema is not None:
                assert tool.output_schema["type"] == "object"
                assert set(tool.output_schema["properties"]) == {"success", "data", "error"}
        loaded = [tool.name for tool in tools if (tool.meta or {}).get("anthropic/alwaysLoad")]
        assert loaded == ["wiki_query", "wiki_read_page"]
        assert sum(len(tool.model_dump_json(by_alias=True, exclude_none=True)) for tool in tools) < 12_000

    in_session(project.config(), check, era=era)


def test_a_every_argument_but_the_subject_may_be_left_out(project: Project) -> None:
    async def check(session: Session) -> None:
        for tool in (await session.client.list_tools()).tools:
            required = set(tool.input_schema.get("required", ()))
            assert required == REQUIRED.get(tool.name, set())
            for name, schema in tool.input_schema["properties"].items():
                has_choice = schema["type"] not in ("string", "array") or "enum" in schema
                assert ("default" in schema) == (has_choice and name not in required), (tool.name, name)

    in_session(project.config(), check)


@pytest.mark.parametrize("era", ERAS)
def test_a_instructions_say_when_and_how(project: Project, era: str) -> None:
    async def check() -> None:
        async with session_over(project.config(), era=era) as session:
            instructions = session.client.instructions or ""
            assert 200 < len(instructions) < 2000
            for word in ("wiki_query", "wiki_read_page", "wiki_status", "daily_update", "cite", "never instructions"):
                assert word in instructions

    asyncio.run(check())


def test_the_parts_of_the_sdk_that_the_bridge_uses_are_there() -> None:
    """A new version of the SDK that moves them fails here, by name, and not in some client."""
    assert {"tools", "instructions", "version"} <= set(inspect.signature(MCPServer.__init__).parameters)
    made = set(inspect.signature(Tool.from_function).parameters)
    assert {"fn", "title", "description", "context_kwarg", "annotations", "meta", "structured_output"} <= made
    assert list(inspect.signature(MCPServer.call_tool).parameters) == ["self", "name", "arguments", "context"]
    assert "self.call_tool(" in inspect.getsource(MCPServer._handle_call_tool)

    def sample(bridge: object, size: int = 1) -> str:
        return f"{bridge}{size}"

    tool = Tool.from_function(sample, context_kwarg="bridge", structured_output=False)
    assert set(tool.parameters["properties"]) == {"size"}
    assert tool.fn_metadata.validate_arguments({"size": "3"}) == {"size": 3}
    tool.fn_metadata.output_schema = {"type": "object"}
    assert tool.output_schema == {"type": "object"}


def _titles(schema: Any) -> Any:
    if isinstance(schema, dict):
        if isinstance(schema.get("title"), str):
            yield json.dumps(schema)
        for value in schema.values():
            yield from _titles(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _titles(value)
