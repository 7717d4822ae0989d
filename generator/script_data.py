"""Data for the browser as script files.

A script that calls a function with its data can be loaded from everywhere, also where a page was opened with a double
click.
"""

from __future__ import annotations

import json
from typing import Any, NewType

SafeJson = NewType("SafeJson", str)
"""JSON that may stand in a script: no text in it can end the script or a line of it."""


def safe_json(value: object) -> SafeJson:
    """A value as JSON that may stand in a script of a page."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return SafeJson(text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029"))


def script(name: str, value: SafeJson) -> bytes:
    """A script that hands a value over to the page under a name."""
    return f"llmwiki.take({safe_json(name)},{value});\n".encode("utf-8", "replace")


def handed_over(data: bytes) -> Any:
    """The value that a script hands over, given the script; its name holds no comma."""
    return json.loads(data[data.index(b",") + 1 : data.rindex(b")")])
