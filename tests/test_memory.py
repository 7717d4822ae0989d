"""The memory bridge: which tool a page's knowledge came from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from upkeep_vault import TODAY, UpkeepVault

from generator.upkeep.memory import (
    Comparison,
    InvalidRange,
    Memory,
    SourceTool,
    compare_memories,
    memory,
    read_range,
    tool_of,
)
from generator.upkeep.origins import lint_sources, source_states, source_tools

MANIFEST = {
    "talk.json": SourceTool("Codex", "conversation"),
    "paper.pdf": SourceTool("", "document"),
    "page.html": SourceTool("", "url"),
}


def note(updated: str, sources: str = "", more: str = "") -> str:
    return f"---\nupdated: {updated}\nsources: [{sources}]\n{more}---\ntext\n"


@pytest.fixture
def vault(tmp_path: Path) -> UpkeepVault:
    project = UpkeepVault(tmp_path)
    project.write(
        {
            "claude.md": note("2026-05-01", "agent:claude/1, paper.pdf"),
            "codex.md": note("2026-03-01", "talk.json", "tags: [history]\n"),
            "both.md": note("2026-04-01", "agent:Claude/2, talk.json"),
            "own.md": note("2026-01-01", "", "source_tool: Gemini\n"),
            "hand.md": note("2026-02-01"),
        }
    )
    return project


def ask(vault: UpkeepVault, tool: str = "", **options: object) -> Memory:
    found = vault.ask(memory(MANIFEST, TODAY, tool_name=tool, **options))  # type: ignore[arg-type]
    assert isinstance(found, Memory)
    return found


@pytest.mark.parametrize(
    ("key", "tool"),
    [
        ("talk.json", "codex"),
        ("talk.json#part", "codex"),
        ("agent:claude/abc", "claude"),
        ("agent:/abc", "manual"),
        ("conversation:2026-01-01", "conversation"),
        ("https://x.org/a", "url"),
        ("page.html", "url"),
        ("paper.pdf", "document"),
        ("unknown.md", "document"),
    ],
)
def test_the_tool_of_a_source(key: str, tool: str) -> None:
    assert tool_of(key, MANIFEST) == tool


def test_the_tools_there_are(vault: UpkeepVault) -> None:
    assert ask(vault).tools == {"claude": 2, "codex": 2, "document": 1, "gemini": 1, "manual": 1}
    assert ask(vault, date_range="2026-04-01:").tools == {"claude": 2, "codex": 1, "document": 1}
    assert ask(vault).note == ""


def test_the_pages_of_a_tool_newest_first(vault: UpkeepVault) -> None:
    found = ask(vault, "Claude")
    assert [(entry.path, entry.updated_at) for entry in found.entries] == [
        ("claude.md", "2026-05-01"),
        ("both.md", "2026-04-01"),
    ]
    assert found.total == 2
    assert all(0 < entry.relevance_score <= 0.5 for entry in found.entries)  # half of their sources
    assert found.entries[0].relevance_score > found.entries[1].relevance_score
    assert [entry.path for entry in ask(vault, "claude", limit=1, offset=1).entries] == ["both.md"]
    assert ask(vault, "nobody").total == 0


def test_dates_and_topic(vault: UpkeepVault) -> None:
    assert [entry.path for entry in ask(vault, "codex", date_range=":2026-03-31").entries] == ["codex.md"]
    assert [entry.path for entry in ask(vault, "codex", topic="HIST").entries] == ["codex.md"]
    (only,) = ask(vault, "codex", date_range="2026-03-01:2026-03-01").entries
    assert only.relevance_score == 1.0


def test_two_tools_compared(vault: UpkeepVault) -> None:
    found = vault.ask(compare_memories(MANIFEST, TODAY, "claude", "codex"))
    assert isinstance(found, Comparison)
    assert {tool: [entry.path for entry in entries] for tool, entries in found.only_in.items()} == {
        "claude": ["claude.md"],
        "codex": ["codex.md"],
    }
    assert [entry.path for entry in found.shared] == ["both.md"]


def test_an_empty_manifest_says_what_fills_it(tmp_path: Path) -> None:
    vault = UpkeepVault(tmp_path)
    vault.write({"A.md": "x"})
    found = ask(vault)
    assert found.tools == {"manual": 1}
    assert "wiki-ingest" in found.note


@pytest.mark.parametrize("text", ["2026", "x:y", "2026-02-30:", "2026-02-01:2026-01-01", "2026-01-01"])
def test_what_is_no_range(text: str) -> None:
    with pytest.raises(InvalidRange):
        read_range(text)


def test_what_the_manifest_says(tmp_path: Path) -> None:
    source = {"sha256": "0" * 64, "size": 1, "kind": "document", "tool": "Codex", "title": "", "pages": [],
              "state": "pending", "attempts": 0, "lease_until": None, "error": "",
              "added_at": "2026-01-01T00:00:00Z", "ingested_at": "2026-01-02T00:00:00Z"}  # fmt: skip
    (tmp_path / ".llm-wiki").mkdir()
    (tmp_path / ".llm-wiki/manifest.json").write_text(json.dumps({"version": 1, "sources": {"a.pdf": source}}))
    assert source_tools(tmp_path) == {"a.pdf": SourceTool("Codex", "document")}
    assert source_states(tmp_path) == ["pending"]
    found = lint_sources(tmp_path)["a.pdf"]
    assert (found.state, found.added_at[:10], found.ingested_at[:10]) == ("pending", "2026-01-01", "2026-01-02")
