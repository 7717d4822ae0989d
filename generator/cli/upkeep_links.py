"""`llmwiki link` and `llmwiki tags`: proposals for links and for the spelling of tags."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generator.cli.arguments import Commands, add_command, whole_number
from generator.cli.reading import reading
from generator.cli.settings import settings
from generator.cli.terminal import bold, dim, place, say, say_json
from generator.cli.upkeep_edits import add_proposal_arguments, say_differences, say_written, write_edits
from generator.wording import counted

if TYPE_CHECKING:
    from generator.upkeep.cross_linker import CrossLinks
    from generator.upkeep.taxonomy import TagConflict


def add_link(commands: Commands) -> None:
    """`link [PAGE]`."""
    parser = add_command(commands, link)
    parser.add_argument(
        "--min-score",
        type=whole_number(1, 20),
        default=3,
        metavar="SCORE",
        help="the least score of a proposal; default: 3",
    )
    add_proposal_arguments(parser, "the links", 20)


def link(
    path: str,
    vault: Path | None,
    min_score: int,
    apply: bool,
    dry_run: bool,
    ids: list[str],
    limit: int,
    as_json: bool,
) -> None:
    """Find places where a page names another without linking to it, and links that lead nowhere."""
    from generator.processes import worker_count
    from generator.query import run
    from generator.upkeep.cross_linker import cross_link, link_edits
    from generator.upkeep.scope import scope_of
    from generator.upkeep.snapshot import take_snapshot

    config = settings(vault)
    root, nearest = config.wiki.vault_path, config.site.nearest_links
    with reading(config) as (store, _, _):
        below = run(store.db, scope_of(path))
        workers = worker_count(config.performance.max_concurrent_indexing)
        program = cross_link(root, path=below, min_score=min_score, nearest=nearest, workers=workers)
        found = run(store.db, program)
        wiki = run(store.db, take_snapshot(nearest=nearest))
    shown = [item for item in found.suggestions if not ids or item.id in ids][: limit or None]
    applied = None
    if apply:
        edits = link_edits(root, wiki, found.suggestions, ids)
        applied = write_edits(config, wiki, edits, "link", f"links on {counted(len(edits), 'page')}")
    if as_json:
        say_json(_link_value(found, limit) | {"changed": list(applied.changed) if applied else []})
    elif applied is not None:
        say_written(applied)
    else:
        _print_links(found, limit)
        say_differences(root, link_edits(root, wiki, shown, ids))


def _link_value(found: CrossLinks, limit: int) -> dict[str, Any]:
    return {
        "missing_links": [asdict(item) for item in found.missing[: limit or None]],
        "suggestions": [asdict(item) for item in found.suggestions[: limit or None]],
        "total": len(found.suggestions),
        "skipped": list(found.skipped),
    }


def _print_links(found: CrossLinks, limit: int) -> None:
    for missing in found.missing[: limit or None]:
        say(f"{place(missing.source, missing.line)}: ", bold(missing.target), ": there is no such page")
    if found.missing:
        say()
    for item in found.suggestions[: limit or None]:
        reasons = dim(f" ({', '.join(item.reasons)}) {item.id}")
        say(f"{place(item.source, item.line)}: {item.score} ", bold(item.text), f" → {item.target}", reasons)
    if found.skipped:
        say(dim(f"Too common to mean their page: {', '.join(found.skipped[:10])}"))
    more = len(found.suggestions) - (limit or len(found.suggestions))
    if more > 0:
        say(dim(f"… and {more:,} more: --limit 0 lists them all"))
    say(f"{counted(len(found.suggestions), 'link')} could be made; {counted(len(found.missing), 'broken link')}.")


def add_tags(commands: Commands) -> None:
    """`tags [PAGE]`."""
    parser = add_command(commands, tags)
    add_proposal_arguments(parser, "the agreed spellings", 50)


def tags(path: str, vault: Path | None, apply: bool, dry_run: bool, ids: list[str], limit: int, as_json: bool) -> None:
    """Compare the tags with the taxonomy in `_meta/taxonomy.md`, and with each other."""
    from generator.query import run
    from generator.upkeep.scope import scope_of
    from generator.upkeep.snapshot import take_snapshot
    from generator.upkeep.taxonomy import conflicts_below, enforce, load_taxonomy, tag_conflicts

    config = settings(vault)
    root = config.wiki.vault_path
    with reading(config) as (store, _, _):
        below = run(store.db, scope_of(path))
        wiki = run(store.db, take_snapshot(nearest=config.site.nearest_links))
    taxonomy = load_taxonomy(root)
    conflicts = conflicts_below(wiki, tag_conflicts(wiki, taxonomy), below)
    edits = enforce(root, wiki, conflicts, ids)
    applied = write_edits(config, wiki, edits, "tags", f"tags on {counted(len(edits), 'page')}") if apply else None
    if as_json:
        say_json(
            {
                "taxonomy": taxonomy.path if taxonomy else "",
                "conflicts": [asdict(conflict) for conflict in conflicts[: limit or None]],
                "total": len(conflicts),
                "changed": list(applied.changed) if applied else [],
            }
        )
    elif applied is not None:
        say_written(applied)
    else:
        for conflict in conflicts[: limit or None]:
            _print_conflict(conflict)
        say(f"{counted(len(conflicts), 'tag')} to look at.", dim("" if taxonomy else " There is no taxonomy."))
        say_differences(root, edits)


def _print_conflict(conflict: TagConflict) -> None:
    pages = f"{', '.join(conflict.pages[:3])}{', …' if len(conflict.pages) > 3 else ''}"
    say(bold(conflict.kind), f": {conflict.message}", dim(f" ({pages}) {conflict.id}"))
