"""Embeds that are neither notes nor pictures, and the properties that a page shows or obeys."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from editor import MOMENT
from project import Project
from test_incremental import assert_equal, clean

VIDEO = "https://www.youtube.com/watch?v=NnTvZWp5Q7o"
POST = "https://x.com/obsdmd/status/1580548874246443010"


# ── elsewhere ───────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("address", "service"),
    [
        (VIDEO, "youtube"),
        ("https://youtu.be/NnTvZWp5Q7o?t=3", "youtube"),
        ("https://m.youtube.com/watch?feature=x&v=NnTvZWp5Q7o", "youtube"),
        ("https://www.youtube.com/shorts/NnTvZWp5Q7o", "youtube"),
        ("https://www.youtube-nocookie.com/embed/NnTvZWp5Q7o", "youtube"),
        (POST, "x"),
        ("https://twitter.com/obsdmd/status/1580548874246443010", "x"),
    ],
)
def test_a_video_or_post_is_a_card_that_leads_there(project: Project, address: str, service: str) -> None:
    project.write({"Note.md": f"![The <b>title</b>]({address})\n\n- ![]({address})\n"})
    project.build()
    body = project.page("Note.md").body
    cards = body.select("a.media-card")
    assert [(card["href"], card["data-service"], card["rel"]) for card in cards] == [
        (address, service, ["noopener"])
    ] * 2
    assert "The" in cards[0].get_text()
    assert address in cards[1].get_text()
    assert body.select("img, iframe, video, audio, script, link, source, object") == []


@pytest.mark.parametrize(
    "address", ["https://example.org/a.png", "https://youtube.com.evil.example/watch?v=x", "https://x.com/a"]
)
def test_other_addresses_are_images(project: Project, address: str) -> None:
    project.write({"Note.md": f"![a]({address})\n"})
    project.build()
    assert [image["src"] for image in project.page("Note.md").body.select("img")] == [address]


def test_sounds_films_and_documents_elsewhere_wait_for_the_reader(project: Project) -> None:
    project.write(
        {
            "Note.md": "![a](https://a.example/x.mp3)\n![b|300](https://a.example/x.MP4?y)\n![c](https://a.example/x.pdf)\n"
        }
    )
    project.build()
    body = project.page("Note.md").body
    assert body.select_one("audio")["preload"] == body.select_one("video")["preload"] == "none"  # type: ignore[index]
    assert body.select_one("video")["width"] == "300"  # type: ignore[index]
    assert body.select_one("a.file-embed")["href"] == "https://a.example/x.pdf"  # type: ignore[index]
    assert body.select("img, object, iframe") == []


def test_a_card_in_the_text_of_a_link_is_its_text(project: Project) -> None:
    project.write({"Note.md": f"[see ![the film]({VIDEO}) now](https://example.org)\n"})
    project.build()
    (link,) = project.page("Note.md").body.select("a")
    assert link.get_text() == "see the film now"


def test_links_into_the_app_keep_their_address_and_have_a_class(project: Project) -> None:
    project.write(
        {"Note.md": "[a](obsidian://open?vault=v&file=f)\n\n[b](obsidian://open?path=%2Fhome%2Fme%2Fv%2Ff.md)\n"}
    )
    report = project.build()
    links = project.page("Note.md").body.select("a.obsidian-link")
    assert links[0]["href"] == "obsidian://open?vault=v&file=f"
    assert [(finding.code, finding.line) for finding in report.warnings] == [("local-path", 3)]


# ── texts ───────────────────────────────────────────────────────────────────────────────────────────────


def test_a_text_file_is_shown_as_coloured_code(project: Project) -> None:
    project.write(
        {
            "sub/Note.md": "before ![[run.py]] after\n\n> ![[run.py|The script]]\n",
            "run.py": "def f():\n    return '<b>'\n",
        }
    )
    project.build()
    body = project.page("sub/Note.md").body
    shown = body.select(".text-embed")
    assert [embed.select_one("pre").get_text() for embed in shown] == ["def f():\n    return '<b>'\n"] * 2  # type: ignore[union-attr]
    assert [embed.select_one("a")["href"] for embed in shown] == ["../run.py"] * 2  # type: ignore[index]
    assert shown[1].select_one("a").get_text() == "The script"  # type: ignore[union-attr]
    assert shown[0].select(".k")
    assert body.select("p .text-embed, p pre") == []


def test_what_is_no_text_or_too_long_is_a_link(project: Project) -> None:
    project.write(
        {
            "Note.md": "![[a.txt]] ![[b.txt]] ![[c.txt]]\n",
            "a.txt": b"\xff\xfe\x00",
            "b.txt": "x" * 300_000,
            "c.txt": b"caf\xe9",
        }
    )
    project.build()
    body = project.page("Note.md").body
    assert body.select("pre") == []
    assert [link["href"] for link in body.select("a.file-embed")] == ["a.txt", "b.txt", "c.txt"]


def test_in_a_heading_or_a_link_a_text_file_is_a_link_or_its_name(project: Project) -> None:
    project.write({"Note.md": "# See ![[a.txt]]\n\n[x ![[a.txt]] y](https://example.org)\n", "a.txt": "text\n"})
    project.build()
    page = project.page("Note.md")
    assert page.soup.select("h1 pre, a pre") == []
    assert [link.get_text() for link in page.body.select("p a")] == ["x a.txt y"]


def test_a_page_is_drawn_again_when_the_text_that_it_shows_changes(project: Project, tmp_path: Path) -> None:
    notes = {"Note.md": "![[a.txt]]\n", "Outer.md": "![[Note]]\n", "index.md": "![[Outer]]\n"}
    project.write(notes | {"a.txt": "first\n"})
    _same_time(project)
    project.build()
    project.write({"a.txt": "later\n"})
    _same_time(project)
    project.build()
    assert "later" in project.page("Outer.md").text
    fresh, _ = clean(project, tmp_path / "clean", {})
    assert_equal(project, fresh, "the text changed")


def _same_time(project: Project) -> None:
    for path in project.vault.iterdir():
        os.utime(path, ns=(MOMENT, MOMENT))


# ── properties ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ["image", "cover"])
@pytest.mark.parametrize("written", ["img/Pic.png", "/img/Pic.png", '"[[Pic.png]]"', '"![[img/Pic.png|300]]"'])
def test_the_picture_of_a_page_goes_with_the_site(project: Project, name: str, written: str) -> None:
    project.write({"Note.md": f"---\n{name}: {written}\n---\ntext\n", "img/Pic.png": "png"})
    report = project.build(site={"base_url": "https://example.org/w/"})
    assert list(report.warnings) == []
    assert (project.site / "img/Pic.png").read_text() == "png"
    image = project.page("Note.md").soup.find("meta", property="og:image")
    assert image is not None
    assert image["content"] == "https://example.org/w/img/Pic.png"


def test_a_picture_elsewhere_is_named_and_not_loaded(project: Project) -> None:
    project.write({"Note.md": "---\nimage: https://a.example/p.png\n---\ntext\n"})
    project.build()
    soup = project.page("Note.md").soup
    assert soup.find("meta", property="og:image")["content"] == "https://a.example/p.png"  # type: ignore[index]
    assert soup.select('img[src^="http"]') == []


def test_a_private_page_leaves_no_picture(project: Project) -> None:
    project.write({"Note.md": "---\nimage: Pic.png\npublish: false\n---\ntext\n", "Pic.png": "png", "Other.md": "x\n"})
    project.build()
    assert not (project.site / "Pic.png").exists()


def test_description_classes_and_permalink(project: Project) -> None:
    project.write(
        {
            "sub/Note.md": '---\ndescription: What it "is"\n'
            "cssclasses: [wide, 'a\"b']\npermalink: plugins/note\n---\ntext\n",
            "Old.md": "---\ncssclass: narrow\n---\ntext\n",
        }
    )
    project.build()
    page = project.page("sub/Note.md")
    assert page.soup.find("meta", attrs={"name": "description"})["content"] == 'What it "is"'  # type: ignore[index]
    assert {"wide", 'a"b'} <= set(page.body["class"])
    assert "narrow" in project.page("Old.md").body["class"]
    moved = (project.site / "plugins/note.html").read_text()
    assert "../sub/Note.html" in moved
    assert page.main.select(".properties") == []  # nothing is left to be shown in the table
