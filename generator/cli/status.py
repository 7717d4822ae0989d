"""`llmwiki status`: the wiki in numbers, what is amiss, what to do next."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generator.cli.arguments import Commands, add_command, add_json, add_vault_option
from generator.cli.reading import reading
from generator.cli.settings import settings
from generator.cli.terminal import bold, dim, say, say_findings, say_json, say_pairs, say_table
from generator.wording import counted

if TYPE_CHECKING:
    from generator.sources.manifest import Manifest
    from generator.upkeep.status import Status
    from generator.vault import Scan

_MOST_CATEGORIES = 12


def add_status(commands: Commands) -> None:
    """`status`."""
    parser = add_command(commands, status)
    add_vault_option(parser)
    add_json(parser)


def status(vault: Path | None, as_json: bool) -> None:
    """Show the wiki in numbers, what is amiss and what to do next."""
    from datetime import UTC, date, datetime

    from generator.query import run
    from generator.sources.queue import queue_as_it_is
    from generator.update import vault_findings
    from generator.upkeep.status import wiki_status

    config = settings(vault)
    manifest = queue_as_it_is(config.wiki.vault_path, datetime.now(UTC))
    states = {key: source.state for key, source in manifest.sources.items()}
    with reading(config) as (store, scan, dirty):
        findings = vault_findings(store, scan)
        state = run(store.db, wiki_status(date.today(), findings, states))
        size = store.path.stat().st_size
    value = (
        {"vault": str(config.wiki.vault_path)}
        | _value(state)
        | _sources(config.wiki.vault_path, scan, manifest)
        | {
            "dirty": dirty,
            "problems": [asdict(finding) for finding in findings],
            "index": {
                "path": str(config.wiki.index_path),
                "bytes": size,
                "version": state.index_version,
                "data_version": state.data_version,
            },
        }
    )
    if as_json:
        say_json(value)
        return
    _print(value)
    if findings:
        say()
        say_findings(findings)
    _print_steps(state)


def _value(state: Status) -> dict[str, Any]:
    """The numbers as programs read them."""
    steps = [asdict(step) for step in state.next_steps]
    return asdict(state.counts) | {
        "disputed": state.disputed,
        "last_indexed": state.last_indexed,
        "next_steps": steps,
    }


def _sources(vault: Path, scan: Scan, manifest: Manifest) -> dict[str, dict[str, int]]:
    """How many files of sources differ from the manifest, and how many sources are in each state."""
    from generator.raw import raw_files
    from generator.sources.queue import counts
    from generator.sources.scan import scan_sources
    from generator.vault import detect_layout

    found = scan_sources(vault, raw_files(vault, scan, detect_layout(vault)), manifest)
    files = {name: len(getattr(found, name)) for name in ("new", "changed", "unchanged", "missing")}
    return {"sources": files, "queue": {str(state): count for state, count in counts(manifest).items()}}


def _print(value: dict[str, Any]) -> None:
    index = value["index"]
    say_pairs(
        [
            ("pages", f"{value['pages']:,}{_parts(value['by_lifecycle'])}"),
            ("tags", f"{value['tags']:,}"),
            ("links", f"{value['links']:,}"),
            ("  broken", f"{value['broken']:,}"),
            ("  heading missing", f"{value['missing_subpaths']:,}"),
            ("  ambiguous", f"{value['ambiguous']:,}"),
            ("orphans", f"{value['orphans']:,}"),
            ("stale", f"{value['stale']:,}"),
            ("disputed", f"{value['disputed']:,}"),
            *((name, _listed(value[name])) for name in ("sources", "queue") if any(value[name].values())),
            (
                "last indexed",
                value["last_indexed"] + (f", {counted(value['dirty'], 'file')} behind" if value["dirty"] else ""),
            ),
            ("index", f"{index['bytes'] / 1_000_000:.1f} MB, version {index['version']}, {index['path']}"),
        ]
    )
    categories = sorted(value["by_category"].items(), key=lambda item: (-item[1], item[0]))
    if len(categories) > 1:
        say()
        say_table(("category", "pages"), [(name or "–", f"{count:,}") for name, count in categories[:_MOST_CATEGORIES]])
        if len(categories) > _MOST_CATEGORIES:
            say(dim(f"… and {len(categories) - _MOST_CATEGORIES} more"))


def _parts(counts: dict[str, int]) -> str:
    return f" ({_listed(counts)})" if counts else ""


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counts.items())


def _print_steps(state: Status) -> None:
    if not state.next_steps:
        return
    say("\n", bold("Next"))
    for number, step in enumerate(state.next_steps, 1):
        more = ", …" if step.count > len(step.examples) else ""
        where = f": {', '.join(step.examples)}{more}" if step.examples else ""
        say(f"{number}. {step.action}", dim(f" ({step.count:,}){where}" if step.examples else ""))
