"""Long answers in parts: a cursor says where the next part begins, and to which question it belongs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, TypeVar

from mcp_bridge.envelope import MAX_CHARACTERS, InvalidCursor, as_json

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T", bound="DataclassInstance")
_CURSOR = re.compile(r"(\d{1,9})-([0-9a-f]{12})")
_AROUND = 1_500  # characters of an answer beside its list


@dataclass(frozen=True, slots=True)
class Place:
    """Where a part begins: `offset` items are skipped. `identity` is a digest of what was asked."""

    offset: int
    identity: str

    def after(self, shown: int, total: int) -> str | None:
        """The cursor of what follows `shown` items; None at the end of `total`."""
        end = self.offset + shown
        return f"{end}-{self.identity}" if shown and end < total else None


def place_of(cursor: str, *asked: object) -> Place:
    """The place that a cursor means for a question; the beginning where there is none. Raises InvalidCursor."""
    identity = sha256(repr(asked).encode("utf-8", "replace")).hexdigest()[:12]
    if not cursor.strip():
        return Place(0, identity)
    match = _CURSOR.fullmatch(cursor.strip())
    if match is None or match[2] != identity:
        hint = "leave it out to start again, or repeat the arguments it came with"
        raise InvalidCursor("this cursor does not belong to this query", hint=hint)
    return Place(int(match[1]), identity)


def fitting(items: Sequence[T], *, beside: int = 0, size_beside: Iterable[int] = ()) -> tuple[T, ...]:
    """As many items as an answer may hold, at least one; the cursor then leads to the others.

    `beside` characters are taken by other parts of the answer; `size_beside` are more characters for each item.
    """
    size = _AROUND + beside
    more = iter(size_beside)
    for at, item in enumerate(items):
        size += len(json.dumps(as_json(item), ensure_ascii=False)) + 2 + next(more, 0)
        if size > MAX_CHARACTERS and at:
            return tuple(items[:at])
    return tuple(items)
