"""The skills as tests read them: blocks of code, code spans, and what must be there before a skill's script runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

from documentation import ROOT

FOLDER = ROOT / "skills"
TODAY = date.today().isoformat()
WRITTEN_ON = "2026-01-31"  # "today" in the skills
_BLOCK = re.compile(r'^( *)```(\w+)(?: title="([^"\n]+)")?\n(.*?)^\1```$', re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")

_VAULT = "llmwiki init my-vault"
_WATER_TXT = "printf 'Water for green tea has 80 degrees.\\n' > my-vault/raw/sources/water-notes.md"
_PAGE = (
    "printf -- '---\\ntitle: {title}\\ncategory: {category}\\ntags: [tea, water]\\n"
    f"created: {TODAY}\\nupdated: {TODAY}\\n"
    "summary: {summary}\\nsources: {sources}\\n---\\n{text}\\n' > 'my-vault/wiki/{folder}/{title}.md'"
)
_WATER = _PAGE.format(
    title="Water", category="concepts", folder="concepts", summary="What tea is made with.", sources="[water-notes.md]",
    text="The temperature of water decides how tea tastes.",
)  # fmt: skip
_NOTES = _PAGE.format(
    title="Notes on water", category="sources", folder="sources", summary="How hot it should be.",
    sources="[water-notes.md]", text="80 degrees for [[Water]].",
)  # fmt: skip
_KETTLE = _PAGE.format(
    title="Kettle", category="entities", folder="entities", summary="What water is heated in.", sources="[]",
    text="It heats [[Water]] for tea.",
)  # fmt: skip
_INGESTED = (
    _VAULT, _WATER_TXT, "llmwiki ingest scan --apply --vault my-vault", "llmwiki ingest next --vault my-vault", _WATER,
    _NOTES, _KETTLE, "llmwiki ingest done water-notes.md --page concepts/Water --vault my-vault",
)  # fmt: skip
_SESSION = (
    '{"type": "user", "timestamp": "2026-01-31T08:00:00Z", "message": {"role": "user", "content": "Which unit?"}}',
    '{"type": "assistant", "timestamp": "2026-01-31T08:00:05Z", "message": {"role": "assistant", "content":'
    ' [{"type": "text", "text": "Degrees Celsius everywhere."}]}}',
)

# What a user has before the agent begins.
PRELUDES: dict[str, tuple[str, ...]] = {
    "wiki-setup": (),
    "wiki-ingest": (_VAULT, _WATER_TXT),
    "wiki-capture": _INGESTED,
    "wiki-rebuild": _INGESTED,
    "data-ingest": (
        *_INGESTED,
        "printf 'day,tea,grams\\n2025-03-01,green,100\\n2025-04-02,black,50\\n2025-05-03,green,250\\n' > orders.csv",
    ),
    "ingest-url": (*_INGESTED, "printf '# Water for tea\\nSoft water of 80 degrees.\\n' > water-for-tea.md"),
    "wiki-export": _INGESTED,
    "wiki-research": (*_INGESTED, "printf '# A study of water\\nSixty tasters liked 75 degrees.\\n' > water-study.md"),
    "impl-validator": _INGESTED,
    "graph-colorize": (*_INGESTED, "printf '{\"scale\": 1}' > my-vault/.obsidian/graph.json"),
    "wiki-agent": (
        *_INGESTED, "mkdir -p somebody/.claude/projects/-home-you-tea",
        *(f"printf '%s\\n' '{line}' >> somebody/.claude/projects/-home-you-tea/0aa1.jsonl" for line in _SESSION),
    ),
}  # fmt: skip


class Block(NamedTuple):
    """A fenced block: its language, its title ("" for none), its text without the indentation of a list."""

    language: str
    title: str
    text: str


def skill_text(name: str) -> str:
    """The text of a skill."""
    return (FOLDER / name / "SKILL.md").read_text("utf-8")


def texts(name: str) -> Iterator[tuple[str, str]]:
    """Each Markdown file of a skill, with its name."""
    for file in sorted((FOLDER / name).rglob("*.md")):
        yield file.relative_to(FOLDER / name).as_posix(), file.read_text("utf-8")


def blocks(text: str) -> list[Block]:
    """The blocks in their order."""
    return [Block(match[2], match[3] or "", _flat(match)) for match in _BLOCK.finditer(text)]


def replaced(text: str, console: list[str]) -> str:
    """The text with the content of its console blocks replaced, one after the other, indented as they were."""
    rest = iter(console)

    def replace(match: re.Match[str]) -> str:
        if match[2] != "console":
            return match[0]
        lines = next(rest).splitlines()
        body = "".join(f"{match[1]}{line}\n" if line else "\n" for line in lines)
        return f"{match[1]}```console\n{body}{match[1]}```"

    return _BLOCK.sub(replace, text)


def spans(text: str) -> list[str]:
    """The code spans outside of blocks."""
    return _SPAN.findall(_BLOCK.sub("", text).partition("\n---\n")[2])


def _flat(match: re.Match[str]) -> str:
    lines = match[4].splitlines()
    assert all(line.startswith(match[1]) or not line for line in lines), match[0]
    return dedent("\n".join(line[len(match[1]) :] for line in lines)) + "\n"


def write(block: Block, here: Path) -> None:
    """Write the file that a block shows, as an agent would."""
    file = here / block.title
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(block.text.replace(WRITTEN_ON, TODAY), "utf-8")
