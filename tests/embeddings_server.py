"""A small server with OpenAI's `/v1/embeddings`, whose model is weak but real: hashed words and pairs of characters."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from zlib import crc32

LENGTH = 64
# What a real model knows and letters do not tell: these words mean the same here.
SAME = {"car": "automobile", "automobile": "automobile", "汽车": "automobile", "kettle": "kettle", "水壶": "kettle"}


def vector_of(text: str, length: int = LENGTH) -> list[float]:
    """A vector of words by their hash, of length 1."""
    numbers = [0.0] * length
    for word in [*re.findall(r"[a-z]+", text.lower()), *re.findall("(?=([\u4e00-\u9fff]{2}))", text)]:
        numbers[crc32(SAME.get(word, word).encode()) % length] += 4.0 if word in SAME else 1.0
    norm = sum(number * number for number in numbers) ** 0.5
    return [number / norm for number in numbers] if norm else [1.0] + [0.0] * (length - 1)


def answer_to(texts: list[str]) -> dict[str, Any]:
    """A right answer, its items in another order than the texts."""
    data = [{"object": "embedding", "index": at, "embedding": vector_of(text)} for at, text in enumerate(texts)]
    return {"object": "list", "data": data[::-1], "model": "weak"}


Behaviour = Callable[["Server", BaseHTTPRequestHandler, list[str]], None]


class Server:
    """What was asked (`requests`: the texts of each), with which headers; `behaviour` may answer in another way."""

    def __init__(self) -> None:
        self.requests: list[list[str]] = []
        self.headers: list[dict[str, str]] = []
        self.behaviour: Behaviour | None = None
        self.url = ""

    @property
    def texts(self) -> list[str]:
        """All texts that were sent."""
        return [text for texts in self.requests for text in texts]


def reply(handler: BaseHTTPRequestHandler, status: int, body: bytes | dict[str, Any], **headers: str) -> None:
    """Send a whole answer."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data)


@contextmanager
def serving() -> Iterator[Server]:
    """A running server on 127.0.0.1."""
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.requests.append(sent["input"])
            state.headers.append(dict(self.headers))
            try:
                if state.behaviour:
                    state.behaviour(state, self, sent["input"])
                else:
                    reply(self, 200, answer_to(sent["input"]))
            except (BrokenPipeError, ConnectionResetError):
                return

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
