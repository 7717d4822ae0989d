"""`llmwiki-mcp`: the command line, the log, and the life of the server process.

Importing this is cheap: the processes that parse notes import the main module again.
"""

from __future__ import annotations

import argparse
import logging
import logging.handlers
import multiprocessing
import os
import signal
import socket
import sys
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from generator import __version__
from generator.config import Config, LoggingSettings, load_config
from generator.errors import WikiError
from generator.processes import collect_seldom, without_collector
from mcp_bridge.http import PATHS, application, listen, serve

if TYPE_CHECKING:
    from mcp_bridge.living import LivingIndex
    from mcp_bridge.protocol import WikiServer

_LOG_BYTES = 5_000_000
_LOG_FILES = 3


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Serve until the client closes stdin; exit code 2 if the settings do not allow a start."""
    options = _parser().parse_args(arguments)
    flags = {name: getattr(options, name) for name in ("host", "port", "token", "writes")}
    try:
        config = load_config(options.vault, overrides={"mcp": {"mode": options.transport, **flags}})
        listener = listen(config.mcp, options.allowed_host) if config.mcp.mode != "stdio" else None
        _configure_log(config.logging)
    except (WikiError, OSError) as error:
        print(f"llmwiki-mcp: {' '.join(str(error).split())}", file=sys.stderr)
        sys.exit(2)
    _serve(config, listener, options.allowed_host)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "llmwiki-mcp",
        description="Serve the index of an Obsidian vault to agents, over the Model Context Protocol.",
        epilog="Claude Code: claude mcp add wiki -- llmwiki-mcp --vault /path/to/vault",
    )
    parser.add_argument("--vault", type=Path, help="the folder that holds your notes (default: WIKI_VAULT_PATH)")
    parser.add_argument("--transport", choices=("stdio", "http", "sse"), help="how clients connect (default: stdio)")
    parser.add_argument("--host", help="where http and sse listen (default: 127.0.0.1)")
    parser.add_argument("--port", type=int, help="the port for http and sse (default: 8080; 0: any free one)")
    parser.add_argument("--token", help="what clients must send as bearer token; better: LLMWIKI_MCP__TOKEN")
    parser.add_argument(
        "--allowed-host",
        action="append",
        default=[],
        metavar="NAME",
        help="a name under which clients reach it; may be repeated",
    )
    parser.add_argument("--writes", choices=("none", "generated", "all"), help="what agents may write")
    parser.add_argument("--version", action="version", version=f"llmwiki-mcp {__version__}")
    return parser


def _configure_log(settings: LoggingSettings) -> None:
    """To the log file or stderr, never stdout. Libraries only warn: below that they may show what clients send."""
    handler: logging.Handler = logging.StreamHandler(sys.stderr)
    if settings.file is not None:
        settings.file.parent.mkdir(parents=True, exist_ok=True)
        handler = logging.handlers.RotatingFileHandler(
            settings.file, maxBytes=_LOG_BYTES, backupCount=_LOG_FILES, encoding="utf-8"
        )
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=max(logging.WARNING, logging.getLevelName(settings.level)), handlers=[handler])
    logging.getLogger("llmwiki").setLevel(settings.level)


def _serve(config: Config, listener: socket.socket | None, allowed_hosts: Sequence[str]) -> NoReturn:
    with without_collector():
        import anyio  # with `protocol`, the SDK: a second, which a refused start need not take

        from mcp_bridge.index import Bridge
        from mcp_bridge.protocol import WikiServer, load_what_answers_need

        bridge = Bridge.over(config)
        living, server = bridge.living, WikiServer(bridge)
        load_what_answers_need()
        collect_seldom()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: _leave(living, 0))
    code = 1
    try:
        anyio.run(server.serve, _transport(server, config, listener, allowed_hosts))
        code = 0
    finally:
        if code:
            logging.getLogger("llmwiki.bridge").warning("the connection broke", exc_info=True)
        _leave(living, code)


def _transport(
    server: WikiServer, config: Config, listener: socket.socket | None, allowed_hosts: Sequence[str]
) -> Callable[[], Awaitable[None]]:
    if listener is None:
        return server.run_stdio_async
    name, port = listener.getsockname()[:2]
    shown = f"[{name}]" if ":" in name else name
    print(f"llmwiki-mcp: serving on http://{shown}:{port}{PATHS[config.mcp.mode]}", file=sys.stderr, flush=True)
    return partial(serve, application(server, config.mcp, allowed_hosts), listener)


def _leave(living: LivingIndex, code: int) -> NoReturn:
    """End at once: a thread may still wait for stdin, and worker processes must not outlive us."""
    living.stop()
    for child in multiprocessing.active_children():
        child.terminate()
    logging.shutdown()
    os._exit(code)
