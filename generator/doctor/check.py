"""One line of what the doctor says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "warn", "fail"]


@dataclass(frozen=True, slots=True)
class Check:
    """What was looked at, how it is, what was seen, and what to do ("" where all is well)."""

    area: str
    state: State
    message: str
    todo: str = ""


def ok(area: str, message: str) -> Check:
    """All is well."""
    return Check(area, "ok", message)


def warn(area: str, message: str, todo: str) -> Check:
    """It works, but not as well as it could."""
    return Check(area, "warn", message, todo)


def fail(area: str, message: str, todo: str) -> Check:
    """It does not work until something is done."""
    return Check(area, "fail", message, todo)
