"""What upkeep asks of the manifest of raw sources: their states, and where each came from."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from generator.upkeep.lint.issue import SourceFacts
from generator.upkeep.memory import SourceTool

_MANIFEST = "generator.sources.manifest"


def _sources(vault: Path) -> dict[str, Any]:
    if any(find_spec(name) is None for name in ("generator.sources", _MANIFEST)):
        return {}
    return dict(import_module(_MANIFEST).load(vault).sources)


def lint_sources(vault: Path) -> dict[str, SourceFacts]:
    """The sources by key, as the linter looks at them."""
    return {
        key: SourceFacts(key, source.state, source.added_at or "", source.ingested_at or "")
        for key, source in _sources(vault).items()
    }


def source_tools(vault: Path) -> dict[str, SourceTool]:
    """The tool and the kind of each source, by key."""
    return {key: SourceTool(source.tool or "", source.kind or "") for key, source in _sources(vault).items()}


def source_states(vault: Path) -> list[str]:
    """The state of each source."""
    return [source.state for source in _sources(vault).values()]
