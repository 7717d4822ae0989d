"""`llmwiki bench`: how fast this wiki is on this machine, beside what it should be."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generator.cli.arguments import Commands, add_command, add_json, add_vault_option, as_text, whole_number
from generator.cli.reading import reading
from generator.cli.settings import settings
from generator.cli.terminal import Style, Styled, progress_bar, say, say_json, say_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from generator.benchmark import Indexing, Timing
    from generator.config import Config

_STYLES: dict[str, Style] = {"good": "green", "near": "yellow", "beyond": "red"}


def add_bench(commands: Commands) -> None:
    """`bench [QUERY]…`."""
    parser = add_command(commands, bench)
    parser.add_argument("queries", nargs="*", metavar="QUERY", help="what to ask; default: chosen from the wiki")
    add_vault_option(parser)
    parser.add_argument(
        "--iterations", type=whole_number(1, 100_000), default=100, help="how often each is asked; default: 100"
    )
    parser.add_argument("--no-indexing", action="store_true", help="leave out the indexing, which reads every note")
    add_json(parser)


def bench(queries: list[str], vault: Path | None, iterations: int, no_indexing: bool, as_json: bool) -> int:
    """Measure search, indexing and memory on this wiki. Exits with 1 if a figure is beyond its target."""
    from generator.benchmark import Query, chosen_queries, memory_mb, time_query

    config = settings(vault)
    with reading(config) as (store, _, _):
        asked = [Query(as_text(text), "given") for text in queries] or chosen_queries(store.db)
        timings = [time_query(store.db, query, iterations) for query in asked]
        full = [time_query(store.db, query, iterations, full=True) for query in asked]
    indexing = None if no_indexing else _index(config)
    figures = {
        "query_p99_ms": max(timing.p99_ms for timing in timings),
        "fts_search_p99_ms": max(timing.p99_ms for timing in full),
        "index_avg_ms_per_page": indexing.avg_ms_per_page if indexing else None,
        "memory_mb": memory_mb(),
    }
    verdicts = [_verdict(name, figure) for name, figure in figures.items() if figure is not None]
    if as_json:
        value: dict[str, Any] = {"queries": [*map(_rounded, timings)], "full": [*map(_rounded, full)]}
        value |= {"indexing": _rounded(indexing) if indexing else None, "memory_mb": _round(figures["memory_mb"])}
        say_json(value | {"targets": verdicts, "ok": all(each["verdict"] != "beyond" for each in verdicts)})
    else:
        _print(timings, full, indexing)
        _print_verdicts(verdicts)
    return int(any(each["verdict"] == "beyond" for each in verdicts))


def _index(config: Config) -> Indexing:
    from tempfile import TemporaryDirectory

    from generator.benchmark import time_indexing

    with TemporaryDirectory(prefix="llmwiki-bench-") as folder, progress_bar() as progress:
        return time_indexing(config, Path(folder), progress)


def _verdict(name: str, figure: float) -> dict[str, Any]:
    from generator.benchmark import TARGETS

    target = TARGETS[name]
    return {
        "name": name,
        "figure": _round(figure),
        "target": target.most,
        "ours": target.ours,
        "verdict": target.verdict(figure),
    }


def _rounded(value: Timing | Indexing) -> dict[str, Any]:
    return {name: _round(each) if isinstance(each, float) else each for name, each in asdict(value).items()}


def _round(figure: float | None) -> float | None:
    return None if figure is None else round(figure, 3)


def _print(timings: Sequence[Timing], full: Sequence[Timing], indexing: Indexing | None) -> None:
    rows = [
        (pages.query or '""', pages.why, f"{pages.hits:,}", f"{pages.p50_ms:.2f}", f"{pages.p99_ms:.2f}",
         f"{pages.qps:,.0f}", f"{whole.p99_ms:.2f}")
        for pages, whole in zip(timings, full, strict=True)
    ]  # fmt: skip
    say_table(("query", "kind", "hits", "P50 ms", "P99 ms", "a second", "full P99 ms"), rows)
    if indexing:
        say(f"\n{indexing.page_count:,} notes indexed in {indexing.total_ms / 1000:.2f} s")
    say()


def _print_verdicts(verdicts: Sequence[dict[str, Any]]) -> None:
    for each in verdicts:
        say(
            Styled(each["verdict"].ljust(6), _STYLES[each["verdict"]]),
            f"  {each['name']} {each['figure']:.1f}, target {each['target']}, ours {each['ours']}",
        )
    for each in verdicts:
        if each["verdict"] == "beyond":
            warning = f": {each['name']} ({each['figure']:.1f}) exceeds the target ({each['target']})"
            say(Styled("warning", "yellow"), warning, to_stderr=True)
