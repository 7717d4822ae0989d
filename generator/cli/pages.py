"""`llmwiki search` and `llmwiki show`: finding a page, and all that is known of one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generator.cli.arguments import Commands, add_command, add_json, add_scope, add_vault_option, as_text, whole_number
from generator.cli.embed import near_in_meaning
from generator.cli.reading import reading
from generator.cli.settings import settings
from generator.cli.terminal import Styled, bold, dim, place, say, say_json, say_pairs

if TYPE_CHECKING:
    import sqlite3

    from generator.model import WikiPage
    from generator.query import PageLink
    from generator.retrieval import Hit, Scope, SearchResult

_SHOWN = 20


def add_search(commands: Commands) -> None:
    """`search QUERY`."""
    parser = add_command(commands, search)
    parser.add_argument(
        "query", metavar="QUERY", help='words, "a phrase", -word, word*, a OR b, tag:x, path:x, title:x'
    )
    add_vault_option(parser)
    parser.add_argument("--limit", type=whole_number(1, 1000), default=10, help="the most hits; default: 10")
    parser.add_argument(
        "--tag", action="append", default=[], help="only pages with this tag or one below it; may be repeated"
    )
    parser.add_argument("--folder", default="", help="only pages in this folder of the vault")
    add_scope(parser)
    parser.add_argument("--expand", action="store_true", help="bring in what the pages found are linked with")
    add_json(parser)


def search(
    query: str, vault: Path | None, limit: int, tag: list[str], folder: str, scope: Scope, expand: bool, as_json: bool
) -> None:
    """Find pages, the best first; without words, the pages updated last."""
    from generator.query import run
    from generator.retrieval import search as find

    config = settings(vault)
    with reading(config) as (store, _, _):
        near, note = near_in_meaning(config, as_text(query))
        asked = find(
            as_text(query), limit=limit, tags=tag, folder=folder, scope=scope, expand=expand,
            decay=config.retrieval.decay, near=near,
        )  # fmt: skip
        result = run(store.db, asked)
    if as_json:
        hits = [_hit_value(hit) for hit in result.hits]
        say_json({"hits": hits, "total": result.total, "relaxed": result.relaxed, "note": note})
    else:
        _print_hits(result)


def _hit_value(hit: Hit) -> dict[str, Any]:
    return {
        name: getattr(hit, name)
        for name in ("path", "title", "score", "snippet", "heading", "tags", "scope", "through")
    }


def _print_hits(result: SearchResult) -> None:
    for hit in result.hits:
        heading = dim(f" › {hit.heading}") if hit.heading and hit.heading != hit.title else ""
        how = "  (raw source)" if hit.scope == "raw" else f"  (through {hit.through})" if hit.through else ""
        say(bold(hit.title), heading, dim(f"  {hit.path}{how}"))
        say("  ", *_marked(hit.snippet, hit.marks))
    if not result.hits:
        say("Nothing was found.")
    elif result.total > len(result.hits):
        say(dim(f"\n{len(result.hits):,} of {result.total:,} pages: --limit shows more"))
    if result.relaxed:
        say(dim("Some of these pages hold only some of the words."))


def _marked(text: str, marks: Sequence[tuple[int, int]]) -> list[str | Styled]:
    """The text with its marked spans in bold."""
    parts: list[str | Styled] = []
    at = 0
    for start, end in marks:
        parts += [text[at:start], bold(text[start:end])]
        at = end
    return [*parts, text[at:]]


def add_show(commands: Commands) -> None:
    """`show PAGE`."""
    parser = add_command(commands, show)
    parser.add_argument("page", metavar="PAGE", help="a path, file name, title, alias or URL")
    add_vault_option(parser)
    add_json(parser)


def show(page: str, vault: Path | None, as_json: bool) -> None:
    """Show what is known of a page: its facts, outline, links and backlinks."""
    from generator.lookup import find_page
    from generator.query import run

    with reading(settings(vault)) as (store, _, _):
        value = _page_value(store.db, run(store.db, find_page(as_text(page))))
    if as_json:
        say_json(value)
    else:
        _print_page(value)


def _page_value(db: sqlite3.Connection, page: WikiPage) -> dict[str, Any]:
    """Everything about a page, as programs read it."""
    from generator.query import backlinks_of, links_of, page_text, run

    links = run(db, links_of(page.id))
    facts = {name: getattr(page, name) for name in ("path", "title", "url", "tags", "aliases")}
    headings = run(db, page_text(page.id)).headings
    return facts | {
        "headings": [{"level": item.level, "text": item.text, "id": item.anchor} for item in headings],
        "links": [_link_value(link) for link in links],
        "broken": [_broken_value(link) for link in links if link.status & {"missing", "subpath"}],
        "ambiguous": [
            {"target": link.target, "line": link.line, "candidates": link.candidates}
            for link in links
            if link.status & {"ambiguous", "tied"}
        ],
        "backlinks": [
            {"path": link.path, "line": link.line, "context": link.context} for link in run(db, backlinks_of(page.id))
        ],
        "lifecycle": page.lifecycle,
        "created": page.created_at,
        "updated": page.updated_at,
        "summary": page.summary,
    }


def _link_value(link: PageLink) -> dict[str, Any]:
    return {name: getattr(link, name) for name in ("target", "subpath", "resolved", "kind", "line", "embed")}


def _broken_value(link: PageLink) -> dict[str, Any]:
    reason = "no such file" if "missing" in link.status else f"no such heading or block in {link.resolved}"
    return {"target": link.target, "subpath": link.subpath, "line": link.line, "reason": reason}


def _print_page(value: dict[str, Any]) -> None:
    say(bold(value["title"]), dim(f"  {value['path']}"))
    if value["summary"]:
        say(value["summary"])
    facts = [
        ("tags", " ".join(f"#{tag}" for tag in value["tags"])),
        ("aliases", ", ".join(value["aliases"])),
        ("lifecycle", value["lifecycle"]),
        ("created", value["created"]),
        ("updated", value["updated"]),
    ]
    say()
    say_pairs([fact for fact in facts if fact[1]])
    _print_list("Outline", ["  " * (item["level"] - 1) + item["text"] for item in value["headings"]])
    _print_list("Links", list(dict.fromkeys(link["resolved"] for link in value["links"] if link["resolved"])))
    _print_list("Broken", [_broken_line(value["path"], link) for link in value["broken"]], "red")
    _print_list("Ambiguous", [_ambiguous_line(value["path"], link) for link in value["ambiguous"]], "yellow")
    _print_list("Backlinks", [f"{place(link['path'], link['line'])}  {link['context']}" for link in value["backlinks"]])


def _print_list(title: str, lines: Sequence[str], style: Any = "bold") -> None:
    if not lines:
        return
    say("\n", Styled(title, style), dim(f" ({len(lines):,})"))
    for line in lines[:_SHOWN]:
        say(f"  {line}")
    if len(lines) > _SHOWN:
        say(dim(f"  … and {len(lines) - _SHOWN:,} more"))


def _broken_line(path: str, link: dict[str, Any]) -> str:
    written = f"{link['target']}#{link['subpath']}" if link["subpath"] else link["target"]
    return f"{place(path, link['line'])}  {written}: {link['reason']}"


def _ambiguous_line(path: str, link: dict[str, Any]) -> str:
    return f"{place(path, link['line'])}  {link['target']}: {', '.join(link['candidates'])}"
