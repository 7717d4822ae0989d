"""A change of the parser makes the index parse every note again: the version is a digest of the sources."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from project import Project
from test_architecture import imports, modules

from generator import parse_options
from generator.parse_options import PARSING, parser_version

# What the parser imports that no document depends on: files, settings, errors; the analyser has a version of its own.
APART = frozenset("analyser config config_file errors ignore setting vault walk".split())


def test_every_module_that_decides_what_a_document_holds_counts() -> None:
    reached: set[str] = set()
    pending = ["generator.parser", "generator.record", "generator.query_fence"]
    while pending:
        name = pending.pop()
        if name not in reached:
            reached.add(name)
            pending += [imported for imported, _ in imports(name) if imported in modules()]
    inside = {name.removeprefix("generator.") for name in reached}
    assert {name for name in inside if not name.startswith("syntax")} - APART == set(PARSING)


@pytest.mark.parametrize("file", ["facts.py", "syntax/tag.py"])
def test_a_changed_source_is_another_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str) -> None:
    here = Path(parse_options.__file__).parent
    copy = tmp_path / "generator"
    shutil.copytree(here, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(parse_options, "__file__", str(copy / "parse_options.py"))
    parser_version.cache_clear()
    before = parser_version()
    (copy / file).write_text((copy / file).read_text("utf-8") + "\n# changed\n", "utf-8")
    parser_version.cache_clear()
    assert parser_version() != before
    monkeypatch.undo()
    parser_version.cache_clear()
    assert parser_version() == before


def test_another_version_parses_every_note_again(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.write({"A.md": "a\n", "B.md": "b\n"})
    project.build()
    assert project.build().parsed == 0
    monkeypatch.setattr("generator.indexer.parser_version", lambda: "another")
    assert project.build().parsed == 2
