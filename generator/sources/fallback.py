"""The summary page that the program writes of a source when the agent has not: the beginning of its text."""

from __future__ import annotations

import json
import re
from datetime import date
from pathlib import Path

from generator.model import Edit
from generator.vault import Layout

MOST_CHARACTERS = 3_000
_UNSAFE = re.compile(r"[\\/:*?\"<>|#^\[\]\x00-\x1f]+")
_FENCE = re.compile(r"`{3,}")
_NOTES = {
    "en": "No summary was written of this source. This is how its text begins.",
    "zh": "这份资料还没有写摘要。下面是它的开头。",
}


def fallback_page(
    vault: Path, layout: Layout, key: str, title: str, text: str, today: date, language: str = "en"
) -> Edit:
    """A new page of the category `sources` with the first 3,000 characters of the source.

    They stand in a code block: what a source says is never markup, links or instructions of the wiki.
    """
    name = _UNSAFE.sub(" ", title or key.rpartition("/")[2].rpartition(".")[0] or key).strip(" .") or "source"
    folder = f"{layout.pages_root}/sources" if layout.pages_root else "sources"
    path, number = f"{folder}/{name[:80].strip()}.md", 1
    while (vault / path).exists():
        number += 1
        path = f"{folder}/{name[:80].strip()} {number}.md"
    start = text.strip()[:MOST_CHARACTERS].rstrip().replace("\r", "\n")
    fence = "`" * max([3, *(len(run) + 1 for run in _FENCE.findall(start))])
    note = _NOTES[language]
    front = [
        "---", f"title: {_quoted(name)}", "category: sources", "tags: []", f"created: {today}", f"updated: {today}",
        f"summary: {_quoted(note)}", "lifecycle: draft", "sources:", f"  - {_quoted(key)}", "---",
    ]  # fmt: skip
    return Edit(path, "", "\n".join((*front, f"# {name}", "", note, "", f"{fence}text", start, fence, "")))


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
