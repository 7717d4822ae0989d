"""What agents send as arguments, made into what a tool expects: likely wrong names, lists as text, null for nothing."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import Annotated, Any, Literal

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
        with suppress(ValueError, RecursionError):
            value = json.loads(value)
        if not isinstance(value, list):
            value = str(value).split(",")
    if isinstance(value, list):
        return [str(item).strip() for item in value if isinstance(item, str | int | float) and str(item).strip()]
    return value


AsList = BeforeValidator(split_list)
Scope = Literal["wiki", "raw", "all"]
"""As `generator.retrieval.Scope`."""
Text = Annotated[str, Field(coerce_numbers_to_str=True)]
"""Free text; a bare number counts as the text it is written as."""


def named(given: Mapping[str, Any], allowed: Collection[str]) -> tuple[dict[str, Any], dict[str, str]]:
    """`given` under the names that the tool has, and what is wrong with the names that mean nothing here.

    A null counts as not given.
    """
    other = {alias: name for name, aliases in _OTHER_NAMES.items() if name in allowed for alias in aliases}
    values: dict[str, Any] = {name: value for name, value in given.items() if name in allowed and value is not None}
    problems = {}
    for name, value in given.items():
        if name in allowed or value is None:
            continue
        if name in other and other[name] not in values:
            values[other[name]] = value
        else:
            problems[name[:60]] = "this tool has no such argument"
    return values, problems


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
    return {
        str(item["loc"][0]) if item["loc"] else "arguments": item["msg"] for item in error.errors(include_input=False)
    }
