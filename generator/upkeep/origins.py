"""What upkeep asks of the manifest of raw sources: their states, and where each came from."""

from __future__ import annotations

from pathlib import Path

from generator.sources.manifest import load
from generator.upkeep.lint.issue import SourceFacts
from generator.upkeep.memory import SourceTool


def lint_sources(vault: Path) -> dict[str, SourceFacts]:
    """The sources by key, as the linter looks at them."""
    return {
        key: SourceFacts(key, source.state, source.added_at or "", source.ingested_at or "")
        for key, source in load(vault).sources.items()
    }


def source_tools(vault: Path) -> dict[str, SourceTool]:
    """The tool and the kind of each source, by key."""
    return {key: SourceTool(source.tool or "", source.kind or "") for key, source in load(vault).sources.items()}


def source_states(vault: Path) -> list[str]:
    """The state of each source."""
    return [source.state for source in load(vault).sources.values()]
