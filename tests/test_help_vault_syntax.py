"""Obsidian's own help, which describes its syntax in its syntax: nothing of it is left raw, and all of it is drawn."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from conftest import require_shared
from test_syntax_blocks import needs_mmdr

from generator.model import Document
from generator.parse_options import ParseOptions
from generator.parser import parse_note
from generator.syntax.marks import SLOT_CLOSE, SLOT_OPEN
from generator.vault import decode

# What stands in the text of a page because its author escaped it: the note's name, and what is meant as it stands.
LITERAL = {
    ("Link notes.md", "[[double bracket syntax]]"),
    ("Link notes.md", "[[Three laws of motion]]"),
    ("Internal links.md", "[[Wikilinks]]"),
    ("Basic formatting syntax.md", "**"),
}
_RAW = re.compile(r"!?\[\[[^\]]*\]*|%%|==|~~|\*\*|\[!|\]\(|(?<!\S)\^[\w-]+$", re.MULTILINE)
_HOLDS_DRAWINGS = re.compile(r"^[ \t>]*(?:`{3,}|~{3,})\s*mermaid|\$", re.MULTILINE)
_SAMPLE = re.compile(r"(?:`{3,}|~{3,})\s*mermaid")


@pytest.fixture(scope="module")
def vault() -> Path:
    return require_shared("vaults", "obsidian-help")


def read(path: Path) -> Document:
    data = path.read_bytes()
    return parse_note(path.name, data, decode(data)[0], ParseOptions())


def shown(document: Document) -> BeautifulSoup:
    """The body without what an embed will bring in."""
    return BeautifulSoup(re.sub(f"{SLOT_OPEN}[^{SLOT_CLOSE}]*{SLOT_CLOSE}", "", document.html), "html.parser")


def test_no_syntax_is_left_raw_in_the_english_help(vault: Path) -> None:
    raw: set[tuple[str, str]] = set()
    for path in sorted((vault / "en").rglob("*.md")):
        page = shown(read(path))
        for code in page.select("code, pre, math, svg"):
            code.replace_with(" ")
        raw.update((path.name, match[0]) for match in _RAW.finditer(page.get_text()))
    assert raw == LITERAL


@needs_mmdr
def test_every_diagram_and_formula_of_the_help_is_drawn(vault: Path) -> None:
    """In all 34 languages. What is counted beside the drawings are samples within longer fences, shown as code."""
    counts: Counter[str] = Counter()
    problems: list[tuple[str, str]] = []
    for path in sorted(vault.rglob("*.md")):
        text = path.read_text("utf-8", "replace")
        if not _HOLDS_DRAWINGS.search(text):
            continue
        document = read(path)
        counts["written"] += len(_SAMPLE.findall(text))
        counts["diagrams"] += document.html.count('<figure class="mermaid">')
        counts["formulas"] += document.html.count("<math")
        counts["samples"] += sum(len(_SAMPLE.findall(block.get_text())) for block in shown(document).select("pre"))
        problems += [(path.name, problem.code) for problem in document.problems if problem.code.startswith("bad-m")]
    assert problems == []
    assert counts["diagrams"] + counts["samples"] == counts["written"]
    assert (counts["diagrams"], counts["formulas"]) == (204, 71)
