"""What agents send as arguments, made into what a tool expects: likely wrong names, lists as text, null for nothing."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, ValidationError

from mcp_bridge.envelope import InvalidArguments

_OTHER_NAMES = {
    "query": ("q", "search", "text"),
    "limit": ("top_k", "max_results", "page_size"),
    "page": ("path", "title", "name", "identifier", "file"),
}


def split_list(value: object) -> object:
    """A list from a list, from JSON text, or from `a, b`."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            pass
        if not isinstance(value, list):
            value = str(value).split(",")
    if isinstance(value, list):
        return [str(item).strip() for item in value if isinstance(item, str | int | float) and str(item).strip()]
    return value


AsList = BeforeValidator(split_list)
Text = Annotated[str, Field(coerce_numbers_to_str=True)]
"""Free text; a bare number counts as the text it is written as."""


def named(given: Mapping[str, Any], allowed: Collection[str]) -> dict[str, Any]:
    """`given` under the names that the tool has; a null counts as not given.

    Raises InvalidArguments for names that mean nothing here.
    """
    other = {alias: name for name, aliases in _OTHER_NAMES.items() if name in allowed for alias in aliases}
    result: dict[str, Any] = {name: value for name, value in given.items() if name in allowed and value is not None}
    unknown = []
    for name, value in given.items():
        if name in allowed or value is None:
            continue
        if name in other and other[name] not in result:
            result[other[name]] = value
        else:
            unknown.append(name[:60])
    if unknown:
        raise refused({name: "this tool has no such argument" for name in unknown}, allowed)
    return result


def refused(problems: Mapping[str, str], allowed: Collection[str]) -> InvalidArguments:
    """The error that says of each argument what is wrong with it."""
    told = "; ".join(f"`{name}`: {problem}" for name, problem in problems.items())
    return InvalidArguments(
        f"arguments refused: {told}"[:1000],
        hint=f"allowed are: {', '.join(allowed)}",
        details={"fields": dict(problems), "allowed": list(allowed)},
    )


def validation_problems(error: ValidationError) -> dict[str, str]:
    """What is wrong with which argument, without the value that was given."""
    return {str(item["loc"][0]) if item["loc"] else "arguments": item["msg"] for item in error.errors(include_input=False)}
