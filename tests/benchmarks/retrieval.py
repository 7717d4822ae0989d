"""How well we find, on query sets that nobody here wrote: recall, MRR and latency beside the figures of others.

    python -m tests.benchmarks.retrieval [--sets hotpot_en …] [--vectors] [--pages 1000] [--questions 100]

The sets are looked for beside the checkout (`../shared/bench/retrieval`); nothing of them is kept. `--vectors` embeds a
sample of each set with the local model, which takes minutes, and asks English questions on the Chinese help vault.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from generator.config import Config, load_config
from generator.query import run
from generator.retrieval import search
from generator.store import connect_read_only
from generator.update import open_and_update

SHARED = Path(__file__).resolve().parents[3] / "shared"
SETS = SHARED / "bench" / "retrieval" / "sets"
CHINESE_HELP = SHARED / "vaults" / "obsidian-help" / "zh"
CROSS_LANGUAGE = Path(__file__).with_name("chinese_help_questions.jsonl")
HEAD = f"{'set':26} {'system':10} {'n':>4} {'R@5':>6} {'R@10':>6} {'MRR':>6} {'p50 ms':>7} {'p99 ms':>7}"


@dataclass(frozen=True)
class QuerySet:
    """A vault and its questions, each with the paths that answer it."""

    name: str
    vault: Path
    questions: tuple[tuple[str, frozenset[str]], ...]


@dataclass(frozen=True)
class System:
    """A way of searching: question → paths of the first ten hits."""

    name: str
    find: Callable[[str], list[str]]


def read_set(name: str, vault: Path, queries: Path) -> QuerySet:
    """A set as it lies on disk."""
    lines = [json.loads(line) for line in queries.read_text("utf-8").splitlines()]
    return QuerySet(name, vault, tuple((line["query"], frozenset(line["relevant"])) for line in lines))


def sample(whole: QuerySet, pages: int, questions: int, folder: Path) -> QuerySet:
    """Some of the questions, the pages that answer them, and others up to the number; always the same ones."""
    chosen = random.Random(11)
    asked = chosen.sample(whole.questions, min(questions, len(whole.questions)))
    kept = set().union(*(relevant for _, relevant in asked))
    others = sorted(path.name for path in whole.vault.glob("*.md") if path.name not in kept)
    kept.update(chosen.sample(others, min(len(others), max(0, pages - len(kept)))))
    vault = folder / whole.name
    vault.mkdir()
    for name in kept:
        shutil.copy(whole.vault / name, vault / name)
    return QuerySet(f"{whole.name} ({len(kept)} pages)", vault, tuple(asked))


def systems(config: Config, vectors: bool) -> Iterator[System]:
    """Words, words and graph, and with vectors all three; the index is brought up to date first."""
    store, _, _ = open_and_update(config)
    store.close()
    db = connect_read_only(config.wiki.index_path)

    def finder(expand: bool, meaning: bool) -> Callable[[str], list[str]]:
        def find(question: str) -> list[str]:
            near: Sequence[tuple[str, float]] = ()
            if meaning:
                from generator.vectors.shelf import nearest

                near = nearest(config, question).pages
            return [hit.path for hit in run(db, search(question, expand=expand, near=near)).hits]

        return find

    yield System("words", finder(False, False))
    yield System("+ graph", finder(True, False))
    if vectors:
        from generator.vectors.shelf import update_vectors

        started = time.perf_counter()
        done = update_vectors(config, db)
        print(f"{done.embedded} pages embedded in {time.perf_counter() - started:.0f} s", flush=True)
        yield System("+ vectors", finder(False, True))
        yield System("+ both", finder(True, True))
    db.close()


def measure(queries: QuerySet, system: System) -> str:
    """One line of the table."""
    for question, _ in queries.questions[:3]:
        system.find(question)
    scores: list[tuple[float, float, float]] = []
    times: list[float] = []
    for question, relevant in queries.questions:
        started = time.perf_counter()
        found = system.find(question)
        times.append(1000 * (time.perf_counter() - started))
        rank = next((at for at, path in enumerate(found, 1) if path in relevant), math.inf)
        scores.append((len(relevant & set(found[:5])), len(relevant & set(found)), len(relevant) / rank))
        scores[-1] = tuple(score / len(relevant) for score in scores[-1])  # type: ignore[assignment]
    five, ten, mrr = (100 * statistics.mean(column) for column in zip(*scores, strict=True))
    times.sort()
    p50, p99 = times[len(times) // 2], times[math.ceil(0.99 * len(times)) - 1]
    return f"{queries.name:26} {system.name:10} {len(times):4} {five:6.1f} {ten:6.1f} {mrr:6.1f} {p50:7.1f} {p99:7.1f}"


def reference(name: str) -> str:
    """The figures of other systems for this set, from the README that comes with the sets."""
    readme = SETS.parent / "README.md"
    rows = [line.strip().strip("|").split("|") for line in readme.read_text("utf-8").splitlines() if line[:1] == "|"]
    head = [re.sub(r"\s+", " ", cell).strip() for cell in rows[0]]
    found = next((row for row in rows if row[0].strip() == name), None)
    if found is None:
        return ""
    return "; ".join(f"{title} {cell.strip()}" for title, cell in list(zip(head, found, strict=True))[3:])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--sets", nargs="+", default=["scifact_en", "cmrc_zh", "xquad_zh", "hotpot_en"])
    parser.add_argument("--vectors", action="store_true")
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--questions", type=int, default=100)
    wanted = parser.parse_args()
    if not SETS.is_dir():
        sys.exit(f"the query sets are not beside the checkout: no {SETS}")
    print(HEAD, flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for set_name in wanted.sets:
            queries = read_set(set_name, SETS / set_name / "vault", SETS / set_name / "queries.jsonl")
            report(queries, folder / f"home-{set_name}", vectors=False)
            print(f"{'':26} reference: {reference(set_name)}", flush=True)
        for set_name in wanted.sets if wanted.vectors else ():
            queries = read_set(set_name, SETS / set_name / "vault", SETS / set_name / "queries.jsonl")
            small = sample(queries, wanted.pages, wanted.questions, folder)
            report(small, folder / f"home-small-{set_name}", vectors=True)
        if wanted.vectors:
            cross = read_set("English on Chinese help", CHINESE_HELP, CROSS_LANGUAGE)
            report(cross, folder / "home-cross", vectors=True)
    return 0


def report(queries: QuerySet, home: Path, *, vectors: bool) -> None:
    """A line for each system on one set."""
    config = load_config(queries.vault, overrides={"site": {"output": home / "site"}}, home=home, env={})
    if vectors:
        config = replace(config, embeddings=replace(config.embeddings, provider="local"))
    for system in systems(config, vectors):
        print(measure(queries, system), flush=True)


if __name__ == "__main__":
    sys.exit(main())
