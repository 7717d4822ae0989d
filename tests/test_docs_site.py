"""The documentation as a vault of our own, its examples of files, and the workflows."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from bs4 import BeautifulSoup
from documentation import DOCS, PAGES, ROOT, code_blocks, page, spans, without_code
from project import Page, Project
from site_checker import check_site

from generator.config import load_config
from generator.urls import GENERATED
from mcp_bridge.server import _parser as bridge_parser

DEPLOY = ROOT / "templates" / "deploy"
WORKFLOWS = [*sorted((ROOT / ".github" / "workflows").glob("*.yml")), DEPLOY / "github-pages.yml"]
LANGUAGES = {".service": "ini", ".cjs": "js", ".yml": "yaml", ".conf": "nginx", ".json": "json"}


# ── the site ────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """docs/, built."""
    project = Project(tmp_path_factory.mktemp("docs"), DOCS)
    done = project.cli("build", str(DOCS), "--out", str(project.site), "--strict", "--json")
    assert done.code == 0, done
    assert json.loads(done.out)["warnings"] == []
    return project


def test_the_site_is_sound(built: Project) -> None:
    assert check_site(built.site) == []


def test_every_link_between_the_documents_opens_its_document(built: Project) -> None:
    assert built.rows("SELECT p.path, l.name, l.line FROM wiki_links l JOIN wiki_pages p ON p.id = l.source"
                      " WHERE l.status != ''") == []  # fmt: skip
    for path in documents():
        written = re.findall(r"\]\(([^)#:\s]+\.md)", prose(DOCS / path))
        there = {(DOCS / path).parent.joinpath(target).resolve().relative_to(DOCS).as_posix() for target in written}
        assert built.facts(path).links - {path} == there - {path}, path


def test_every_document_is_reached_from_the_start(built: Project) -> None:
    urls = {built.facts(path).url for path in documents()}
    reached, pending = {"index.html"}, ["index.html"]
    while pending:
        url = pending.pop()
        for found in followed(built, url):
            if found in urls and found not in reached:
                reached.add(found)
                pending.append(found)
    assert urls - reached == set()
    assert built.orphans == set()


def followed(built: Project, url: str) -> Iterator[str]:
    """Where the links of a page's own text lead."""
    text = Page(built.site / url).main.select_one(".markdown-rendered")
    assert text is not None, url
    for link in text.select("a[href]"):
        target = (built.site / url).parent.joinpath(str(link["href"]).partition("#")[0]).resolve()
        if target.is_relative_to(built.site):
            yield target.relative_to(built.site).as_posix()


def documents() -> list[str]:
    return sorted(file.relative_to(DOCS).as_posix() for file in DOCS.rglob("*.md"))


def prose(file: Path) -> str:
    return re.sub(r"`[^`\n]*`", "", without_code(file.read_text("utf-8")))


def test_the_start_page_tells_what_there_is(built: Project) -> None:
    start = BeautifulSoup((built.site / "index.html").read_bytes(), "html.parser")
    assert start.h1 is not None
    assert start.h1.get_text() == "sanguo-llmwiki"
    assert [heading.get_text().rstrip("#") for heading in start.select(".intro h2")] == [
        "Learn",
        "Do",
        "Look up",
        "Understand",
    ]


def test_the_documentation_stays_within_its_folder() -> None:
    assert not [file for file in DOCS.rglob("*.md") for target in re.findall(r"\]\(([^)\s]+)\)", prose(file))
                if "://" not in target and not (file.parent / target).resolve().is_relative_to(DOCS)]  # fmt: skip


def test_make_docs_writes_where_git_does_not_look() -> None:
    output = load_config(DOCS, env={}, home=DOCS / "no-such-home").site.output
    assert output == ROOT / "build" / "docs"
    assert "build/" in (ROOT / ".gitignore").read_text("utf-8").splitlines()
    assert "\ndocs: " in (ROOT / "Makefile").read_text("utf-8")


def test_it_is_private_to_nobody(built: Project) -> None:
    assert built.rows("SELECT path FROM wiki_pages WHERE published = 0") == []


def test_every_generated_page_is_described() -> None:
    assert set(spans(page("site.md"))) >= GENERATED


# ── two languages ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("english", "chinese"),
    [(ROOT / "README.md", ROOT / "README.zh.md"), (DOCS / "tutorial.md", DOCS / "tutorial.zh.md")],
    ids=["readme", "tutorial"],
)
def test_the_two_languages_lead_to_each_other_and_show_the_same(english: Path, chinese: Path) -> None:
    first, second = english.read_text("utf-8"), chinese.read_text("utf-8")
    assert f"]({chinese.name})" in first
    assert f"]({english.name})" in second
    assert programs(first) >= programs(second) - {"skills"}
    assert code_blocks(first, "json") == code_blocks(second, "json")


def programs(text: str) -> set[str]:
    """The commands of `llmwiki` that a page shows."""
    return set(re.findall(r"^(?:\$ )?llmwiki ([a-z]+)", text, re.MULTILINE))


@pytest.mark.parametrize("file", [file for file in PAGES if ".zh." in file.name], ids=lambda file: file.name)
def test_chinese_is_punctuated_as_chinese(file: Path) -> None:
    text = re.sub(r"\]\([^)]*\)", "]", prose(file))
    assert not re.findall(r"[\u4e00-\u9fff] ?[,;?!](?:\s|[\u4e00-\u9fff])", text)
    assert not re.findall(r"[\u4e00-\u9fff]\.(?:\s|$)", text)


# ── files to copy ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("document", "name"),
    [
        ("deploy.md", "llmwiki-mcp.service"),
        ("deploy.md", "ecosystem.config.cjs"),
        ("guides/publishing.md", "github-pages.yml"),
        ("guides/publishing.md", "nginx.conf"),
        ("guides/claude-code.md", "mcp-stdio.json"),
    ],
)
def test_a_file_is_shown_as_it_is(document: str, name: str) -> None:
    file = DEPLOY / name
    shown = code_blocks(page(document), LANGUAGES[file.suffix])
    if file.suffix == ".json":
        assert json.loads(file.read_text("utf-8")) in [json.loads(block) for block in shown]
    else:
        assert file.read_text("utf-8") in shown


def test_every_file_to_deploy_with_is_described() -> None:
    assert not [file.name for file in DEPLOY.iterdir() if f"`{file.name}`" not in page("deploy.md")]


def test_the_settings_for_codex_start_the_server() -> None:
    (example,) = code_blocks(page("guides/claude-code.md"), "toml")
    for server in tomllib.loads(example)["mcp_servers"].values():
        assert server["command"] == "llmwiki-mcp"
        assert bridge_parser().parse_args(server["args"]).vault == Path("/path/to/my-vault")


@pytest.mark.parametrize("name", ["guides/meaning.md"])
def test_settings_of_the_guides_are_read(name: str, project: Project) -> None:
    for example in code_blocks(page(name), "yaml"):
        project.write({".llm-wiki/config.yaml": example})
        config = project.config()
        for section, settings in yaml.safe_load(example).items():
            assert {key: getattr(getattr(config, section), key) for key in settings} == settings


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_a_workflow_is_sound(file: Path) -> None:
    workflow: dict[Any, Any] = yaml.safe_load(file.read_text("utf-8"))
    assert {"name", True, "permissions", "jobs"} <= workflow.keys()  # YAML 1.1 reads `on` as true
    for job in workflow["jobs"].values():
        assert "runs-on" in job
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step), step
            assert re.fullmatch(r"actions/[a-z-]+@v\d+", step.get("uses", "actions/checkout@v4"))
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    assert set(re.findall(r"run: make ([a-z-]+)", file.read_text("utf-8"))) <= targets


def test_ci_tries_all_systems_and_versions() -> None:
    matrix = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text("utf-8"))["jobs"]["matrix"]["strategy"][
        "matrix"
    ]
    assert matrix == {"system": ["ubuntu", "macos", "windows"], "python": ["3.11", "3.12", "3.13", "3.14"]}
