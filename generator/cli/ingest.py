"""`llmwiki ingest`: the queue of sources that wait to be read."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generator.cli.arguments import Commands, add_command, add_json, add_vault_option, as_text
from generator.cli.failure import WrongUse
from generator.cli.reading import reading
from generator.cli.settings import settings
from generator.cli.terminal import bold, dim, progress_bar, say, say_findings, say_json
from generator.errors import WikiError
from generator.sources.errors import SourceRefused  # with its siblings: every error code is known from here on
from generator.wording import counted

if TYPE_CHECKING:
    from generator.config import Config
    from generator.sources.manifest import Source
    from generator.sources.queue import Taken

ACTIONS = ("status", "scan", "next", "done", "fail", "again")
_NAMED = 20


def add_ingest(commands: Commands) -> None:
    """`ingest ACTION [KEY]`."""
    parser = add_command(commands, ingest)
    parser.add_argument(
        "action", choices=ACTIONS, metavar="ACTION",
        help="status: the queue; scan: compare files with it; next: take a source; done, fail: how that went; again: "
        "queue what is done once more",
    )  # fmt: skip
    parser.add_argument(
        "key", nargs="?", default="", metavar="KEY", help="the source; without, `next` takes the oldest, `again` all"
    )
    add_vault_option(parser)
    parser.add_argument("--apply", action="store_true", help="scan, again: put it into the queue")
    parser.add_argument("--page", action="append", default=[], dest="pages", metavar="PAGE",
                        help="done: a page that was written from the source; may be repeated")  # fmt: skip
    parser.add_argument("--fallback-summary", action="store_true",
                        help="done: write a summary page from the source's beginning if there is none")  # fmt: skip
    parser.add_argument("--why", default="", metavar="TEXT", help="fail: what went wrong")
    parser.add_argument("--tool", default="", metavar="NAME", help="scan: the AI tool that new sources are filed under")
    add_json(parser)


def ingest(
    action: str,
    key: str,
    vault: Path | None,
    apply: bool,
    pages: list[str],
    fallback_summary: bool,
    why: str,
    tool: str,
    as_json: bool,
) -> None:
    """Work through the sources that wait: take the oldest, write pages from it, say that it is done."""
    _check_use(action, key, pages=bool(pages) or fallback_summary, why=why, apply=apply, tool=bool(tool))
    config, key = settings(vault), as_text(key)
    if action == "scan":
        _scan(config, apply, as_text(tool), as_json)
    elif action == "next":
        _next(config, key, as_json)
    elif action == "done":
        _done(config, key, [*map(as_text, pages)], fallback_summary, as_json)
    elif action == "fail":
        _fail(config, key, as_text(why), as_json)
    elif action == "again":
        _again(config, key, apply, as_json)
    else:
        _status(config, as_json)


def _check_use(action: str, key: str, *, pages: bool, why: str, apply: bool, tool: bool) -> None:
    if action in ("done", "fail") and not key:
        raise WrongUse(f"`ingest {action}` needs the key of the source", hint="`llmwiki ingest status` shows the keys")
    if key and action in ("status", "scan"):
        raise WrongUse(f"`ingest {action}` takes no key")
    if (action == "fail") != bool(why):
        raise WrongUse("`ingest fail` needs --why" if action == "fail" else "--why belongs to `ingest fail`")
    if pages and action != "done":
        raise WrongUse("--page and --fallback-summary belong to `ingest done`")
    if apply and action not in ("scan", "again"):
        raise WrongUse("--apply belongs to `ingest scan` and `ingest again`")
    if tool and action != "scan":
        raise WrongUse("--tool belongs to `ingest scan`")


def _status(config: Config, as_json: bool) -> None:
    from generator.sources.queue import counts, queue_as_it_is

    manifest = queue_as_it_is(config.wiki.vault_path, datetime.now(UTC))
    order = ("processing", "failed", "pending")
    waiting = sorted(
        ((key, source) for key, source in manifest.sources.items() if source.state != "done"),
        key=lambda item: (order.index(item[1].state), item[1].added_at, item[0]),
    )
    if as_json:
        say_json({"counts": counts(manifest), "sources": [_facts(key, source) for key, source in waiting]})
        return
    for key, source in waiting[:_NAMED]:
        detail = f"until {source.lease_until}" if source.state == "processing" else source.error
        say(f"{source.state}  ", bold(key), dim(f"  {detail}" if detail else ""))
    if len(waiting) > _NAMED:
        say(dim(f"… and {len(waiting) - _NAMED:,} more: --json lists them all"))
    say(", ".join(f"{count:,} {state}" for state, count in counts(manifest).items()) + ".")


def _scan(config: Config, apply: bool, tool: str, as_json: bool) -> None:
    from generator.raw import extracted_path, raw_files
    from generator.sources.extract import extract_all
    from generator.sources.manifest import change, load
    from generator.sources.scan import queue_found, scan_sources
    from generator.vault import detect_layout, scan

    wiki, now = config.wiki, datetime.now(UTC)
    whole = scan(wiki.vault_path, exclude=wiki.exclude, output=config.site.output, index=wiki.index_path)
    files = raw_files(wiki.vault_path, whole, detect_layout(wiki.vault_path))
    found = scan_sources(wiki.vault_path, files, load(wiki.vault_path))
    problems = found.problems
    if apply:
        change(wiki.vault_path, lambda manifest: (queue_found(manifest, found, now, tool), None))
        with progress_bar() as progress:
            problems += extract_all(
                wiki.vault_path, found.files, extracted_path(wiki.index_path, "").parent, progress=progress
            )
    queued = [*found.new, *found.changed] if apply else []
    if as_json:
        value = {name: list(getattr(found, name)) for name in ("new", "changed", "unchanged", "missing")}
        say_json(value | {"problems": [asdict(problem) for problem in problems], "queued": queued})
        return
    for name in ("new", "changed", "missing"):
        for key in getattr(found, name)[:_NAMED]:
            say(f"{name}  ", bold(key))
    say_findings(problems)
    numbers = f"{len(found.new):,} new, {len(found.changed):,} changed, {len(found.missing):,} missing"
    say(f"{numbers}, {len(found.unchanged):,} unchanged.", dim(_hint(apply, len(found.new) + len(found.changed))))


def _hint(applied: bool, due: int) -> str:
    if applied or not due:
        return f" {counted(due, 'source')} queued." if due else ""
    return " --apply puts what is new or changed into the queue."


def _next(config: Config, key: str, as_json: bool) -> None:
    from generator.sources.queue import next_source

    taken = next_source(config.wiki.vault_path, datetime.now(UTC), key)
    if taken is None:
        if as_json:
            say_json({"source": None})
        else:
            say("Nothing waits.")
        return
    text, problem = _text_file(config, taken)
    if as_json:
        say_json({"source": _facts(taken.key, taken.source) | {"path": taken.path, "text": text, "problem": problem}})
        return
    say(bold(taken.key), f"  until {taken.source.lease_until}")
    if text:
        say(dim("text  "), text)
    if problem:
        say(dim("no text  "), problem)
    say(dim(f"then: llmwiki ingest done {taken.key!r} --page PAGE, or llmwiki ingest fail {taken.key!r} --why TEXT"))


def _text_file(config: Config, taken: Taken) -> tuple[str, str]:
    """The file that holds the source's text, and why there is none."""
    if not taken.path:
        return "", ""
    from generator.raw import extracted_path
    from generator.sources.extract import is_plain, text_of
    from generator.vault import safe_path

    file = safe_path(config.wiki.vault_path, taken.path)
    if is_plain(taken.path):
        return str(file), ""
    place = extracted_path(config.wiki.index_path, taken.source.sha256)
    try:
        text_of(file, place.parent, digest=taken.source.sha256)
    except (WikiError, OSError) as error:
        return "", error.message if isinstance(error, WikiError) else str(error)
    return str(place), ""


def _done(config: Config, key: str, pages: list[str], fallback: bool, as_json: bool) -> None:
    from generator.query import run
    from generator.raw import extracted_path, raw_files
    from generator.sources.extract import text_of
    from generator.sources.ingest import finish_ingest
    from generator.sources.keys import key_of
    from generator.sources.scan import file_of
    from generator.upkeep.snapshot import take_snapshot
    from generator.vault import detect_layout

    root = config.wiki.vault_path
    layout = detect_layout(root)
    with reading(config) as (store, scan, _):
        wiki = run(store.db, take_snapshot(nearest=config.site.nearest_links))
        raw_keys = [key_of(file.path) for file in raw_files(root, scan, layout)]

    def text() -> str:
        file = file_of(root, key)
        if file is None:
            raise SourceRefused("there is no file to take a summary from", path=key, hint="write the page yourself")
        return text_of(file, extracted_path(config.wiki.index_path, "").parent)

    done = finish_ingest(
        root, layout, wiki, key, pages, datetime.now(UTC),
        raw_keys=raw_keys, text=text if fallback else None, language=config.site.language,
    )  # fmt: skip
    if as_json:
        say_json({"source": _facts(key, done.source), "fallback": done.fallback, "problem": done.problem})
        return
    say(bold(key), f" is done: {', '.join(done.source.pages)}")
    if done.fallback:
        say(dim(f"{done.fallback} was written from its beginning: an agent should write it anew."))
    if done.problem:
        say(dim(done.problem))


def _fail(config: Config, key: str, why: str, as_json: bool) -> None:
    from generator.sources.queue import MOST_ATTEMPTS, fail_source

    source = fail_source(config.wiki.vault_path, key, why)
    if as_json:
        say_json({"source": _facts(key, source)})
        return
    again = "it waits again" if source.state == "pending" else "it has failed for good"
    say(bold(key), f": attempt {source.attempts} of {MOST_ATTEMPTS} failed; {again}.")


def _again(config: Config, key: str, apply: bool, as_json: bool) -> None:
    from generator.sources.queue import queue_again

    due = queue_again(config.wiki.vault_path, datetime.now(UTC), key, apply=apply)
    if as_json:
        say_json({"again": due, "queued": due if apply else []})
        return
    for name in due[:_NAMED]:
        say("again  ", bold(name))
    if len(due) > _NAMED:
        say(dim(f"… and {len(due) - _NAMED:,} more: --json lists them all"))
    waits = "queued" if apply else "would be queued"
    say(f"{counted(len(due), 'source')} {waits} again.", dim("" if apply or not due else " --apply does it."))


def _facts(key: str, source: Source) -> dict[str, Any]:
    from generator.sources.manifest import facts_of

    return {"key": key} | facts_of(source)
