"""What each command costs that looks at the whole wiki: `python -m tests.benchmarks.commands [VAULT ...]`.

VAULT defaults to the sample vault and the official help vault beside the checkout. Every command is a whole process on
an index that is up to date, and only proposes: the vault is read and never changed. Index and trash stay in a folder of
their own.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from generator.exports import EXPORTS
from tests.benchmarks.build import HELP_VAULT, measure

SAMPLE = Path(__file__).resolve().parents[2] / "templates" / "sample-vault"
UPKEEP = (
    "status",
    "lint --level info",
    "link",
    "tags",
    "synthesize",
    "memory",
    "log",
    "ingest scan",
    "ingest status",
    "source list",
    "archive list",
    "history list",
)


def main(arguments: list[str]) -> int:
    vaults = [Path(name) for name in arguments] or [SAMPLE, HELP_VAULT]
    missing = [vault for vault in vaults if not vault.is_dir()]
    if missing:
        print(f"no vault at {missing[0]}: name one")
        return 2
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("LLMWIKI_HOME", folder)
        for vault in vaults:
            _report(vault, Path(folder))
    return 0


def _report(vault: Path, folder: Path) -> None:
    llmwiki = [sys.executable, "-m", "generator"]
    measure([*llmwiki, "index", str(vault)])
    print(f"\n{vault.name}\n{'':28}{'seconds':>9}{'cpu':>8}{'MB':>7}{'answer kB':>11}")
    commands = {words: [*words.split(), "--vault", str(vault), "--json"] for words in UPKEEP}
    commands["daily --dry-run"] = ["daily", "--dry-run", str(vault), "--json"]
    for kind in EXPORTS:
        commands[f"export {kind.name}"] = ["export", kind.name, "--vault", str(vault), "-o", str(folder / kind.name)]
    for words, command in commands.items():
        run = measure([*llmwiki, *command])
        print(f"{words:28}{run.wall:9.2f}{run.cpu:8.2f}{run.memory:7.0f}{len(run.output.encode()) / 1000:11.1f}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
