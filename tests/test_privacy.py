"""Nothing private is in any file of the site, whatever kind of file it is, nor in what `--manifest` lists."""

from __future__ import annotations

import base64
import json
import re
import zlib
from contextlib import suppress
from pathlib import Path

import pytest
from project import Project

# A word of each private place, and what else would give it away.
SECRETS = {
    "text": "zqtext", "title": "zqtitle", "alias": "zqalias", "tag": "zqtag", "heading": "zqheading", "file": "zqfile",
    "summary": "zqsummary", "category": "zqcategory", "folder": "zqfolder", "attachment": "zqattachment",
    "raw": "zqraw",
    "comment": "zqcomment", "inline": "zqinline", "html": "zqhtml", "draft": "zqdraft",
    "visible": "zqvisibility",
    "property": "zqproperty", "source": "zqsource", "excluded": "zqexcluded", "config": "zqconfig",
    "answer": "zqanswer",
}  # fmt: skip
VAULT: dict[str, str | bytes] = {
    "wiki/index.md": "# Home\n\n[[Doc]]\n",
    "wiki/Doc.md": (
        "---\ntags: [open]\nsources: [a.pdf]\n---\n"
        "One [[zqfolder/zqfile|label]] and ![[zqfolder/zqfile|embed]] and [[shown]].\n\n"
        "%% zqcomment %%\n\n%%\nzqcomment again [[zqfolder/zqfile]] #zqcomment/tag\n%%\n\nword %%zqinline%% word\n\n"
        "<!-- zqhtml -->\n\n```query\nzqanswer\n```\n\n"
        "```mermaid\nflowchart LR\nA[Open] --> B[Shown]\nclass A internal-link\n```\n\n"
        "> [!note] open\n> %% zqcomment %%\n"
    ).replace("```query\nzqanswer\n```\n\n", "```query\nanswerword\n```\n\n"),
    "wiki/shown.md": "See ![[open.png]].\n",
    "wiki/open.png": b"\x89PNG open",
    "wiki/zqfolder/zqfile.md": (
        "---\ntitle: zqtitle\naliases: [zqalias]\ntags: [zqtag/deep]\nsummary: zqsummary\ncategory: zqcategory\n"
        "publish: false\nsecret_property: zqproperty\nsources: [zqsource.pdf]\npermalink: zqtitle\n---\n"
        "# zqheading\n\nzqtext answerword zqanswer [[Doc]] ![[zqattachment.png]] #zqtag\n\n"
        "```mermaid\ngraph TD\nzqtext-->b\n```\n"
    ),
    "wiki/zqfolder/Draft zqdraft.md": "---\ndraft: true\n---\nzqdraft [[Doc]]\n",
    "wiki/Visible.md": "---\ntags: [visibility/internal]\naliases: [zqvisibility]\n---\nzqvisibility [[Doc]]\n",
    "wiki/zqattachment.png": b"\x89PNG zqattachment",
    "raw/sources/zqraw.md": "zqraw\n",
    "wiki/out/zqexcluded.md": "zqexcluded [[Doc]]\n",
    ".obsidian/zqconfig.json": '{"zqconfig": 1}',
    ".llm-wiki/config.yaml": "# zqconfig\nwiki:\n  exclude: [wiki/out]\nsite:\n  base_url: https://wiki.example/\n",
    ".llm-wiki/trash/zqraw.md": "zqraw\n",
    "wiki/log.md": "# Log\n\n- [2026-01-01] made [[Doc]]\n",
}  # fmt: skip


@pytest.fixture
def site(project: Project) -> Project:
    project.write(VAULT)
    assert project.cli("build", str(project.vault), "--out", str(project.site)).code == 0
    return project


def readings(data: bytes) -> list[str]:
    """A file as text in the ways in which a word may be hidden in it: escaped, in base64, compressed."""
    text = data.decode("utf-8", "replace")
    found = [text, re.sub(r"\\u([0-9a-f]{4})", lambda match: chr(int(match[1], 16)), text)]
    for word in re.findall(r"[A-Za-z0-9+/]{24,}={0,2}", text):
        try:
            found.append(base64.b64decode(word + "==").decode("latin-1"))
        except ValueError:
            continue
    with suppress(zlib.error):
        found.append(zlib.decompress(data).decode("utf-8", "replace"))
    return found


def test_the_words_are_there_to_be_found(site: Project) -> None:
    everything = b"".join(
        file.read_bytes() + str(file).encode() for file in sorted(site.vault.rglob("*")) if file.is_file()
    )
    assert [word for word in SECRETS.values() if word.encode() not in everything] == []
    assert len(site.rows("SELECT 1 FROM wiki_pages WHERE NOT published")) == 3


@pytest.mark.parametrize("word", SECRETS.values(), ids=SECRETS)
def test_no_file_of_the_site_holds_it(site: Project, word: str) -> None:
    files = site.files()
    kinds = {Path(name).suffix for name in files}
    assert kinds >= {".html", ".md", ".js", ".css", ".xml", ".txt", ".json", ".png", ".svg"}
    for name, data in files.items():
        assert word not in name.lower()
        for text in readings(data):
            assert word not in text.lower(), name


def test_the_manifest_lists_what_is_public_and_nothing_more(site: Project) -> None:
    value = json.loads(site.cli("build", str(site.vault), "--manifest", "--json").out)
    assert {file["path"] for file in value["pages"]} == {"wiki/Doc.md", "wiki/index.md", "wiki/shown.md", "wiki/log.md"}
    assert value["attachments"] == [{"path": "wiki/open.png", "url": "wiki/open.png"}]
    assert value["tags"] == ["open"]
    assert value["private"] == ["wiki/Visible.md", "wiki/zqfolder/Draft zqdraft.md", "wiki/zqfolder/zqfile.md"]
    listed = {file["url"] for group in ("pages", "attachments") for file in value[group]} | set(value["files"])
    folders = tuple(url for url in listed if url.endswith("/"))
    made = site.files().keys() - {".llmwiki-site.json"}
    assert {url for url in made if url not in listed and not url.startswith(folders)} == set()
    assert {url for url in listed - set(folders) if url not in made} == set()
    public = {key: value[key] for key in ("pages", "attachments", "tags", "files")}
    assert [word for word in SECRETS.values() if word in json.dumps(public)] == []


def test_the_manifest_writes_nothing(project: Project) -> None:
    project.write({"Doc.md": "doc\n"})
    done = project.cli("build", str(project.vault), "--manifest", "--out", str(project.site))
    assert done.code == 0
    assert "1 page\n  Doc.md  Doc.html\n" in done.out
    assert not project.site.exists()
    assert project.cli("build", str(project.vault), "--manifest", "--force").code == 2
