"""The cross-linker: what it proposes, what it must not touch, and that applying it changes nothing else."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from cases import all_cases
from conftest import require_shared
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from upkeep_vault import UpkeepVault, bytes_of

from generator.errors import StaleEdit
from generator.upkeep.cross_linker import link_edits


@pytest.fixture
def vault(tmp_path: Path) -> UpkeepVault:
    return UpkeepVault(tmp_path)


def proposed(vault: UpkeepVault) -> list[tuple[str, str]]:
    """`(text, replacement)` of all proposals, by their place."""
    found = sorted(vault.links().suggestions, key=lambda item: (item.source, item.start))
    return [(item.text, item.replacement) for item in found]


def test_s38_the_cross_linker_edits_only_what_it_should(vault: UpkeepVault) -> None:
    all_cases()["S38"].make(vault.vault)
    before = vault.text("Doc.md")
    vault.link()
    after = vault.text("Doc.md")
    assert "The [[Tea Ceremony|tea ceremony]] and steam. Tea is hot; `Tea` code; [[Tea|brew]]" in after
    assert "capital letters: RAPID [[API]] call" in after
    assert after.replace("[[Tea Ceremony|tea ceremony]]", "tea ceremony").replace("[[API]]", "API") == before
    assert "[[[" not in after
    assert vault.links().suggestions == ()
    assert vault.facts("Doc.md").broken == {"tea.png"}  # the case has no such picture


def test_s38_in_a_table_the_bar_is_escaped(vault: UpkeepVault) -> None:
    case = all_cases()["S38"]
    text = (
        case.files()["Doc.md"]
        .replace("[[Tea|brew]] and ", "")
        .replace("Tea is hot; ", "")
        .replace("tea ceremony", "it")
    )
    vault.write(case.files() | {"Doc.md": text.replace("| Tea | good |", "| tea | good |")})
    vault.link()
    assert vault.text("Doc.md") == text.replace("| Tea | good |", "| [[Tea\\|tea]] | good |").replace(
        "RAPID API", "RAPID [[API]]"
    )


def test_chinese_names_stand_anywhere_latin_ones_alone(vault: UpkeepVault) -> None:
    vault.write(
        {
            "曹操.md": "c",
            "操.md": "one character is no name",
            "Wei.md": "w",
            "Café.md": "c",
            "Doc.md": "昔曹操起兵，Wei国。Weight, Wei-state and src/Wei and Wei.md; cafe, CAFÉ\n",
        }
    )
    assert proposed(vault) == [("曹操", "[[曹操]]"), ("Wei", "[[Wei]]"), ("cafe", "[[Café|cafe]]")]


def test_the_longest_name_wins(vault: UpkeepVault) -> None:
    vault.write(
        {
            "Tea.md": "",
            "Green Tea.md": "",
            "Tea House.md": "",
            "Doc.md": "Green Tea House and tea\n",
            "赤壁.md": "",
            "赤壁之战.md": "",
            "二.md": "赤壁之战与赤壁",
        }
    )
    assert proposed(vault) == [
        ("Green Tea", "[[Green Tea]]"),
        ("tea", "[[Tea|tea]]"),
        ("赤壁之战", "[[赤壁之战]]"),
        ("赤壁", "[[赤壁]]"),
    ]


def test_titles_and_aliases_are_names_and_names_of_two_pages_are_none(vault: UpkeepVault) -> None:
    vault.write(
        {
            "n1.md": "---\ntitle: Boiler\naliases: [Water heater]\n---\n",
            "a/Valve.md": "",
            "b/Valve.md": "",
            "Mercury (planet).md": "",
            "Doc.md": "A boiler, a water heater; a valve. Mercury is hot.\n",
        }
    )
    assert proposed(vault) == [("boiler", "[[n1|boiler]]")]
    found = vault.links(min_score=1).suggestions
    assert [(item.text, item.score, item.reasons) for item in found] == [
        ("boiler", 4, ("+4 exact name",)),
        ("Mercury", 1, ("+1 part of the name",)),
    ]


def test_a_page_in_a_folder_is_named_by_the_shortest_path_that_is_its_own(vault: UpkeepVault) -> None:
    vault.write({"a/Tea.md": "---\naliases: [Chai]\n---\n", "b/Tea.md": "", "sub/Doc.md": "We drink chai.\n"})
    assert proposed(vault) == [("chai", "[[a/Tea|chai]]")]


def test_not_from_where_a_link_is_already(vault: UpkeepVault) -> None:
    for link in ("[[Tea]]", "![[Tea]]", "[x](Tea.md)", "[[Tea#Part|y]]", "<a href='Tea.md'>z</a>"):
        vault.write({"Tea.md": "# Part\n", "Doc.md": f"{link}\n\nTea\n"})
        assert proposed(vault) == [], link
    vault.write({"Doc.md": '---\nrelated: "[[Tea]]"\n---\nTea\n'})
    assert proposed(vault) == []


def test_what_is_next_to_brackets_is_left(vault: UpkeepVault) -> None:
    vault.write({"Tea.md": "", "Doc.md": "[Tea] and !Tea and \\Tea and x[Tea](y\n\n[Tea]: https://x.org\n"})
    assert proposed(vault) == []


def test_points(vault: UpkeepVault) -> None:
    hub = {f"p{n}.md": "[[Hub]]" for n in range(8)}
    tags = "---\ntags: [a, b]\ncategory: {0}\nproject: Site\n---\n"
    vault.write(hub | {"Hub.md": tags.format("x"), "Doc.md": tags.format("y") + "the hub\n"})
    (found,) = vault.links().suggestions
    assert found.score == 4 + 2 + 2 + 2 + 2
    assert found.is_strong
    assert found.reasons == (
        "+4 exact name", "+2 shared tags", "+2 same project", "+2 other category", "+2 few links here, many there",
    )  # fmt: skip


def test_common_words_are_no_names_in_a_vault_of_fifty_pages(vault: UpkeepVault) -> None:
    pages = {f"p{n:02}.md": "the water and tea" if n < 5 else "tea" if n < 10 else "x" for n in range(55)}
    vault.write(pages | {"Tea.md": "", "Water.md": "", "The.md": ""})
    found = vault.links()
    assert found.skipped == ("Tea",)
    assert {item.text for item in found.suggestions} == {"water"}


def test_one_page_or_folder(vault: UpkeepVault) -> None:
    vault.write({"Tea.md": "", "a/One.md": "tea [[No]]", "b/Two.md": "tea [[Nor]]"})
    found = vault.links(path="a")
    assert [(item.source, item.line) for item in found.suggestions] == [("a/One.md", 1)]
    assert [(item.source, item.target, item.line) for item in found.missing] == [("a/One.md", "No", 1)]
    assert len(vault.links(path="b/Two.md").suggestions) == 1


def test_ids_choose_and_go_stale(vault: UpkeepVault) -> None:
    vault.write({"Tea.md": "", "Milk.md": "", "Doc.md": "tea and milk\n"})
    tea, milk = sorted(vault.links().suggestions, key=lambda item: item.start)
    (edit,) = link_edits(vault.vault, vault.snapshot(), vault.links().suggestions, [milk.id])
    assert edit.new_text == "tea and [[Milk|milk]]\n"
    vault.apply([edit])
    with pytest.raises(StaleEdit):
        link_edits(vault.vault, vault.snapshot(), vault.links().suggestions, [tea.id])


def test_a_source_that_changed_since_is_passed_over(vault: UpkeepVault) -> None:
    vault.write({"Tea.md": "", "Doc.md": "tea\n"})
    found, wiki = vault.links(), vault.snapshot()
    vault.write({"Doc.md": "more tea\n"})
    with pytest.raises(StaleEdit):
        link_edits(vault.vault, wiki, found.suggestions)


def test_line_ends_and_encoding_marks_stay(vault: UpkeepVault) -> None:
    vault.write({"Tea.md": "", "Doc.md": "\ufeff# x\r\nmy tea\r\n\r\nend".encode(), "Latin.md": b"tea caf\xe9"})
    vault.link()
    assert (vault.vault / "Doc.md").read_bytes() == "\ufeff# x\r\nmy [[Tea|tea]]\r\n\r\nend".encode()
    assert (vault.vault / "Latin.md").read_bytes() == b"tea caf\xe9"


def test_several_processes_find_the_same(vault: UpkeepVault) -> None:
    vault.write({f"n{n}.md": f"# Number{n}\n\nsee number{(n * 7) % 230} and 号{n}\n" for n in range(230)})
    alone = vault.links()
    assert len(alone.suggestions) > 200
    assert vault.links(workers=2) == alone


WORDS = st.sampled_from(
    ["Tea", "tea", "Green tea", "茶", "绿茶", "曹操", " ", ". ", "\n", "\n\n", "[[Tea]]", "[", "]", "(", "!", "`", "**",
     "$", "| ", "\n|---|---|\n", "# ", "> ", "- ", "%%", "<a>", "</a>", "\\", "|", "\r\n", "é", "x"]
)  # fmt: skip


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(WORDS, max_size=14).map("".join), min_size=1, max_size=3))
def test_applying_all_proposals_only_adds_brackets_and_is_done_in_one_go(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    vault = UpkeepVault(tmp_path_factory.mktemp("vault"))
    vault.write({"Tea.md": "", "Green tea.md": "[[Tea]]", "绿茶.md": "", "曹操.md": "---\naliases: [茶经]\n---\n"})
    vault.write({f"d{n}.md": text for n, text in enumerate(texts)})
    before = bytes_of(vault.vault)
    broken = len(vault.links().missing)
    suggestions = vault.links().suggestions
    edits = vault.link()
    for path, old in before.items():
        items = [item for item in suggestions if item.source == path] if path in {edit.path for edit in edits} else []
        new = vault.text(path)
        assert new.count("\r") == old.decode().count("\r")
        new = new.replace("\r\n", "\n").replace("\r", "\n")
        for item in sorted(items, key=lambda item: item.start):
            assert new[item.start :].startswith(item.replacement)
            new = new[: item.start] + item.text + new[item.start + len(item.replacement) :]
        assert new == old.decode().replace("\r\n", "\n").replace("\r", "\n")
    assert len(vault.links().missing) == broken
    left = {item.source for item in vault.links().suggestions}
    assert left.isdisjoint(edit.path for edit in edits)


def test_the_help_vault_keeps_its_bytes(tmp_path: Path) -> None:
    import shutil

    root = tmp_path / "vault"
    shutil.copytree(require_shared("vaults", "obsidian-help", "en"), root)
    for file in root.rglob("*"):
        file.chmod(0o755)
    vault = UpkeepVault(tmp_path, root)
    before = bytes_of(root)
    suggestions = vault.links(workers=2).suggestions
    assert len(suggestions) > 150
    broken = len(vault.links().missing)
    edits = {edit.path for edit in vault.link()}
    assert edits == {item.source for item in suggestions}
    for path, old in before.items():
        if path not in edits:
            assert (root / path).read_bytes() == old
            continue
        new = vault.text(path)
        for item in sorted((item for item in suggestions if item.source == path), key=lambda item: -item.start):
            assert item.replacement in new
            new = new.replace(item.replacement, item.text, 1)
        assert unicodedata.is_normalized("NFC", path)
        assert new.encode() == old
    again = vault.links()
    assert again.suggestions == ()
    assert len(again.missing) == broken
