"""What a link opens: target × source × vault → the file, several, or none; and what a subpath names in a page."""

from __future__ import annotations

from unicodedata import normalize

import pytest

from generator.links import NameTable, find_anchor
from generator.model import Ambiguous, Document, Found, Missing
from generator.parse_options import ParseOptions
from generator.parser import parse_note

VALVES = ("q/w/Valve.md", "archive/Valve.md", "start.md", "archive/src.md", "archive/deep/src2.md")
NESTED = ("Note.md", "a/b/Note.md", "b/Other.md", "a/Deep.md")
LANGUAGES = (
    "en/Home.md",
    "zh/Home.md",
    "en/tips/Start.md",
    "zh/tips/Start.md",
    "zh/tips/深入.md",
    "Only.md",
    "zh/Only.md",
)
NFD = normalize("NFD", "Café Über")
GAP = "(none)"

# target, source, vault, the path that is opened, or GAP
TABLE = [
    # 1. `./` and `../` start at the folder of the link's note
    ("./src", "archive/x.md", VALVES, "archive/src.md"),
    ("../start", "archive/x.md", VALVES, "start.md"),
    ("../../start", "archive/deep/src2.md", VALVES, "start.md"),
    ("../archive/Valve", "q/x.md", VALVES, "archive/Valve.md"),
    ("./Valve", "start.md", VALVES, GAP),
    ("../../start", "archive/x.md", VALVES, GAP),
    ("./start.md", "start.md", VALVES, "start.md"),
    # 2. an exact path from the root wins, from anywhere
    ("Note", "a/b/x.md", NESTED, "Note.md"),
    ("Note", "x.md", NESTED, "Note.md"),
    ("a/b/Note", "b/Other.md", NESTED, "a/b/Note.md"),
    ("/Note", "a/b/x.md", NESTED, "Note.md"),
    ("/a/Deep", "x.md", NESTED, "a/Deep.md"),
    # 3. otherwise what ends with the target, at a folder's edge
    ("b/Note", "x.md", NESTED, "a/b/Note.md"),
    ("Deep", "x.md", NESTED, "a/Deep.md"),
    ("eep", "x.md", NESTED, GAP),
    ("c/Note", "x.md", NESTED, GAP),
    # 4. of several the one in the note's own folder, else the shortest path; folders above count for nothing
    ("Valve", "start.md", VALVES, "q/w/Valve.md"),
    ("Valve", "archive/src.md", VALVES, "archive/Valve.md"),
    ("Valve", "archive/deep/src2.md", VALVES, "q/w/Valve.md"),
    ("archive/Valve", "start.md", VALVES, "archive/Valve.md"),
    ("Valve", "start.md", (*VALVES, "Valve.md"), "Valve.md"),
    ("Valve", "archive/src.md", (*VALVES, "Valve.md"), "Valve.md"),
    ("w/Valve", "a.md", ("long/w/Valve.md", "x/w/Valve.md"), "x/w/Valve.md"),
    ("note", "a.md", ("b/Note.md", "longer/note.md"), "b/Note.md"),
    ("b/Note", "x/src.md", ("a/b/Note.md", "x/b/Note.md"), "x/b/Note.md"),
    # 8. every way in which Obsidian writes a link
    ("Deep.md", "x.md", NESTED, "a/Deep.md"),
    ("a/b/Note.md", "x.md", NESTED, "a/b/Note.md"),
    # 9. a folder is no target
    ("archive", "start.md", VALVES, GAP),
    ("archive/", "start.md", VALVES, GAP),
    # names: NFC, casefolded, dots, extensions
    (normalize("NFC", NFD), "x.md", (normalize("NFC", NFD) + ".md",), normalize("NFC", NFD) + ".md"),
    (NFD, "x.md", (normalize("NFC", NFD) + ".md",), normalize("NFC", NFD) + ".md"),
    ("ΛΌΓΟΣ", "x.md", ("λόγος.md",), "λόγος.md"),
    ("STRASSE", "x.md", ("straße.md",), "straße.md"),
    ("ﬁle", "x.md", ("ﬁle.md",), "ﬁle.md"),
    ("№1", "x.md", ("No1.md",), GAP),
    ("NOTE", "a/b/x.md", NESTED, "Note.md"),
    ("tea", "x.md", ("Tea.md", "tea.md"), "tea.md"),
    ("Tea", "x.md", ("Tea.md", "tea.md"), "Tea.md"),
    ("v1.2 release", "x.md", ("v1.2 release.md",), "v1.2 release.md"),
    ("node.js", "x.md", ("node.js.md",), "node.js.md"),
    ("data.csv", "x.md", ("data.csv.md",), "data.csv.md"),
    ("data.csv", "x.md", ("data.csv.md", "data.csv"), "data.csv"),
    ("plan.png", "a/x.md", ("img/plan.png", "very/long/plan.png"), "img/plan.png"),
    ("plan", "a/x.md", ("img/plan.png",), GAP),
    ("UPPER", "x.md", ("Upper.MD",), "Upper.MD"),
    # the page itself
    ("", "a/x.md", NESTED, "a/x.md"),
    ("Nothing", "x.md", NESTED, GAP),
    ("Nothing", "x.md", (), GAP),
]


@pytest.mark.parametrize(("target", "source", "vault", "path"), TABLE)
def test_what_a_link_opens(target: str, source: str, vault: tuple[str, ...], path: str) -> None:
    found = NameTable(vault).resolve(target, source)
    assert found == (Missing() if path == GAP else Found(path))


@pytest.mark.parametrize(
    ("target", "source", "path"),
    [
        ("Home", "zh/tips/深入.md", "zh/Home.md"),
        ("Home", "en/tips/Start.md", "en/Home.md"),
        ("Start", "zh/tips/深入.md", "zh/tips/Start.md"),
        ("Start", "zh/Home.md", "zh/tips/Start.md"),
        ("tips/Start", "zh/Home.md", "zh/tips/Start.md"),
        ("en/Home", "zh/Home.md", "en/Home.md"),
        ("Only", "zh/tips/深入.md", "zh/Only.md"),
        ("Only", "en/Home.md", "Only.md"),
        ("深入", "en/Home.md", "zh/tips/深入.md"),
        ("./Home", "zh/tips/深入.md", GAP),
        ("../Home", "zh/tips/深入.md", "zh/Home.md"),
    ],
)
def test_the_nearest_wins_where_asked_for(target: str, source: str, path: str) -> None:
    found = NameTable(LANGUAGES, nearest=True).resolve(target, source)
    assert found == (Missing() if path == GAP else Found(path))


def test_the_nearest_is_not_asked_for_by_default() -> None:
    assert NameTable(LANGUAGES).resolve("Only", "zh/tips/深入.md") == Found("Only.md")
    assert NameTable(LANGUAGES).resolve("Home", "zh/tips/深入.md") == Found("en/Home.md", tied=("zh/Home.md",))


@pytest.mark.parametrize("order", [1, -1])
def test_a_tie_is_decided_by_order_and_reported(order: int) -> None:
    """5. Paths of one length: the first in order of code points, whatever the order of the scan."""
    table = NameTable(("c/Tea.md", "b/Tea.md", "a/Tea.md", "longer/Tea.md")[::order])
    assert table.resolve("Tea", "x.md") == Found("a/Tea.md", tied=("b/Tea.md", "c/Tea.md"))
    assert table.resolve("Tea", "b/x.md") == Found("b/Tea.md")
    nearest = NameTable(("en/a/Tea.md", "en/b/Tea.md", "zh/Tea.md")[::order], nearest=True)
    assert nearest.resolve("Tea", "en/x.md") == Found("en/a/Tea.md", tied=("en/b/Tea.md",))


ALIASES = {"Water Heater.md": ("Kettle", "Boiler"), "Samovar.md": ("Urn", "Самовар"), "Dispenser.md": ("urn",)}
KITCHEN = ("Kettle.md", "deep/er/Lid.md", *ALIASES)


@pytest.mark.parametrize(
    ("target", "resolution"),
    [
        ("Kettle", Found("Kettle.md")),  # 6. a file beats an alias
        ("Boiler", Found("Water Heater.md", via_alias=True)),
        ("BOILER", Found("Water Heater.md", via_alias=True)),
        ("САМОВАР", Found("Samovar.md", via_alias=True)),
        ("Urn", Ambiguous(("Dispenser.md", "Samovar.md"))),
        ("x/Boiler", Missing()),
        ("./Boiler", Missing()),
        ("Boiler.md", Missing()),
        ("Lid", Found("deep/er/Lid.md")),
    ],
)
def test_aliases_come_last(target: str, resolution: object) -> None:
    assert NameTable(KITCHEN, ALIASES).resolve(target, "Doc.md") == resolution


def test_an_alias_claimed_twice_by_one_page_is_not_ambiguous() -> None:
    table = NameTable(("Tea.md",), {"Tea.md": ("Cha", "CHA", "cha")})
    assert table.resolve("Cha", "x.md") == Found("Tea.md", via_alias=True)


def test_the_nearest_of_those_that_claim_an_alias_wins_where_asked_for() -> None:
    aliases = {"en/Tea.md": ["Cha"], "zh/Tea.md": ["Cha"], "zh/tips/Leaf.md": ["Brew"], "zh/tips/Pot.md": ["Brew"]}
    table = NameTable(aliases, aliases, nearest=True)
    assert table.resolve("Cha", "zh/tips/x.md") == Found("zh/Tea.md", via_alias=True)
    assert table.resolve("Cha", "x.md") == Ambiguous(("en/Tea.md", "zh/Tea.md"))
    assert table.resolve("Brew", "zh/x.md") == Ambiguous(("zh/tips/Leaf.md", "zh/tips/Pot.md"))


# ── subpaths ────────────────────────────────────────────────────────────────────────────────────────────


def parse(text: str) -> Document:
    return parse_note("Note.md", text.encode(), text, ParseOptions())


OUTLINE = """# Top
## TCP/IP Model
## wifi 2.4 vs 5.0
## *Hello*, World
## [Cisco](https://example.org)
## See [[Other]]
## Same
### Inner
## Same
### Inner
### Deep
# 用法：第一步
## C# & C++
## Same
"""


@pytest.mark.parametrize(
    ("subpath", "text"),
    [
        # S1: by text without special characters and case, the first of equals
        ("TCP/IP Model", "TCP/IP Model"),
        ("TCP IP Model", "TCP/IP Model"),
        ("tcp ip   model", "TCP/IP Model"),
        ("wifi 2 4 vs 5 0", "wifi 2.4 vs 5.0"),
        ("tcpip model", None),
        # S2: with its markup and without
        ("Hello, World", "Hello, World"),
        ("*Hello*, World", "Hello, World"),
        ("Cisco", "Cisco"),
        ("[Cisco](https://example.org)", "Cisco"),
        ("See Other", "See Other"),
        ("See [[Other]]", "See Other"),
        # S3: step by step
        ("Top#TCP/IP Model", "TCP/IP Model"),
        ("Top#Inner", "Inner"),
        ("Inner#Top", None),
        ("TCP/IP Model#Same", None),
        ("用法：第一步#Inner", None),
        # S4: doubled marks
        ("#Inner", "Inner"),
        ("Top##Inner#", "Inner"),
        ("C# & C++", "C# & C++"),
        ("C & C", "C# & C++"),
        ("用法：第一步", "用法：第一步"),
        ("Nothing", None),
        ("", None),
        ("###", None),
    ],
)
def test_headings(subpath: str, text: str | None) -> None:
    note = parse(OUTLINE)
    anchor = find_anchor(subpath, note.headings, note.blocks)
    assert anchor == next((heading.anchor for heading in note.headings if heading.text == text), None)


def test_steps_choose_among_equal_headings() -> None:
    note = parse(OUTLINE)
    inner = [heading.anchor for heading in note.headings if heading.text == "Inner"]
    same = [heading.anchor for heading in note.headings if heading.text == "Same"]
    assert find_anchor("Same#Inner", note.headings, note.blocks) == inner[0]
    assert find_anchor("Same#Deep", note.headings, note.blocks) == "deep"
    assert find_anchor("Top#Same", note.headings, note.blocks) == same[0]
    assert find_anchor("用法：第一步#Same", note.headings, note.blocks) == same[2]


def test_anchors_are_unique_and_keep_their_script() -> None:
    """S17"""
    anchors = [heading.anchor for heading in parse(OUTLINE).headings]
    assert len(set(anchors)) == len(anchors)
    assert "用法-第一步" in anchors
    assert [a for a in anchors if a.startswith("same")] == ["same", "same-1", "same-2"]


def test_markdown_links_may_name_the_anchor_itself() -> None:
    note = parse(OUTLINE)
    assert find_anchor("tcp-ip-model", note.headings, note.blocks, slugs=True) == "tcp-ip-model"
    assert find_anchor("same-2", note.headings, note.blocks, slugs=True) == "same-2"
    assert find_anchor("same-9", note.headings, note.blocks, slugs=True) is None


BLOCKS = """A paragraph. ^para

- first ^one
- second
  more of it
  ^Two
- third
    - child ^child

| a |
|---|
| b |

^table

> quoted

^quote

![[plan.png]]^image

Not a b^mark and `code ^no` here.
"""


@pytest.mark.parametrize(
    ("subpath", "anchor"),
    [
        ("^para", "^para"),
        ("^one", "^one"),
        ("^two", "^two"),  # S6: Obsidian accepts upper case
        ("^TWO", "^two"),
        ("^child", "^child"),
        ("^table", "^table"),
        ("^quote", "^quote"),
        ("^image", "^image"),  # Obsidian's own help writes it so
        ("^mark", None),
        ("^no", None),
        ("^", None),
        ("para", None),
    ],
)
def test_blocks(subpath: str, anchor: str | None) -> None:
    note = parse(BLOCKS)
    assert find_anchor(subpath, note.headings, note.blocks) == anchor
    if anchor:
        assert f'id="\x01{anchor}"' in note.html
        assert anchor not in note.text


def test_a_block_id_names_its_own_item() -> None:
    """S9: not the list around it."""
    note = parse(BLOCKS)
    spans = {block.id: note.html[block.start : block.end] for block in note.blocks}
    assert "second" in spans["two"]
    assert "first" not in spans["two"]
    assert "child" in spans["child"]
    assert "third" not in spans["child"]
    assert spans["table"].startswith("<div")
    assert "<table>" in spans["table"]


def test_a_section_ends_at_the_next_heading_of_its_rank() -> None:
    """S5"""
    note = parse("# A\na\n## B\nb\n### C\nc\n## D\nd\n# E\ne\n")
    sections = {heading.text: note.html[heading.start : heading.end] for heading in note.headings}
    holds = {name: [letter for letter in "abcde" if f"<p>{letter}</p>" in html] for name, html in sections.items()}
    assert holds == {"A": list("abcd"), "B": ["b", "c"], "C": ["c"], "D": ["d"], "E": ["e"]}
    assert all(html.startswith("<h") for html in sections.values())


def test_what_definitions_without_a_reader_link_to_counts_all_the_same() -> None:
    """A footnote that is defined twice, or that nothing refers to, is not shown; its links can break as well."""
    note = parse("a[^1]\n\n[^1]: From [[One]].\n\n[^1]: From [[Two]] zebra ^two\n\n[^x]: From [[Three]].\n")
    assert [link.target for link in note.links] == ["One", "Two", "Three"]
    assert "zebra" in note.text
    assert "zebra" not in note.html
    assert [block.id for block in note.footnotes] == ["0"]
    assert note.html[slice(*next((b.start, b.end) for b in note.blocks if b.id == "two"))] == ""
