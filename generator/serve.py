"""The site over HTTP on this machine: as it stands, or built again and reloaded in the browser with every change.

The moments to build again come from `watch`, because livereload's own poller reads the whole vault all the time. Its
part is the reload protocol and its script, which is put into pages as they are sent and never into files.
"""

from __future__ import annotations

import asyncio
import errno
import mimetypes
import os
import signal
import socket
from collections.abc import Callable, Coroutine
from contextlib import aclosing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from livereload.handlers import LiveReloadHandler, LiveReloadJSHandler  # type: ignore[import-untyped]
from livereload.server import LiveScriptInjector  # type: ignore[import-untyped]
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application, HTTPError, StaticFileHandler

from generator.config import Config
from generator.errors import ConfigError
from generator.watch import Watched, changes

Ready = Callable[[str], None]
Rebuild = Callable[[], tuple[Config, bool]]
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1", "[::1]"})
# What the standard library says of these depends on the machine's own tables.
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json; charset=utf-8",
    ".svg": "image/svg+xml; charset=utf-8",
    ".xml": "application/xml; charset=utf-8",
    ".md": "text/markdown; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".webp": "image/webp",
    ".avif": "image/avif",
    ".webm": "video/webm",
    ".woff2": "font/woff2",
}


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen. Port 0: a free one."""

    host: str = "127.0.0.1"
    port: int = 8000


def serve(folder: Path, address: Address, ready: Ready) -> None:
    """Serve a built site until interrupted; `ready` is told its URL. Raises `ConfigError` for a port in use."""

    async def forever() -> None:
        url, server = _listen(folder, address, live=False)
        ready(url)
        try:
            await asyncio.Event().wait()
        finally:
            server.stop()

    _run(forever())


def watch(config: Config, rebuild: Rebuild, address: Address, ready: Ready) -> None:
    """Serve the site, call `rebuild` with every change, and reload open browsers, until interrupted.

    `rebuild` reads the settings anew and builds; it returns the settings and whether any file of the site changed,
    and must raise nothing that the watch should outlive. The output folder stays that of `config`.
    Raises `ConfigError` for a port in use.
    """

    async def forever() -> None:
        url, server = _listen(config.site.output, address, live=True)
        ready(url)
        try:
            await _rebuild_on_changes(Watched.of(config, site=True), rebuild)
        finally:
            server.stop()

    _run(forever())


def _run(serving: Coroutine[Any, Any, None]) -> None:
    """Run until interrupted or asked to end. A signal cancels the task: an exception out of a signal's handler could be
    lost in whatever callback it happens to strike."""
    asked = False

    async def cancellable() -> None:
        task = asyncio.ensure_future(serving)

        def end() -> None:
            nonlocal asked
            asked = True
            task.cancel()

        with suppress(NotImplementedError):  # Windows has no such signal
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, end)
        try:
            await task
        except asyncio.CancelledError:
            if not asked:
                raise

    asyncio.run(cancellable())
    if asked:
        raise SystemExit(128 + signal.SIGTERM)


async def _rebuild_on_changes(watched: Watched, rebuild: Rebuild) -> None:
    loop = asyncio.get_running_loop()
    while True:
        async with aclosing(changes(watched)) as moments:
            async for _ in moments:
                config, changed = await loop.run_in_executor(None, rebuild)
                if changed:
                    _reload_browsers()
                if (wanted := Watched.of(config, site=True)) != watched:
                    watched = wanted
                    break


def _reload_browsers() -> None:
    for browser in tuple(LiveReloadHandler.waiters):
        browser.send_message({"command": "reload", "path": "*", "liveCSS": True, "liveImg": True})


# ── serving ─────────────────────────────────────────────────────────────────────────────────────────────


def _listen(folder: Path, address: Address, *, live: bool) -> tuple[str, HTTPServer]:
    """A running server and its URL."""
    try:
        sockets = bind_sockets(address.port, address.host)
    except (OSError, socket.gaierror) as error:
        taken = error.errno == errno.EADDRINUSE
        raise ConfigError(
            f"port {address.port} is in use" if taken else f"cannot listen on {address.host}: {error.strerror}",
            hint="--port 0 takes a free one" if taken else "see --host and --port",
        ) from None
    port = sockets[0].getsockname()[1]
    server = HTTPServer(_application(folder, address.host, port, live))
    server.add_sockets(sockets)
    host = f"[{address.host}]" if ":" in address.host else address.host
    return f"http://{host}:{port}/", server


def _application(folder: Path, host: str, port: int, live: bool) -> Application:
    names = _LOOPBACK if host in _LOOPBACK else None
    handlers: list[Any] = [(r"/(.*)", _SiteHandler, {"path": str(folder), "default_filename": "index.html"})]
    settings: dict[str, Any] = {"log_function": lambda handler: None, "site_names": names}
    if live:
        handlers[:0] = [("/livereload", LiveReloadHandler), ("/livereload.js", LiveReloadJSHandler)]
        script = f'<script defer src="/livereload.js?port={port}"></script>'.encode()
        settings["transforms"] = [type("ReloadScript", (LiveScriptInjector,), {"script": script})]
    return Application(handlers, **settings)


class _SiteHandler(StaticFileHandler):
    """Files of the site. The setting `site_names` holds the hosts that a request may be meant for; None: any.

    A page elsewhere that lets its own name point to this machine could otherwise read a private wiki.
    """

    def prepare(self) -> None:
        names = self.settings["site_names"]
        if names is not None and self.request.host_name not in names:
            raise HTTPError(403)

    def validate_absolute_path(self, root: str, absolute_path: str) -> str | None:
        if "\0" in absolute_path:
            raise HTTPError(404)
        inside = Path(os.path.relpath(os.path.realpath(absolute_path), os.path.realpath(root)))
        if any(part.startswith(".") for part in inside.parts):
            raise HTTPError(404)  # outside of the site, or our own list of its files
        return super().validate_absolute_path(root, absolute_path)

    def get_content_type(self) -> str:
        suffix = Path(self.absolute_path or "").suffix.lower()
        return _TYPES.get(suffix) or mimetypes.guess_type(f"_{suffix}")[0] or "application/octet-stream"

    def set_extra_headers(self, path: str) -> None:
        self.set_header("Cache-Control", "no-cache")
        self.set_header("X-Content-Type-Options", "nosniff")

    def compute_etag(self) -> None:
        return None  # tornado would keep the first one that a file had

    def should_return_304(self) -> bool:
        return False

    def log_exception(self, kind: Any, error: Any, trace: Any) -> None:
        if not isinstance(error, HTTPError):  # a wrong address is the browser's business
            super().log_exception(kind, error, trace)

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        page = Path(self.root) / "404.html"
        if status_code == 404 and page.is_file():
            self.set_header("Content-Type", _TYPES[".html"])
            self.finish(page.read_bytes())
        else:
            self.set_header("Content-Type", _TYPES[".txt"])
            self.finish(f"{status_code} {self._reason}\n")
