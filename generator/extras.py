"""The optional parts of the program, and how they are added to it."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

DISTRIBUTION = "sanguo-llmwiki"


def how_to_install(extra: str) -> str:
    """The command that adds an extra to the program as it is installed: by pipx, as a tool of uv, or by pip."""
    wanted = f"'{DISTRIBUTION}[{extra}]'"
    home = Path(sys.prefix)
    if (home / "pipx_metadata.json").is_file():
        return f"pipx runpip {DISTRIBUTION} install {wanted}"
    if (home / "uv-receipt.toml").is_file():
        return f"uv pip install --python {shlex.quote(sys.executable)} {wanted}"
    return f"pip install {wanted}"
