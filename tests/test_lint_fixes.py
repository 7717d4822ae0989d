"""Random vaults: applying every fix keeps all that it does not mend, and a second run proposes none of them again."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from upkeep_vault import UpkeepVault, bytes_of

from generator.upkeep.lint import fixes

LINKS = st.sampled_from(
    ["[[Samovra]]", "[[water-heater|w]]", "![[Samovra#Part]]", "[x](Samovra.md)", "[y](<Water-Heater.md#Part>)",
     "[[Urn]]", "[[V]]", "[[Samovar#part-one]]", "[[Nowhere]]", "[[Samovar]]"]
)  # fmt: skip
AROUND = st.sampled_from(
    [
        " ",
        "\n",
        "\r\n",
        "\n\n",
        "`",
        "```\n",
        "> ",
        "- ",
        "| ",
        "\n|---|---|\n",
        "$",
        "%%",
        "茶",
        "text",
        "# ",
        "\\",
        "<a>",
    ]
)
NOTES = st.lists(st.one_of(LINKS, AROUND), max_size=16).map("".join)
FRONT = st.sampled_from(
    [
        "",
        "---\nrelated: '[[Samovra]]'\n---\n",
        '---\r\nrelated:\r\n- "[[urn|U]]" # c\r\n---\r\n',
        "---\ntags: [x\n---\n",
    ]
)
TARGETS = {
    "Samovar.md": "---\naliases: [Urn]\n---\n## Part one\n",
    "Water Heater.md": "## Part\n",
    "a/b/V.md": "",
    "c/d/V.md": "",
}
# What a link says, wherever it stands.
LINK = re.compile(r"\[\[[^\[\]\n]*\]\]|\]\([^()\n]*\)")


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(FRONT, NOTES), min_size=1, max_size=3))
def test_all_fixes_at_once(tmp_path_factory: pytest.TempPathFactory, notes: list[tuple[str, str]]) -> None:
    vault = UpkeepVault(tmp_path_factory.mktemp("vault"))
    vault.write(TARGETS | {f"n{n}.md": front + text for n, (front, text) in enumerate(notes)})
    before = bytes_of(vault.vault)
    issues = vault.lint().issues
    edits = vault.apply(fixes(vault.vault, vault.snapshot(), issues))
    for path, old in before.items():
        assert LINK.sub("L", vault.text(path)) == LINK.sub("L", old.decode()), path
        if path not in {edit.path for edit in edits}:
            assert vault.text(path).encode() == old
    left = {(issue.code, issue.path, issue.message) for issue in vault.lint().issues if issue.repair is not None}
    assert left.isdisjoint((issue.code, issue.path, issue.message) for issue in issues)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(
        ["", "---\n---\n", "---\ntitle: x\n---\n", "---\r\ntags:\r\n---\r\n", "---\ncreated:   # when\n---\n"]
    ),
    st.sampled_from(["", "text: with colon\n", "# 标题\n\n一段话。\n", "#tag text\n", '"quoted" - and\n']),
)
def test_missing_fields_are_filled_once(tmp_path_factory: pytest.TempPathFactory, front: str, text: str) -> None:
    vault = UpkeepVault(tmp_path_factory.mktemp("vault"))
    vault.write({"schema.md": "# S\n", "wiki/concepts/N.md": front + text})
    codes = ("missing-field", "missing-summary")
    fixable = {issue.message for issue in vault.lint().issues if issue.code in codes and issue.repair}
    vault.mend(*codes)
    assert vault.text("wiki/concepts/N.md").endswith(text)
    assert fixable.isdisjoint(issue.message for issue in vault.lint().issues if issue.code in codes)
    assert vault.facts("wiki/concepts/N.md").problems == set()
