"""The layouts of a vault, and which of its files are pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.vault import Layout, detect_layout, is_page

LAYERED = Layout("layered", "wiki", ("raw/sources",))
FLAT = Layout("flat", "", ("raw/sources", "_raw"))
PLAIN = Layout("plain", "", ())


@pytest.mark.parametrize(
    ("paths", "layout"),
    [
        ((), PLAIN),
        (("a.md", "Projects/a.md"), PLAIN),
        (("wiki/a.md", "raw/sources/b.pdf"), LAYERED),
        (("wiki/a.md", "schema.md"), LAYERED),
        (("wiki/a.md", "Doc.md"), PLAIN),
        (("wiki/a.md", ".raw/Tea.md", "Doc.md"), PLAIN),
        (("raw/a.md", "wiki"), PLAIN),
        (("concepts/a.md", "entities/b.md"), FLAT),
        (("projects/a.md", "journal/b.md"), PLAIN),
        (("concepts", "entities"), PLAIN),
    ],
)
def test_layouts(tmp_path: Path, paths: tuple[str, ...], layout: Layout) -> None:
    for path in paths:
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x\n")
    assert detect_layout(tmp_path) == layout


@pytest.mark.parametrize(
    ("layout", "path", "expected"),
    [
        (LAYERED, "wiki/concepts/Tea.md", True),
        (LAYERED, "wiki/Tea.MD", True),
        (LAYERED, "wiki/tea.png", False),
        (LAYERED, "purpose.md", True),
        (LAYERED, "log.md", True),
        (LAYERED, "Diary.md", False),
        (LAYERED, "notes/index.md", False),
        (LAYERED, "raw/sources/paper.md", False),
        (LAYERED, "wikipedia.md", False),
        (FLAT, "concepts/Tea.md", True),
        (FLAT, "Readme.md", True),
        (FLAT, "raw/sources/paper.md", False),
        (FLAT, "raw/notes.md", True),
        (PLAIN, "raw/sources/paper.md", True),
        (PLAIN, "board.canvas", False),
    ],
)
def test_pages_of_a_layout(layout: Layout, path: str, expected: bool) -> None:
    assert is_page(layout, path) is expected
