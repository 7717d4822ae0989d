"""The agreed tags: how their table is read, where pages depart from it, and that renaming touches nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from upkeep_vault import UpkeepVault, bytes_of

from generator.errors import StaleEdit
from generator.syntax.tag import tag_key
from generator.upkeep.taxonomy import Taxonomy, TaxonomyTag, conflicts_below, enforce, load_taxonomy

TABLE = """---
tags: [visibility/internal]
---
| tag | kind | aliases | note |
|:--|:--|:--|:--|
| history | domain | historical, 历史 | what happened |
| how-to | type | #howto，tutorial | |
| web/site | project | | |
| Boats | nonsense | | |
"""


@pytest.fixture
def vault(tmp_path: Path) -> UpkeepVault:
    return UpkeepVault(tmp_path)


def kinds(vault: UpkeepVault) -> list[tuple[str, str, str, tuple[str, ...]]]:
    return [(item.kind, item.tag, item.canonical, item.pages) for item in vault.conflicts()]


def test_the_table_is_read(vault: UpkeepVault) -> None:
    vault.write({"_meta/taxonomy.md": TABLE})
    taxonomy = load_taxonomy(vault.vault)
    assert taxonomy == Taxonomy(
        "_meta/taxonomy.md",
        (
            TaxonomyTag("history", "domain", ("historical", "历史"), "what happened"),
            TaxonomyTag("how-to", "type", ("howto", "tutorial"), ""),
            TaxonomyTag("web/site", "project", (), ""),
            TaxonomyTag("Boats", "other", (), ""),
        ),
    )


@pytest.mark.parametrize(
    "text", ["", "| name |\n|---|\n| x |\n", "%%\n| tag |\n|---|\n| x |\n%%\n", "```\n| tag |\n|---|\n| x |\n```\n"]
)
def test_without_a_table_there_is_no_taxonomy(vault: UpkeepVault, text: str) -> None:
    vault.write({"wiki/_meta/taxonomy.md": text})
    assert load_taxonomy(vault.vault) is None


def test_departures_from_the_taxonomy(vault: UpkeepVault) -> None:
    vault.write(
        {
            "_meta/taxonomy.md": TABLE,
            "A.md": "---\ntags: [historical, history, visibility/pii]\n---\n#HowTo #boats",
            "B.md": "#历史 #histori #web/site #tea",
            "C.md": "#tea #boat",
        }
    )
    assert kinds(vault) == [
        ("tag-alias", "HowTo", "how-to", ("A.md",)),
        ("tag-alias", "historical", "history", ("A.md",)),
        ("tag-alias", "历史", "history", ("B.md",)),
        ("tag-unknown", "boat", "Boats", ("C.md",)),
        ("tag-unknown", "histori", "history", ("B.md",)),
        ("tag-unknown", "tea", "", ("B.md", "C.md")),
        ("tag-case", "boats", "Boats", ("A.md",)),
    ]
    assert "add it" in next(item.message for item in vault.conflicts() if item.tag == "tea")


def test_spellings_of_one_tag_without_a_taxonomy(vault: UpkeepVault) -> None:
    vault.write(
        {
            "A.md": "#Tea #boat #party",
            "B.md": "#tea #boats",
            "C.md": "#tea #boats #parties #as #a",
            "D.md": "#boats #bus",
        }
    )
    assert kinds(vault) == [
        ("tag-case", "Tea", "tea", ("A.md",)),
        ("tag-plural", "boat", "boats", ("A.md",)),
        ("tag-plural", "parties", "party", ("C.md",)),
    ]


def test_renames_go_into_front_matter_and_text_and_nowhere_else(vault: UpkeepVault) -> None:
    text = (
        "---\r\ntags:\r\n  - 'historical' # why\r\n  - history\r\ntitle: historical\r\n---\r\n"
        "#Historical and `#historical` #historical/deep [[historical]] historical\r\n"
    )
    vault.write({"_meta/taxonomy.md": TABLE, "A.md": text, "historical.md": ""})
    vault.retag()
    assert vault.text("A.md") == text.replace("  - 'historical' # why\r\n", "").replace("\n#Historical", "\n#history")
    assert [item for item in vault.conflicts() if item.kind == "tag-alias"] == []


def test_ids_choose_and_go_stale(vault: UpkeepVault) -> None:
    vault.write({"_meta/taxonomy.md": TABLE, "A.md": "#historical #tutorial\n"})
    first, second = vault.conflicts()
    (edit,) = enforce(vault.vault, vault.snapshot(), vault.conflicts(), [second.id])
    assert edit.new_text == "#historical #how-to\n"
    vault.apply([edit])
    with pytest.raises(StaleEdit):
        enforce(vault.vault, vault.snapshot(), vault.conflicts(), [first.id])


def test_the_part_of_a_folder(vault: UpkeepVault) -> None:
    vault.write({"_meta/taxonomy.md": TABLE, "a/A.md": "#historical", "b/B.md": "#historical"})
    (whole,) = vault.conflicts()
    (part,) = conflicts_below(vault.snapshot(), [whole], "a")
    assert (part.pages, part.id != whole.id) == (("a/A.md",), True)


def test_the_linter_names_tags(vault: UpkeepVault) -> None:
    vault.write(
        {"_meta/taxonomy.md": TABLE, "A.md": "#historical", "B.md": "#history #a1 #b1 #c1 #d1 #e1", "C.md": "none"}
    )
    found = {(issue.code, issue.path, issue.fix) for issue in vault.lint().issues if "tag" in issue.code}
    assert {item for item in found if item[0] != "tag-unknown"} == {
        ("tag-alias", "A.md", "write #history"),
        ("tag-limit", "B.md", ""),
        ("untagged", "C.md", ""),
    }
    vault.mend("tag-alias")
    assert vault.text("A.md") == "#history"


def test_pages_without_tags_are_fine_where_most_have_none(vault: UpkeepVault) -> None:
    vault.write({"A.md": "#a", "B.md": "x", "C.md": "x"})
    assert vault.paths("untagged") == set()


TAGS = st.sampled_from(["tea", "Tea", "TEA", "boat", "boats", "historical", "history", "历史", "x/y", "new"])
FRONT = st.one_of(
    st.lists(TAGS, max_size=4).map(lambda tags: f"tags: [{', '.join(tags)}]\n"),
    st.lists(TAGS, max_size=4).map(lambda tags: "tags:\n" + "".join(f"  - {tag}\n" for tag in tags)),
    st.lists(TAGS, max_size=4).map(lambda tags: f"tags: {' '.join(tags)}\n"),
    st.lists(TAGS, max_size=4).map(lambda tags: "tags: '" + ", ".join(tags) + "'\n"),
)
TEXT = st.lists(
    st.one_of(TAGS.map("#{}".format), st.sampled_from([" ", "\n", "`#tea`", "tea", "\r\n"])), max_size=8
).map("".join)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(FRONT, TEXT), min_size=1, max_size=3))
def test_renaming_all_settles_all(tmp_path_factory: pytest.TempPathFactory, notes: list[tuple[str, str]]) -> None:
    vault = UpkeepVault(tmp_path_factory.mktemp("vault"))
    vault.write({f"n{n}.md": f"---\na: tea\n{front}z: boat\n---\n{text}" for n, (front, text) in enumerate(notes)})
    vault.write({"_meta/taxonomy.md": TABLE})
    before = bytes_of(vault.vault)
    renames = {tag_key(item.tag): item.canonical for item in vault.conflicts() if item.canonical}
    keys = {path: set(page.tags) for path, page in vault.snapshot().by_path.items()}
    vault.retag()
    for path, old in before.items():
        assert _without_tags(vault.text(path)) == _without_tags(old.decode())
    after = {path: set(map(tag_key, page.tags)) for path, page in vault.snapshot().by_path.items()}
    for path, tags in keys.items():
        assert after[path] == {tag_key(renames.get(tag_key(tag), tag)) for tag in tags}
    assert [item for item in vault.conflicts() if item.canonical and item.tag != item.canonical] == []


def _without_tags(text: str) -> str:
    """The text less what renaming may change: the value of `tags`, and the tags in the text."""
    head, _, rest = text.partition("tags:")
    body = rest[rest.find("z: boat") :]
    for tag in ("historical", "history", "历史", "boats", "Boats", "boat", "TEA", "Tea", "tea"):
        body = body.replace(f"#{tag}", "#")
    return head + body
