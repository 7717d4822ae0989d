"""The four signals, the neighbourhood of a page, and what the graph does to a search."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing

import aiosqlite
import pytest
from project import Project

from generator import relevance
from generator.lookup import find_page
from generator.query import run, run_async
from generator.relevance import Related, related
from generator.retrieval import search
from generator.store import connect_read_only


def around(db: sqlite3.Connection, page: str, limit: int = 50) -> dict[str, Related]:
    return {each.path: each for each in run(db, related(run(db, find_page(page)).id, limit))}


@pytest.fixture
def db(project: Project) -> Iterator[sqlite3.Connection]:
    """An index of the worked example: A and B share a source, a link, and two neighbours with 3 and 5 of their own."""
    project.write(
        {
            "concepts/A.md": "---\nsources: [report.pdf]\n---\n[[B]] [[Three]] [[Five]]\n",
            "entities/B.md": "---\nsources: ['[[raw/sources/Report.pdf]]']\n---\n[[Three]] [[Five]]\n",
            "synthesis/Three.md": "[[x1]]\n",
            "synthesis/Five.md": "[[x2]] [[x3]] [[x4]]\n",
            **{f"queries/x{n}.md": "text\n" for n in range(1, 5)},
            "index.md": "[[A]] [[B]] [[x1]] [[Alone]]\n",
            "log.md": "[[A]] [[Alone]]\n",
            "concepts/Alone.md": "[[index]]\n",
        }
    )
    project.update()
    with closing(connect_read_only(project.config().wiki.index_path)) as connection:
        yield connection


def test_the_worked_value(db: sqlite3.Connection) -> None:
    assert round(relevance.relevance(1, True, [3, 5], False), 2) == 9.30
    assert relevance.relevance(degrees=[1]) == relevance.relevance(degrees=[2])
    page = around(db, "A")["entities/B.md"]
    assert round(page.score, 2) == 9.30
    assert (page.hops, page.linked, page.shared_sources, page.same_category) == (1, True, ("report.pdf",), False)
    assert page.common == ("synthesis/Five.md", "synthesis/Three.md")
    assert around(db, "B")["concepts/A.md"].score == page.score


def test_two_hops_and_no_more(db: sqlite3.Connection) -> None:
    found = around(db, "A")
    assert found["queries/x1.md"].hops == 2
    assert found["queries/x1.md"].through == "synthesis/Three.md"
    others = {f"queries/x{n}.md" for n in range(1, 5)}
    assert set(found) == {"entities/B.md", "synthesis/Three.md", "synthesis/Five.md", *others}
    assert [each.path for each in run(db, related(run(db, find_page("A")).id, 2))] == list(found)[:2]


def test_index_and_log_take_no_part(db: sqlite3.Connection) -> None:
    assert around(db, "Alone") == {}
    assert around(db, "index") == {}


def test_the_same_category_counts_one(project: Project) -> None:
    project.write({"concepts/A.md": "[[B]] [[C]]", "concepts/B.md": "b", "entities/C.md": "c"})
    project.update()
    with project.index() as db:
        found = around(db, "A")
    assert {path: page.score for path, page in found.items()} == {"concepts/B.md": 4.0, "entities/C.md": 3.0}


def test_a_hub_leads_nowhere(project: Project) -> None:
    links = " ".join(f"[[p{n:03}]]" for n in range(relevance.HUB + 1))
    files = {f"p{n:03}.md": "text" for n in range(relevance.HUB + 1)}
    project.write(
        {"Hub.md": links, "A.md": "[[Hub]] [[Small]]", "B.md": "[[Hub]]", "Small.md": "[[C]]", "C.md": "c"} | files
    )
    project.update()
    with project.index() as db:
        assert set(around(db, "A")) == {"Hub.md", "Small.md", "C.md"}
        assert len(around(db, "Hub", 1000)) <= relevance._MOST_SEED_LINKS + 1


def test_a_source_of_very_many_pages_tells_nothing(project: Project) -> None:
    many = relevance.HUB + 1
    project.write({f"p{n:03}.md": "---\nsources: [big.pdf]\n---\nx" for n in range(many)})
    project.write({f"q{n}.md": "---\nsources: [small.pdf, big.pdf]\n---\nx" for n in range(2)})
    project.update()
    with project.index() as db:
        found = around(db, "q0", 1000)
    assert list(found) == ["q1.md"]
    assert found["q1.md"].shared_sources == ("small.pdf",)


def test_sources_follow_a_change_of_the_page(project: Project) -> None:
    project.write({"a.md": "---\nsources: [x]\n---\n", "b.md": "---\nsources: [x]\n---\n"})
    project.update()
    with project.index() as db:
        assert set(around(db, "a")) == {"b.md"}
    project.write({"b.md": "---\nsources: [other]\n---\n"})
    project.update()
    with project.index() as db:
        assert around(db, "a") == {}


GRAPH = {
    "Lighthouse.md": "The kestrel lighthouse stands on a rock. Built by [[Ada Keeper]].\n",
    "Ada Keeper.md": "An engineer, born in Wick.\n",
    "Rock.md": "A kestrel sat on a rock.\n",
    "Far.md": "Nothing in common.\n",
    "private/Wick.md": "---\ntags: [town]\n---\nA harbour. [[Ada Keeper]]\n",
}


def found(db: sqlite3.Connection, text: str, **options: object) -> list[tuple[str, str]]:
    return [(hit.path, hit.through) for hit in run(db, search(text, **options)).hits]  # type: ignore[arg-type]


def test_expansion_brings_in_neighbours_and_says_how(project: Project) -> None:
    project.write(GRAPH)
    project.update()
    with project.index() as db:
        plain = found(db, "kestrel lighthouse rock")
        assert "Ada Keeper.md" not in dict(plain)
        expanded = found(db, "kestrel lighthouse rock", expand=True)
        assert expanded[0] == plain[0] == ("Lighthouse.md", "")
        assert dict(expanded)["Ada Keeper.md"] == "Lighthouse.md"
        assert dict(expanded)["private/Wick.md"] == "Lighthouse.md"
        assert "Far.md" not in dict(expanded)
        scores = [hit.score for hit in run(db, search("kestrel lighthouse rock", expand=True)).hits]
        assert scores == sorted(scores, reverse=True)


def test_expansion_stays_within_what_was_asked_for(project: Project) -> None:
    project.write(GRAPH | {"Lighthouse.md": "---\ntags: [town]\n---\n" + GRAPH["Lighthouse.md"]})
    project.update()
    with project.index() as db:
        assert set(dict(found(db, "kestrel", tags=["town"], expand=True))) == {"Lighthouse.md", "private/Wick.md"}
        assert "private/Wick.md" not in dict(found(db, "kestrel -harbour", expand=True))
        assert found(db, "", expand=True) == found(db, "")
        assert found(db, "zeppelin", expand=True) == []


def test_a_page_called_so_stays_first(project: Project) -> None:
    links = "[[Target]] tea tea tea\n"
    project.write({"Tea.md": "x\n", "Target.md": "tea\n", **{f"n{n}.md": links for n in range(8)}})
    project.update()
    with project.index() as db:
        assert found(db, "tea", expand=True)[0] == ("Tea.md", "")


def test_the_decay_is_the_second_hops(project: Project) -> None:
    project.write(GRAPH)
    project.update()
    with project.index() as db:
        near = {hit.path: hit.score for hit in run(db, search("lighthouse", expand=True, decay=0.5)).hits}
        far = {hit.path: hit.score for hit in run(db, search("lighthouse", expand=True, decay=0.0)).hits}
    assert near["private/Wick.md"] > far["private/Wick.md"] == 0
    assert near["Ada Keeper.md"] == far["Ada Keeper.md"]


def test_the_bridge_gets_the_same(project: Project) -> None:
    project.write(GRAPH)
    project.update()
    path = project.config().wiki.index_path

    async def asked() -> object:
        async with aiosqlite.connect(path) as connection:
            return await run_async(connection, search("kestrel", expand=True))

    with project.index() as db:
        assert asyncio.run(asked()) == run(db, search("kestrel", expand=True))


def test_a_shared_attachment_relates_nothing(project: Project) -> None:
    """Pages that show the same picture, and have nothing else in common, are no neighbours."""
    project.write(
        {
            "wiki/a/One.md": "![[p.png]] water\n",
            "wiki/b/Two.md": "![[p.png]] fire\n",
            "raw/sources/water.md": "water\n",
            "wiki/Water.md": "water [[p.png]]\n",
            "wiki/p.png": b"\x89PNG",
        }
    )
    for path in ("wiki/a/One.md", "wiki/b/Two.md", "wiki/Water.md"):
        assert project.json("related", path)["related"] == [], path
    assert project.json("context", "water fire")["tokens"] > 0
