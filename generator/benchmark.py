"""How fast the wiki answers and is indexed, and how much memory that takes; and whether that is within its targets."""

from __future__ import annotations

import re
import sqlite3
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from generator.config import Config
from generator.packed import unpacked
from generator.query import run
from generator.retrieval import search

Verdict = Literal["good", "near", "beyond"]
HITS = 10
_FEW = 1000  # notes: so many take some seconds
_SAMPLE = 300  # pages whose words the default queries are chosen from
_WORD = re.compile(r"[a-zA-Z]{4,20}")
_HAN = re.compile(r"[\u4e00-\u9fff]{2,4}")


@dataclass(frozen=True, slots=True)
class Target:
    """The most that a figure should be: `most` must hold everywhere, `ours` is what a quiet machine keeps to."""

    most: float
    ours: float

    def verdict(self, figure: float) -> Verdict:
        """`good` within ours, `near` within the most, else `beyond`."""
        return "beyond" if figure > self.most else "near" if figure > self.ours else "good"


TARGETS = {
    "query_p99_ms": Target(100, 40),
    "fts_search_p99_ms": Target(200, 80),
    "index_avg_ms_per_page": Target(10, 6),
    "memory_mb": Target(500, 250),
}


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked, and why it is among the queries."""

    text: str
    why: str


@dataclass(frozen=True, slots=True)
class Timing:
    """One query, asked `iterations` times; `qps` is how many of it one after the other fit into a second."""

    query: str
    why: str
    hits: int
    iterations: int
    avg_ms: float
    p50_ms: float
    p99_ms: float
    min_ms: float
    max_ms: float
    qps: float


@dataclass(frozen=True, slots=True)
class Indexing:
    """The whole vault, read into a new index."""

    page_count: int
    total_ms: float
    avg_ms_per_page: float


def chosen_queries(db: sqlite3.Connection) -> list[Query]:
    """Queries that this wiki can answer, of each kind that costs something else; the same for the same index."""
    rows = db.execute(
        "SELECT p.title, c.content FROM wiki_pages p JOIN wiki_content c USING (id) WHERE NOT p.special"
        " ORDER BY (SELECT count(*) FROM wiki_links l WHERE l.target = p.id) DESC, p.path LIMIT ?",
        (_SAMPLE,),
    ).fetchall()
    pages = [(str(title), unpacked(content)) for title, content in rows]
    words, han = _pages_by_word(_WORD, pages), _pages_by_word(_HAN, pages)
    tag = db.execute("SELECT tag FROM wiki_tags ORDER BY count DESC, tag LIMIT 1").fetchone()
    queries = [Query(pages[0][0], "a name")] if pages else []
    queries += _of_words(words)
    queries += [Query(han[0], "Chinese")] if han else []
    queries += [Query(f"tag:{tag[0]}", "a tag")] if tag else []
    return [*queries, Query("", "the newest"), Query("qxzvkwj", "nothing to find")]


def _of_words(words: Sequence[str]) -> list[Query]:
    if not words:
        return []
    common, middle, rare = words[0], words[len(words) // 2], words[-1]
    return [
        Query(common, "a common word"),
        Query(rare, "a rare word"),
        Query(f"{common} {middle}", "two words"),
        Query(f"{middle} OR {rare}", "one of two"),
        Query(f"{middle[:3]}*", "a beginning"),
    ]


def _pages_by_word(pattern: re.Pattern[str], pages: Sequence[tuple[str, str]]) -> list[str]:
    """The words that match, on most pages first."""
    counts: Counter[str] = Counter()
    for _, text in pages:
        counts.update({word.casefold() for word in pattern.findall(text)})
    return sorted(counts, key=lambda word: (-counts[word], word))


def time_query(db: sqlite3.Connection, query: Query, iterations: int, *, full: bool = False) -> Timing:
    """Ask again and again, after once that does not count. `full`: raw sources and linked pages too."""

    def ask() -> int:
        program = search(query.text, limit=HITS, scope="all" if full else "wiki", expand=full)
        return run(db, program).total

    hits = ask()
    spent = sorted(_milliseconds(ask) for _ in range(iterations))
    p99 = statistics.quantiles(spent, n=100, method="inclusive")[98] if iterations > 1 else spent[0]
    return Timing(
        query=query.text, why=query.why, hits=hits, iterations=iterations,
        avg_ms=statistics.mean(spent), p50_ms=statistics.median(spent), p99_ms=p99,
        min_ms=spent[0], max_ms=spent[-1], qps=1000 * iterations / max(sum(spent), 1e-6),
    )  # fmt: skip


def time_indexing(config: Config, folder: Path, progress: Callable[[str, int, int], None] | None = None) -> Indexing:
    """Read the vault into a new index in `folder`, which is empty; the wiki's own is not touched. Raises OSError.

    A small vault is read twice, and the second time counts: else the loading of the parser would be measured.
    """
    first = _index_anew(config, folder / "first.db", progress)
    return _index_anew(config, folder / "second.db", progress) if first.page_count < _FEW else first


def _index_anew(config: Config, index: Path, progress: Callable[[str, int, int], None] | None) -> Indexing:
    from generator.update import open_and_update

    own = replace(config, wiki=replace(config.wiki, index_path=index))
    start = time.perf_counter()
    store, report, _ = open_and_update(own, progress=progress)
    spent = (time.perf_counter() - start) * 1000
    store.close()
    return Indexing(report.parsed, spent, spent / max(report.parsed, 1))


def memory_mb() -> float | None:
    """The most memory that this process and its largest worker have held; None where the system does not tell."""
    if sys.platform == "win32":
        return None
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    most = sum(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return most * unit / 1_000_000


def _milliseconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1000
