"""What agents may write: nothing, what is generated (index, hot, log), or notes too."""

from __future__ import annotations

from typing import Literal

from mcp_bridge.envelope import ReadOnlyMode
from mcp_bridge.index import Bridge

Reach = Literal["none", "generated", "all"]
_REACHES: tuple[Reach, ...] = ("none", "generated", "all")


def allows(policy: Reach, wanted: Reach) -> bool:
    """Whether a server with this policy writes what is wanted."""
    return _REACHES.index(policy) >= _REACHES.index(wanted)


def require(bridge: Bridge, wanted: Reach, instead: str) -> None:
    """Refuse what the server may not write; `instead` says how to call without writing. Raises ReadOnlyMode."""
    policy = bridge.config.mcp.writes
    if not allows(policy, wanted):
        hint = f"call with {instead}, or ask the user to start the server with `--writes {wanted}`"
        raise ReadOnlyMode(f"this server runs with `--writes {policy}`", hint=hint)
