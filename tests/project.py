"""A vault with its index and its site, for tests: write notes, build, then read what the index and the pages say."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from io import StringIO
from json import loads
from pathlib import Path
from typing import Any, NamedTuple
from unicodedata import normalize
from unittest.mock import patch

from bs4 import BeautifulSoup, Tag

from generator.build import build
from generator.config import Config, load_config
from generator.indexer import Progress
from generator.model import Report
from generator.packed import unpacked
from generator.store import connect_read_only
from generator.update import open_and_update

Settings = Mapping[str, object]
TODAY = date(2026, 6, 1)


class Project:
    """A vault at `vault`, whose site is built into `site` and whose index lies below `home`."""

    def __init__(self, root: Path, vault: Path | None = None) -> None:
        self.root = root
        self.vault = vault or root / "vault"
        self.site = root / "site"
        self.home = root / "home"
        self.vault.mkdir(parents=True, exist_ok=True)

    def write(self, files: Mapping[str, str | bytes]) -> None:
        """Write files by their vault path; text as UTF-8 with its line ends as they are."""
        for path, content in files.items():
            file = self.vault / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.encode() if isinstance(content, str) else content)

    def remove(self, path: str) -> None:
        """Delete a file or a folder."""
        file = self.vault / path
        shutil.rmtree(file) if file.is_dir() and not file.is_symlink() else file.unlink()

    def move(self, old: str, new: str) -> None:
        """Rename a file or a folder."""
        (self.vault / new).parent.mkdir(parents=True, exist_ok=True)
        (self.vault / old).rename(self.vault / new)

    def config(self, *, site: Settings | None = None, wiki: Settings | None = None, workers: int = 1) -> Config:
        """The settings of this project, with others laid over them; nothing of the environment."""
        overrides: dict[str, Settings] = {
            "site": {"output": self.site} | dict(site or {}),
            "wiki": wiki or {},
            "performance": {"max_concurrent_indexing": workers},
        }
        return load_config(self.vault, overrides=overrides, home=self.home, env={})

    def build(
        self,
        *,
        site: Settings | None = None,
        wiki: Settings | None = None,
        workers: int = 1,
        force: bool = False,
        today: date = TODAY,
        progress: Progress | None = None,
    ) -> Report:
        """Bring index and site up to date."""
        return build(self.config(site=site, wiki=wiki, workers=workers), force=force, today=today, progress=progress)

    def update(self) -> None:
        """Bring the index up to date, without a site."""
        store, _, _ = open_and_update(self.config())
        store.close()

    def cli(self, *arguments: str) -> Outcome:
        """Run `llmwiki` in this process, with this project's home."""
        from generator.cli.edge import run

        out, err = StringIO(), StringIO()
        outer = {key: value for key, value in os.environ.items() if not key.startswith(("LLMWIKI_", "WIKI_"))}
        home = patch.dict(os.environ, outer | {"LLMWIKI_HOME": str(self.home)}, clear=True)
        with home, redirect_stdout(out), redirect_stderr(err):
            code = run(arguments)
        return Outcome(code, out.getvalue(), err.getvalue())

    def json(self, *arguments: str) -> dict[str, Any]:
        """The JSON that a command of `llmwiki` prints; it must succeed."""
        done = self.cli(*arguments, "--vault", str(self.vault), "--json")
        assert done.code == 0, done
        return dict(loads(done.out))

    def search(self, query: str, limit: int = 50) -> dict[str, Any]:
        """The answer of `llmwiki search`."""
        return self.json("search", query, "--limit", str(limit))

    def find(self, query: str) -> list[str]:
        """The paths of the notes that are found, best first."""
        return [hit["path"] for hit in self.search(query)["hits"]]

    def show(self, page: str) -> dict[str, Any]:
        """The answer of `llmwiki show`."""
        return self.json("show", page)

    @contextmanager
    def index(self) -> Iterator[sqlite3.Connection]:
        """A read-only connection to the index."""
        db = connect_read_only(self.config().wiki.index_path)
        try:
            yield db
        finally:
            db.close()

    def rows(self, sql: str, *values: object) -> list[tuple[object, ...]]:
        """What a query of the index yields."""
        with self.index() as db:
            return db.execute(sql, values).fetchall()

    @property
    def notes(self) -> list[str]:
        """The paths of all indexed notes, sorted."""
        return [str(path) for (path,) in self.rows("SELECT path FROM wiki_pages ORDER BY path")]

    @property
    def tags(self) -> dict[str, int]:
        """Every tag by its key, with the number of notes that carry exactly it."""
        return {str(tag): int(str(count)) for tag, count in self.rows("SELECT tag, count FROM wiki_tags")}

    @property
    def orphans(self) -> set[str]:
        """The notes on the page of orphans, by title."""
        return {link.get_text() for link in Page(self.site / "orphans.html").main.select("ul a")}

    def facts(self, path: str) -> Facts:
        """What the index holds of a note."""
        return Facts(self, normalize("NFC", path))

    def page(self, path: str) -> Page:
        """The built page of a note."""
        return Page(self.site / self.facts(path).url)

    def pages(self) -> list[Path]:
        """Every HTML file of the site."""
        return sorted(self.site.rglob("*.html"))

    def files(self) -> dict[str, bytes]:
        """Every file of the site by its path."""
        return {
            path.relative_to(self.site).as_posix(): path.read_bytes() for path in self.site.rglob("*") if path.is_file()
        }


class Outcome(NamedTuple):
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Facts:
    """The index's answers about one note, by path."""

    project: Project
    path: str

    @cached_property
    def _row(self) -> tuple[object, ...]:
        columns = "p.id, p.url, p.title, p.tags, p.aliases, p.problems, c.headings, c.content"
        sql = f"SELECT {columns} FROM wiki_pages p JOIN wiki_content c USING (id) WHERE p.path = ?"
        rows = self.project.rows(sql, self.path)
        assert rows, f"{self.path} is not indexed"
        return rows[0]

    @property
    def url(self) -> str:
        return str(self._row[1])

    @property
    def title(self) -> str:
        return str(self._row[2])

    @property
    def tags(self) -> set[str]:
        """Tags without `#`, in lower case."""
        tags = [str(tag).casefold() for tag in loads(str(self._row[3]))]
        assert len(tags) == len(set(tags)), f"a tag is listed twice: {tags}"
        return set(tags)

    @property
    def aliases(self) -> list[str]:
        return list(loads(str(self._row[4])))

    @property
    def problems(self) -> set[str]:
        """The codes of what the parser found wrong."""
        return {code for code, _, _ in loads(str(self._row[5]))}

    @property
    def headings(self) -> list[str]:
        return [heading[1] for heading in loads(str(self._row[6]))]

    @property
    def levels(self) -> list[int]:
        return [heading[0] for heading in loads(str(self._row[6]))]

    @property
    def text(self) -> str:
        return unpacked(self._row[7])  # type: ignore[arg-type]

    @cached_property
    def written(self) -> list[LinkFact]:
        """The links in their order on the page."""
        rows = self.project.rows(
            "SELECT l.name, l.subpath, l.label, l.line, l.context, f.path, l.anchor, l.status, l.candidates"
            " FROM wiki_links l LEFT JOIN wiki_files f ON f.id = l.target WHERE l.source = ? ORDER BY l.n",
            self._row[0],
        )
        return [LinkFact(*row) for row in rows]  # type: ignore[arg-type]

    @property
    def links(self) -> set[str]:
        """The notes that the note links to or embeds; links within the page are none."""
        return {link.opens for link in self.written if link.name and link.opens and link.opens.endswith(".md")}

    @property
    def broken(self) -> set[str]:
        """The links that open nothing, as written."""
        return {link.name for link in self.written if link.opens is None}

    @property
    def backlinks(self) -> set[str]:
        """The other notes that link to or embed this one."""
        sql = (
            "SELECT DISTINCT p.path FROM wiki_links l JOIN wiki_pages p ON p.id = l.source"
            " WHERE l.target = ? AND l.source != l.target"
        )
        return {str(path) for (path,) in self.project.rows(sql, self._row[0])}


@dataclass(frozen=True)
class LinkFact:
    """A stored link; `opens` is the path of its file, or None. `status` as in the schema."""

    name: str
    subpath: str
    label: str | None
    line: int
    context: str
    opens: str | None
    anchor: str
    status: str
    candidates: str


@dataclass(frozen=True)
class Page:
    """A built page, parsed."""

    file: Path

    @cached_property
    def html(self) -> str:
        return self.file.read_bytes().decode("utf-8")

    @cached_property
    def soup(self) -> BeautifulSoup:
        return BeautifulSoup(self.html, "html.parser")

    @property
    def main(self) -> Tag:
        main = self.soup.find("main")
        assert isinstance(main, Tag)
        return main

    @property
    def body(self) -> Tag:
        """The note itself, without title, properties and backlinks."""
        body = self.soup.select_one(".markdown-rendered")
        assert body is not None, f"{self.file.name} holds no note"
        return body

    @property
    def text(self) -> str:
        """The visible text of the note."""
        return self.body.get_text()

    @property
    def head_title(self) -> str:
        title = self.soup.find("title")
        assert isinstance(title, Tag)
        return title.get_text()
