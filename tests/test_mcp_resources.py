"""Resources, prompts and completions."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from mcp_session import ERAS, Session, in_session
from mcp_types import PromptReference, ResourceTemplateReference, TextContent, TextResourceContents
from mcp_wiki import NOTES
from project import Project

from mcp_bridge.prompts import PROMPTS
from mcp_bridge.resources import TEMPLATE

FIXED = ["wiki://index", "wiki://hot", "wiki://log", "wiki://status"]


@pytest.fixture
def wiki(project: Project) -> Project:
    """The small wiki, with an index page."""
    project.write(NOTES | {"index.md": "# Index\n"})
    return project


async def text(session: Session, uri: str) -> str:
    """The text of a resource."""
    (content,) = (await session.client.read_resource(uri)).contents
    assert isinstance(content, TextResourceContents)
    return content.text


@pytest.mark.parametrize("era", ERAS)
def test_resources_are_the_special_pages_and_the_most_linked(wiki: Project, era: str) -> None:
    async def check(session: Session) -> None:
        listed = [str(resource.uri) for resource in (await session.client.list_resources()).resources]
        assert listed == [*FIXED, "wiki://page/Water.md", "wiki://page/concepts/Tea.md"]
        (template,) = (await session.client.list_resource_templates()).resource_templates
        assert template.uri_template == TEMPLATE.uri_template == "wiki://page/{+path}"
        for uri in listed[4:]:
            path = uri.removeprefix("wiki://page/")
            assert await text(session, uri) == NOTES[path]
        assert await text(session, "wiki://index") == "# Index\n"
        assert json.loads(await text(session, "wiki://status"))["stats"]["pages"] == len(NOTES) + 1
        assert "魏武帝" in await text(session, "wiki://page/%E6%9B%B9%E6%93%8D.md")

    in_session(wiki.config(), check, era=era)


def test_the_list_is_paged_and_holds_a_hundred_pages(project: Project) -> None:
    project.write({f"P{n:03}.md": "text\n" for n in range(120)})
    project.write({"Hub.md": "".join(f"[[P{n:03}]]\n" for n in range(120)), "Other.md": "[[P119]]\n"})

    async def check(session: Session) -> None:
        uris: list[str] = []
        cursor: str | None = None
        while True:
            part = await session.client.list_resources(cursor=cursor)
            uris += [str(resource.uri) for resource in part.resources]
            cursor = part.next_cursor
            if cursor is None:
                break
            assert len(part.resources) == 50
        assert len(uris) == len(set(uris)) == 104
        assert uris[4] == "wiki://page/P119.md"
        with pytest.raises(MCPError, match="cursor"):
            await session.client.list_resources(cursor="50-000000000000")

    in_session(project.config(), check)


@pytest.mark.parametrize(
    "uri",
    [
        "wiki://page/../outside.md", "wiki://page/%2e%2e/outside.md", "wiki://page/.obsidian/app.json",
        "wiki://page/Link.md", "wiki://page//etc/passwd", "wiki://page/a%00.md", "wiki://page/No.md", "wiki://nothing",
        "file:///etc/passwd", "wiki://hot",
    ],
)  # fmt: skip
def test_what_is_no_page_of_the_vault_is_refused(wiki: Project, uri: str) -> None:
    (wiki.root / "outside.md").write_text("TOPSECRET\n")
    (wiki.vault / "Link.md").symlink_to(wiki.root / "outside.md")
    wiki.write({".obsidian/app.json": '{"k": "TOPSECRET"}'})

    async def check(session: Session) -> None:
        with pytest.raises(MCPError) as refused:
            await session.client.read_resource(uri)
        assert "TOPSECRET" not in str(refused.value)
        assert str(wiki.root) not in str(refused.value)
        assert await session.found("leafword") == ["concepts/Tea.md"]

    in_session(wiki.config(), check)


@pytest.mark.parametrize("era", ERAS)
def test_prompts_take_one_argument_or_none(project: Project, era: str) -> None:
    async def check(session: Session) -> None:
        prompts = (await session.client.list_prompts()).prompts
        assert [prompt.name for prompt in prompts] == ["ask", "synthesize", "daily"]
        for face in PROMPTS:
            given = await said(session, face.name, {face.argument: "Tea {} and %s"})
            assert "Tea {} and %s" in given
            assert await said(session, face.name, {}) not in ("", given)
        for name, arguments in (("no", {}), ("ask", {"colour": "red"})):
            with pytest.raises(MCPError, match="arguments refused") as refused:
                await session.client.get_prompt(name, arguments)
            assert refused.value.error.code == -32602

    in_session(project.config(), check, era=era)


async def said(session: Session, name: str, arguments: dict[str, str]) -> str:
    """The one message of a prompt."""
    (message,) = (await session.client.get_prompt(name, arguments)).messages
    assert isinstance(message.content, TextContent)
    return message.content.text


def test_paths_and_tags_are_completed(wiki: Project) -> None:
    template = ResourceTemplateReference(uri=TEMPLATE.uri_template)

    async def values(session: Session, ref: Any, name: str, value: str) -> list[str]:
        return (await session.client.complete(ref, {"name": name, "value": value})).completion.values

    async def check(session: Session) -> None:
        assert await values(session, template, "path", "con") == ["concepts/Tea.md"]
        assert await values(session, template, "path", "TWIN") == ["a/Twin.md", "b/Twin.md"]
        assert await values(session, template, "path", "曹") == ["曹操.md"]
        ask = PromptReference(name="ask")
        assert await values(session, ask, "tag", "dr") == ["drink", "drink/hot"]
        assert await values(session, ask, "question", "x") == []

    in_session(wiki.config(), check)
