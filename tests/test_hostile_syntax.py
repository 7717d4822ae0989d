"""Notes that are meant to be slow: the cost of each rule grows with the note, and stays near that of prose."""

from __future__ import annotations

import pytest
from linear_cost import cpu_seconds, growth

from generator.parse_options import ParseOptions
from generator.parser import parse_note

UNITS = {
    "brackets": "[[",
    "embeds": "![[",
    "labels": "[[a|",
    "closed": "[[]]",
    "links": "[a](",
    "openings": "[a",
    "stars": "*a **b ",
    "underscores": "_a __b ",
    "strikes": "~~a ~b ",
    "marks": "==a ",
    "comments": "%%a ",
    "formulas": "$a $$b ",
    "notes": "^[a ",
    "references": "[^1] ",
    "ticks": "` `` ",
    "angles": "<a ",
    "tags": "<b>",
    "hidden": "<!-- ",
    "entities": "&amp",
    "escapes": "\\",
    "addresses": "https://a.b/( ",
    "hashes": "#a/",
    "quotes": "> - ",
    "lines": "[[a]] #b ^c\n",
    "paragraphs": "a [[b]] ^c\n\n",
    "headings": "# [[a]]\n",
    "rows": "| a | [[b\\|c]] |\n",
    "items": "- [ ] a [[b]] ^c\n",
    "callouts": "> [!note] a\n\n",
    "definitions": "[^1]: a\n",
    "labelled": "[a]: b\n",
    "rules": "---\n",
    "fences": "```\n",
    "divisions": "<div>\n",
}


# Each has a length of its own; `late` ends hold what would let a rule give up at once.
FLOODS = {
    "brackets before one that closes": lambda n: "[" * n + "]",
    "embeds before one that closes": lambda n: "![[" * (n // 3) + "]]",
    "links before one that closes": lambda n: "[a](" * (n // 4) + ")",
    "notes before one that closes": lambda n: "^[" * (n // 2) + "]",
    "labels before one that closes": lambda n: "[[a|" * (n // 4) + "]]",
    "brackets in turn": lambda n: "[][][" * (n // 5) + "](x)",
    "one run of ticks": lambda n: "`" * n,
    "ticks and brackets": lambda n: "`[" * (n // 2),
    "rising ticks": lambda n: " ".join("`" * i for i in range(1, int((2 * n) ** 0.5))),
    "one deep quote": lambda n: ">" * n + " x",
    "nested quotes": lambda n: "".join(">" * (i % 100) + " a\n" for i in range(n // 50)),
    "nested callouts": lambda n: "".join("> " * (i % 50) + "[!note] a\n" for i in range(n // 60)),
    "a table of many rows": lambda n: "| a | b |\n|---|---|\n" + "| [[x\\|y]] | **z** |\n" * (n // 20),
    "a table of many columns": lambda n: "|" + "a|" * (n // 4) + "\n|" + "-|" * (n // 4),
    "a deep list": lambda n: "".join("  " * (i % 60) + "- x\n" for i in range(n // 60)),
    "links": lambda n: "[[a]] " * (n // 6),
    "bold words": lambda n: "**a** " * (n // 6),
    "unclosed links of HTML": lambda n: "<a> [[b]] " * (n // 10),
    "links of HTML that are closed only": lambda n: "</a> [[b]] " * (n // 11),
    "searches": lambda n: "```query\nfile:a OR b\n```\n\n" * (n // 30),
    "notes and references": lambda n: (
        "".join(f"[^{i}] " for i in range(n // 14)) + "\n\n" + "".join(f"[^{i}]: x\n" for i in range(n // 14))
    ),
}
_OPTIONS = ParseOptions(max_page_size_kb=10_000)
_PROSE = "A *common* sentence with a [[link|label]], some `code` and a #tag in it, as notes have them.\n\n"


def _parse(text: str) -> None:
    parse_note("Note.md", text.encode(), text, _OPTIONS)


@pytest.mark.parametrize("unit", UNITS)
def test_the_cost_of_a_parse_grows_linearly(unit: str) -> None:
    """Four times as much may cost five times as much, not sixteen."""
    assert growth(lambda count: _parse(UNITS[unit] * count + "\n"), 800, 3_200, 9) <= 9


@pytest.mark.parametrize("flood", FLOODS)
def test_the_cost_of_a_flood_grows_linearly(flood: str) -> None:
    assert growth(lambda count: _parse(FLOODS[flood](count)), 4_000, 16_000, 9) <= 9


@pytest.fixture(scope="module")
def prose() -> float:
    """The cost of 50,000 characters of an ordinary note."""
    text = _PROSE * (50_000 // len(_PROSE))
    _parse(text)
    return min(cpu_seconds(lambda: _parse(text)) for _ in range(4))


@pytest.mark.parametrize("name", [*UNITS, *FLOODS])
def test_no_note_costs_much_more_than_prose(prose: float, name: str) -> None:
    """Seventeen times as much is the dearest today, where each character is a link or the start of one."""
    text = UNITS[name] * (50_000 // len(UNITS[name])) if name in UNITS else FLOODS[name](50_000)
    assert min(cpu_seconds(lambda: _parse(text)) for _ in range(2)) < 50 * prose
