"""Digests: what tells that something was made from other things than before."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import md5


def digest(parts: Iterable[str]) -> str:
    """A digest of texts, in order."""
    return md5("\x1f".join(parts).encode("utf-8", "replace"), usedforsecurity=False).hexdigest()
