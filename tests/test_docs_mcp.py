"""docs/mcp.md against the server: tools, arguments, answers and options in both directions, and its examples."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from documentation import DOCS, ROOT, code_blocks, named, options, page, rows, sections, spans
from mcp_session import Session, in_session
from project import Project

from generator.starter import plant
from mcp_bridge.protocol import _tool
from mcp_bridge.server import _parser as bridge_parser
from mcp_bridge.tools import TOOLS

EXAMPLES = re.findall(r"For\s+`(\{.*?\})`[^`]*```(json|text)\n(.*?)^```$", page("mcp.md"), re.MULTILINE | re.DOTALL)
NAMES = [face.function.__name__ for face in TOOLS]


def tool_sections() -> dict[str, str]:
    return {title: text for title, text in sections(page("mcp.md")).items() if title in NAMES}


def test_every_tool_is_described_in_its_order() -> None:
    assert list(tool_sections()) == NAMES


@pytest.mark.parametrize("face", TOOLS, ids=lambda face: face.function.__name__)
def test_every_argument_is_described(face: Any) -> None:
    tool = _tool(face)
    table = {spans(row[0])[0]: row for row in rows(tool_sections()[tool.name], "argument")}
    assert list(table) == list(tool.parameters["properties"])
    for name, schema in tool.parameters["properties"].items():
        default = spans(table[name][2])
        assert default == ([_json_text(schema["default"])] if "default" in schema else [])
        choices = schema.get("enum") or schema.get("items", {}).get("enum") or []
        assert not choices or spans(table[name][1]) == choices
        for bound in ("minimum", "maximum"):
            assert bound not in schema or str(schema[bound]) in table[name][1].split()


def _json_text(default: object) -> str:
    if isinstance(default, str) and default:
        return default
    return json.dumps(default)


@pytest.mark.parametrize("face", TOOLS, ids=lambda face: face.function.__name__)
def test_every_field_of_an_answer_is_described(face: Any) -> None:
    answer = get_type_hints(face.function)["return"]
    described = named(tool_sections()[face.function.__name__], "answer")
    assert described == ([] if answer is str else [item.name for item in fields(answer)])


def test_every_option_of_the_server_is_described() -> None:
    described = set(named(page("mcp.md"), "option"))
    assert described == options(bridge_parser()) | {"--help"}


@pytest.mark.parametrize("file", [ROOT / "README.md", DOCS / "mcp.md"], ids=lambda file: file.name)
def test_the_client_is_told_a_command_that_starts(file: Path) -> None:
    configured = [json.loads(block) for block in code_blocks(file.read_text("utf-8"), "json")]
    (servers,) = [value["mcpServers"] for value in configured if "mcpServers" in value]
    for server in servers.values():
        assert server["command"] == "llmwiki-mcp"
        assert bridge_parser().parse_args(server["args"]).vault == Path("/path/to/my-vault")


def test_the_examples_are_answered_so(project: Project) -> None:
    plant(project.vault, "sample")

    async def check(session: Session) -> None:
        for (arguments, _, shown), tool in zip(EXAMPLES, ("wiki_query", "wiki_read_page"), strict=True):
            if tool == "wiki_read_page":
                text = await session.read(**json.loads(arguments))
                assert [line.rstrip() for line in text.splitlines()] == shown.splitlines()
            else:
                answer = {"success": True, "data": await session.data(tool, **json.loads(arguments))}
                assert _shape(answer) == _shape(json.loads(shown))

    in_session(project.config(), check)


def _shape(value: Any) -> Any:
    """JSON without what ranking and passages decide: numbers, and texts from their tenth character on."""
    if isinstance(value, dict):
        return {key: _shape(item) for key, item in value.items() if key != "next_cursor"}
    if isinstance(value, list):
        return [_shape(item) for item in value]
    return value[:10] if isinstance(value, str) else type(value)
