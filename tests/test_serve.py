"""The server and the watch, as real processes on 127.0.0.1, each ended by its own id."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
from tornado.ioloop import IOLoop
from tornado.websocket import websocket_connect

ROOT = Path(__file__).resolve().parent.parent
PATIENCE_S = 20  # how long a busy machine may take


class Running:
    """A `llmwiki` that serves, with what it says line by line as JSON."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.said: list[dict[str, Any]] = []
        self._lines: Queue[dict[str, Any]] = Queue()
        self._reader = Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(json.loads(line))

    @cached_property
    def url(self) -> str:
        """Where it serves, once it says so."""
        return str(self.next("url")["url"])

    def end(self) -> int:
        """Ask it to end; returns its exit code."""
        assert self.process.stdout is not None
        self.process.terminate()
        code = self.process.wait(PATIENCE_S)
        self._reader.join()
        self.process.stdout.close()
        return code

    def next(self, key: str) -> dict[str, Any]:
        """The next thing said that has the key."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                said = self._lines.get(timeout=max(0.01, deadline - time.monotonic()))
            except Empty:
                pytest.fail(f"the server did not say {key!r}; it said {self.said}")
            self.said.append(said)
            if key in said:
                return said

    def silent_for(self, seconds: float) -> bool:
        """Whether nothing is said for so long."""
        try:
            self.said.append(self._lines.get(timeout=seconds))
        except Empty:
            return True
        return False

    def get(self, path: str, **headers: str) -> tuple[int, str, str]:
        """Status, content type and text of a page, asked for as written: no client mends the path."""
        parts = urlsplit(self.url)
        with closing(http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=PATIENCE_S)) as connection:
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.headers["Content-Type"], answer.read().decode()


@contextmanager
def running(*arguments: str, **environment: str) -> Iterator[Running]:
    """Start a command that serves, on a free port; end it by its id."""
    process = subprocess.Popen(
        [sys.executable, "-m", "generator", *arguments, "--json", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"} | environment,
    )
    server = Running(process)
    try:
        assert server.url.startswith("http://127.0.0.1:")
        yield server
    finally:
        code = server.end()
    assert code == 143


def eventually(look: Callable[[], bool]) -> bool:
    """Whether it becomes true in time."""
    deadline = time.monotonic() + PATIENCE_S
    while not look():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


@dataclass(frozen=True)
class Place:
    """A vault of two notes, the site made of it, and the server of the module's tests."""

    root: Path
    server: Running

    @property
    def vault(self) -> Path:
        return self.root / "vault"

    def page(self, name: str) -> str:
        """A built page, or "" where there is none."""
        path = self.root / "site" / name
        return path.read_text("utf-8") if path.exists() else ""


def make_vault(root: Path) -> Path:
    vault = root / "vault"
    vault.mkdir()
    (vault / "Doc.md").write_text("version one\n", "utf-8")
    (vault / "赤壁.md").write_text("see [[Doc]]\n", "utf-8")
    return vault


@contextmanager
def started(root: Path, *command: str, **environment: str) -> Iterator[Place]:
    arguments = [*command, str(root / "vault"), "--out", str(root / "site")]
    with running(*arguments, LLMWIKI_HOME=str(root / "home"), **environment) as server:
        yield Place(root, server)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    root = tmp_path_factory.mktemp("served")
    make_vault(root)
    with started(root, "serve") as place:
        yield place


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """One watch for all: its start is what takes time. It begins with an empty vault."""
    root = tmp_path_factory.mktemp("watched")
    (root / "vault").mkdir()
    with started(root, "build", "--watch") as place:
        yield place


# ── serve ───────────────────────────────────────────────────────────────────────────────────────────────


def test_serve_builds_what_is_not_built_and_answers_as_a_web_server_does(served: Place) -> None:
    server = served.server
    status, kind, text = server.get("/")
    assert (status, kind) == (200, "text/html; charset=utf-8")
    assert "livereload" not in text
    assert server.get("/" + quote("赤壁.html"))[0] == 200
    assert server.get("/_assets/style.css")[1] == "text/css; charset=utf-8"
    assert server.get("/tags/")[0] == 404
    status, kind, text = server.get("/nothing/here.html")
    assert (status, kind) == (404, "text/html; charset=utf-8")
    assert text == served.page("404.html")


def test_serve_shows_nothing_but_the_site(served: Place) -> None:
    (served.root / "site" / "way-out").symlink_to(served.vault)
    for path in ("/../vault/Doc.md", "/%2e%2e/vault/Doc.md", "/..%2fvault%2fDoc.md", "//etc/passwd", "/%00"):
        assert served.server.get(path)[0] in {400, 403, 404}, path
    for path in ("/.llmwiki-site.json", "/way-out/Doc.md"):
        assert served.server.get(path)[0] == 404, path
    assert served.server.get("/", Host="wiki.attacker.example")[0] == 403


def test_a_port_in_use_is_a_clear_error(served: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLMWIKI_HOME", str(served.root / "home"))
    port = urlsplit(served.server.url).port
    arguments = ["serve", str(served.vault), "--out", str(served.root / "site"), "--port", str(port)]
    done = subprocess.run(
        [sys.executable, "-m", "generator", *arguments],
        capture_output=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        timeout=PATIENCE_S,
    )
    assert done.returncode == 2
    assert done.stderr.decode() == f"error: port {port} is in use\n  → --port 0 takes a free one\n"


# ── watch ───────────────────────────────────────────────────────────────────────────────────────────────


def test_S36_the_first_note_of_an_empty_vault(watched: Place) -> None:
    assert watched.page("index.html")
    (watched.vault / "First.md").write_text("# First\n")
    assert eventually(lambda: "First" in watched.page("First.html"))


def test_the_reload_script_is_put_into_pages_as_they_are_sent_and_reloads_browsers(watched: Place) -> None:
    server = watched.server
    assert "livereload.js" in server.get("/index.html")[2]
    assert server.get("/livereload.js")[0] == 200
    assert "livereload" not in watched.page("index.html")

    async def edit_and_wait() -> dict[str, Any]:
        browser = await websocket_connect(server.url.replace("http", "ws") + "livereload")
        await browser.write_message(json.dumps({"command": "hello"}))
        assert json.loads(str(await browser.read_message()))["command"] == "hello"
        await browser.write_message(json.dumps({"command": "info", "url": server.url}))
        (watched.vault / "Live.md").write_text("version two\n", "utf-8")
        message = json.loads(str(await browser.read_message()))
        browser.close()
        return dict(message)

    assert IOLoop.current().run_sync(edit_and_wait, timeout=PATIENCE_S)["command"] == "reload"
    assert "version two" in watched.page("Live.html")


def test_S30_renames(watched: Place) -> None:
    vault, page = watched.vault, watched.page
    (vault / "Old.md").write_text("oldword\n")
    (vault / "Ref.md").write_text("[[Old]] [[New]]\n")
    (vault / "sub").mkdir()
    (vault / "sub" / "Deep.md").write_text("deepword\n")
    assert eventually(lambda: 'href="Old.html"' in page("Ref.html") and "deepword" in page("sub/Deep.html"))
    (vault / "Old.md").rename(vault / "New.md")
    (vault / "sub").rename(vault / "moved")
    assert eventually(lambda: "oldword" in page("New.html") and not page("Old.html"))
    assert eventually(lambda: "deepword" in page("moved/Deep.html") and not page("sub/Deep.html"))
    assert eventually(lambda: 'href="New.html"' in page("Ref.html") and 'href="Old.html"' not in page("Ref.html"))
    (vault / "moved" / "Late.md").write_text("lateword\n")
    assert eventually(lambda: "lateword" in page("moved/Late.html"))
    (vault / "moved" / "Late.md").unlink()
    assert eventually(lambda: not page("moved/Late.html"))


def test_S31_editors_that_save_by_rename(watched: Place) -> None:
    note = watched.vault / "Doc.md"
    words = ["one", "two", "three", "four"]

    def replace(text: str) -> None:
        (watched.vault / "Doc.md.tmp123").write_text(text)
        (watched.vault / "Doc.md.tmp123").replace(note)

    def keep_backup(text: str) -> None:
        note.rename(watched.vault / "Doc.md~")
        note.write_text(text)
        (watched.vault / "Doc.md~").unlink()

    def truncate_first(text: str) -> None:
        with note.open("w") as stream:
            time.sleep(0.05)
            stream.write(text[: len(text) // 2])
            stream.flush()
            time.sleep(0.05)
            stream.write(text[len(text) // 2 :])

    for save, word in zip((note.write_text, replace, keep_backup, truncate_first), words, strict=True):
        save(f"version {word}\n")
        assert eventually(lambda word=word: f"version {word}" in watched.page("Doc.html")), save  # type: ignore[misc]
    assert sorted(path.name for path in (watched.root / "site").glob("Doc*")) == ["Doc.html", "Doc.md"]


def test_settings_and_templates_are_watched_and_errors_survived(watched: Place) -> None:
    templates = watched.root / "mine"
    templates.mkdir()
    settings = watched.vault / ".llm-wiki" / "config.yaml"
    settings.parent.mkdir()
    settings.write_text(f"site:\n  title: First\n  templates: {templates}\n")
    assert eventually(lambda: "<title>First</title>" in watched.page("index.html"))
    settings.write_text("sight:\n  title: Second\n")
    assert watched.server.next("error")["error"]["message"] == "there is no setting `sight`"
    settings.write_text(f"site:\n  title: Third\n  templates: {templates}\n")
    assert eventually(lambda: "<title>Third</title>" in watched.page("index.html"))
    (templates / "404.html").write_text("{% if %}")
    assert "404.html" in watched.server.next("error")["error"]["path"]
    (templates / "404.html").write_text("<p>gone fishing</p>")
    assert eventually(lambda: watched.page("404.html") == "<p>gone fishing</p>")


def test_a_vault_that_goes_away_is_waited_for(watched: Place) -> None:
    away = watched.root / "away"
    watched.vault.rename(away)
    assert watched.server.next("error")["error"]["code"] == "VAULT_NOT_FOUND"
    shutil.copytree(away, watched.vault)
    (watched.vault / "Back.md").write_text("back again\n")
    assert eventually(lambda: "back again" in watched.page("Back.html"))


def test_S32_an_output_folder_inside_the_vault_does_not_feed_its_own_watch(tmp_path: Path) -> None:
    vault = make_vault(tmp_path)
    index, site = vault / "index.db", vault / "_site"
    with running("build", str(vault), "--watch", "--out", str(site), WIKI_INDEX_PATH=str(index)) as server:
        (vault / "Doc.md").write_text("touched\n")
        assert server.next("parsed")["parsed"] == 1
        assert server.silent_for(2.5)
        assert not (site / "_site").exists()
        assert index.exists()
