"""`llmwiki bench`: what it measures and says; never how fast this machine is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from project import Project

from generator import benchmark
from generator.benchmark import TARGETS, Query, Target, chosen_queries, time_indexing, time_query

PAGES = {
    "Tea.md": "# Tea\n\nGreen tea wants water. #drinks\n",
    "Water.md": "# Water\n\nWater for tea: [[Tea]]. 屯田制度。 #drinks\n",
    "Kettle.md": "# Kettle\n\nIt heats water for [[Tea]].\n",
}


@pytest.fixture
def wiki(project: Project) -> Project:
    project.write(PAGES)
    project.update()
    return project


def bench(project: Project, *arguments: str) -> tuple[int, dict[str, Any], str]:
    done = project.cli("bench", *arguments, "--iterations", "3", "--vault", str(project.vault), "--json")
    return done.code, json.loads(done.out), done.err


def test_the_design_documents_targets() -> None:
    assert {name: target.most for name, target in TARGETS.items()} == {
        "query_p99_ms": 100, "fts_search_p99_ms": 200, "index_avg_ms_per_page": 10, "memory_mb": 500,
    }  # fmt: skip
    assert all(target.ours < target.most for target in TARGETS.values())


def test_the_chosen_queries_find_what_they_are_for(wiki: Project) -> None:
    with wiki.index() as db:
        queries = {query.why: query.text for query in chosen_queries(db)}
        assert queries["a name"] == "Tea"
        assert (queries["a common word"], queries["a tag"], queries["Chinese"]) == ("water", "tag:drinks", "屯田制度")
        hits = {why: time_query(db, Query(text, why), 1).hits for why, text in queries.items()}
        assert chosen_queries(db) == chosen_queries(db)
    assert [why for why, count in hits.items() if not count] == ["nothing to find"]


def test_an_empty_wiki_has_queries_too(project: Project) -> None:
    code, value, _ = bench(project, "--no-indexing")
    assert [each["why"] for each in value["queries"]] == ["the newest", "nothing to find"]
    assert code in (0, 1)


def test_figures_belong_together(wiki: Project) -> None:
    with wiki.index() as db:
        timing = time_query(db, Query("water", "given"), 20)
    assert timing.hits == 3
    assert 0 < timing.min_ms <= timing.p50_ms <= timing.p99_ms <= timing.max_ms
    assert timing.qps == pytest.approx(1000 / timing.avg_ms)


def test_the_percentiles(monkeypatch: pytest.MonkeyPatch, wiki: Project) -> None:
    """One call in a hundred takes 50 ms, the others 1 to 99 µs."""
    spent = iter([*(number / 1000 for number in range(1, 100)), 50.0])
    monkeypatch.setattr(benchmark, "_milliseconds", lambda call: next(spent))
    with wiki.index() as db:
        timing = time_query(db, Query("tea", "given"), 100)
    assert timing.p50_ms == pytest.approx(0.0505)
    assert 0.099 <= timing.p99_ms < 1
    assert timing.max_ms == 50
    assert timing.qps == pytest.approx(100_000 / (50 + sum(range(1, 100)) / 1000))


def test_the_indexing_leaves_the_index_alone(wiki: Project, tmp_path: Path) -> None:
    index = wiki.config().wiki.index_path
    before = index.read_bytes()
    place = tmp_path / "place"
    place.mkdir()
    done = time_indexing(wiki.config(), place)
    assert done.page_count == len(PAGES)
    assert done.avg_ms_per_page == pytest.approx(done.total_ms / 3)
    assert index.read_bytes() == before


def test_given_queries_and_what_is_left_out(wiki: Project) -> None:
    _, value, _ = bench(wiki, "tea", "water", "--no-indexing")
    assert [each["query"] for each in value["queries"]] == ["tea", "water"] == [each["query"] for each in value["full"]]
    assert value["indexing"] is None
    assert "index_avg_ms_per_page" not in {each["name"] for each in value["targets"]}
    assert all(each["iterations"] == 3 for each in value["queries"])


@pytest.mark.parametrize(("most", "ours", "verdict"), [(1e9, 1e8, "good"), (1e9, 1e-9, "near"), (1e-8, 1e-9, "beyond")])
def test_verdicts_and_exit_codes(
    wiki: Project, monkeypatch: pytest.MonkeyPatch, most: float, ours: float, verdict: str
) -> None:
    monkeypatch.setattr(benchmark, "TARGETS", dict.fromkeys(TARGETS, Target(most, ours)))
    code, value, _ = bench(wiki)
    assert {each["verdict"] for each in value["targets"]} == {verdict}
    assert (code, value["ok"]) == ((1, False) if verdict == "beyond" else (0, True))
    done = wiki.cli("bench", "tea", "--iterations", "2", "--vault", str(wiki.vault))
    assert done.err.count("exceeds the target") == (len(value["targets"]) if verdict == "beyond" else 0)
    assert "P99 ms" in done.out


def test_memory_is_that_of_a_process() -> None:
    assert benchmark.memory_mb() is None or 10 < benchmark.memory_mb() < 100_000  # type: ignore[operator]


def test_a_query_of_a_wrong_number_is_refused(wiki: Project) -> None:
    assert wiki.cli("bench", "--iterations", "0", "--vault", str(wiki.vault)).code == 2
