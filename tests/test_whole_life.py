"""A wiki's whole life by its commands alone: sources come in and are read, pages are written in an agent's place, kept
in order, asked and published; then a source goes, and comes back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from needed import needed
from project import Project
from site_checker import check_site
from test_extract import docx, pdf
from upkeep_vault import bytes_of

from generator.sources.extract import has_extractor

DERIVED = {"target": "[[About kettles]]", "type": "derived_from"}
TAXONOMY = """\
| tag | kind | aliases | note |
|---|---|---|---|
| tea | domain | teas | |
| metal | domain | | |
"""


class Life(Project):
    """The vault of the test; every command is run as people run it."""

    def run(self, *arguments: str) -> str:
        done = self.cli(*arguments, "--vault", str(self.vault))
        assert done.code == 0, done
        return done.out

    def agent_writes(self, path: str, text: str, **properties: object) -> None:
        """A page as an agent writes it."""
        facts = {"title": Path(path).stem, "created": "2026-06-01", "updated": "2026-06-01", **properties}
        front = "".join(f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in facts.items())
        self.write({f"wiki/{path}": f"---\n{front}---\n{text}\n"})

    def take(self) -> dict[str, Any]:
        """The next source, whose text is there to read."""
        source = self.json("ingest", "next")["source"]
        assert source["problem"] == ""
        return dict(source) | {"content": Path(source["text"]).read_text("utf-8")}

    def texts(self) -> dict[str, bytes]:
        """The files of the vault, without logs and the trash."""
        return {
            path: data
            for path, data in bytes_of(self.vault).items()
            if not path.startswith(".llm-wiki/trash") and path != "wiki/log.md"
        }


@pytest.fixture
def life(tmp_path: Path) -> Life:
    if not has_extractor():
        needed("markitdown")
    life = Life(tmp_path)
    life.vault.rmdir()
    done = life.cli("init", str(life.vault))
    assert done.code == 0
    return life


def three_sources(life: Life) -> None:
    (life.root / "kettles.pdf").write_bytes(pdf("A copper kettle conducts heat better than one of iron."))
    (life.root / "water.docx").write_bytes(docx("Green tea wants water of eighty degrees."))
    (life.root / "茶经.md").write_text("# 茶经\n\n其水，用山水上，江水中，井水下。\n", "utf-8")
    for name in ("kettles.pdf", "water.docx", "茶经.md"):
        life.run("source", "add", str(life.root / name), "--apply")
    assert life.json("ingest", "scan", "--apply")["problems"] == []
    assert life.json("ingest", "status")["counts"]["pending"] == 3


def read_all(life: Life) -> None:
    """The queue, worked off in the agent's place."""
    seen: dict[str, str] = {}
    while (source := life.json("ingest", "status")["counts"])["pending"]:
        assert source["processing"] == 0
        taken = life.take()
        key, seen[taken["key"]] = taken["key"], taken["content"]
        if key == "kettles.pdf":
            life.agent_writes("sources/About kettles.md", "Kettles, see [[Copper]].", category="sources",
                              tags=["tea"], summary="A paper on kettles.", sources=[key])  # fmt: skip
            life.agent_writes("concepts/Copper.md", "Copper conducts heat. From [[About kettles|a paper]].",
                              category="concepts", tags=["Teas", "metal"], sources=[key, "water.docx"],
                              summary="A metal.", relationships=[DERIVED])  # fmt: skip
            life.run("ingest", "done", key, "--page", "concepts/Copper")
        elif key == "water.docx":
            life.agent_writes("concepts/Water.md", "Water in a pot of copper: eighty degrees for green tea.",
                              category="concepts", tags=["tea"], summary="Hot water.", sources=[key])  # fmt: skip
            life.run("ingest", "done", key, "--page", "concepts/Water", "--fallback-summary")
        else:
            life.run("ingest", "done", key, "--fallback-summary")
    assert "copper kettle" in seen["kettles.pdf"]
    assert "eighty degrees" in seen["water.docx"]
    assert "山水上" in seen["茶经.md"]
    assert life.json("ingest", "status")["counts"] == {"pending": 0, "processing": 0, "done": 3, "failed": 0}


def keep_in_order(life: Life) -> None:
    assert life.cli("daily", str(life.vault)).code == 0
    index = (life.vault / "wiki/index.md").read_text("utf-8")
    assert "[[sources/About kettles|About kettles]]" in index
    assert "茶经" in index
    issues = life.json("lint", "--level", "info")["issues"]
    assert not [issue for issue in issues if issue["severity"] == "error"]
    assert not [issue for issue in issues if issue["code"] in ("broken-link", "lost-source")]
    life.run("link", "--apply")
    assert "[[Copper|copper]]" in (life.vault / "wiki/concepts/Water.md").read_text("utf-8")
    life.write({"wiki/_meta/taxonomy.md": TAXONOMY})
    life.run("tags", "--apply")
    assert '"tea"' in (life.vault / "wiki/concepts/Copper.md").read_text("utf-8")


def ask_and_publish(life: Life) -> None:
    answer = life.json("context", "how hot must water be for green tea?")
    assert "wiki/concepts/Water.md" in answer["citations"].values()
    assert "[1]" in answer["text"]
    assert [hit["path"] for hit in life.json("search", "山水", "--scope", "raw")["hits"]] == ["raw/sources/茶经.md"]
    assert life.cli("build", str(life.vault), "--out", str(life.site)).code == 0
    check_site(life.site)
    assert "Copper conducts heat" in (life.site / "wiki/concepts/Copper.html").read_text("utf-8")


def test_a_whole_life(life: Life) -> None:
    three_sources(life)
    read_all(life)
    keep_in_order(life)
    ask_and_publish(life)
    before = life.texts()
    plan = life.json("source", "remove", "kettles.pdf", "--with-file")
    assert plan["deleted"] == ["wiki/sources/About kettles.md"]
    assert life.texts() == before
    life.json("source", "remove", "kettles.pdf", "--with-file", "--apply")
    copper = (life.vault / "wiki/concepts/Copper.md").read_text("utf-8")
    assert "relationships: []" in copper
    assert "From a paper." in copper
    assert "kettles.pdf" not in copper
    assert not (life.vault / "raw/sources/kettles.pdf").exists()
    findings = life.json("lint", "--level", "info")["issues"]
    assert not [issue for issue in findings if issue["code"] in ("broken-link", "lost-source", "index-drift")]
    life.json("source", "restore", "--apply")
    assert life.texts() == before
    done = [entry["operation"] for entry in life.json("log", "--limit", "100")["entries"]]
    assert done == ["source"] * 3 + ["ingest"] * 3 + ["daily", "link", "tags", "remove", "restore"]
