"""The graph of the wiki: its edges, the relevance of neighbours, the layout and what the site says of it."""

from __future__ import annotations

import json
import random
import re
from itertools import combinations
from math import dist, log
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from conftest import require_shared
from hypothesis import given, settings
from hypothesis import strategies as st
from project import Page, Project
from site_checker import check_site

from generator import layout as layout_module
from generator.graph import Graph, edge_relevance, graph_of
from generator.layout import UNLINKED, layout_of, stable_colours
from generator.pages import graph_data
from generator.relevance import HUB
from generator.wiki import load_wiki


def data(project: Project, name: str) -> Any:
    """What a script of the graph hands over."""
    text = (project.site / f"_assets/{name}.js").read_text("utf-8")
    match = re.fullmatch(r"llmwiki\.take\(\"([^\"]+)\",(.*)\);\n", text)
    assert match is not None
    assert match[1] == name
    return json.loads(match[2])


def near(project: Project) -> dict[str, set[str]]:
    """The neighbours of each page in the site's files, by address."""
    found: dict[str, set[str]] = {}
    for number in range(data(project, "graph/near")["shards"]):
        part = data(project, f"graph/near-{number}")
        for own, others in enumerate(part["near"]):
            found[part["pages"][own][1]] = {part["pages"][other][1] for other in others}
    return found


# ── edges and relevance ─────────────────────────────────────────────────────────────────────────────────


def test_edges_have_no_direction_and_no_page_is_its_own_neighbour() -> None:
    graph = graph_of(["a", "b", "c"], [(1, 0), (0, 1), (2, 2), (1, 2), (1, 0)])
    assert graph.edges == ((0, 1), (1, 2))
    assert graph.near == ((1,), (0, 2), (1,))
    assert graph.degrees == (1, 2, 1)
    assert graph.within(0, 0) == {0: 0}
    assert graph.within(0, 1) == {0: 0, 1: 1}
    assert graph.within(0, 9) == {0: 0, 1: 1, 2: 2}


def test_the_worked_value_of_relevance() -> None:
    # 0 and 1 are linked, and share one source; 2 has three neighbours, 3 has five, each with 0 and 1 among them.
    edges = [(0, 1), (0, 2), (1, 2), (2, 4), (0, 3), (1, 3), (3, 5), (3, 6), (3, 7)]
    graph = graph_of([str(number) for number in range(8)], edges)
    sources = [frozenset({"x", "y"}), frozenset({"x"}), *[frozenset[str]()] * 6]
    weights = edge_relevance(graph, ["one", "other", *[""] * 6], sources)
    assert round(weights[0, 1], 2) == 9.30
    assert weights.keys() == set(graph.edges)
    same = edge_relevance(graph, ["one"] * 8, sources)
    assert round(same[0, 1], 2) == 10.30


def test_hubs_and_common_sources_say_nothing() -> None:
    many = HUB - 1
    edges = [(0, 1), *((2, page) for page in range(3, 3 + many)), (0, 2), (1, 2)]
    graph = graph_of([f"{number:04}" for number in range(3 + many)], edges)
    assert graph.degrees[2] == HUB + 1
    everywhere = [frozenset({"common"})] * len(graph.paths)
    assert edge_relevance(graph, [""] * len(graph.paths), everywhere)[0, 1] == 3.0


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=50))
def test_relevance_of_all_edges_is_that_of_each(links: list[tuple[int, int]]) -> None:
    graph = graph_of([f"{number:02}" for number in range(12)], links)
    weights = edge_relevance(graph, [""] * 12, [frozenset()] * 12)
    for one, other in graph.edges:
        common = set(graph.near[one]) & set(graph.near[other])
        expected = 3.0 + 1.5 * sum(1 / log(graph.degrees[page]) for page in common)
        assert weights[one, other] == pytest.approx(expected)


# ── layout ──────────────────────────────────────────────────────────────────────────────────────────────


def clustered(groups: int = 6, size: int = 30) -> tuple[list[str], list[tuple[int, int]]]:
    """Folders of pages that link within them and now and then beyond, and some pages without links."""
    chance = random.Random(3)
    paths = sorted(f"folder {group}/page {number:02}.md" for group in range(groups) for number in range(size))
    links = []
    for page in range(len(paths)):
        folder = page // size * size
        if page % size < size - 2:
            links += [(page, folder + chance.randrange(size - 2)) for _ in range(3)]
            links += [(page, chance.randrange(len(paths)))] if chance.random() < 0.1 else []
    return paths, links


def with_page(paths: list[str], links: list[tuple[int, int]], new: str, to: list[int]) -> Graph:
    """The same graph with one more page that links to some."""
    ordered = sorted([*paths, new])
    number = {path: at for at, path in enumerate(ordered)}
    moved = [(number[paths[one]], number[paths[other]]) for one, other in links]
    return graph_of(ordered, [*moved, *((number[new], number[paths[page]]) for page in to)])


def test_the_layout_is_a_function_of_the_graph() -> None:
    paths, links = clustered()
    chance = random.getstate()
    first = layout_of(graph_of(paths, links))
    assert layout_of(graph_of(paths, list(reversed(links)))) == first
    assert random.getstate() == chance  # the program's own chance is left alone
    assert len({*zip(first.xs, first.ys, strict=True)}) == len(paths)


@pytest.mark.parametrize("new", ["aaa first.md", "folder 3/page 15a.md", "zzz last.md"])
def test_a_new_page_does_not_shuffle_the_picture(new: str) -> None:
    paths, links = clustered()
    graph = graph_of(paths, links)
    before, after_graph = layout_of(graph), with_page(paths, links, new, [3, 40, 100])
    after = layout_of(after_graph)
    place = dict(zip(after_graph.paths, zip(after.xs, after.ys, strict=True), strict=True))
    middle = (sum(before.xs) / len(paths), sum(before.ys) / len(paths))
    radius = (sum(dist(point, middle) ** 2 for point in zip(before.xs, before.ys, strict=True)) / len(paths)) ** 0.5
    moved = sorted(
        dist(place[path], point) / radius
        for path, point in zip(paths, zip(before.xs, before.ys, strict=True), strict=True)
    )
    assert moved[len(moved) // 2] < 0.05
    assert moved[len(moved) * 9 // 10] < 0.15


def test_linked_pages_stand_near_each_other() -> None:
    paths, links = clustered()
    graph = graph_of(paths, links)
    points = [*zip(*(lambda found: (found.xs, found.ys))(layout_of(graph)), strict=True)]
    linked = [dist(points[one], points[other]) for one, other in graph.edges]
    others = [dist(points[one], points[other]) for one, other in combinations(range(0, len(paths), 3), 2)]
    assert sum(linked) / len(linked) < 0.6 * sum(others) / len(others)


def test_communities_are_the_folders_that_link_among_themselves() -> None:
    paths, links = clustered()
    graph = graph_of(paths, links)
    layout = layout_of(graph)
    assert len(layout.communities) == 6
    for page, community in enumerate(layout.members):
        assert (community == UNLINKED) == (graph.degrees[page] == 0)
        if community != UNLINKED:
            hub = layout.communities[community].hub
            assert layout.members[hub] == community
            assert paths[hub].split("/")[0] == paths[page].split("/")[0]
    assert sum(community.size for community in layout.communities) == sum(map(bool, graph.degrees))


@pytest.mark.parametrize(
    ("pages", "links"), [(0, []), (1, []), (3, []), (2, [(0, 1)]), (3, [(0, 1)]), (4, [(0, 1), (2, 3)])]
)
def test_the_smallest_graphs(pages: int, links: list[tuple[int, int]]) -> None:
    layout = layout_of(graph_of([f"{number}.md" for number in range(pages)], links))
    assert len(layout.xs) == len(layout.ys) == len(layout.members) == pages
    assert len(set(zip(layout.xs, layout.ys, strict=True))) == pages
    assert sum(community.size for community in layout.communities) == len({end for link in links for end in link})


def test_a_kept_layout_is_taken_only_for_its_own_graph() -> None:
    paths, links = clustered(3, 10)
    graph = graph_of(paths, links)
    first = layout_of(graph)
    with patch.object(layout_module, "_places", side_effect=AssertionError("worked out again")):
        assert layout_of(graph_of(paths, links), first.kept()) == first
    assert layout_of(graph, "") == first
    other = with_page(paths, links, "new.md", [1])
    assert layout_of(other, first.kept()) == layout_of(other)


def test_colours_stay_with_their_names() -> None:
    names = [f"name {number}" for number in range(10)]
    assert sorted(stable_colours(names)) == list(range(10))
    before = dict(zip(names[:8], stable_colours(names[:8]), strict=True))
    after = dict(zip(names[:9], stable_colours(names[:9]), strict=True))
    assert before == {name: after[name] for name in before}


# ── the site ────────────────────────────────────────────────────────────────────────────────────────────

VAULT = {
    "Tea.md": "---\ntags: [drink/hot]\nlifecycle: verified\n---\n[[Water]] ![[Cup]] [[Secret]]\n",
    "Water.md": "[[Tea]] [[Lonely#nothing]]\n",
    "things/Cup.md": "#drink\n",
    "things/Alone.md": "text\n",
    "Lonely.md": "",
    "Secret.md": "---\npublish: false\ntags: [hidden-tag]\ncategory: hidden-category\n---\n[[Tea]] [[Cup]]\n",
}


def test_the_graph_in_the_site(project: Project) -> None:
    project.write(VAULT)
    project.build()
    whole = data(project, "graph/map")
    assert {row[1] for row in whole["rows"]} == {
        "Tea.html", "Water.html", "Lonely.html", "things/Cup.html", "things/Alone.html",
    }  # fmt: skip
    urls = [row[1] for row in whole["rows"]]
    links = {frozenset((urls[a], urls[b])) for a, b in zip(whole["links"][::2], whole["links"][1::2], strict=True)}
    assert links == {
        frozenset({"Tea.html", "Water.html"}),
        frozenset({"Tea.html", "things/Cup.html"}),
        frozenset({"Water.html", "Lonely.html"}),
    }
    tea = whole["rows"][urls.index("Tea.html")]
    assert whole["lifecycles"][tea[5]] == "verified"
    assert [whole["tags"][tag][0] for tag in tea[7]] == ["drink/hot"]
    assert near(project) == {
        "Tea.html": {"Water.html", "things/Cup.html"},
        "Water.html": {"Tea.html", "Lonely.html"},
        "Lonely.html": {"Water.html"},
        "things/Cup.html": {"Tea.html"},
        "things/Alone.html": set(),
    }
    words = Page(project.site / "graph.html").main
    assert "Water" in words.get_text()
    assert check_site(project.site) == []
    for name, content in project.files().items():
        if "graph" in name:
            assert b"ecret" not in content, name
            assert b"hidden-" not in content, name


def test_index_log_and_hot_are_no_part_of_the_graph(project: Project) -> None:
    project.write({"wiki/index.md": "[[A]] [[B]]", "schema.md": "", "wiki/A.md": "[[index]]", "wiki/B.md": ""})
    project.build()
    assert near(project) == {"wiki/A.html": set(), "wiki/B.html": set()}


@pytest.mark.parametrize("whole", [graph_data.WHOLE, 3])
def test_incremental_files_are_those_of_a_clean_build(project: Project, tmp_path: Path, whole: int) -> None:
    with (
        patch.object(graph_data, "WHOLE", whole),
        patch.object(graph_data, "_PART", 2),
        patch.object(graph_data, "_NEAR", 2),
    ):
        project.write(VAULT)
        project.build()
        steps: list[dict[str, str]] = [
            {"Tea.md": "[[Cup]] and [[Alone]]\n"},
            {"New.md": "# New title\n[[Tea]]\n", "More.md": "[[New]]\n"},
            {"Secret.md": "[[Tea]]\n"},
            {"Water.md": "---\ncategory: fluids\ntags: [a]\n---\n[[Tea]]\n"},
        ]
        for number, files in enumerate(steps):
            project.write(files)
            project.build()
            fresh = Project(tmp_path / f"fresh{number}", project.vault)
            fresh.build()
            assert fresh.files() == project.files()
        project.remove("New.md")
        project.build()
        fresh = Project(tmp_path / "last", project.vault)
        fresh.build(workers=2)
        assert fresh.files() == project.files()


def test_the_layout_is_worked_out_only_when_the_graph_changes(project: Project) -> None:
    project.write(VAULT)
    project.build()
    with patch.object(layout_module, "_places", side_effect=AssertionError("worked out again")):
        project.write({"Tea.md": VAULT["Tea.md"] + "More text, but no other link.\n"})
        report = project.build()
        assert report.parsed == 1
        project.write({"Tea.md": "# A new title\n" + VAULT["Tea.md"].partition("---\n")[2].partition("---\n")[2]})
        project.build()
        assert "A new title" in {row[0] for row in data(project, "graph/map")["rows"]}
        project.write({"Water.md": "no link\n"})
        with pytest.raises(AssertionError, match="worked out again"):
            project.build()


def test_large_wikis_come_in_parts(project: Project) -> None:
    with patch.object(graph_data, "WHOLE", 10), patch.object(graph_data, "_PART", 10):
        for group in "abc":
            for number in range(8):
                project.write(
                    {f"{group}/{group}{number}.md": f"[[{group}{(number + 1) % 8}]] [[{group}{(number + 3) % 8}]]\n"}
                )
        project.write({"a/a0.md": "[[a1]] [[a3]] [[b0]]\n"})
        project.build()
        whole = data(project, "graph/map")
        assert "rows" not in whole
        assert (whole["parts"], whole["count"], len(whole["communities"])) == (3, 24, 3)
        assert len(whole["between"]) == 2
        rows = [row for part in range(3) for row in data(project, f"graph/map-{part}")["rows"]]
        assert len({row[1] for row in rows}) == 24


def test_s36_the_graph_of_an_empty_vault(project: Project) -> None:
    project.build()
    assert data(project, "graph/map")["rows"] == []
    assert near(project) == {}
    project.write({"Empty.md": "", "OnlyMeta.md": "---\naliases: [Om]\n---\n\n", "Space.md": "  \n\n"})
    project.build()
    assert len(data(project, "graph/map")["rows"]) == 3
    assert check_site(project.site) == []


def test_s29_the_graph_beside_notes_of_its_name(project: Project) -> None:
    project.write({"graph.md": "marker6\n", "_assets/graph/map.md": "marker7\n", "Doc.md": "[[graph]] [[map]]\n"})
    project.build()
    assert "marker6" in project.page("graph.md").text
    assert Page(project.site / "graph.html").main.select_one("canvas") is not None
    assert len(data(project, "graph/map")["rows"]) == 3
    assert check_site(project.site) == []


def test_s44_titles_in_the_data(project: Project) -> None:
    title = "Pump</script><script>boom()</script>"
    project.write({"Snippet.md": f'---\ntitle: "{title}"\n---\ntext\n', "Doc.md": "[[Snippet]] <!-- \u2028\n"})
    project.build()
    titles = {row[0] for row in data(project, "graph/map")["rows"]}
    assert titles == {title, "Doc"}
    for file in (project.site / "_assets/graph").iterdir():
        text = file.read_text("utf-8")
        assert "<" not in text
        assert "\u2028" not in text


def test_the_help_vault_has_communities_by_subject(project: Project) -> None:
    project.vault = require_shared("vaults", "obsidian-help", "en")
    project.update()
    with project.index() as db:
        wiki = load_wiki(db)
    layout = wiki.layout
    assert 4 <= len(layout.communities) <= 20
    numbers = {page.path: at for at, page in enumerate(wiki.content_pages)}
    bases = [layout.members[at] for path, at in numbers.items() if path.startswith("Bases/")]
    assert len(set(bases)) == 1
