"""How a tool is shown to clients."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from mcp_bridge.writing import Reach


@dataclass(frozen=True, slots=True)
class ToolFace:
    """`function` takes a Bridge named `bridge`, then its arguments: their annotations are the input schema, its
    docstring is the description, and it returns a dataclass of JSON values, or Markdown.

    `writes` is the most that it can write; `idempotent` tells that writing twice is as good as once. `always_load` asks
    clients that load tools on demand to have this one at hand.
    """

    function: Callable[..., Awaitable[Any]]
    title: str
    writes: Reach = "none"
    idempotent: bool = True
    always_load: bool = False
