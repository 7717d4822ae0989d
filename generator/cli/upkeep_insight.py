"""`llmwiki synthesize` and `llmwiki memory`: what the wiki knows that no single page says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generator.cli.arguments import Commands, add_command, add_json, add_vault_option, whole_number
from generator.cli.reading import reading
from generator.cli.settings import settings
from generator.cli.terminal import bold, dim, say, say_json, say_table
from generator.cli.upkeep_edits import add_limit
from generator.wording import counted

if TYPE_CHECKING:
    from generator.upkeep.memory import Comparison, Memory, MemoryEntry
    from generator.upkeep.synthesis import SynthesisProposal


def add_synthesize(commands: Commands) -> None:
    """`synthesize [CONCEPT ...]`."""
    parser = add_command(commands, synthesize)
    parser.add_argument("concepts", nargs="*", metavar="CONCEPT", help="pages by any of their names; default: all")
    add_vault_option(parser)
    parser.add_argument(
        "--threshold", type=whole_number(1, 1000), default=3, help="the least number of joining pages; default: 3"
    )
    add_limit(parser, 5)
    add_json(parser)


def synthesize(concepts: list[str], vault: Path | None, threshold: int, limit: int, as_json: bool) -> None:
    """Find pages that are linked together again and again, and that no synthesis joins yet."""
    from generator.query import run
    from generator.upkeep.synthesis import synthesize as find

    config = settings(vault)
    site = config.site
    with reading(config) as (store, _, _):
        program = find(concepts, threshold=threshold, limit=limit, nearest=site.nearest_links, language=site.language)
        found = run(store.db, program)
    if as_json:
        value = {"synthesis": [asdict(item) for item in found.proposals], "others": [*map(list, found.others)]}
        say_json(value | {"total": found.total})
        return
    for proposal in found.proposals:
        _print_proposal(proposal)
    if found.others:
        say("Next: ", dim(", ".join(" + ".join(pair) for pair in found.others)))
    say(f"{counted(found.total, 'pair')} of pages could be joined.")


def _print_proposal(proposal: SynthesisProposal) -> None:
    one, other = proposal.titles
    say(bold(f"{one} + {other}"), f"  score {proposal.score}", dim(f" ({', '.join(proposal.reasons)})"))
    for item in proposal.evidence:
        say(f"  {item.path}", dim(f": {item.sentences[0]}" if item.sentences else ""))
    say()


def add_memory(commands: Commands) -> None:
    """`memory [TOOL]`."""
    parser = add_command(commands, memory)
    parser.add_argument("tool", nargs="?", default="", metavar="TOOL", help="the tool; default: list the tools")
    add_vault_option(parser)
    parser.add_argument("--other", default="", metavar="TOOL", help="compare with this tool")
    parser.add_argument("--dates", default="", metavar="FROM:TO", help="last updated within these days")
    parser.add_argument("--topic", default="", help="with this word in title, tags or summary")
    add_limit(parser, 20)
    add_json(parser)


def memory(tool: str, vault: Path | None, other: str, dates: str, topic: str, limit: int, as_json: bool) -> None:
    """Show which AI tool the pages' knowledge came from, and what each tool knows."""
    from datetime import date

    from generator.query import run
    from generator.upkeep.memory import compare_memories
    from generator.upkeep.memory import memory as find
    from generator.upkeep.origins import source_tools

    config = settings(vault)
    tools = source_tools(config.wiki.vault_path)
    with reading(config) as (store, _, _):
        if tool and other:
            compared = run(store.db, compare_memories(tools, date.today(), tool, other, date_range=dates, topic=topic))
            _say_comparison(compared, limit, as_json)
            return
        program = find(tools, date.today(), tool_name=tool, date_range=dates, topic=topic, limit=limit or 100_000)
        found = run(store.db, program)
    if as_json:
        say_json(asdict(found))
    else:
        _print_memory(found)


def _print_memory(found: Memory) -> None:
    if found.tool_name:
        _print_entries(found.entries)
        say(f"{counted(found.total, 'page')} from {found.tool_name}.")
    else:
        say_table(("tool", "pages"), [(tool, f"{count:,}") for tool, count in found.tools.items()])
    if found.note:
        say(dim(found.note))


def _print_entries(entries: Sequence[MemoryEntry]) -> None:
    for entry in entries:
        say(f"{entry.updated_at[:10]}  {entry.relevance_score:.2f}  ", bold(entry.title), dim(f"  {entry.path}"))


def _say_comparison(compared: Comparison, limit: int, as_json: bool) -> None:
    groups: list[tuple[str, Sequence[MemoryEntry]]] = [
        *((f"only {tool}", entries) for tool, entries in compared.only_in.items()),
        ("both", compared.shared),
    ]
    if as_json:
        value: dict[str, Any] = asdict(compared)
        value["only_in"] = {tool: entries[: limit or None] for tool, entries in value["only_in"].items()}
        say_json(value | {"shared": value["shared"][: limit or None]})
        return
    for title, entries in groups:
        say(bold(title), f" ({len(entries):,})")
        _print_entries(entries[: limit or None])
