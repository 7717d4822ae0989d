"""The shared retrieval sets, searched through our index: recall, MRR and latency beside the systems of their runner.

    python -m tests.benchmarks.retrieval_adapter --sets cmrc_zh hotpot_en --systems ours graph b

takes the options of the runner; `ours` (words) and `graph` (words and graph) are the systems below, and the default.
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

from generator.config import load_config
from generator.query import run
from generator.retrieval import search
from generator.store import connect_read_only
from generator.update import open_and_update

RUNNER = Path(__file__).resolve().parents[3] / "shared" / "bench" / "retrieval" / "run_baseline.py"


class Ours:
    """Words only, or words and the graph."""

    def __init__(self, expand: bool = False) -> None:
        self.expand = expand
        self.name = "ours:words+graph" if expand else "ours:words"

    def index(self, vault: Path, work: Path) -> None:
        """Index the vault below `work`, as `llmwiki index` does."""
        config = load_config(vault, overrides={"site": {"output": work / "site"}}, home=work / "home", env={})
        store, _, _ = open_and_update(config)
        store.close()
        self.connection = connect_read_only(config.wiki.index_path)

    def search(self, query: str, k: int) -> list[str]:
        """The paths of the first `k` hits."""
        return [hit.path for hit in run(self.connection, search(query, limit=k, expand=self.expand)).hits]

    def close(self) -> None:
        """Let go of the index."""
        self.connection.close()


def main() -> None:
    """Run the shared runner with our system added."""
    if not RUNNER.exists():
        sys.exit(f"the retrieval sets are not beside the checkout: no {RUNNER}")
    sys.path.insert(0, str(RUNNER.parent))
    runner = runpy.run_path(str(RUNNER), run_name="retrieval_runner")
    runner["SYSTEMS"] |= {"ours": Ours, "graph": lambda: Ours(expand=True)}
    if "--systems" not in sys.argv:
        sys.argv += ["--systems", "ours", "graph"]
    runner["main"]()


if __name__ == "__main__":
    main()
