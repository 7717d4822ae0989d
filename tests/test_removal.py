"""Removing a source: what goes, what stays as it was to the byte, and how all of it comes back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from project import Project
from source_vaults import KEY, OTHERS, make_vault
from upkeep_vault import UpkeepVault, bytes_of

from generator.errors import StaleEdit
from generator.sources.errors import SourceNotFound, SourceRefused
from generator.sources.manifest import Manifest, Source, change, load
from generator.sources.removal import Removal, plan_removal
from generator.sources.trash import Removed, find_removal, plan_restore, remove, restore
from generator.upkeep.edits import replaced
from generator.upkeep.entries import change_entries

NOW = datetime(2026, 6, 1, 9, 30, tzinfo=UTC)
BASE = {"raw/sources/book.pdf": b"%PDF book", "raw/sources/other.pdf": b"%PDF other"}
LINKS = (
    "SELECT p.path, l.name, l.subpath, f.path FROM wiki_links l JOIN wiki_pages p ON p.id = l.source"
    " LEFT JOIN wiki_files f ON f.id = l.target ORDER BY p.path, l.n"
)


def planned(vault: UpkeepVault, key: str = KEY, *, with_file: bool = False) -> Removal:
    """What removing the source would do; raw files are those of `BASE`."""
    raw = [path.removeprefix("raw/sources/") for path in bytes_of(vault.vault) if path.startswith("raw/sources/")]
    return plan_removal(vault.vault, vault.snapshot(), load(vault.vault), raw, key, with_file=with_file)


def removed(vault: UpkeepVault, key: str = KEY, *, with_file: bool = False) -> tuple[Removal, Removed]:
    plan = planned(vault, key, with_file=with_file)
    return plan, remove(vault.vault, plan, NOW)


def wiki_of(vault: Project) -> dict[str, bytes]:
    """All files but the trash."""
    return {path: data for path, data in bytes_of(vault.vault).items() if not path.startswith(".llm-wiki/trash")}


@pytest.fixture
def wiki(tmp_path: Path) -> UpkeepVault:
    vault = UpkeepVault(tmp_path)
    vault.write(BASE)
    return vault


def page(body: str, **properties: object) -> str:
    front = "".join(f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in properties.items())
    return f"---\n{front}---\n{body}"


SUMMARY = page("About it.\n", category="sources", sources=[KEY])


# ── any vault ───────────────────────────────────────────────────────────────────────────────────────────


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.large_base_example])
@given(random=st.randoms(use_true_random=False), with_file=st.booleans())
def test_in_any_vault_all_that_is_gone_is_gone_and_all_else_is_as_it_was(random: Random, with_file: bool) -> None:
    notes, sources = make_vault(random)
    with TemporaryDirectory() as folder:
        vault = UpkeepVault(Path(folder))
        vault.write(BASE | {path: note.before for path, note in notes.items()})
        known = {key: Source(pages=tuple(p for p in sources if random.random() < 0.3)) for key in (KEY, *OTHERS)}
        change(vault.vault, lambda manifest: (Manifest(known), None))
        vault.update()
        before, links = wiki_of(vault), vault.rows(LINKS)
        plan, record = removed(vault, with_file=with_file)
        assert plan.left == ()
        expected = {path: note.after for path, note in notes.items() if note.after is not None}
        expected |= {path: data for path, data in BASE.items() if not (with_file and path == f"raw/sources/{KEY}")}
        manifest = ".llm-wiki/manifest.json"
        assert {path: data for path, data in wiki_of(vault).items() if path != manifest} == expected
        assert KEY not in load(vault.vault).sources
        gone = {path for path, note in notes.items() if note.after is None}
        assert not gone & {path for source in load(vault.vault).sources.values() for path in source.pages}
        _check_the_index(vault, links, gone)
        restore(vault.vault, plan_restore(vault.vault, record), NOW)
        assert wiki_of(vault) == before


def _check_the_index(vault: UpkeepVault, links: list[tuple[object, ...]], gone: set[str]) -> None:
    """Asked anew, the links are those of before without those of and to the pages that went, in the same order; the
    lines of the index and the entries of properties that went had links to these alone."""
    vault.update()
    assert vault.rows(LINKS) == [link for link in links if link[0] not in gone and link[3] not in gone]
    for path, sources in vault.rows("SELECT path, sources FROM wiki_pages"):
        left = [entry for entry in json.loads(str(sources)) if entry.removeprefix("raw/sources/").startswith(KEY)]
        assert left == [], path


# ── what goes and what stays ────────────────────────────────────────────────────────────────────────────


def test_matching_is_by_path_not_by_name(wiki: UpkeepVault) -> None:
    body = "[[concepts/ai]] [[entities/ai]] [[entities/ai|AI]]\n"
    wiki.write(
        {"wiki/entities/ai.md": SUMMARY, "wiki/concepts/ai.md": page("x\n", sources=["other.pdf"]), "wiki/T.md": body}
    )
    plan, _ = removed(wiki)
    assert [*plan.deleted] == ["wiki/entities/ai.md"]
    assert wiki.text("wiki/T.md") == "[[concepts/ai]] entities/ai AI\n"


def test_links_by_alias_and_relative_links_go_too(wiki: UpkeepVault) -> None:
    wiki.write(
        {
            "wiki/sources/S.md": page("x\n", category="sources", sources=[KEY], aliases=["The Book"]),
            "wiki/sources/T.md": "[[The Book]], [[./S]], [b](S.md#Part), [](S.md), ![alt|20](S.md) and [[t]]\n",
        }
    )
    removed(wiki)
    assert wiki.text("wiki/sources/T.md") == "The Book, ./S, b, S, alt and [[t]]\n"


def test_a_page_left_without_a_source_stays_and_is_told_of(wiki: UpkeepVault) -> None:
    wiki.write({"wiki/concepts/A.md": page("text\n", sources=[KEY, f"{KEY}#2"])})
    plan, _ = removed(wiki)
    assert (plan.unsourced, [*plan.deleted]) == (("wiki/concepts/A.md",), [])
    assert wiki.text("wiki/concepts/A.md") == "---\nsources: []\n---\ntext\n"


def test_a_bare_name_means_a_source_only_where_no_other_has_it(wiki: UpkeepVault) -> None:
    wiki.write({"raw/sources/deep/only.pdf": b"x", "wiki/A.md": page("a\n", sources=["only.pdf", "book.pdf"])})
    removed(wiki, "deep/only.pdf")
    assert wiki.text("wiki/A.md") == page("a\n", sources=["book.pdf"])
    wiki.write({"raw/sources/deep/twin.pdf": b"x", "raw/sources/up/twin.pdf": b"y"})
    wiki.write({"wiki/A.md": page("a\n", sources=["twin.pdf"])})
    plan, _ = removed(wiki, "deep/twin.pdf")
    assert plan.edits == ()


def test_labels_that_would_become_markup_are_escaped(wiki: UpkeepVault) -> None:
    wiki.write(
        {
            "wiki/S.md": SUMMARY,
            "wiki/tag.md": "a [[S|#tag]] b\n",
            "wiki/heading.md": "[[S|# no heading]]\n",
            "wiki/link.md": "[[S|see [[x]] ]]\n",
        }
    )
    removed(wiki)
    assert wiki.text("wiki/tag.md") == "a \\#tag b\n"
    assert wiki.text("wiki/heading.md") == "\\# no heading\n"
    assert wiki.facts("wiki/tag.md").tags == set()
    wiki.update()
    assert wiki.facts("wiki/heading.md").headings == []


def test_links_within_labels(wiki: UpkeepVault) -> None:
    wiki.write({"wiki/S.md": SUMMARY, "wiki/A.md": "[see ![x](S.md) there](S.md)\n", "wiki/B.md": "[![[S]]](S.md)\n"})
    removed(wiki)
    assert wiki.text("wiki/A.md") == "see x there\n"
    assert wiki.text("wiki/B.md") == "\\!\\[\\[S\\]\\]\n"  # no link before, and none afterwards


def test_what_cannot_be_changed_for_sure_is_told_of(wiki: UpkeepVault) -> None:
    wiki.write(
        {
            "wiki/S.md": SUMMARY,
            "wiki/A.md": 'a <a href="S.md">s</a> and [[S]]\n',
            "wiki/bad.md": b"caf\xe9 [[S]]\n",
        }
    )
    plan, _ = removed(wiki)
    assert [(finding.code, finding.path) for finding in plan.left] == [
        ("link-left", "wiki/A.md"), ("unreadable", "wiki/bad.md"),
    ]  # fmt: skip
    assert wiki.text("wiki/A.md") == 'a <a href="S.md">s</a> and S\n'


def test_relations_without_brackets_and_without_quotes(wiki: UpkeepVault) -> None:
    front = "---\nrelated: [sources/S, [[S]], tea]\nrelationships:\n  - {target: S, type: uses}\n"
    front += "  - type: uses\n    target: tea\n---\n"
    wiki.write({"wiki/sources/S.md": SUMMARY, "wiki/A.md": front + "a\n", "wiki/tea.md": "t"})
    removed(wiki)
    assert wiki.text("wiki/A.md") == "---\nrelated: [tea]\nrelationships:\n  - type: uses\n    target: tea\n---\na\n"


def test_links_to_the_file_go_with_the_file(wiki: UpkeepVault) -> None:
    text = "![[book.pdf]] and [the book](../raw/sources/book.pdf)\n"
    wiki.write({"wiki/A.md": text})
    removed(wiki)
    assert wiki.text("wiki/A.md") == text
    wiki.update()
    _, record = removed(wiki, with_file=True)
    assert wiki.text("wiki/A.md") == "book.pdf and the book\n"
    assert not (wiki.vault / "raw/sources/book.pdf").exists()
    restore(wiki.vault, plan_restore(wiki.vault, record), NOW)
    assert (wiki.vault / "raw/sources/book.pdf").read_bytes() == b"%PDF book"
    assert wiki.text("wiki/A.md") == text


def test_an_unknown_source(wiki: UpkeepVault) -> None:
    with pytest.raises(SourceNotFound):
        planned(wiki, "nothing.pdf")


def test_a_page_that_changed_meanwhile_stops_all_of_it(wiki: UpkeepVault) -> None:
    wiki.write({"wiki/S.md": SUMMARY, "wiki/A.md": "[[S]]\n"})
    plan = planned(wiki)
    wiki.write({"wiki/A.md": "[[S]] more\n"})
    before = bytes_of(wiki.vault)
    with pytest.raises(StaleEdit):
        remove(wiki.vault, plan, NOW)
    assert bytes_of(wiki.vault) == before


# ── bringing back ───────────────────────────────────────────────────────────────────────────────────────


def test_what_was_changed_since_stays(wiki: UpkeepVault) -> None:
    wiki.write({"wiki/S.md": SUMMARY, "wiki/A.md": "[[S]]\n", "wiki/B.md": "[[S|b]]\n"})
    wiki.write({"wiki/log.md": "# Log\n- [[S]]\n"})
    _, record = removed(wiki)
    assert wiki.text("wiki/log.md") == "# Log\n- S\n"
    wiki.write({"wiki/A.md": "S, rewritten\n", "wiki/log.md": "# Log\n- S\n## [2026-06-01] remove | book.pdf\n"})
    plan = plan_restore(wiki.vault, record)
    assert (plan.back, plan.kept) == (("wiki/B.md", "wiki/S.md", "wiki/log.md"), ("wiki/A.md",))
    restore(wiki.vault, plan, NOW)
    assert wiki.text("wiki/A.md") == "S, rewritten\n"
    assert wiki.text("wiki/B.md") == "[[S|b]]\n"
    assert wiki.text("wiki/log.md") == "# Log\n- [[S]]\n## [2026-06-01] remove | book.pdf\n"
    assert find_removal(wiki.vault, KEY).restored
    with pytest.raises(SourceNotFound):
        find_removal(wiki.vault)  # nothing is left to bring back
    again = plan_restore(wiki.vault, record)
    assert (again.back, again.same) == ((), ("wiki/B.md", "wiki/S.md"))


def test_a_source_that_was_begun_anew_is_left_alone(wiki: UpkeepVault) -> None:
    old, new = Source(state="done", pages=("wiki/S.md",)), Source(state="done", pages=("wiki/New.md",))
    change(wiki.vault, lambda manifest: (manifest.put(KEY, old), None))
    _, record = removed(wiki)
    change(wiki.vault, lambda manifest: (manifest.put(KEY, new), None))
    restore(wiki.vault, plan_restore(wiki.vault, record), NOW)
    assert load(wiki.vault).sources[KEY] == new
    change(wiki.vault, lambda manifest: (manifest.put(KEY, Source(state="pending")), None))  # a scan has seen it
    restore(wiki.vault, plan_restore(wiki.vault, record), NOW)
    assert load(wiki.vault).sources[KEY] == old


def test_a_damaged_copy_is_refused(wiki: UpkeepVault) -> None:
    wiki.write({"wiki/S.md": SUMMARY})
    _, record = removed(wiki)
    (wiki.vault / ".llm-wiki/trash" / record.name / "wiki/S.md").write_text("broken")
    with pytest.raises(SourceRefused):
        plan_restore(wiki.vault, record)
    assert not (wiki.vault / "wiki/S.md").exists()


def test_records_that_cannot_be_read_are_passed_over(wiki: UpkeepVault) -> None:
    wiki.write({".llm-wiki/trash/x/removal.json": "{}", ".llm-wiki/trash/y/removal.json": "["})
    with pytest.raises(SourceNotFound):
        find_removal(wiki.vault)


KILLED = """
import os, sys
from datetime import UTC, datetime
import generator.vault, generator.sources.trash as trash, generator.sources.manifest as manifest
left = int(sys.argv[2])
def counting(function):
    def call(*arguments, **options):
        global left
        if left == 0:
            os.kill(os.getpid(), 9)
        left -= 1
        return function(*arguments, **options)
    return call
for module, name in ((trash, "write_atomic"), (trash, "apply_edit"), (trash, "_move"), (manifest, "write_atomic")):
    setattr(module, name, counting(getattr(module, name)))
sys.path.insert(0, sys.argv[3])
from test_removal import NOW, UpkeepVault, Path, planned
vault = UpkeepVault(Path(sys.argv[1]))
trash.remove(vault.vault, planned(vault, with_file=True), NOW)
"""


@pytest.mark.skipif(os.name != "posix", reason="only POSIX kills without warning")
@pytest.mark.parametrize("step", [1, 3, 4, 5, 6, 7])
def test_killed_in_the_middle_it_can_be_taken_back_or_finished(wiki: UpkeepVault, step: int) -> None:
    wiki.write({"wiki/S.md": SUMMARY, "wiki/A.md": "[[S]]\n", "wiki/B.md": page("b\n", sources=[KEY, "other.pdf"])})
    change(wiki.vault, lambda manifest: (manifest.put(KEY, Source(pages=("wiki/S.md",))), None))
    before = wiki_of(wiki)
    here = Path(__file__).resolve().parent
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(here.parent), str(here)])}
    done = subprocess.run([sys.executable, "-c", KILLED, str(wiki.root), str(step), str(here)], env=environment)
    assert done.returncode == -9
    records = [*(wiki.vault / ".llm-wiki/trash").glob("*/removal.json")]
    if records:
        restore(wiki.vault, plan_restore(wiki.vault, find_removal(wiki.vault)), NOW)
    assert without_litter(wiki_of(wiki)) == before
    removed(wiki, with_file=True)
    assert {path for path in without_litter(wiki_of(wiki)) if path.startswith("wiki/")} == {"wiki/A.md", "wiki/B.md"}
    assert wiki.text("wiki/A.md") == "S\n"


def without_litter(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Without the lock that a killed process leaves."""
    return {path: data for path, data in files.items() if not path.endswith(".lock")}


# ── entries of properties ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("sources: [a, b, c]", "sources: [b]"),
        ("sources: [a, c]", "sources: []"),
        ("sources: [b, a, c]  # why", "sources: [b]  # why"),
        ("sources: [ 'a' , \"b\" ]", 'sources: [ "b" ]'),
        ("sources: a", "sources: []"),
        ("Sources:\n- a\n- b # kept\nx: 1", "Sources:\n- b # kept\nx: 1"),
        ("sources:\n  - a\n  - c\nx: 1", "sources: []\nx: 1"),
        ("sources:\n\n  # first\n  - a\n  - b", "sources:\n\n  # first\n  - b"),
        ("sources: # all\n  - a", "sources: [] # all"),
        ("sources:\n  - >-\n    a\n  - b", "sources:\n  - b"),
        ("sources: [\n  a,\n  b,\n  c,\n]", "sources: [\n  b,\n]"),
        ("other: [a, b]", "other: [a, b]"),
    ],
)
def test_entries_are_dropped(before: str, after: str) -> None:
    text = f"---\n{before}\n---\nbody a\n"
    changes = change_entries(text, ["sources"], lambda _, entry: "" if entry in ("a", "c") else None)
    assert changes is not None
    assert replaced(text, changes) == f"---\n{after}\n---\nbody a\n"


def test_what_is_no_list_and_broken_front_matter_are_left() -> None:
    for text in ("---\nsources: {a: b}\n---\n", "---\nsources: [a\n---\nx\n", "a\n", "---\nsources:\n---\n"):
        assert change_entries(text, ["sources"], lambda _, entry: "" if entry == "a" else None) == []
