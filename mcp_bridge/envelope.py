"""The shape of every answer: `{success, data}` or `{success, error}`, and one output schema that both fit.

Some clients check an error, too, against the tool's schema, and some show their model only the structured half of a
result: so both halves carry the same JSON, for errors as well.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mcp_types import CallToolResult, TextContent

from generator.errors import WikiError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

MAX_CHARACTERS = 48_000
"""Of one answer. Clients move longer ones into a file, or cut them."""


class InvalidArguments(WikiError):
    """`details["fields"]` says what is wrong with which argument, `details["allowed"]` lists all there are."""

    code = "INVALID_ARGUMENTS"


class InvalidCursor(WikiError):
    """The cursor was not made by this query."""

    code = "INVALID_CURSOR"


class UnknownTool(WikiError):
    """`details["tools"]` lists those there are."""

    code = "UNKNOWN_TOOL"


class ReadOnlyMode(WikiError):
    """This server does not write so much."""

    code = "READ_ONLY_MODE"


def success(data: DataclassInstance) -> CallToolResult:
    """The result that holds an answer; fields that are None are left out."""
    return _result({"success": True, "data": as_json(data)})


def markdown(text: str) -> CallToolResult:
    """The result of a tool that answers with text alone."""
    return CallToolResult(content=[TextContent(type="text", text=text)])


def failure(error: WikiError) -> CallToolResult:
    """The result that tells of an error, in one line: what happened, and what to do."""
    place = f"{error.path}:{error.line}: " if error.line else f"{error.path}: " if error.path else ""
    message = " ".join(f"{place}{error.message}{'; ' + error.hint if error.hint else ''}".split())
    body = {"code": error.code, "message": message, "details": error.details}
    return _result({"success": False, "error": body}, is_error=True)


def as_json(data: DataclassInstance) -> dict[str, Any]:
    """An answer as JSON values, without the fields that are None."""
    given = ((name, getattr(data, name)) for name in data.__dataclass_fields__)
    return {name: _plain(value) for name, value in given if value is not None}


def output_schema() -> dict[str, Any]:
    """What `success` and `failure` results look like. A tool's description says what `data` holds: once is enough for
    an agent that pays for each character."""
    return {
        "type": "object",
        "properties": {"success": {"type": "boolean"}, "data": {"type": "object"}, "error": {"type": "object"}},
        "required": ["success"],
    }


def _result(body: Mapping[str, Any], *, is_error: bool = False) -> CallToolResult:
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    # An unpaired surrogate (from a file name that is not UTF-8) would end the connection.
    text = text.encode("utf-8", "replace").decode()
    return CallToolResult(
        content=[TextContent(type="text", text=text)], structured_content=json.loads(text), is_error=is_error
    )


def _plain(value: Any) -> Any:
    """Not `dataclasses.asdict`, which copies every string deeply, at five times the cost."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return {key: _plain(item) for key, item in value.items()} if isinstance(value, dict) else as_json(value)
