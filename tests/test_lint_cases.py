"""The linter on reports of others, and on the official help vault: it names what is amiss, and invents nothing."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from cases import all_cases
from conftest import require_shared
from upkeep_vault import UpkeepVault, bytes_of


@pytest.fixture
def vault(tmp_path: Path) -> UpkeepVault:
    return UpkeepVault(tmp_path)


def test_s07_the_linter_names_each_note_with_invalid_yaml(vault: UpkeepVault) -> None:
    all_cases()["S07"].make(vault.vault)
    names = {"Hash.md", "Colon.md", "Tab.md", "At.md", "Quote.md", "Star.md"}
    assert vault.paths("invalid-frontmatter") == names
    assert {issue.severity for issue in vault.lint().issues if issue.code == "invalid-frontmatter"} == {"error"}


def test_s09_the_linter_names_a_second_front_matter(vault: UpkeepVault) -> None:
    all_cases()["S09"].make(vault.vault)
    before = bytes_of(vault.vault)
    assert vault.found("second-frontmatter") == [("second-frontmatter", "Twice.md", 5)]
    assert bytes_of(vault.vault) == before


def test_s14_the_linter_names_aliases_that_clash(vault: UpkeepVault) -> None:
    all_cases()["S14"].make(vault.vault)
    clashes = {(issue.path, issue.message) for issue in vault.lint().issues if issue.code == "duplicate-alias"}
    assert clashes == {
        ("Samovar.md", "the alias “Urn” is also a name of Dispenser.md"),
        ("Dispenser.md", "the alias “urn” is also a name of Samovar.md"),
        ("Water Heater.md", "the alias “Kettle” is also a name of Kettle.md"),
    }
    assert vault.issue("ambiguous-link").message.endswith("Dispenser.md, Samovar.md")
    assert vault.issue("alias-link").fix == "write [[Water Heater|Boiler]]"


def test_s16_loops_of_embeds_are_no_broken_links(vault: UpkeepVault) -> None:
    all_cases()["S16"].make(vault.vault)
    assert {code for code, _, _ in vault.found()} <= {"orphan", "dead-end"}


def test_s17_the_linter_tells_missing_parts_from_missing_pages(vault: UpkeepVault) -> None:
    all_cases()["S17"].make(vault.vault)
    assert vault.found("broken-link", "missing-heading", "missing-block") == [
        ("missing-heading", "Page.md", 5),
        ("broken-link", "Page.md", 7),
        ("missing-block", "Page.md", 9),
    ]


def test_s45_orphans_and_nothing_that_is_no_link(vault: UpkeepVault) -> None:
    all_cases()["S45"].make(vault.vault)
    assert vault.paths("orphan") == {"animals/seal.md", "Solo.md", "Hub.md"}
    assert vault.found("broken-link", "missing-heading", "missing-block", "ambiguous-link") == []


def test_the_help_vault_has_only_true_findings(tmp_path: Path) -> None:
    """Each of these was read by hand: examples of links to notes that do not exist, a film that is not in the
    repository, names that two pages share."""
    vault = UpkeepVault(tmp_path, require_shared("vaults", "obsidian-help", "en"))
    issues = vault.lint(today=date(2026, 12, 1)).issues
    shown = [(issue.code, issue.path, issue.line) for issue in issues if issue.severity != "info"]
    links = "Linking notes and files/Internal links.md"
    assert shown == sorted(
        [
            *(("broken-link", "Editing and formatting/Advanced formatting syntax.md", 135) for _ in range(2)),
            ("broken-link", "Extending Obsidian/Obsidian CLI.md", 9),
            ("duplicate-alias", "Getting started/Back up your Obsidian files.md", 0),
            ("duplicate-alias", "Getting started/Create a vault.md", 0),
            *(("broken-link", links, line) for line in (154, 155, 162, 163, 168, 169)),
            ("duplicate-title", "Obsidian Publish/Security and privacy.md", 0),
            ("duplicate-alias", "Obsidian Sync/Local and remote vaults.md", 0),
            ("duplicate-title", "Obsidian Sync/Security and privacy.md", 0),
            ("duplicate-alias", "Obsidian Sync/Switch to Obsidian Sync.md", 0),
            ("duplicate-title", "Obsidian Web Clipper/Templates.md", 0),
            ("duplicate-title", "Plugins/Templates.md", 0),
        ],
        key=lambda found: (found[1], found[2]),
    )
    assert {issue.code for issue in issues if issue.severity == "info"} == {
        "orphan",
        "dead-end",
        "unused-attachment",
        "legacy-aliases",
        "tag-limit",
    }
