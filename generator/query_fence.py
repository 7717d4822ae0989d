"""Fences of `query` are answered from the index: which published pages Obsidian's search would find.

What private pages hold is neither looked at nor counted. Text means what a reader sees, without comments and front
matter. An answer depends on the query and on the published pages alone, so every page that shows it says the same.
Whether a page is in it depends on that page alone: answers are kept in the index, and after a change only the pages
that changed are asked again.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import unescape
from itertools import pairwise

from generator.linear_regex import TooMuchWorkError
from generator.packed import read_headings, unpacked
from generator.properties import lower_keys
from generator.query_terms import BadQueryError, Text, understand
from generator.syntax.marks import SLOT_CLOSE, SLOT_OPEN

_MOST_QUERIES = 200
"""Different queries that one vault may ask: each reads the text of all pages."""

_TASK = re.compile(r'<li\b[^>]* data-task="([^"]*)"[^>]*>(.*?)(?=</?(?:li|ul|ol)\b)', re.DOTALL)
_PIECE = re.compile(r"<(?P<close>/?)(?P<name>[a-z][a-z0-9]*)[^>]*>")
_LEAVES = frozenset("p li h1 h2 h3 h4 h5 h6 ul ol dl dt dd div section hr".split())
_WHOLE = frozenset("table blockquote pre figure details".split())
_ANCHOR = re.compile(r'<a class="heading-anchor"[^>]*>#</a>')
_MARKUP = re.compile(f"<[^>]*>|{SLOT_OPEN}[^{SLOT_CLOSE}]*{SLOT_CLOSE}")


_Test = Callable[["_Note"], bool]


@dataclass(frozen=True, slots=True)
class Answer:
    """The pages that a query finds, by path; `problem` says why there is none: `unclosed`, `empty`, `regex`, `large`,
    `slow` or `many`."""

    pages: tuple[int, ...] = ()
    problem: str = ""


def read_queries(db: sqlite3.Connection, pages: Iterable[int]) -> dict[int, tuple[str, ...]]:
    """The queries of the pages that have some, by page."""
    known = set(pages)
    found: dict[int, tuple[str, ...]] = {}
    for page, query in db.execute("SELECT page, query FROM wiki_queries ORDER BY page, query"):
        if page in known:
            found[page] = (*found.get(page, ()), query)
    return found


def read_answers(db: sqlite3.Connection) -> dict[str, Answer]:
    """The answers that the index keeps, by query."""
    rows = db.execute("SELECT query, problem, pages FROM wiki_answers")
    return {query: Answer(tuple(json.loads(pages)), problem) for query, problem, pages in rows}


def keep_answers(db: sqlite3.Connection, changed: Collection[int]) -> None:
    """Bring the kept answers up to date after the pages `changed` were stored and others removed."""
    sql = "SELECT DISTINCT q.query FROM wiki_queries q JOIN wiki_pages p ON p.id = q.page WHERE p.published"
    asked = [query for (query,) in db.execute(sql)]
    kept = read_answers(db)
    if not asked and not kept:
        return
    answers, tests = _understood(asked)
    # What was too slow, or one too many, may no longer be: that is asked as if it were new.
    old = {query: tests.pop(query) for query in list(tests) if query in kept and not kept[query].problem}
    answers |= _answered(db, tests)
    ids = [page for (page,) in db.execute("SELECT id FROM wiki_pages WHERE published ORDER BY path")] if old else []
    for query, answer in _answered(db, old, changed).items():
        pages = set(kept[query].pages).difference(changed).union(answer.pages)
        answers[query] = answer if answer.problem else Answer(tuple(page for page in ids if page in pages))
    db.executemany("DELETE FROM wiki_answers WHERE query = ?", [(query,) for query in kept.keys() - answers.keys()])
    db.executemany(
        "INSERT OR REPLACE INTO wiki_answers VALUES (?, ?, ?)",
        [(q, answer.problem, json.dumps(answer.pages)) for q, answer in answers.items() if answer != kept.get(q)],
    )


def _understood(queries: Iterable[str]) -> tuple[dict[str, Answer], dict[str, _Test]]:
    """The answers that are known without looking at any page, and the tests of all other queries."""
    answers: dict[str, Answer] = {}
    tests: dict[str, _Test] = {}
    for query in sorted(set(queries)):
        if len(tests) >= _MOST_QUERIES:
            answers[query] = Answer(problem="many")
            continue
        try:
            tests[query] = understand(query)
        except BadQueryError as error:
            answers[query] = Answer(problem=error.code)
    return answers, tests


def _answered(
    db: sqlite3.Connection, tests: Mapping[str, _Test], pages: Collection[int] | None = None
) -> dict[str, Answer]:
    """Which published pages each test holds for, of all or of `pages` alone."""
    found: dict[str, list[int]] = {query: [] for query in tests}
    slow: dict[str, Answer] = {}
    for note in _notes(db, pages) if tests else ():
        for query in list(found):
            try:
                if tests[query](note):
                    found[query].append(note.id)
            except TooMuchWorkError:
                slow[query] = Answer(problem="slow")
                del found[query]
    return slow | {query: Answer(tuple(ids)) for query, ids in found.items()}


class _Note:
    """One page as the index has it; what only some operators ask for is read when they do."""

    def __init__(self, db: sqlite3.Connection, row: Sequence[str], tags: frozenset[str]) -> None:
        self._db = db
        self.id = int(row[0])
        self.title = row[2]
        self.path = Text(row[1])
        self.tags = tags
        self._meta, self._headings = row[3], row[4]
        self.text = Text(unpacked(row[5]))  # type: ignore[arg-type]

    @cached_property
    def properties(self) -> Mapping[str, object]:
        return lower_keys(json.loads(self._meta))

    def lines(self) -> Sequence[Text]:
        return self._lines

    def sections(self) -> Sequence[Text]:
        return self._sections

    def blocks(self) -> Sequence[Text]:
        return self._blocks

    def tasks(self) -> Sequence[tuple[str, Text]]:
        return self._tasks

    @cached_property
    def _lines(self) -> list[Text]:
        return [Text(line) for line in self.text.raw.split("\n")]

    @cached_property
    def _sections(self) -> list[Text]:
        text = self.text.raw
        starts = [0, *(heading.offset for heading in read_headings(self._headings)), len(text)]
        return [Text(text[a:b]) for a, b in pairwise(starts) if a < b]

    @cached_property
    def _html(self) -> str:
        row = self._db.execute("SELECT html FROM wiki_content WHERE id = ?", (self.id,)).fetchone()
        return _ANCHOR.sub("", unpacked(row[0]))

    @cached_property
    def _blocks(self) -> list[Text]:
        return [Text(text) for text in map(_plain, _blocks(self._html)) if text]

    @cached_property
    def _tasks(self) -> list[tuple[str, Text]]:
        return [(unescape(mark), Text(_plain(text))) for mark, text in _TASK.findall(self._html)]


def _notes(db: sqlite3.Connection, pages: Collection[int] | None) -> Iterator[_Note]:
    """The published pages by path: all, or those of `pages`."""
    of_pages = "" if pages is None else "IN (SELECT value FROM json_each(?))"
    given = () if pages is None else (json.dumps(sorted(pages)),)
    tags: dict[int, set[str]] = {}
    for tag, page in db.execute(f"SELECT tag, page FROM wiki_page_tags WHERE page {of_pages}", given):
        tags.setdefault(page, set()).add(tag)
    rows = db.execute(
        "SELECT p.id, p.path, p.title, p.meta, c.headings, c.content FROM wiki_pages p JOIN wiki_content c USING (id)"
        f" WHERE p.published AND p.id {of_pages} ORDER BY p.path",
        given,
    )
    for row in rows:
        yield _Note(db, row, frozenset(tags.get(row[0], ())))


def _blocks(html: str) -> Iterator[str]:
    """The HTML of each block: what stands between the tags of blocks, and tables, quotes and code as a whole."""
    start, inside = 0, 0
    for match in _PIECE.finditer(html):
        name = match["name"]
        if name in _WHOLE:
            if inside == 0:
                yield html[start : match.start()]
                start = match.start()
            inside = max(0, inside + (-1 if match["close"] else 1))
            if inside == 0:
                yield html[start : match.end()]
                start = match.end()
        elif not inside and name in _LEAVES:
            yield html[start : match.start()]
            start = match.end()
    yield html[start:]


def _plain(html: str) -> str:
    return " ".join(unescape(_MARKUP.sub("", html)).split())
