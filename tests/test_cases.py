"""The shared cases S01 to S45: each is tested under its id in a file beside this one, or is due with a later issue.

The inputs are read from the shared file when the tests run; the expectations are written out in code.
"""

from __future__ import annotations

import re
from pathlib import Path

from cases import all_cases

DUE: dict[str, int] = {}
"""Parts of cases, or whole ones, that no test here shows yet, with the issue that brings them."""


def test_every_case_is_tested_or_due() -> None:
    here = Path(__file__).parent
    tested: set[str] = set()
    for file in here.glob("test_*.py"):
        tested.update(f"S{number}" for number in re.findall(r"^def test_[sS](\d\d)_", file.read_text(), re.MULTILINE))
    due = set(re.findall(r"S\d\d", " ".join(DUE)))
    assert set(all_cases()) == {f"S{number:02}" for number in range(1, 46)}
    assert set(all_cases()) - tested - due == set()
