"""`llmwiki context` and `llmwiki related`: what a model should read for a question, and what lies around a page."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generator.cli.arguments import (
    Commands,
    add_command,
    add_json,
    add_scope,
    add_vault_option,
    as_text,
    whole_number,
)
from generator.cli.embed import near_in_meaning
from generator.cli.reading import reading
from generator.cli.settings import settings
from generator.cli.terminal import bold, dim, say, say_json

if TYPE_CHECKING:
    from generator.context import Context
    from generator.relevance import Related
    from generator.retrieval import Scope


def add_context(commands: Commands) -> None:
    """`context QUESTION`."""
    parser = add_command(commands, context)
    parser.add_argument("question", metavar="QUESTION", help="what is to be answered, in any language")
    add_vault_option(parser)
    parser.add_argument(
        "--max-tokens", type=whole_number(4_096, 1_000_000),
        help="the window to fill, from 4096 to 1000000; default: retrieval.max_tokens",
    )  # fmt: skip
    parser.add_argument(
        "--tag", action="append", default=[], help="only pages with this tag or one below it; may be repeated"
    )
    add_scope(parser)
    add_json(parser)


def context(
    question: str, vault: Path | None, max_tokens: int | None, tag: list[str], scope: Scope, as_json: bool
) -> None:
    """Gather what a model should read to answer a question: whole pages, numbered for citation, within a budget."""
    from generator.context import assemble
    from generator.query import run

    config = settings(vault)
    window = max_tokens or config.retrieval.max_tokens
    with reading(config) as (store, _, _):
        near, note = near_in_meaning(config, as_text(question))
        program = assemble(as_text(question), window, tag, scope, decay=config.retrieval.decay, near=near)
        made = run(store.db, program)
    if as_json:
        say_json(_context_value(made) | {"note": note})
    else:
        say(made.text)


def _context_value(made: Context) -> dict[str, Any]:
    return {
        "question": made.question,
        "text": made.text,
        "pages": [asdict(page) for page in made.pages],
        "citations": {str(page.number): page.path for page in made.pages},
        "tokens": made.tokens,
        "max_tokens": made.max_tokens,
        "budget": asdict(made.budget),
        "relaxed": made.relaxed,
    }


def add_related(commands: Commands) -> None:
    """`related PAGE`."""
    parser = add_command(commands, related)
    parser.add_argument("page", metavar="PAGE", help="a path, file name, title, alias or URL")
    add_vault_option(parser)
    parser.add_argument("--limit", type=whole_number(1, 1000), default=10, help="the most pages; default: 10")
    add_json(parser)


def related(page: str, vault: Path | None, limit: int, as_json: bool) -> None:
    """List the pages that have most to do with a page, and why."""
    from generator.lookup import find_page
    from generator.query import run
    from generator.relevance import related as find_related

    with reading(settings(vault)) as (store, _, _):
        found = run(store.db, find_page(as_text(page)))
        pages = run(store.db, find_related(found.id, limit))
    if as_json:
        say_json({"path": found.path, "related": [_related_value(each) for each in pages]})
        return
    for each in pages:
        say(bold(each.title), dim(f"  {each.path}"))
        say(f"  {each.score:.2f}  ", dim(_reasons(each)))
    if not pages:
        say("No page has anything to do with it: nothing is linked, and no source is shared.")


def _related_value(page: Related) -> dict[str, Any]:
    value = asdict(page) | {"score": round(page.score, 4)}
    del value["id"]
    return value


def _reasons(page: Related) -> str:
    reasons = ["linked"] if page.linked else []
    if page.shared_sources:
        reasons.append(f"made from {', '.join(page.shared_sources[:3])} too")
    if page.common:
        more = f" and {len(page.common) - 3} more" if len(page.common) > 3 else ""
        reasons.append(f"both linked with {', '.join(page.common[:3])}{more}")
    if page.same_category:
        reasons.append("of the same category")
    return "; ".join(reasons)
