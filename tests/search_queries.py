"""Queries of every kind that a search must answer, made from the pages of an index itself, always the same ones."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable
from random import Random

from generator.packed import unpacked

FIXED = (
    "", "*", "t*", "a*", "人*", "-the", "tag:nothing", "lifecycle:draft", "C++", "node.js", "的", "什么", "什么是链接",
    "the", "what is", '"链接"', '-"链接" 文件', "title:链接", "OR", "a OR", "can't", "index", "a b c d e f g h",
)  # fmt: skip
_SELECT = "SELECT title, tags, content FROM wiki_pages JOIN wiki_content USING (id) WHERE published ORDER BY path"


class Maker:
    """Picks words out of the pages."""

    def __init__(self, db: sqlite3.Connection, seed: int) -> None:
        self.random = Random(seed)
        rows = db.execute(_SELECT).fetchall()
        texts = [unpacked(content) for _, _, content in rows]
        self.titles = [title for title, _, _ in rows]
        self.tags = sorted({tag for _, tags, _ in rows for tag in json.loads(tags)}) or ["none"]
        self.latin = [words for words in (re.findall("[A-Za-z]{2,}", text) for text in texts) if len(words) > 20]
        self.han = [runs for runs in (re.findall("[\u4e00-\u9fff]{4,}", text) for text in texts) if runs]

    def word(self) -> str:
        return self.random.choice(self.random.choice(self.latin))

    def words(self) -> str:
        """Two or three words that stand together."""
        text, size = self.random.choice(self.latin), self.random.randint(2, 3)
        at = self.random.randrange(len(text) - size)
        return " ".join(text[at : at + size])

    def han_of(self, size: int) -> str:
        if not self.han:
            return self.word()
        run = self.random.choice(self.random.choice(self.han))
        at = self.random.randrange(len(run) - size + 1)
        return run[at : at + size]

    @property
    def kinds(self) -> tuple[Callable[[], str], ...]:
        """One function a kind of query."""
        pick, word, words, han = self.random.choice, self.word, self.words, self.han_of
        return (
            word, words, lambda: f'"{words()}"', lambda: f"{word()[: self.random.randint(1, 5)]}*",
            lambda: f"tag:{pick(self.tags)}", lambda: f"{word()} tag:{pick(self.tags)}", lambda: f"{word()} -{word()}",
            lambda: han(1), lambda: han(2), lambda: han(3), lambda: han(4), lambda: f"{han(2)} {word()}",
            lambda: pick(self.titles), lambda: f"title:{word()}", lambda: f"{word()} OR {word()}",
            lambda: f"how to {words()}?", lambda: f"{han(4)}的{han(2)}", lambda: f"{word()} path:{word()[:3]}",
            lambda: f"file:{word()[:4]}", lambda: f'-tag:{pick(self.tags)} "{han(2)}"',
        )  # fmt: skip


def queries(db: sqlite3.Connection, count: int, seed: int = 3) -> list[str]:
    """So many queries of all kinds in turn, and the fixed ones."""
    kinds = Maker(db, seed).kinds
    return [kinds[at % len(kinds)]() for at in range(count)] + list(FIXED)
