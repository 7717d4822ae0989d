"""The shared cases S01 to S45: each is tested under its id in a file beside this one, or is due with a later issue.

The inputs are read from the shared file when the tests run; the expectations are written out in code.
"""

from __future__ import annotations

import re
from pathlib import Path

from cases import all_cases

DUE = {
    "S05 the note through every MCP tool that returns metadata": 6,
    "S07 S09 S14 S16 S17 findings of the linter": 7,
    "S11 an MCP look-up by the bare name tells of the alternatives": 6,
    "S26 the site's search in a browser": 4,
    "S29 the graph and search pages beside notes of their names": 4,
    "S36 all MCP tools and the graph of an empty vault": 6,
    "S37 the same with every tool there will be": 6,
    "S38 the cross-linker edits only what it should": 7,
    "S39 S41 reading through MCP by NFC and NFD path, and reading bad files": 6,
    "S43 the same with every tool that takes a path": 6,
    "S44 graph and search data embedded as JSON": 4,
    "S45 the same findings from the linter": 7,
}
"""Parts of cases, or whole ones, that no test here shows yet, with the issue that brings them."""


def test_every_case_is_tested_or_due() -> None:
    here = Path(__file__).parent
    tested: set[str] = set()
    for file in here.glob("test_*.py"):
        tested.update(f"S{number}" for number in re.findall(r"^def test_[sS](\d\d)_", file.read_text(), re.MULTILINE))
    due = set(re.findall(r"S\d\d", " ".join(DUE)))
    assert set(all_cases()) == {f"S{number:02}" for number in range(1, 46)}
    assert set(all_cases()) - tested - due == set()
    # What is due as a whole has no test under its id.
    assert "S38" not in tested
