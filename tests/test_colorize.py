"""Colours for Obsidian's graph: one value of one file is written, all else stays byte for byte."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from project import Project

from generator.colorize import FILE, Group, undo, with_groups, write_groups
from generator.errors import Unreadable, WikiError

GROUPS = (Group('path:"concepts"', "#4E79A7"), Group('tag:"#茶 \\"x\\""', "#F28E2B"))
VALUE = [group.value() for group in GROUPS]
SETTINGS = (
    '{\r\n\t"collapse-filter": true,  "search" : "a \\"colorGroups\\": [1]",\r\n\t"colorGroups" :\n'
    ' [ {"query":"x","color":{"a":1,"rgb":1}} ] ,"scale": 1.50\r\n}\r\n\n'
)


def test_only_the_value_changes() -> None:
    written = with_groups(SETTINGS, GROUPS)
    head, _, tail = SETTINGS.partition('[ {"query"')
    assert written.startswith(head)
    assert written.endswith(' ,"scale": 1.50\r\n}\r\n\n')
    assert json.loads(written) == json.loads(SETTINGS) | {"colorGroups": VALUE}
    assert tail


@pytest.mark.parametrize("text", ["{}", " {\n}\n", '{"a": {"colorGroups": 1}}', '{ "a":1 }', "", " \n"])
def test_a_file_without_groups_gets_them(text: str) -> None:
    before = json.loads(text) if text.strip() else {}
    assert json.loads(with_groups(text, GROUPS)) == before | {"colorGroups": VALUE}


@settings(max_examples=200, deadline=None)
@given(
    st.dictionaries(
        st.text(), st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=5)
    ),
    st.booleans(),
    st.sampled_from([None, 0, 2, "\t"]),
    st.booleans(),
)
def test_all_else_stays(values: dict[str, object], had: bool, indent: int | str | None, is_ascii: bool) -> None:
    values.pop("colorGroups", None)
    before = values | ({"colorGroups": [1, {"a": []}]} if had else {})
    text = json.dumps(before, indent=indent, ensure_ascii=is_ascii)
    written = with_groups(text, GROUPS)
    assert json.loads(written) == values | {"colorGroups": VALUE}
    assert with_groups(written, GROUPS) == written
    if had:
        cleared = with_groups(written, [])
        old = json.dumps(before["colorGroups"], indent=indent, ensure_ascii=is_ascii)
        assert len(cleared) - len("[]") == len(text) - _length(text, before, indent, is_ascii, old)


def _length(text: str, before: dict[str, object], indent: int | str | None, is_ascii: bool, old: str) -> int:
    """How long the old value stands in the text."""
    without = json.dumps(before | {"colorGroups": 0}, indent=indent, ensure_ascii=is_ascii)
    assert old
    return len(text) - len(without) + 1


@pytest.mark.parametrize("text", ["[]", "1", '{"a":', "{,}", "nonsense", "[" * 100_000])
def test_what_is_no_settings_file_is_left_alone(project: Project, text: str) -> None:
    project.write({FILE: text})
    with pytest.raises(Unreadable):
        write_groups(project.vault, GROUPS)
    assert (project.vault / FILE).read_text() == text
    assert len(list((project.vault / ".obsidian").iterdir())) == 1


def test_backups_and_undo(project: Project) -> None:
    file = project.vault / FILE
    project.write({FILE: SETTINGS})
    assert write_groups(project.vault, GROUPS, now=1000.0)
    assert not write_groups(project.vault, GROUPS, now=1001.0)
    assert write_groups(project.vault, GROUPS[:1], now=1030.0)  # within a minute: the first backup is the one
    assert len(list(file.parent.iterdir())) == 2
    second = file.read_bytes()
    assert write_groups(project.vault, GROUPS, now=1100.0)
    assert len(list(file.parent.iterdir())) == 3
    assert undo(project.vault)
    assert file.read_bytes() == second
    assert undo(project.vault)
    assert file.read_bytes() == SETTINGS.encode()
    with pytest.raises(WikiError, match="no backup"):
        undo(project.vault)


def test_undo_of_the_first_file_removes_it(project: Project) -> None:
    assert write_groups(project.vault, GROUPS)
    assert not undo(project.vault)
    assert list((project.vault / ".obsidian").iterdir()) == []


VAULT = {
    "concepts/Tea.md": "#drink/hot [[Water]]\n",
    "concepts/Water.md": "#drink [[Tea]]\n",
    "things/Cup.md": "---\ncategory: odd ones\ntags: [ware]\n---\n[[Plate]]\n",
    "things/Plate.md": "[[Cup]]\n",
    "Private.md": "---\npublish: false\ntags: [hidden]\ncategory: secret\n---\n",
}


def queries(project: Project, *options: str) -> list[str]:
    return [group["query"] for group in project.json("colorize", *options)["groups"]]


def test_ways_of_colouring(project: Project) -> None:
    project.write(VAULT)
    assert queries(project) == ['path:"concepts"', '["category":"odd ones"]', 'path:"things"']
    assert queries(project, "--by", "tag") == ['tag:"#drink"', 'tag:"#ware"']
    assert set(queries(project, "--by", "community")) == {'path:"concepts"', 'path:"things"'}
    assert queries(project, "--by", "visibility") == ['tag:"visibility/pii"', 'tag:"visibility/internal"']
    written = json.loads((project.vault / FILE).read_text())
    assert written["colorGroups"][0] == {"query": 'tag:"visibility/pii"', "color": {"a": 1, "rgb": 0xE15759}}


def test_the_command(project: Project) -> None:
    project.write(VAULT | {FILE: SETTINGS})
    assert project.json("colorize", "--by", "tag")["changed"] is True
    assert project.json("colorize", "--by", "tag")["changed"] is False
    assert project.json("colorize", "--clear") == {"file": FILE, "changed": True, "groups": []}
    assert json.loads((project.vault / FILE).read_text())["colorGroups"] == []
    assert project.json("colorize", "--undo")["changed"] is True
    assert (project.vault / FILE).read_bytes() == SETTINGS.encode()
    for options in (["--undo", "--clear"], ["--by", "tag", "--clear"]):
        done = project.cli("colorize", *options, "--vault", str(project.vault))
        assert done.code == 2
    done = project.cli("colorize", "--undo", "--vault", str(project.vault))
    assert (done.code, "no backup" in done.err) == (1, True)


def test_clearing_what_is_not_there_writes_nothing(project: Project) -> None:
    project.write(VAULT)
    assert project.json("colorize", "--clear")["changed"] is False
    assert not (project.vault / ".obsidian").exists()


def test_notes_are_not_touched(project: Project, tmp_path: Path) -> None:
    project.write(VAULT)
    before = {path: path.read_bytes() for path in project.vault.rglob("*.md")}
    queries(project, "--by", "community")
    assert {path: path.read_bytes() for path in project.vault.rglob("*.md")} == before
