"""The linter: each rule on a small vault, its fixes, and that it invents nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import all_cases
from documentation import page, rows, spans
from upkeep_vault import TODAY, UpkeepVault, bytes_of

from generator.errors import StaleEdit
from generator.query import run
from generator.secrets import find_secrets
from generator.store import connect_read_only
from generator.upkeep.lint import CODES, RULES, fixes
from generator.upkeep.lint.issue import SourceFacts
from generator.upkeep.status import wiki_status


@pytest.fixture
def vault(tmp_path: Path) -> UpkeepVault:
    return UpkeepVault(tmp_path)


LAYERED = {"schema.md": "# Schema\n", "wiki/index.md": "# Wiki Index\n"}
WHOLE = "---\ntitle: {0}\ncategory: x\ntags: [t]\ncreated: 2026-05-01\nupdated: 2026-05-20\nsummary: About it.\n---\n"


# ── links ───────────────────────────────────────────────────────────────────────────────────────────────


def test_a_broken_link_has_the_one_nearest_name(vault: UpkeepVault) -> None:
    vault.write(
        {
            "Water Heater.md": "w",
            "Samovar.md": "s",
            "notes/Kettle.md": "k",
            "old/Kettle.md": "k",
            "Part 1.md": "p",
            "Doc.md": "[[water-heater]] ![[Samovra#x|y]] [t](Samovr.md#A%20b)\n\n"
            "[[Kettel]] [[Part 2]] [[Nothing like it]]\n",
        }
    )
    issues = [issue for issue in vault.lint().issues if issue.code == "broken-link"]
    assert [(issue.line, issue.message.split(":")[0], issue.fix) for issue in issues] == [
        (1, "embed to “Samovra#x”", "link to Samovar#x"),
        (1, "link to “Samovr.md#A b”", "link to Samovar#A b"),
        (1, "link to “water-heater”", "link to Water Heater"),
        (3, "link to “Kettel”", ""),  # two pages have that name
        (3, "link to “Nothing like it”", ""),
        (3, "link to “Part 2”", ""),  # another number is no slip
    ]
    vault.mend("broken-link")
    assert vault.text("Doc.md") == (
        "[[Water Heater]] ![[Samovar#x|y]] [t](Samovar.md#A%20b)\n\n[[Kettel]] [[Part 2]] [[Nothing like it]]\n"
    )


def test_fixes_touch_links_in_properties_and_tables_and_never_code(vault: UpkeepVault) -> None:
    text = (
        '---\r\nrelated: "[[Samovra|s]]" # why\r\n---\r\n`[[Samovra]]` [[Samovra]]\r\n\r\n'
        "| a |\r\n|---|\r\n| [[Samovra\\|b]] |\r\n\r\n```\r\n[[Samovra]]\r\n```\r\n"
    )
    vault.write({"Samovar.md": "s", "Doc.md": text})
    vault.mend("broken-link")
    wanted = text.replace('"[[Samovra|', '"[[Samovar|').replace(" [[Samovra]]", " [[Samovar]]")
    assert vault.text("Doc.md") == wanted.replace("| [[Samovra\\|", "| [[Samovar\\|")


def test_missing_headings_and_blocks(vault: UpkeepVault) -> None:
    vault.write(
        {"A.md": "## First part\n\ntext ^one\n", "B.md": "[[A#first-part]] [[A#Second]] [[A#^two]] [[A#^one]]\n"}
    )
    issues = [issue for issue in vault.lint().issues if issue.code.startswith("missing-")]
    assert [(issue.code, issue.fix) for issue in issues] == [
        ("missing-block", ""),
        ("missing-heading", ""),
        ("missing-heading", "link to A#First part"),
    ]
    vault.mend("missing-heading")
    assert vault.text("B.md") == "[[A#First part]] [[A#Second]] [[A#^two]] [[A#^one]]\n"


def test_a_link_that_may_mean_two_pages_is_spelled_out(vault: UpkeepVault) -> None:
    vault.write({"q/w/V.md": "1", "r/x/V.md": "2", "A.md": "[[V]] and [[V|v]]\n"})
    assert [issue.fix for issue in vault.lint().issues if issue.code == "ambiguous-link"] == ["link to w/V"] * 2
    vault.mend("ambiguous-link")
    assert vault.text("A.md") == "[[w/V]] and [[w/V|v]]\n"
    assert vault.paths("ambiguous-link") == set()


def test_a_link_by_alias_is_written_so_that_obsidian_follows_it(vault: UpkeepVault) -> None:
    vault.write(
        {"Page.md": "---\naliases: [Other]\n---\n", "A.md": "[[Other]] [[other|x]]\n\n| t |\n|---|\n| [[Other]] |\n"}
    )
    vault.mend("alias-link")
    assert vault.text("A.md") == "[[Page|Other]] [[Page|x]]\n\n| t |\n|---|\n| [[Page\\|Other]] |\n"
    assert vault.paths("alias-link") == set()


# ── properties ──────────────────────────────────────────────────────────────────────────────────────────


def test_missing_fields_only_where_pages_have_a_schema(vault: UpkeepVault) -> None:
    vault.write({"wiki/concepts/Tea.md": "# Tea time\n\nTea is a drink. #drink\n"})
    assert vault.found("missing-field", "missing-summary", "untagged") == []
    vault.write(LAYERED | {"wiki/concepts/No.md": WHOLE.format("No") + "text [[Tea]]\n"})
    assert {issue.message: issue.fix for issue in vault.lint().issues if issue.code == "missing-field"} == {
        "`title` is missing": "title: Tea time",
        "`category` is missing": "category: concepts",
        "`tags` is missing": "tags: drink",
        "`created` is missing": f"created: {_day(vault, 'wiki/concepts/Tea.md')}",
        "`updated` is missing": f"updated: {_day(vault, 'wiki/concepts/Tea.md')}",
    }
    vault.mend("missing-field", "missing-summary")
    day = _day(vault, "wiki/concepts/Tea.md")
    assert vault.text("wiki/concepts/Tea.md") == (
        f"---\ncategory: concepts\ncreated: {day}\ntags: [drink]\ntitle: Tea time\nupdated: {day}\n"
        'summary: "Tea is a drink. #drink"\n---\n\n# Tea time\n\nTea is a drink. #drink\n'
    )
    assert vault.found("missing-field", "missing-summary") == []


def _day(vault: UpkeepVault, path: str) -> str:
    return vault.snapshot().by_path[path].created_at[:10]


def test_values_outside_their_type(vault: UpkeepVault) -> None:
    vault.write(
        {
            "Title.md": "---\ntitle: [a, b]\n---\nx",
            "Tags.md": "---\ntags: {a: 1}\n---\nx",
            "Relation.md": '---\nrelationships:\n  - {target: "[[Tags]]", type: loves}\n  - nothing\n---\nx',
            "Date.md": "---\ncreated: soon\nlifecycle: done\n---\nx",
            "Fine.md": '---\nrelationships:\n  - {target: "[[Tags]]", type: uses}\nupdated: 2026-05-01\n---\nx',
        }
    )
    found = [(issue.path, issue.code, issue.severity) for issue in vault.lint().issues if issue.severity == "error"]
    assert sorted(found) == [
        ("Date.md", "bad-date", "error"),
        ("Date.md", "bad-lifecycle", "error"),
        ("Relation.md", "bad-type", "error"),
        ("Relation.md", "bad-type", "error"),
        ("Tags.md", "bad-type", "error"),
        ("Title.md", "bad-type", "error"),
    ]


def test_a_long_summary(vault: UpkeepVault) -> None:
    vault.write({"A.md": f"---\nsummary: {'x' * 201}\n---\nx", "B.md": f"---\nsummary: {'x' * 200}\n---\nx"})
    assert vault.paths("long-summary") == {"A.md"}


# ── pages ───────────────────────────────────────────────────────────────────────────────────────────────


def test_duplicate_titles_and_aliases(vault: UpkeepVault) -> None:
    vault.write(
        {
            "a/One.md": "---\ntitle: Café\naliases: [X]\n---\nx",
            "b/Two.md": "---\ntitle: CAFE\u0301\n---\nx",
            "c/Three.md": "---\naliases: [x, one]\n---\nx",
        }
    )
    assert vault.paths("duplicate-title") == {"a/One.md", "b/Two.md"}
    assert [issue.message for issue in vault.lint().issues if issue.code == "duplicate-alias"] == [
        "the alias “X” is also a name of c/Three.md",
        "the alias “one” is also a name of a/One.md",
        "the alias “x” is also a name of a/One.md",
    ]


def test_orphans_dead_ends_and_empty_pages(vault: UpkeepVault) -> None:
    vault.write(
        {"A.md": "[[B]] ![[p.png]]", "B.md": "text", "C.md": "---\na: 1\n---\n", "D.md": "![[p.png]]", "p.png": b"x"}
    )
    assert vault.paths("orphan") == {"A.md", "C.md", "D.md"}
    assert vault.paths("dead-end") == {"B.md", "C.md", "D.md"}
    assert vault.paths("empty-page") == {"C.md"}


def test_attachments_that_no_page_refers_to(vault: UpkeepVault) -> None:
    vault.write(
        {
            "A.md": "![[used.png]] <img src='html.png'>",
            "used.png": b"x",
            "html.png": b"x",
            "lone.png": b"x",
            "x.json": "{}",
        }
    )
    assert vault.paths("unused-attachment") == {"lone.png"}


def test_a_canvas_refers_to_attachments_too(vault: UpkeepVault) -> None:
    board = '{"nodes": [{"type": "file", "file": "shown.png"}, {"type": "text"}, 3]}'
    vault.write(
        {"A.md": "x", "shown.png": b"x", "lone.png": b"x", "b.canvas": board, "bad.canvas": "[", "odd.canvas": "[]"}
    )
    assert vault.paths("unused-attachment") == {"lone.png"}


def test_sources_that_are_gone(vault: UpkeepVault) -> None:
    kept = "[a.pdf, sub/b.md, 'a.pdf#part', raw/sources/a.pdf, 'https://x.org/y', 'agent:claude/1'"
    page = WHOLE.format("T").replace("summary", f"sources: {kept}, gone.pdf]\nsummary")
    vault.write(LAYERED | {"raw/sources/a.pdf": b"x", "raw/sources/sub/b.md": "b", "wiki/T.md": page + "x"})
    assert vault.issue("lost-source").message == "the source 'gone.pdf' is neither below raw/sources nor an address"
    vault.mend("lost-source")
    assert f"sources: {kept}]\n" in vault.text("wiki/T.md")
    assert vault.paths("lost-source") == set()


def test_stale_pages(vault: UpkeepVault) -> None:
    page = WHOLE.replace("summary", "sources: [a.md]\nsummary")
    old = page.replace("2026-05-20", "2026-01-01")
    vault.write({"Old.md": old + "x", "New.md": page + "x", "Plain.md": WHOLE + "x"})
    assert [(i.path, i.severity) for i in vault.lint().issues if i.code == "stale"] == [("Old.md", "info")]
    for source in (
        SourceFacts("a.md", "done", "2026-05-30", "2026-05-30"),
        SourceFacts("a.md", "pending", "2026-01-01", "2026-01-02"),
    ):
        issues = vault.lint({"a.md": source}).issues
        assert [(i.path, i.severity) for i in issues if i.code == "stale"] == [
            ("New.md", "warning"),
            ("Old.md", "warning"),
        ]
    for source in (
        SourceFacts("a.md", "done", "2026-01-01", "2026-01-02"),
        SourceFacts("a.md", "pending", "2026-05-30", ""),  # a first scan of a vault that had no queue before
    ):
        assert [i.severity for i in vault.lint({"a.md": source}).issues if i.code == "stale"] == ["info"]


def test_disputed_pages(vault: UpkeepVault) -> None:
    vault.write(
        {
            "A.md": "---\nlifecycle: disputed\n---\nx",
            "B.md": '---\nrelationships:\n  - {target: "[[A]]", type: contradicts}\n---\nx',
            "C.md": "it contradicts nothing",
        }
    )
    assert [(i.path, i.message) for i in vault.lint().issues if i.code == "disputed"] == [
        ("A.md", "its lifecycle is disputed"),
        ("B.md", "it contradicts A"),
    ]


KEY = "AKIA" + "Q7ZK3MNP5XW2LDTR"


def test_secrets_are_found_where_they_stand(vault: UpkeepVault) -> None:
    vault.write(
        {
            "A.md": f"---\npublish: false\n---\n\nkey {KEY}\n",
            "B.md": f"x\n\n`{KEY}`\n",
            "C.md": "AKIAIOSFODNN7EXAMPLE sk-short",
        }
    )
    found = [issue for issue in vault.lint().issues if issue.code == "secret"]
    assert [(issue.path, issue.line) for issue in found] == [("A.md", 5), ("B.md", 3)]
    assert KEY not in str(found)
    assert "not published" in found[0].message
    assert [(start, name) for start, _, name in find_secrets("sk-proj-aB3" + "x9Kq" * 10)] == [(0, "an API key")]


@pytest.mark.parametrize(
    "text",
    [
        "sk-learn is a library",
        "ghp_short",
        "eyJhbGciOi.x",
        "AIza",
        "-----BEGIN CERTIFICATE-----",
        "a" * 10_000,
        "sk-" * 9000,
    ],
)
def test_what_is_no_secret(text: str) -> None:
    assert find_secrets(text) == []


def test_an_index_that_drifted_is_regenerated(vault: UpkeepVault) -> None:
    marks = "# Mine\n\n<!-- llmwiki:begin index -->\n<!-- llmwiki:end index -->\n\nand this stays\n"
    vault.write({"schema.md": "s", "wiki/index.md": marks, "wiki/concepts/Tea.md": WHOLE.format("Tea") + "x"})
    assert vault.issue("index-drift").path == "wiki/index.md"
    vault.mend("index-drift")
    assert vault.text("wiki/index.md") == marks.replace(
        "index -->\n<!--", "index -->\n\n## X\n\n- [[concepts/Tea|Tea]] — About it.\n\n<!--"
    )
    assert vault.paths("index-drift") == set()


# ── as a whole ──────────────────────────────────────────────────────────────────────────────────────────


def test_an_id_stays_until_the_page_changes(vault: UpkeepVault) -> None:
    vault.write({"Samovar.md": "s", "Doc.md": "[[Samovra]]\n"})
    first = vault.issue("broken-link")
    assert vault.issue("broken-link").id == first.id
    assert len(fixes(vault.vault, vault.snapshot(), vault.lint().issues, [first.id])) == 1
    vault.write({"Doc.md": "[[Samovra]]!\n"})
    assert vault.issue("broken-link").id != first.id
    with pytest.raises(StaleEdit):
        fixes(vault.vault, vault.snapshot(), vault.lint().issues, [first.id])


def test_a_page_that_changed_since_it_was_indexed_is_not_edited(vault: UpkeepVault) -> None:
    vault.write({"Samovar.md": "s", "Doc.md": "[[Samovra]]\n"})
    issues, wiki = vault.lint().issues, vault.snapshot()
    vault.write({"Doc.md": "[[Samovra]] and more\n"})
    with pytest.raises(StaleEdit):
        fixes(vault.vault, wiki, issues)


def test_what_is_shown_of_a_report(vault: UpkeepVault) -> None:
    vault.write({"a/A.md": "[[No]]", "a.md": "---\nlifecycle: x\n---\n[[No]]", "b/B.md": "text"})
    report = vault.lint()
    assert {issue.severity for issue in report.shown(level="info")} == {"error", "warning", "info"}
    assert {issue.severity for issue in report.shown()} == {"error", "warning"}
    assert [issue.path for issue in report.shown(path="a", checks=["broken-link"])] == ["a/A.md"]
    assert [issue.path for issue in report.shown(checks=["broken-link"])] == ["a.md", "a/A.md"]
    assert report.counts() == {
        severity: sum(issue.severity == severity for issue in report.issues)
        for severity in ("error", "warning", "info")
    }


def test_every_code_belongs_to_one_rule_and_is_what_issues_carry(vault: UpkeepVault) -> None:
    assert sum(len(rule.codes) for rule in RULES) == len(CODES)
    vault.write({"A.md": "---\nlifecycle: reviewed\naliases: x\ntags: [a, 12]\n---\n[[No]] $$\\bad$$", "B.md": b"\x00"})
    assert {issue.code for issue in vault.lint().issues} <= CODES.keys()


def test_nothing_is_written_by_looking(vault: UpkeepVault) -> None:
    vault.write({"A.md": "[[No]]\r\n", "Tea.md": "x"})
    before = bytes_of(vault.vault)
    vault.lint()
    vault.links()
    vault.conflicts()
    assert bytes_of(vault.vault) == before


def test_an_empty_vault_has_no_issue(vault: UpkeepVault) -> None:
    assert vault.lint().issues == ()


def test_status_counts_what_the_linter_finds(vault: UpkeepVault) -> None:
    for name in ("S11", "S14", "S17", "S45"):
        all_cases()[name].make(vault.vault)
    vault.write({"D.md": "---\nlifecycle: disputed\nupdated: 2020-01-01\n---\n", "wiki/log.md": "[[Gone]]"})
    issues = vault.lint().issues
    db = connect_read_only(vault.config().wiki.index_path)
    state = run(db, wiki_status(TODAY))
    db.close()
    count = {code: sum(issue.code == code for issue in issues) for code in CODES}
    counts = state.counts
    assert (counts.broken, counts.orphans, counts.stale) == (count["broken-link"], count["orphan"], count["stale"])
    assert counts.missing_subpaths == count["missing-heading"] + count["missing-block"]
    assert counts.ambiguous == count["ambiguous-link"]
    assert state.disputed == count["disputed"]
    assert min(counts.broken, counts.orphans, counts.stale, counts.missing_subpaths, counts.ambiguous) > 0


def test_every_code_is_described_with_its_severity() -> None:
    table = {spans(row[0])[0]: row[1] for row in rows(page("upkeep.md"), "lint")}
    assert table == CODES
