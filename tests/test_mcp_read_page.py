"""wiki_read_page: names, parts, offsets, what stands beside the text, files that are no text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcp_session import Session, in_session
from mcp_wiki import NOTES, TEA
from project import Project


@pytest.fixture
def wiki(project: Project) -> Project:
    """The small wiki."""
    project.write(NOTES)
    return project


@pytest.mark.parametrize(
    "name", ["concepts/Tea.md", "./concepts/Tea.md", "Tea", "tea", "茶", "[[Tea]]", "[[concepts/Tea|some tea]]"]
)
def test_a_page_is_read_by_any_of_its_names(wiki: Project, name: str) -> None:
    async def check(session: Session) -> None:
        first, *_, last = (await session.read(name)).splitlines()
        assert first.startswith("concepts/Tea.md | Tea | ")
        assert last == "end of page"

    in_session(wiki.config(), check)


@pytest.mark.parametrize("argument", ["page", "path", "title", "name", "identifier", "file"])
def test_the_page_argument_has_many_names(wiki: Project, argument: str) -> None:
    async def check(session: Session) -> None:
        result = await session.call("wiki_read_page", **{argument: "Water"})
        assert not result.is_error

    in_session(wiki.config(), check)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"section": "Brewing"}, TEA[TEA.index("## Brewing") : TEA.index("## History")]),
        ({"section": "#brewing#time"}, TEA[TEA.index("### Time") : TEA.index("## History")]),
        ({"section": "^boil"}, "Boil the water. ^boil"),
        ({"section": "^leaf"}, "- leaf ^leaf\n    - oolong\n    - puer"),
        ({"page": "Tea#History"}, "## History\n\n茶之为饮，发乎神农氏。"),
        ({"page": "[[Tea#^boil|boil]]"}, "Boil the water. ^boil"),
    ],
)
def test_a_part_of_a_page(wiki: Project, arguments: dict[str, Any], expected: str) -> None:
    async def check(session: Session) -> None:
        text = await session.read(**({"page": "Tea"} | arguments))
        _, body = text.split("\n\n", 1)
        assert body.removesuffix("end of page").strip() == expected.strip()

    in_session(wiki.config(), check)


def test_what_is_included_stands_beside_the_text(wiki: Project) -> None:
    async def check(session: Session) -> None:
        text = await session.read("Tea", include=["frontmatter", "outline", "backlinks"])
        assert "aliases: [茶]" in text
        assert "### Time (line 12)" in text
        assert "- Water.md:1 | Water | waterword for Tea" in text
        assert "leafword" in text
        assert "aliases" not in await session.read("Tea")

    in_session(wiki.config(), check)


def test_offsets_lead_through_a_long_page(project: Project) -> None:
    body = "".join(f"第{n}行 line {n} 🍵\n" for n in range(6000))
    project.write({"Long.md": f"---\nx: 1\n---\n{body}"})

    async def check(session: Session) -> None:
        parts: list[str] = []
        offset = 0
        while True:
            _, rest = (await session.read("Long", offset=offset, max_chars=48_000)).split("\n\n", 1)
            text, last = rest.rsplit("\n\n", 1)
            parts.append(text + "\n")
            if last == "end of page":
                break
            offset = int(last.removeprefix("next offset: ").split(" of ")[0])
        assert len(parts) > 1
        assert "".join(parts) == body
        error = await session.error("wiki_read_page", page="Long", offset=len(body) + 1)
        assert error["code"] == "INVALID_ARGUMENTS"
        assert str(len(body)) in error["details"]["fields"]["offset"]

    in_session(project.config(), check)


def test_comments_and_code_are_given_as_they_stand(project: Project) -> None:
    text = "before %%a comment%% after\n\n```python\n# not a heading\n```\n"
    project.write({"Raw.md": text.replace("\n", "\r\n")})

    async def check(session: Session) -> None:
        assert text.strip() in await session.read("Raw")

    in_session(project.config(), check)


def test_a_page_with_very_much_around_it_keeps_within_bounds(project: Project) -> None:
    headings = "\n".join(f"## heading {n} {'x' * 200}" for n in range(900))
    project.write({"Hub.md": f"---\nx: {'y' * 30_000}\n---\n{headings}\n"})
    project.write({f"L{n}.md": f"{'word ' * 60} [[Hub]] {'word ' * 60}\n" for n in range(90)})

    async def check(session: Session) -> None:
        text = await session.read("Hub", include=["frontmatter", "outline", "backlinks"], max_chars=48_000)
        assert len(text) < 48_000
        assert "… and" in text

    in_session(project.config(), check)


def test_S05_a_date_is_a_legal_title(project: Project) -> None:
    front = "title: 2031-04-09\ncreated: 2031-04-09\ndue: 2031-04-09T10:30:00Z\ntags: [log]"
    project.write({"Meeting.md": f"---\n{front}\n---\nagenda text\n"})

    async def check(session: Session) -> None:
        answer = await session.data("wiki_query", query="2031-04-09", detail="detailed")
        (hit,) = answer["results"]
        assert (hit["path"], hit["title"], hit["created"]) == ("Meeting.md", "2031-04-09", "2031-04-09")
        text = await session.read("2031-04-09", include="frontmatter")
        assert text.startswith("Meeting.md | 2031-04-09 | ")
        assert "due: 2031-04-09T10:30:00Z" in text

    in_session(project.config(), check)


def test_S41_files_that_are_not_readable_text(project: Project) -> None:
    project.write(
        {
            "Latin.md": b"caf\xe9 latinword\n",
            "Bin.md": bytes(range(256)) * 40,
            "Utf16.md": "utf16word\n".encode("utf-16"),
            "Nul.md": b"nulword\x00after\n",
            "Good.md": "goodword [[Latin]]\n",
        }
    )
    (project.vault / "Dir.md").mkdir()
    (project.vault / "Dangling.md").symlink_to("nowhere.md")

    async def check(session: Session) -> None:
        assert await session.found("goodword") == ["Good.md"]
        assert await session.found("latinword") == ["Latin.md"]
        problems = {problem["path"] for problem in (await session.data("wiki_status"))["index"]["problems"]}
        assert {"Bin.md", "Nul.md", "Latin.md"} <= problems
        for name in ("Bin.md", "Nul"):
            assert (await session.error("wiki_read_page", page=name))["code"] == "UNREADABLE"
        for name in ("Dir.md", "Dangling.md"):
            assert (await session.error("wiki_read_page", page=name))["code"] == "PAGE_NOT_FOUND"
        assert "latinword" in await session.read("Latin")
        assert "utf16word" in await session.read("Utf16")

    in_session(project.config(), check)


def test_the_help_vault_is_read_whole_and_left_as_it_was(project: Project, shared: Path) -> None:
    """Every page with all that can be included fits into an answer, and no byte of the vault changes."""
    vault = shared / "vaults" / "obsidian-help" / "en"
    help_wiki = Project(project.root, vault)
    before = {file: file.stat().st_mtime_ns for file in vault.rglob("*")}

    async def check(session: Session) -> None:
        answer = await session.data("wiki_query", query="note", limit=50, detail="detailed")
        assert answer["total"] > 100
        await session.data("wiki_status")
        for path in help_wiki.notes:
            text = await session.read(path, include=["frontmatter", "outline", "backlinks"], max_chars=48_000)
            assert text.startswith(f"{path} | ")

    in_session(help_wiki.config(), check)
    assert {file: file.stat().st_mtime_ns for file in vault.rglob("*")} == before
