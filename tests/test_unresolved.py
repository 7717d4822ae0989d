"""What the official English help leaves unresolved, link by link: each was looked up by hand in the vault's source."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import require_shared
from project import Project

INTERNAL_LINKS = "Linking notes and files/Internal links.md"
SYNTAX = "Editing and formatting/Advanced formatting syntax.md"

# (page, line, target, subpath, what is wrong)
EXPLAINED = {
    # The page shows how a link to a note called "Example" looks; there is no such note.
    (INTERNAL_LINKS, 154, "Example", "", "missing"),
    (INTERNAL_LINKS, 155, "Example", "Details", "missing"),
    (INTERNAL_LINKS, 162, "Example", "", "missing"),
    (INTERNAL_LINKS, 163, "Example", "Details", "missing"),
    (INTERNAL_LINKS, 168, "Example.md", "", "missing"),
    (INTERNAL_LINKS, 169, "Example.md", "Details", "missing"),
    # A diagram whose nodes are links to notes that the reader is to imagine.
    (SYNTAX, 135, "Biology", "", "missing"),
    (SYNTAX, 135, "Chemistry", "", "missing"),
    # The film is not among the files of the vault.
    ("Extending Obsidian/Obsidian CLI.md", 9, "obsidian-cli.mp4", "interface", "missing"),
}

UNRESOLVED = (
    "SELECT p.path, l.line, l.name, l.subpath, l.status FROM wiki_links l JOIN wiki_pages p ON p.id = l.source"
    " WHERE l.target IS NULL OR instr(l.status, 'subpath') ORDER BY p.path, l.line, l.n"
)


@pytest.fixture(scope="module")
def english(tmp_path_factory: pytest.TempPathFactory) -> Project:
    vault = require_shared("vaults", "obsidian-help", "en")
    project = Project(tmp_path_factory.mktemp("help"), vault)
    project.update()
    return project


def test_every_unresolved_link_is_explained(english: Project) -> None:
    found = english.rows(UNRESOLVED)
    assert set(found) == EXPLAINED
    assert len(found) == len(EXPLAINED)


def test_the_explanations_hold(english: Project) -> None:
    """Read in the source with nothing of ours: no such file, or the words that explain it."""
    names = {path.name.casefold() for path in english.vault.rglob("*")}
    for page, line, target, _, _ in EXPLAINED:
        assert not {target.casefold(), f"{target.casefold()}.md"} & names, target
        if page != SYNTAX:
            assert target in (english.vault / page).read_text().splitlines()[line - 1]


def test_nothing_is_ambiguous_or_tied(english: Project) -> None:
    assert english.rows("SELECT name FROM wiki_links WHERE instr(status, 'tied') OR instr(status, 'ambiguous')") == []


SAMPLES = {
    # (page, target, subpath): (what it opens, the id there); looked up by hand
    ("Editing and formatting/Callouts.md", "Embed files", ""): ("Linking notes and files/Embed files.md", ""),
    ("Getting started/Link notes.md", "Create your first note", ""): ("Getting started/Create your first note.md", ""),
    ("Getting started/Link notes.md", "graph view", ""): ("Plugins/Graph view.md", ""),
    ("Obsidian Sync/Version history.md", "Collaborate on a shared vault", "^version-history-image"): (
        "Obsidian Sync/Collaborate on a shared vault.md",
        "^version-history-image",
    ),
    ("Obsidian Sync/Collaborate on a shared vault.md", "Troubleshoot Obsidian Sync", "Conflict resolution"): (
        "Obsidian Sync/Troubleshoot Obsidian Sync.md",
        "conflict-resolution",
    ),
    (INTERNAL_LINKS, "Accepted file formats", ""): ("Files and folders/Accepted file formats.md", ""),
}


@pytest.mark.parametrize("link", SAMPLES, ids=[f"{target}#{subpath}" for _, target, subpath in SAMPLES])
def test_samples_open_what_they_should(english: Project, link: tuple[str, str, str]) -> None:
    page, target, subpath = link
    found = {
        (fact.opens, fact.anchor)
        for fact in english.facts(page).written
        if (fact.name, fact.subpath) == (target, subpath)
    }
    assert found == {SAMPLES[link]}


def test_each_link_opens_what_a_naive_look_up_finds(english: Project) -> None:
    """A dozen lines that know only file names agree on every link whose name is used once."""
    by_name: dict[str, list[str]] = {}
    for path in english.vault.rglob("*"):
        relative = path.relative_to(english.vault).as_posix()
        if path.is_file() and not relative.startswith("."):
            by_name.setdefault(Path(relative.removesuffix(".md")).name.casefold(), []).append(relative)
    checked = 0
    for name, opens, status in english.rows(
        "SELECT l.name, f.path, l.status FROM wiki_links l LEFT JOIN wiki_files f ON f.id = l.target WHERE l.name != ''"
    ):
        candidates = by_name.get(str(name).removesuffix(".md").rpartition("/")[2].casefold(), [])
        if len(candidates) == 1:
            checked += 1
            assert opens == candidates[0], name
        elif not candidates:
            assert opens is None or "alias" in str(status), name
    assert checked > 1500
