"""The read side apart from search: pages by name, links, tags and counts."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from unicodedata import normalize

import pytest
from project import Project

from generator.errors import AmbiguousPage, PageNotFound
from generator.lookup import find_page
from generator.query import (
    backlinks_of,
    count_all,
    links_of,
    orphans,
    page_at,
    page_text,
    recent_pages,
    run,
    tag_counts,
)
from generator.store import connect_read_only

FILES = {
    "Kettle.md": "---\ntags: [Tool/Kitchen]\nupdated: 2026-05-01\n---\n"
    "# Kettle\n\nBoil. See [[Tea]] and [[Tea#Green]].\n\n[[Kettle]]\n",
    "drinks/Tea.md": "---\naliases: [Chai, Urn]\ntags: [drink]\nupdated: 2026-05-03\n---\n"
    "## Green\n\n![[Milk]] #tool\n",
    "drinks/Milk.md": "---\ntitle: Whole milk\naliases: [Urn]\nupdated: 2026-05-02\n---\n"
    "white [[Nowhere]] [[Tea#None]]\n",
    "old/Tea.md": "---\nupdated: 2020-01-01\nlifecycle: archived\n---\nold #Tool\n",
    "Café Über.md": "---\nupdated: 2026-05-04\n---\nx\n",
    "100% & more #1.md": "---\nupdated: 2026-05-05\n---\ny [[Urn]]\n",
}


@pytest.fixture
def db(project: Project) -> Iterator[sqlite3.Connection]:
    """An index of FILES."""
    project.write(FILES)
    project.build()
    connection = connect_read_only(project.config().wiki.index_path)
    yield connection
    connection.close()


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("Kettle.md", "Kettle.md"),
        ("kettle", "Kettle.md"),
        ("./Kettle", "Kettle.md"),
        ("[[Kettle#Part|shown]]", "Kettle.md"),
        ("drinks/Tea", "drinks/Tea.md"),
        ("DRINKS/TEA.MD", "drinks/Tea.md"),
        ("milk", "drinks/Milk.md"),
        ("whole MILK", "drinks/Milk.md"),
        ("chai", "drinks/Tea.md"),
        ("drinks/Milk.html", "drinks/Milk.md"),
        ("https://example.org/wiki/drinks/Milk.html#top", "drinks/Milk.md"),
        ("caf\u00e9 \u00fcber", "Café Über.md"),
        (normalize("NFD", "Café Über.md"), "Café Über.md"),
        ("/Caf%C3%A9%20%C3%9Cber.html", "Café Über.md"),
        ("100% & more #1", "100% & more #1.md"),
    ],
)
def test_a_page_is_found_by_any_of_its_names(db: sqlite3.Connection, name: str, path: str) -> None:
    assert run(db, find_page(name)).path == path


def test_a_name_of_several_pages_is_refused_with_their_paths(db: sqlite3.Connection) -> None:
    with pytest.raises(AmbiguousPage) as of_files:
        run(db, find_page("tea"))
    assert of_files.value.details == {"candidates": ["drinks/Tea.md", "old/Tea.md"]}
    with pytest.raises(AmbiguousPage) as of_aliases:
        run(db, find_page("urn"))
    assert of_aliases.value.details == {"candidates": ["drinks/Milk.md", "drinks/Tea.md"]}


@pytest.mark.parametrize(
    ("name", "nearest"),
    [("Ketle", ["Kettle.md"]), ("Whole mlik", ["drinks/Milk.md"]), ("cafe uber x", ["Café Über.md"])],
)
def test_a_name_of_no_page_is_answered_with_the_nearest(db: sqlite3.Connection, name: str, nearest: list[str]) -> None:
    with pytest.raises(PageNotFound) as error:
        run(db, find_page(name))
    found = error.value.details["nearest"]
    assert isinstance(found, list)
    assert found[:1] == nearest
    assert len(found) <= 3


def test_names_that_are_none(db: sqlite3.Connection) -> None:
    for name in ("", " ", "[[]]", "/", "../outside.md", "x" * 100_000, "a\x00b", "/etc/passwd", "%", "https://", "*"):
        with pytest.raises(PageNotFound) as error:
            run(db, find_page(name))
        assert len(error.value.message) < 200


def test_links_and_backlinks(db: sqlite3.Connection) -> None:
    ids = {path: run(db, find_page(path)).id for path in FILES}
    links = {path: run(db, links_of(page)) for path, page in ids.items()}
    assert [(link.target, link.subpath, link.resolved, set(link.status)) for link in links["Kettle.md"]] == [
        ("Tea", "", "old/Tea.md", set()),
        ("Tea", "Green", "old/Tea.md", {"subpath"}),
        ("Kettle", "", "Kettle.md", set()),
    ]
    assert [(link.target, link.resolved, set(link.status)) for link in links["drinks/Milk.md"]] == [
        ("Nowhere", None, {"missing"}),
        ("Tea", "drinks/Tea.md", {"subpath"}),
    ]
    (unclear,) = links["100% & more #1.md"]
    assert (unclear.status, unclear.candidates) == ({"ambiguous"}, ("drinks/Milk.md", "drinks/Tea.md"))
    backlinks = {path: run(db, backlinks_of(page)) for path, page in ids.items()}
    assert backlinks["Kettle.md"] == []
    assert [(link.path, link.line, link.embed) for link in backlinks["drinks/Milk.md"]] == [("drinks/Tea.md", 8, True)]
    assert [(link.path, link.context) for link in backlinks["old/Tea.md"]] == 2 * [
        ("Kettle.md", "See Tea and Tea#Green.")
    ]


def test_orphans_and_counts(db: sqlite3.Connection) -> None:
    assert run(db, orphans()) == ["100% & more #1.md", "Café Über.md", "Kettle.md"]
    counts = run(db, count_all("2026-01-01"))
    assert (counts.pages, counts.tags, counts.orphans, counts.broken, counts.ambiguous, counts.stale) == (
        6,
        3,
        3,
        1,
        1,
        1,
    )
    assert (counts.links, counts.missing_subpaths) == (7, 2)
    assert counts.by_lifecycle == {"archived": 1, "draft": 5}
    assert sum(counts.by_category.values()) == 6


def test_tags_count_in_their_parents(db: sqlite3.Connection) -> None:
    tags = {tag.key: (tag.label, tag.count, tag.total) for tag in run(db, tag_counts())}
    assert tags == {"drink": ("drink", 1, 1), "tool": ("tool", 2, 3), "tool/kitchen": ("Tool/Kitchen", 1, 1)}


def test_recent_pages_and_a_page_itself(db: sqlite3.Connection) -> None:
    assert [page.path for page in run(db, recent_pages(2))] == ["100% & more #1.md", "Café Über.md"]
    assert [page.path for page in run(db, recent_pages(since="2026-05-03"))][-1] == "drinks/Tea.md"
    page = run(db, page_at("drinks/Tea.md"))
    assert page is not None
    assert (page.aliases, page.tags, page.url, page.special) == (
        ("Chai", "Urn"),
        ("drink", "tool"),
        "drinks/Tea.html",
        False,
    )
    assert [heading.text for heading in run(db, page_text(page.id)).headings] == ["Green"]
    assert run(db, page_at("nope.md")) is None
