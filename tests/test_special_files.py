"""index.md, hot.md, log.md and the daily round: exact formats, only what is ours, nothing twice."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from upkeep_vault import TODAY, UpkeepVault, bytes_of

from generator.model import Edit
from generator.upkeep.edits import source_of
from generator.upkeep.log import LogEntry, add_entry, read_log
from generator.upkeep.special_files import count_words, hot_edit, index_edit

PAGE = (
    "---\ntitle: {title}\ncategory: {category}\ntags: [{tags}]\n"
    "created: {created}\nupdated: {updated}\nsummary: {summary}\n---\n"
)


def page(
    title: str,
    category: str = "concepts",
    tags: str = "old",
    created: str = "2020-01-01",
    updated: str = "2020-01-01",
    summary: str = "About it.",
    extra: str = "",
) -> str:
    text = PAGE.format(title=title, category=category, tags=tags, created=created, updated=updated, summary=summary)
    return text.replace("summary:", f"{extra}summary:") + "text\n"


@pytest.fixture
def vault(tmp_path: Path) -> UpkeepVault:
    project = UpkeepVault(tmp_path)
    project.write({"schema.md": "# Schema\n", "wiki/log.md": "# Wiki Log\n"})
    return project


def index(vault: UpkeepVault, language: str = "en") -> str:
    edit = index_edit(vault.vault, vault.layout, vault.snapshot(), language)
    assert edit is not None
    return edit.new_text


# ── index.md ────────────────────────────────────────────────────────────────────────────────────────────


def test_the_index_lists_every_page_by_category_and_title(vault: UpkeepVault) -> None:
    vault.write(
        {
            "wiki/concepts/b.md": page("beta", summary="One [[link]] and 50 %% of it."),
            "wiki/concepts/a.md": page("Alpha"),
            "wiki/entities/茶.md": page("茶", "entities", summary="一种饮料"),
            "wiki/practices/c.md": page("C", "practices"),
            "wiki/zoo/z.md": page("Z", "zoo"),
            "wiki/Top.md": "# Top\n",
            "wiki/hidden.md": "---\npublish: false\n---\nx",
        }
    )
    assert index(vault) == (
        "# Wiki Index\n\n<!-- llmwiki:begin index -->\n\n"
        "## Practices\n\n- [[practices/c|C]] — About it.\n\n"
        "## Concepts\n\n- [[concepts/a|Alpha]] — About it.\n"
        "- [[concepts/b|beta]] — One \\[[link]] and 50 \\%% of it.\n\n"
        "## Entities\n\n- [[entities/茶|茶]] — 一种饮料\n\n"
        "## Zoo\n\n- [[zoo/z|Z]] — About it.\n\n"
        "## Other\n\n- [[Top|Top]]\n\n<!-- llmwiki:end index -->\n"
    )
    vault.write({"wiki/index.md": index(vault)})
    assert index_edit(vault.vault, vault.layout, vault.snapshot()) is None
    assert vault.facts("wiki/index.md").broken == set()


def test_only_the_marked_part_changes(vault: UpkeepVault) -> None:
    text = "# Mine\r\n\r\nabove\r\n<!-- llmwiki:begin index -->\r\nold\r\n<!-- llmwiki:end index -->\r\nbelow  \r\n"
    vault.write({"wiki/index.md": text, "wiki/concepts/a.md": page("A")})
    new = index(vault)
    assert new == text.replace("\r\nold\r\n", "\r\n\r\n## Concepts\r\n\r\n- [[concepts/a|A]] — About it.\r\n\r\n")


def test_an_index_without_marks_keeps_its_text(vault: UpkeepVault) -> None:
    vault.write({"wiki/index.md": "# Ours\n\nwords\n", "wiki/a.md": page("A")})
    assert index(vault).startswith("# Ours\n\nwords\n\n<!-- llmwiki:begin index -->\n")


def test_a_plain_vault_keeps_its_index_unless_it_is_ours(tmp_path: Path) -> None:
    vault = UpkeepVault(tmp_path)
    vault.write({"index.md": "my own page\n", "hot.md": "it is hot\n", "log.md": "- a\n", "a.md": "x"})
    before = bytes_of(vault.vault)
    assert vault.daily()[1] == ()
    assert bytes_of(vault.vault) == before
    vault.write({"index.md": "<!-- llmwiki:begin index -->\n<!-- llmwiki:end index -->\n"})
    assert vault.daily()[1] == ("index.md",)
    assert "[[a|a]]" in vault.text("index.md")


# ── hot.md ──────────────────────────────────────────────────────────────────────────────────────────────


def hot(vault: UpkeepVault, language: str = "en", today: date = TODAY) -> Edit | None:
    return hot_edit(vault.vault, vault.layout, vault.snapshot(), today, language)


def test_what_is_hot(vault: UpkeepVault) -> None:
    flag = "lifecycle: disputed\nrelationships: [{target: '[[Alpha]]', type: contradicts}]\n"
    vault.write(
        {
            "wiki/concepts/a.md": page("Alpha", updated="2026-05-26", tags="fresh, old", created="2026-05-26")
            + "[[b]] [[c]]",
            "wiki/concepts/b.md": page("Beta", updated="2026-06-01T10:00:00") + "[[a]]",
            "wiki/concepts/c.md": page("Gamma", updated="2026-05-25", extra=flag) + "[[a]]",
            "wiki/concepts/d.md": page("Delta"),
            "wiki/hot.md": "# Wiki Hot\n\nold words\n\n## Key takeaways\n\n- kept by hand\n\n## Not ours\n\nx\n",
        }
    )
    edit = hot(vault)
    assert edit is not None
    assert edit.new_text == (
        "# Wiki Hot - 2026-06-01\n\n"
        "## Recently updated\n\n- [[concepts/b|Beta]] (2026-06-01)\n- [[concepts/a|Alpha]] (2026-05-26)\n\n"
        "## New tags\n\n- fresh\n\n"
        "## Pages waiting for links\n\n- [[concepts/d|Delta]]\n\n"
        "## Flagged\n\n- [[concepts/c|Gamma]]: disputed, contradicts [[Alpha]]\n\n"
        "## Key takeaways\n\n- kept by hand\n"
    )
    vault.apply([edit])
    assert hot(vault) is None


def test_the_headings_are_in_the_language_of_the_site(vault: UpkeepVault) -> None:
    vault.write({"wiki/a.md": page("甲", updated="2026-06-01", extra="lifecycle: disputed\n")})
    edit = hot(vault, "zh")
    assert edit is not None
    assert edit.new_text == (
        "# Wiki Hot - 2026-06-01\n\n## 最近更新\n\n- [[a|甲]] (2026-06-01)\n\n"
        "## 等待链接的页面\n\n- [[a|甲]]\n\n## 有争议\n\n- [[a|甲]]: 有争议\n\n## 要点\n"
    )


def test_at_most_five_hundred_words(vault: UpkeepVault) -> None:
    vault.write(
        {f"wiki/concepts/p{n}.md": page(" ".join(["word"] * 30) + f" {n}", updated="2026-06-01") for n in range(60)}
    )
    vault.write({"wiki/hot.md": "## Key takeaways\n\n" + "own " * 200})
    edit = hot(vault)
    assert edit is not None
    assert 400 < count_words(edit.new_text) <= 500
    assert edit.new_text.count("own") == 200


def test_a_chinese_character_is_half_a_word() -> None:
    assert count_words("- [[entities/赤壁|赤壁之战]] (2026-01-01) and more") == 2 + 3


# ── log.md ──────────────────────────────────────────────────────────────────────────────────────────────

ENTRY = LogEntry("2026-06-01", "link", "3 links", ("Changed [[A]]",))


def added(text: str) -> str:
    return add_entry(source_of("log.md", text, "x"), ENTRY).new_text


def test_the_four_shapes_are_read() -> None:
    text = (
        "# Log\n\n<!--\n## [2020-01-01] comment | no\n-->\n\n```\n## [2020-01-01] code | no\n```\n"
        "## [2026-01-01] ingest | A book\n\n- Created [[A]]\n* and B\n\n## Other heading\n\n- not a detail\n\n"
        "## 2026-01-02\n\n- did a thing\n\n- 2026-01-03: a line\n- [2026-01-04T10:00:00Z] INGEST source=x pages=2\n"
    )
    assert [(e.date, e.operation, e.subject, e.details, e.line) for e in read_log(text)] == [
        ("2026-01-01", "ingest", "A book", ("Created [[A]]", "and B"), 10),
        ("2026-01-02", "", "", ("did a thing",), 19),
        ("2026-01-03", "", "a line", (), 23),
        ("2026-01-04", "ingest", "source=x pages=2", (), 24),
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "## [2026-06-01] link | 3 links\n\n- Changed [[A]]\n"),
        ("# Wiki Log\n", "# Wiki Log\n\n## [2026-06-01] link | 3 links\n\n- Changed [[A]]\n"),
        (
            "# L\n\n## [2026-01-01] x | y\n\n- z",
            "# L\n\n## [2026-01-01] x | y\n\n- z\n\n## [2026-06-01] link | 3 links\n\n- Changed [[A]]\n",
        ),
        ("## 2026-01-01\n\n- z\n", "## 2026-01-01\n\n- z\n\n## 2026-06-01\n\n- link: 3 links (Changed [[A]])\n"),
        ("## 2026-06-01\n\n- z\n", "## 2026-06-01\n\n- z\n- link: 3 links (Changed [[A]])\n"),
        ("- 2026-01-01: z\n", "- 2026-01-01: z\n- 2026-06-01: link 3 links (Changed [[A]])\n"),
        ("- [2026-01-01] X a=b\r\n", "- [2026-01-01] X a=b\r\n- [2026-06-01] LINK 3 links (Changed [[A]])\r\n"),
        (
            "# L\n\n## [2026-02-01] b | c\n\n## [2026-01-01] x | y\n",
            "# L\n\n## [2026-06-01] link | 3 links\n\n- Changed [[A]]\n\n"
            "## [2026-02-01] b | c\n\n## [2026-01-01] x | y\n",
        ),
    ],
)
def test_an_entry_is_written_as_those_that_are_there(before: str, after: str) -> None:
    assert added(before) == after
    assert ENTRY.date in {entry.date for entry in read_log(after.replace("\r\n", "\n"))}


# ── the day ─────────────────────────────────────────────────────────────────────────────────────────────


def test_the_day_is_written_once(vault: UpkeepVault) -> None:
    vault.write(
        {
            "wiki/concepts/new.md": page("New", created="2026-05-31", updated="2026-05-31"),
            "wiki/concepts/changed.md": page("Changed", updated="2026-06-01"),
            "wiki/concepts/old.md": page("Old"),
        }
    )
    plan, written = vault.daily()
    assert (plan.since, plan.updated, plan.new) == (
        "2026-05-31",
        ("wiki/concepts/changed.md", "wiki/concepts/new.md"),
        ("wiki/concepts/new.md",),
    )
    assert written == ("wiki/index.md", "wiki/hot.md", "wiki/log.md")
    assert vault.text("wiki/log.md") == (
        "# Wiki Log\n\n## [2026-06-01] daily | daily update\n\n- 2 updated, 1 of them new, since 2026-05-31\n"
        "- Wrote wiki/index.md\n- Wrote wiki/hot.md\n"
    )
    before = bytes_of(vault.vault)
    again, written = vault.daily()
    assert (written, again.updated, again.new) == ((), plan.updated, plan.new)
    assert bytes_of(vault.vault) == before


def test_the_next_day_looks_back_to_the_last_round(vault: UpkeepVault) -> None:
    vault.write({"wiki/a.md": page("A", updated="2026-05-31")})
    vault.daily(date(2026, 5, 28))
    plan, written = vault.daily()
    assert (plan.since, plan.updated) == ("2026-05-28", ("wiki/a.md",))
    assert written == ("wiki/hot.md", "wiki/log.md")
    vault.write({"wiki/b.md": page("B", updated="2026-06-01")})
    plan, written = vault.daily()
    assert (plan.since, set(written)) == ("2026-05-28", {"wiki/index.md", "wiki/hot.md", "wiki/log.md"})
    assert vault.daily()[1] == ()
