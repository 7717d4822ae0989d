"""The built site as a whole: every address leads somewhere, every page is sound HTML. Also checks the checker."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import read_parts
from conftest import require_shared
from project import Page, Project
from site_checker import check_site

from generator.body import MAX_DEPTH

NOTES = dict(read_parts((Path(__file__).parent / "every_syntax.txt").read_text("utf-8")))


@pytest.fixture
def small(project: Project) -> Project:
    project.write(NOTES)
    project.build()
    return project


def test_a_vault_of_every_syntax_becomes_a_sound_site(small: Project) -> None:
    assert [str(fault) for fault in check_site(small.site)] == []


def test_only_used_attachments_are_in_the_site(small: Project) -> None:
    assert (small.site / "plan.png").read_bytes() == b"picture\n"
    assert not (small.site / "unused.png").exists()


def test_footnotes_of_an_embedded_section_come_along(small: Project) -> None:
    embedded = small.page("deep/er/Far.md").body.select_one(".markdown-embed")
    assert embedded is not None
    assert "Source" in embedded.get_text()
    assert "Third" not in embedded.get_text()
    assert "B, as in" not in embedded.get_text()


def test_embeds_end_at_the_depth_that_is_shown(project: Project) -> None:
    project.write({f"N{i}.md": f"word{i} ![[N{i + 1}]]\n" for i in range(10)} | {"N10.md": "word10\n"})
    project.build()
    text = project.page("N0.md").text
    shown = [i for i in range(11) if f"word{i} " in text]
    assert shown == list(range(MAX_DEPTH + 1))
    assert check_site(project.site) == []


def test_many_embeds_of_each_other_stay_bounded(project: Project) -> None:
    """Every note embeds every other: twelve to the power of five, were it not for the bound."""
    everything = "\n\n".join(f"![[N{i}]]" for i in range(12))
    project.write({f"N{i}.md": f"{'filler ' * 1000}\n\n{everything}\n" for i in range(12)})
    project.build()
    assert max(file.stat().st_size for file in project.pages()) < 12_000_000
    assert all("![[" not in Page(file).html for file in project.pages())


ESCAPED = {
    # In these sentences the brackets are escaped: the page is meant to show them.
    ("Getting started/Link notes.html", "the [[Three laws of motion]]"),
    ("Getting started/Link notes.html", "the [[double bracket syntax]]"),
    ("Linking notes and files/Internal links.html", "Use [[Wikilinks]]"),
}


def test_the_english_help_is_a_sound_site(tmp_path: Path) -> None:
    vault = require_shared("vaults", "obsidian-help", "en")
    project = Project(tmp_path, vault)
    report = project.build(workers=2)
    assert report.pages == 173
    faults = check_site(project.site)
    assert [str(fault) for fault in faults if fault.kind != "raw-syntax"] == []
    raw = [fault for fault in faults if fault.kind == "raw-syntax"]
    assert len(raw) == len(ESCAPED)
    for fault in raw:
        assert [page for page, words in ESCAPED if page == fault.page and words in fault.detail], fault


# ── the checker itself ──────────────────────────────────────────────────────────────────────────────────

FAULTY = {
    '<p><a href="gone.html">x</a></p>': "dead-link",
    '<p><a href="Other.html">case</a></p>': "dead-link",
    '<p><a href="other.html#no">x</a></p>': "dead-fragment",
    '<p><a href="#no">x</a></p>': "dead-fragment",
    '<p><a href="../other.html">x</a></p>': "leaves-the-site",
    '<p><a href="/other.html">x</a></p>': "absolute-address",
    '<p><img src="gone.png"></p>': "dead-link",
    '<p id="a">x</p><p id="a">y</p>': "double-id",
    "<p>x \x02 y</p>": "control-character",
    "<p><div>x</div></p>": "ends-paragraph",
    "<p><em><table></table></em></p>": "ends-paragraph",
    "<div><span></div></span>": "unbalanced",
    "<div><div></div>": "unbalanced",
    '<p><a href="#">x<a href="#">y</a></a></p>': "nested-link",
    '<p onclick="x()">x</p>': "event-handler",
    '<p class="a" class="b">x</p>': "double-attribute",
    '<div class="markdown-rendered"><p>raw [[link]]</p></div>': "raw-syntax",
    '<div class="markdown-rendered"><p>raw %%comment%%</p></div>': "raw-syntax",
}
SOUND = (
    '<p><a href="other.html#yes">x</a> <a href="a%20b%C3%A9.html?q=1">x</a> <a href="https://x.org/#y">x</a></p>',
    '<div class="markdown-rendered"><p><code>[[x]]</code></p><pre>%%</pre></div><p>[[x]]</p>',
    "<ul><li>x<li>y</ul><table><tr><td><p>x<td>y</table>",
    "<p><button>x</button><br><img src='other.html'></p>",
)


def _site(folder: Path, body: str | bytes) -> Path:
    page = body if isinstance(body, bytes) else f"<!doctype html><html><body>{body}</body></html>".encode()
    for name, data in {"page.html": page, "other.html": b'<p id="yes">x</p>', "a b\u00e9.html": b""}.items():
        (folder / name).write_bytes(data)
    return folder


@pytest.mark.parametrize("body", FAULTY)
def test_the_checker_finds(tmp_path: Path, body: str) -> None:
    assert FAULTY[body] in {fault.kind for fault in check_site(_site(tmp_path, body))}


@pytest.mark.parametrize("body", SOUND)
def test_the_checker_accepts(tmp_path: Path, body: str) -> None:
    assert check_site(_site(tmp_path, body)) == []


def test_the_checker_finds_what_is_not_utf_8(tmp_path: Path) -> None:
    assert [fault.kind for fault in check_site(_site(tmp_path, b"caf\xe9"))] == ["not-utf-8"]
