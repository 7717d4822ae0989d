"""The two transports over HTTP: who may speak to the server, where it listens, and how it ends."""

from __future__ import annotations

import hmac
import ipaddress
import json
import logging
import socket
from collections.abc import Sequence
from typing import TYPE_CHECKING

from generator.config import McpSettings
from generator.errors import ConfigError

if TYPE_CHECKING:
    from mcp.server.transport_security import TransportSecurityMiddleware
    from starlette.types import ASGIApp, Receive, Scope, Send

    from mcp_bridge.protocol import WikiServer

_log = logging.getLogger("llmwiki.bridge")
MOST_BYTES = 4 * 1024 * 1024
"""Of one request; a longer one is answered with 413."""
PATHS = {"http": "/mcp", "sse": "/sse"}
HEALTH = "/health"
_OWN_NAMES = ("127.0.0.1", "localhost", "[::1]")
_FAREWELL_S = 3  # for answers under way when the server is asked to end


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a server that listens there."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def listen(settings: McpSettings, allowed_hosts: Sequence[str]) -> socket.socket:
    """The socket to serve on. Raises ConfigError where others could reach it unasked, or where it is taken."""
    host = settings.host
    if not is_loopback(host) and not (settings.token and allowed_hosts):
        raise ConfigError(
            f"`mcp.host` ({settings.host}) can be reached from other machines",
            hint="set `mcp.token` and name the server's own name with `--allowed-host`, or listen on 127.0.0.1",
        )
    try:
        return socket.create_server((host, settings.port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        hint = "end the other program, or choose another port with `--port`"
        raise ConfigError(f"cannot listen on {host} port {settings.port}: {error.strerror}", hint=hint) from None


def application(server: WikiServer, settings: McpSettings, allowed_hosts: Sequence[str]) -> ASGIApp:
    """The server as an ASGI application, behind the guard."""
    from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings

    names = [*_OWN_NAMES, *allowed_hosts]
    origins = [f"{scheme}://{name}" for scheme in ("http", "https") for name in names]
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[*names, *(f"{name}:*" for name in names)],
        allowed_origins=[*origins, *(f"{origin}:*" for origin in origins)],
    )
    if settings.mode == "http":
        app = server.streamable_http_app(
            streamable_http_path=PATHS["http"], transport_security=security, max_request_body_size=MOST_BYTES
        )
    else:
        app = server.sse_app(sse_path=PATHS["sse"], transport_security=security, max_request_body_size=MOST_BYTES)
    return _Guard(app, TransportSecurityMiddleware(security), settings.token, server)


async def serve(app: ASGIApp, listener: socket.socket) -> None:
    """Serve until SIGTERM or SIGINT; answers under way have three seconds to end."""
    import uvicorn

    config = uvicorn.Config(
        app, log_config=None, access_log=False, server_header=False, timeout_graceful_shutdown=_FAREWELL_S
    )
    await uvicorn.Server(config).serve(sockets=[listener])


class _Guard:
    """Host and Origin first, then health, then the token: a page in the user's browser gets past none of them."""

    def __init__(self, app: ASGIApp, security: TransportSecurityMiddleware, token: str | None, server: WikiServer):
        self._app, self._security, self._server = app, security, server
        self._token = token.encode() if token else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from starlette.requests import Request
        from starlette.responses import Response

        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        refusal = await self._security.validate_request(request)
        if refusal is None and request.url.path == HEALTH:
            body = json.dumps({"status": "ok", "index": self._server.index_state})
            refusal = Response(body, media_type="application/json", headers={"cache-control": "no-store"})
        elif refusal is None and not self._is_known(request.headers.get("authorization", "")):
            refusal = Response("a token is needed", status_code=401, headers={"www-authenticate": "Bearer"})
        await (refusal or self._app)(scope, receive, send)

    def _is_known(self, header: str) -> bool:
        if self._token is None:
            return True
        scheme, _, given = header.partition(" ")
        # In constant time: how long a comparison takes must not tell how much of a guess is right.
        return scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), self._token)
