"""Answers that were worked out, kept for a while: until they are old, the index has changed, or room is needed."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")
MOST_SIZE = 16_000_000  # characters, or whatever the caller measures in


class _Kept(NamedTuple):
    value: object
    size: int
    until: float


class ResultCache(Generic[T]):
    """Values by key, all of one state of the index. Not for use from several threads at once."""

    def __init__(
        self, ttl_seconds: float, most_size: int = MOST_SIZE, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`ttl_seconds` 0 keeps nothing; `most_size` bounds the sum of the sizes that `put` is told."""
        self._ttl = ttl_seconds
        self._most = most_size
        self._clock = clock
        self._version = -1
        self._size = 0
        self._kept: OrderedDict[Hashable, _Kept] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def size(self) -> int:
        """The sum of the sizes of what is kept."""
        return self._size

    def get(self, data_version: int, key: Hashable) -> T | None:
        """The value of the key, if it was put for this state of the index and is not too old; else None."""
        self._keep_only(data_version)
        kept = self._kept.get(key)
        if kept is None:
            return None
        if kept.until <= self._clock():
            self._drop(key)
            return None
        self._kept.move_to_end(key)
        return kept.value  # type: ignore[return-value]

    def put(self, data_version: int, key: Hashable, value: T, size: int) -> None:
        """Keep a value; what was asked for longest ago goes when room is needed. Older states are forgotten; a value of
        an older state than the known one, which a slow query may bring, is not kept."""
        if data_version < self._version or self._ttl <= 0 or size > self._most:
            return
        self._keep_only(data_version)
        if key in self._kept:
            self._drop(key)
        while self._size + size > self._most:
            self._drop(next(iter(self._kept)))
        self._kept[key] = _Kept(value, size, self._clock() + self._ttl)
        self._size += size

    def _keep_only(self, data_version: int) -> None:
        if data_version != self._version:
            self._kept.clear()
            self._size = 0
            self._version = data_version

    def _drop(self, key: Hashable) -> None:
        self._size -= self._kept.pop(key).size
