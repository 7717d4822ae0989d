"""Exports, each loaded by the kind of program that it is for."""

from __future__ import annotations

import ast
import csv
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import igraph
import networkx
import pydot
import pytest
from documentation import page, rows, spans
from hypothesis import given, settings
from hypothesis import strategies as st
from project import Project
from test_graph import near

from generator.cli.export import FORMATS
from generator.exports import EXPORTS
from generator.exports.cypher import literal

NASTY = "Quotes \"' \\ <b>&amp; ]]> {x} 茶\\"
VAULT = {
    "concepts/Tea.md": f"---\ntitle: {json.dumps(NASTY)}\ntags: [drink/hot, c]\nsources: [a.pdf, b.pdf]\n"
    'relationships:\n  - target: "[[Water]]"\n    type: uses\n  - target: "[[Cup]]"\n    type: no such type\n---\n'
    "A sentence about [[Water]], again [[Water]]. %%commentword%%\n\n![[Cup]] and [[Secret|the label]].\n",
    "concepts/Water.md": "---\nsources: [a.pdf]\nsummary: Wet, mostly.\n---\nBack to [[Tea]].\n",
    "things/Cup.md": "---\ntags: [Drink]\nlifecycle: disputed\n---\nA cup, and [[Saucer]] below it.\n",
    "things/Saucer.md": "Nothing else.\n",
    "Alone.md": "=1+1 #drink\n",
    "Secret.md": "---\npublish: false\ntags: [hiddentag]\n---\n# Secrettitle\nsecretword [[Tea]] [[Cup]] [[Saucer]]\n",
}
PAGES = {path for path in VAULT if path != "Secret.md"}


@pytest.fixture
def wiki(project: Project) -> Project:
    project.write(VAULT)
    return project


def export(project: Project, form: str, *options: str) -> dict[str, str]:
    """The files of an export by name."""
    done = project.json("export", form, *options)
    return {Path(file).name: Path(file).read_bytes().decode("utf-8") for file in done["files"]}


def graph_json(project: Project, *options: str) -> dict[str, Any]:
    return dict(json.loads(export(project, "json", *options)["graph.json"]))


def paths(project: Project, *options: str) -> set[str]:
    return {node["id"] for node in graph_json(project, *options)["nodes"]}


def test_every_format_is_offered() -> None:
    assert tuple(form.name for form in EXPORTS) == FORMATS


def test_json_is_read_by_networkx(wiki: Project) -> None:
    value = graph_json(wiki)
    graph = networkx.node_link_graph(value, edges="links")
    assert graph.is_directed()
    assert set(graph) == PAGES
    tea = graph.nodes["concepts/Tea.md"]
    assert tea["label"] == NASTY
    assert (tea["category"], tea["tags"], tea["lifecycle"], tea["degree"]) == (
        "concepts",
        ["drink/hot", "c"],
        "draft",
        2,
    )
    assert tea["community"] == graph.nodes["concepts/Water.md"]["community"] in PAGES
    assert graph.nodes["Alone.md"]["community"] == ""
    relations = {(a, b, data["relation"]) for a, b, data in graph.edges(data=True)}
    assert relations == {
        ("concepts/Tea.md", "concepts/Water.md", "wikilink"),
        ("concepts/Tea.md", "concepts/Water.md", "uses"),
        ("concepts/Tea.md", "things/Cup.md", "embed"),
        ("concepts/Tea.md", "things/Cup.md", "wikilink"),
        ("concepts/Water.md", "concepts/Tea.md", "wikilink"),
        ("things/Cup.md", "things/Saucer.md", "wikilink"),
    }
    assert value["links"][0].keys() >= {"source", "target", "relation", "weight", "context"}
    (link,) = [x for x in value["links"] if (x["target"], x["relation"]) == ("concepts/Water.md", "wikilink")]
    assert link["weight"] == 8.0  # linked 3, one shared source 4, one category 1
    assert link["context"].startswith("A sentence about Water")


def test_graphml_is_read_by_networkx_and_igraph(wiki: Project) -> None:
    text = export(wiki, "graphml")["graph.graphml"]
    graph = networkx.parse_graphml(text)
    assert set(graph) == PAGES
    assert graph.nodes["concepts/Tea.md"]["label"] == NASTY
    assert graph.nodes["concepts/Tea.md"]["degree"] == 2
    assert sorted(data["relation"] for _, _, data in graph.edges(data=True)) == ["embed", "uses", *["wikilink"] * 4]
    file = wiki.vault / "wiki-export/graph.graphml"
    loaded = igraph.Graph.Read_GraphML(str(file))
    assert set(loaded.vs["path"]) == PAGES
    assert loaded.is_directed()
    assert max(loaded.es["weight"]) == 8.0


def test_gexf_is_read_by_networkx(wiki: Project) -> None:
    text = export(wiki, "gexf")["graph.gexf"]
    graph = networkx.read_gexf(
        StringIO(text.replace("gexf.net/1.3", "www.gexf.net/1.2draft").replace('"1.3"', '"1.2"'))
    )
    assert set(graph) == PAGES
    tea = graph.nodes["concepts/Tea.md"]
    assert (tea["label"], tea["degree"], tea["tags"]) == (NASTY, 2, "drink/hot, c")
    assert {"position", "color", "size"} <= tea["viz"].keys()


@pytest.mark.filterwarnings("ignore:.*deprecated - use:DeprecationWarning")  # within pydot
def test_dot_is_read_by_graphviz_programs(wiki: Project) -> None:
    text = export(wiki, "dot")["graph.dot"]
    (graph,) = pydot.graph_from_dot_data(text) or ()
    labels = {node.get("path"): node.get("label") for node in graph.get_nodes() if node.get("path")}
    assert {path.strip('"') for path in labels} == PAGES
    assert len(graph.get_edges()) == 6
    assert labels['"concepts/Tea.md"'].endswith('\\\\"')  # a backslash at the end does not escape the quote
    if shutil.which("dot"):
        subprocess.run(["dot", "-Tcanon"], input=text.encode(), check=True, capture_output=True)


def test_csv_is_read_back(wiki: Project) -> None:
    files = export(wiki, "csv")
    assert files.keys() == {"nodes.csv", "edges.csv"}
    nodes = list(csv.DictReader(StringIO(files["nodes.csv"], newline="")))
    edges = list(csv.DictReader(StringIO(files["edges.csv"], newline="")))
    assert {row["id"] for row in nodes} == PAGES
    assert {row["label"] for row in nodes} >= {NASTY}
    assert [tuple(row) for row in edges[:1]] == [("source", "target", "relation", "weight", "context")]
    assert len(edges) == 6


def test_canvas_is_a_json_canvas(wiki: Project) -> None:
    value = json.loads(export(wiki, "canvas")["graph.canvas"])
    assert value.keys() == {"nodes", "edges"}
    ids = [item["id"] for item in (*value["nodes"], *value["edges"])]
    assert len(ids) == len(set(ids))
    assert {node["file"] for node in value["nodes"]} == PAGES
    for node in value["nodes"]:
        assert node["type"] == "file"
        assert all(type(node[name]) is int for name in ("x", "y", "width", "height"))
        assert re.fullmatch("#[0-9A-F]{6}", node.get("color", "#000000"))
    cards = {node["id"] for node in value["nodes"]}
    assert {end for edge in value["edges"] for end in (edge["fromNode"], edge["toNode"])} <= cards
    places = [(node["x"], node["y"]) for node in value["nodes"]]
    assert len(set(places)) == len(places)


def test_jsonl_holds_one_page_a_line(wiki: Project) -> None:
    lines = [json.loads(line) for line in export(wiki, "jsonl")["pages.jsonl"].splitlines() if line]
    pages = {line["path"]: line for line in lines}
    assert pages.keys() == PAGES
    tea = pages["concepts/Tea.md"]
    assert (tea["title"], tea["url"], tea["links"]) == (
        NASTY,
        "concepts/Tea.html",
        ["concepts/Water.md", "things/Cup.md"],
    )
    assert "A sentence about Water" in tea["text"]
    assert "commentword" not in tea["text"]


def test_llms_lists_all_pages_and_holds_all_texts(wiki: Project) -> None:
    files = export(wiki, "llms")
    assert files["llms.txt"].startswith("# vault\n")
    assert "- [Water](concepts/Water.html): Wet, mostly.\n" in files["llms.txt"]
    assert [line for line in files["llms.txt"].splitlines() if line.startswith("## ")] == [
        "## Pages",
        "## concepts",
        "## things",
    ]
    assert len(re.findall(r"^Source: ", files["llms-full.txt"], re.MULTILINE)) == len(PAGES)
    assert "Nothing else." in files["llms-full.txt"]


# ── Cypher ──────────────────────────────────────────────────────────────────────────────────────────────

_STRING = re.compile(r"'((?:[^'\\\n\r]|\\['\\]|\\u[0-9a-f]{4})*)'")


def unescaped(text: str) -> str:
    """What a Cypher reader makes of the inside of a string."""
    return re.sub(r"\\(u[0-9a-f]{4}|.)", lambda m: chr(int(m[1][1:], 16)) if m[1][0] == "u" else m[1], text)


@settings(max_examples=300, deadline=None)
@given(st.text())
def test_every_text_is_one_cypher_string(text: str) -> None:
    match = _STRING.fullmatch(literal(text))
    assert match is not None
    assert unescaped(match[1]) == text
    assert len(literal(text).splitlines()) <= 1 or not text


def test_cypher_statements(wiki: Project) -> None:
    statements = export(wiki, "cypher")["graph.cypher"].splitlines()
    assert all(statement.endswith(";") for statement in statements)
    shapes = {_STRING.sub("'…'", statement) for statement in statements}
    node = (
        r"MERGE \(p:Page \{id: '…'\}\) SET p \+= \{label: '…', path: '…', category: '…', tags: \[.*\], .*"
        r"degree: \d+, lifecycle: '…'\};"
    )
    ends = r"MATCH \(a:Page \{id: '…'\}\), \(b:Page \{id: '…'\}\) MERGE \(a\)-\[r:(WIKILINK|EMBED|USES)\]->\(b\)"
    edge = ends + r" SET r \+= \{relation: '…', weight: [\d.]+, context: '…'\};"
    wrong = [s for s in shapes if not re.fullmatch(node, s) and not re.fullmatch(edge, s) and "CONSTRAINT" not in s]
    assert wrong == []
    assert sum(statement.startswith("MERGE") for statement in statements) == len(PAGES)
    assert sum(statement.startswith("MATCH") for statement in statements) == 6
    assert any(unescaped(text) == NASTY for statement in statements for text in _STRING.findall(statement))


# ── what holds for all ──────────────────────────────────────────────────────────────────────────────────


def everything(project: Project) -> Iterator[tuple[str, str]]:
    for form in FORMATS:
        yield from export(project, form).items()


def test_nothing_private_and_no_absolute_path(wiki: Project) -> None:
    for name, text in everything(wiki):
        for secret in ("secretword", "Secrettitle", "Secret.md", "hiddentag", "commentword", str(wiki.root)):
            assert secret not in text, name


def test_the_same_vault_gives_the_same_bytes(wiki: Project, tmp_path: Path) -> None:
    first = dict(everything(wiki))
    assert dict(everything(wiki)) == first
    other = Project(tmp_path / "elsewhere")
    for path in reversed(VAULT):
        other.write({path: VAULT[path]})
    for path in VAULT:  # dates come from the files here
        stat = (wiki.vault / path).stat()
        import os

        os.utime(other.vault / path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert dict(everything(other)) == first


def test_an_export_in_the_vault_is_no_part_of_it(wiki: Project) -> None:
    wiki.build()
    before = wiki.files()
    list(everything(wiki))
    wiki.build()
    assert wiki.files() == before
    assert near(wiki).keys() == {
        "concepts/Tea.html",
        "concepts/Water.html",
        "things/Cup.html",
        "things/Saucer.html",
        "Alone.html",
    }
    done = wiki.cli("export", "json", "--vault", str(wiki.vault), "-o", str(wiki.vault / "graph.json"))
    assert done.code == 1
    assert "cannot stand among the notes" in done.err
    assert not (wiki.vault / "graph.json").exists()


def test_an_empty_vault_can_be_exported(project: Project) -> None:
    files = dict(everything(project))
    assert json.loads(files["graph.json"])["nodes"] == []
    assert json.loads(files["graph.canvas"]) == {"nodes": [], "edges": []}
    assert files["pages.jsonl"] == ""
    assert len(networkx.parse_graphml(files["graph.graphml"])) == 0


# ── filters ─────────────────────────────────────────────────────────────────────────────────────────────


def test_filters(wiki: Project) -> None:
    assert paths(wiki, "--tag", "drink") == {"concepts/Tea.md", "things/Cup.md", "Alone.md"}
    assert paths(wiki, "--tag", "#DRINK/hot") == {"concepts/Tea.md"}
    assert paths(wiki, "--tag", "drink", "--tag", "c") == {"concepts/Tea.md"}
    assert paths(wiki, "--tag", "nothing") == set()
    assert paths(wiki, "--tag", "hiddentag") == set()
    assert paths(wiki, "--category", "Concepts") == {"concepts/Tea.md", "concepts/Water.md"}
    assert paths(wiki, "--page", "Water") == {"concepts/Water.md", "concepts/Tea.md"}
    assert paths(wiki, "--page", "Water", "--depth", "0") == {"concepts/Water.md"}
    assert paths(wiki, "--page", "Water", "--depth", "2") == {"concepts/Water.md", "concepts/Tea.md", "things/Cup.md"}
    assert paths(wiki, "--page", "Water", "--depth", "9") == PAGES - {"Alone.md"}
    assert paths(wiki, "--page", "Water", "--depth", "9", "--category", "things") == {
        "things/Cup.md",
        "things/Saucer.md",
    }
    ends = {
        end for link in graph_json(wiki, "--category", "concepts")["links"] for end in (link["source"], link["target"])
    }
    assert ends == {"concepts/Tea.md", "concepts/Water.md"}


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["yaml"], 2, "no format `yaml`"),
        (["json", "--depth", "2"], 2, "--depth goes with --page"),
        (["json", "--page", "Nowhere"], 1, "Nowhere"),
        (["json", "--page", "Secret"], 1, "not part of the published wiki"),
        (["json", "--page", "Tea", "--depth", "-1"], 2, "whole number"),
    ],
)
def test_wrong_use(wiki: Project, options: list[str], code: int, message: str) -> None:
    done = wiki.cli("export", *options, "--vault", str(wiki.vault))
    assert done.code == code, done
    assert message in done.err
    assert not (wiki.vault / "wiki-export").exists()


def test_a_file_of_ones_own_choice(wiki: Project, tmp_path: Path) -> None:
    target = tmp_path / "new folder" / "wiki.gexf"
    done = wiki.json("export", "gexf", "-o", str(target))
    assert done == {"format": "gexf", "files": [str(target)], "pages": 5, "links": 6}
    assert [file.name for file in target.parent.iterdir()] == ["wiki.gexf"]


def test_drawing_a_graph_is_loaded_only_to_draw_one() -> None:
    """igraph costs as much to load as a search takes: no module imports it at its top."""
    source = (Path(__file__).parent.parent / "generator/layout.py").read_text("utf-8")
    top = [node for node in ast.parse(source).body if isinstance(node, ast.Import)]
    assert "igraph" not in {alias.name for node in top for alias in node.names}


def test_the_formats_are_described() -> None:
    described = [name for row in rows(page("exports.md"), "format") for name in spans(row[0])]
    assert described == list(FORMATS)
    files = {name for row in rows(page("exports.md"), "format") for name in spans(row[1])}
    assert len(files) == 12
