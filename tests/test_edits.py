"""Edits of notes: exact, refused when stale, undone by copies; properties changed without touching anything else."""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import md5
from pathlib import Path

import pytest
from upkeep_vault import UpkeepVault, bytes_of

from generator import frontmatter
from generator.errors import PageNotFound, PathForbidden, StaleEdit, Unreadable
from generator.model import Edit
from generator.upkeep.applying import apply_logged
from generator.upkeep.edits import Replacement, apply_edits, diff_of, edit_of, read_source, replaced, source_of
from generator.upkeep.entries import change_entries
from generator.upkeep.property_text import set_property

NOW = datetime(2026, 6, 1, 9, 30, tzinfo=UTC)


def edited(raw: str, *changes: Replacement) -> str:
    edit = edit_of(source_of("a.md", raw, "x"), changes)
    return edit.new_text if edit else raw


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_offsets_are_those_of_the_parsed_text(line_end: str, mark: str) -> None:
    text = "one\n\ntwo three\nfour"
    raw = mark + text.replace("\n", line_end)
    at = text.index("three")
    wanted = mark + text.replace("three", "3\n3").replace("\n", line_end)
    assert edited(raw, Replacement(at, at + 5, "3\n3")) == wanted


def test_mixed_line_ends_stay_where_they_are() -> None:
    raw = "a\r\nb\nc\rd"
    assert edited(raw, Replacement(0, 1, "A"), Replacement(6, 7, "D")) == "A\r\nb\nc\rD"


def test_of_two_changes_that_overlap_the_first_is_made() -> None:
    assert edited("abcdef", Replacement(2, 4, "X"), Replacement(3, 5, "Y"), Replacement(0, 1, "Z")) == "ZbXef"


def test_no_change_is_no_edit() -> None:
    assert edit_of(source_of("a.md", "abc", "x"), [Replacement(0, 1, "a")]) is None


def test_what_cannot_be_edited_says_so(tmp_path: Path) -> None:
    (tmp_path / "latin.md").write_bytes(b"caf\xe9")
    (tmp_path / "utf16.md").write_bytes("word".encode("utf-16"))
    for name, error in (
        ("latin.md", Unreadable),
        ("utf16.md", Unreadable),
        ("gone.md", PageNotFound),
        ("../x.md", PathForbidden),
    ):
        with pytest.raises(error):
            read_source(tmp_path, name)


def test_a_stale_edit_writes_nothing_at_all(tmp_path: Path) -> None:
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text("old")
    edits = [
        edit for name in ("a.md", "b.md") if (edit := edit_of(read_source(tmp_path, name), [Replacement(0, 3, "new")]))
    ]
    (tmp_path / "b.md").write_text("other")
    before = bytes_of(tmp_path)
    with pytest.raises(StaleEdit) as refusal:
        apply_edits(tmp_path, edits, now=NOW)
    assert refusal.value.path == "b.md"
    assert bytes_of(tmp_path) == before


def test_files_are_kept_as_they_were(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.md").write_bytes(b"old\r\n")
    for word in (b"old", b"new"):
        edit = edit_of(read_source(tmp_path, "sub/a.md"), [Replacement(0, 3, "new" if word == b"old" else "last")])
        assert edit is not None
        applied = apply_edits(tmp_path, [edit, Edit(f"made-{word.decode()}.md", "", "made")], now=NOW)
        assert (tmp_path / applied.undo / "sub/a.md").read_bytes() == word + b"\r\n"
    assert applied.changed == ("made-new.md", "sub/a.md")
    assert sorted(path.name for path in (tmp_path / ".llm-wiki/trash").iterdir()) == [
        "20260601T093000Z",
        "20260601T093000Z-2",
    ]
    assert (tmp_path / "sub" / "a.md").read_bytes() == b"last\r\n"


def test_a_difference_shows_lines_of_any_end() -> None:
    edit = Edit("a.md", "x", "one\r\n2\r\nthree")
    assert diff_of("one\r\ntwo\r\nthree\r\n", edit) == [
        "--- a/a.md",
        "+++ b/a.md",
        "@@ -1,3 +1,3 @@",
        " one",
        "-two",
        "-three",
        "+2",
        "+three  (no line end)",
    ]


def test_every_applied_operation_is_in_the_log(tmp_path: Path) -> None:
    project = UpkeepVault(tmp_path)
    project.write({"wiki/Tea.md": "tea", "schema.md": "s", "wiki/log.md": "# Wiki Log\n"})
    edit = edit_of(read_source(project.vault, "wiki/Tea.md"), [Replacement(0, 3, "chai")])
    assert edit is not None
    applied = apply_logged(project.vault, project.layout, project.snapshot(), [edit], "link", "1 link", now=NOW)
    assert applied.changed == ("wiki/Tea.md",)
    assert project.text("wiki/log.md") == (
        "# Wiki Log\n\n## [2026-06-01] link | 1 link\n\n- Changed [[Tea]]\n"
        "- Undo copies: .llm-wiki/trash/20260601T093000Z\n"
    )


def test_a_plain_vault_gets_no_log_of_its_own(tmp_path: Path) -> None:
    project = UpkeepVault(tmp_path)
    project.write({"Tea.md": "tea"})
    edit = Edit("Tea.md", md5(b"tea").hexdigest(), "chai")
    apply_logged(project.vault, project.layout, project.snapshot(), [edit], "link", "1 link", now=NOW)
    assert [name for name in bytes_of(project.vault) if not name.startswith(".llm-wiki/")] == ["Tea.md"]


# ── properties ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "value", "wanted"),
    [
        ("body\n", "Tea", "---\nsummary: Tea\n---\n\nbody\n"),
        ("", "Tea", "---\nsummary: Tea\n---\n"),
        ("---\na: 1 # x\n---\nbody\n", "Tea", "---\na: 1 # x\nsummary: Tea\n---\nbody\n"),
        ("---\nsummary:\na: 1\n---\nbody\n", "Tea", "---\nsummary: Tea\na: 1\n---\nbody\n"),
        ("---\nSummary:   # none yet\n---\n", "Tea", "---\nSummary: Tea   # none yet\n---\n"),
        ("---\na: 1\n---\n", "yes", '---\na: 1\nsummary: "yes"\n---\n'),
        ("---\na: 1\n---\n", 'a: "b" #c', '---\na: 1\nsummary: "a: \\"b\\" #c"\n---\n'),
        ("---\na: 1\n---\n", "茶：一种饮料", "---\na: 1\nsummary: 茶：一种饮料\n---\n"),
        ("---\na: 1\n---\n", ["x", "y z"], "---\na: 1\nsummary: [x, y z]\n---\n"),
    ],
)
def test_a_property_is_added_where_there_is_none(text: str, value: str | list[str], wanted: str) -> None:
    change = set_property(text, "summary", value)
    assert change is not None
    after = replaced(text, [change])
    assert after == wanted
    assert value in frontmatter.split(after).meta.values()


@pytest.mark.parametrize("text", ["---\nsummary: there\n---\n", "---\nx: [broken\n---\n", "---\nSUMMARY: 0\n---\n"])
def test_a_property_that_is_there_or_cannot_be_read_is_left(text: str) -> None:
    assert set_property(text, "summary", "Tea") is None


RENAMES = {"tea": "chai", "gone": ""}


@pytest.mark.parametrize(
    ("block", "wanted"),
    [
        ("tags: [tea, 'tea', \"milk\"]  # x", "tags: [chai, 'chai', \"milk\"]  # x"),
        ("tags:\n  - tea\n  -   milk\nother: tea", "tags:\n  - chai\n  -   milk\nother: tea"),
        ("tags: tea, milk", "tags: chai, milk"),
        ("tags: milk tea", "tags: milk chai"),
        ("Tags: tea", "Tags: chai"),
        ("tags: [gone, milk]", "tags: [milk]"),
        ("tags: [milk, gone]", "tags: [milk]"),
        ("tags: [gone]", "tags: []"),
        ("tags:\n- gone\n- milk", "tags:\n- milk"),
        ("tags: gone, milk", "tags: milk"),
        ("tags: milk, gone", "tags: milk"),
        ("tags: 'tea, gone'", "tags: 'chai'"),
        ("tags: gone", "tags: []"),
        ("tags:\n- gone", "tags: []"),
        ("other: [tea]", "other: [tea]"),
        ("tags: &a [tea]\nmore: *a", "tags: &a [tea]\nmore: *a"),
        ("tags: {tea: 1}", "tags: {tea: 1}"),
    ],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_entries_are_changed_in_place(block: str, wanted: str, line_end: str) -> None:
    raw = f"---\n{block}\n---\nbody tea\n".replace("\n", line_end)
    source = source_of("a.md", raw, "x")
    changes = change_entries(source.text, ("tags", "tag"), lambda _, entry: RENAMES.get(entry), words=True)
    edit = edit_of(source, changes or ())
    assert (edit.new_text if edit else raw) == f"---\n{wanted}\n---\nbody tea\n".replace("\n", line_end)
