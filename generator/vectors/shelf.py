"""The vectors of the pages, in LanceDB beside the index: brought up to date, and asked for what is near a question.

Vectors of another model, or of another way of cutting pages, are in another table, and dropped.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from generator.config import Config
from generator.errors import EmbeddingsFailed
from generator.extras import how_to_install
from generator.packed import unpacked
from generator.vectors.chunks import CHUNKING, Chunk, chunks_of, sent_text
from generator.vectors.meaning import Meaning
from generator.vectors.providers import Provider, Vector, provider_of

_log = logging.getLogger("llmwiki.vectors")
_PAGES_AT_ONCE = 32  # what an interruption loses
_MOST_CHUNKS = 200  # looked at for one question
_DELETED_AT_ONCE = 500
OTHERS = 0.3  # of the other pieces of a page, beside its best one

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Embedded:
    """What an update did: pages embedded and forgotten, and how many are there now."""

    embedded: int
    forgotten: int
    pages: int


@dataclass(frozen=True, slots=True)
class _Page:
    path: str
    title: str
    digest: str
    html: bytes


def update_vectors(config: Config, db: sqlite3.Connection, progress: Progress | None = None) -> Embedded:
    """Embed the pages that are new or changed, and forget those that are gone. An interruption loses little.

    Raises EmbeddingsFailed; what was embedded before stays.
    """
    provider = provider_of(config.embeddings)
    if provider is None:
        hint = "set embeddings.provider to local or openai"
        raise EmbeddingsFailed("search by meaning is off", hint=hint)
    shelf = _Shelf(config.wiki.index_path, provider)
    wanted = dict(db.execute("SELECT path, content_hash FROM wiki_pages WHERE NOT special ORDER BY path"))
    known = shelf.digests()
    stale = [path for path, digest in known.items() if wanted.get(path) != digest]
    shelf.forget(stale)
    new = [path for path, digest in wanted.items() if known.get(path) != digest]
    for start in range(0, len(new), _PAGES_AT_ONCE):
        shelf.put(_read(db, new[start : start + _PAGES_AT_ONCE]))
        if progress:
            progress("embed", min(start + _PAGES_AT_ONCE, len(new)), len(new))
    shelf.tidy()
    return Embedded(len(new), len(set(stale) - wanted.keys()), len(wanted))


def nearest(config: Config, question: str, limit: int = 50) -> Meaning:
    """The pages whose pieces are nearest to a question. Never raises: whatever is amiss is in `note`."""
    try:
        provider = provider_of(config.embeddings)
        if provider is None or not question.strip():
            return Meaning()
        shelf = _Shelf(config.wiki.index_path, provider)
        if shelf.is_empty():
            return Meaning(note="no page is embedded yet: run `llmwiki embed`")
        return Meaning(shelf.nearest(provider.query(question), limit))
    except EmbeddingsFailed as error:
        _log.warning("search by meaning failed: %s", error.message)
        return Meaning(note=f"found by words only: {error.message}")


def above_the_farthest(rows: Sequence[tuple[str, float]]) -> list[tuple[str, float]]:
    """Pages with the likeness of their pieces, counted from that of the farthest: 1 stays 1.

    Models differ in what they call unlike. Many say 0.7 of any two texts: two such pieces would make a perfect page.
    """
    least = min((likeness for _, likeness in rows), default=0.0)
    return [(page, (likeness - least) / (1 - least) if least < 1 else 1.0) for page, likeness in rows]


def page_scores(rows: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Likeness by page from that of its pieces: the best, and 0.3 of the others' sum, never above 1."""
    pieces: dict[str, list[float]] = {}
    for page, likeness in rows:
        pieces.setdefault(page, []).append(max(0.0, likeness))
    scores = {}
    for page, each in pieces.items():
        best = max(each)
        scores[page] = best + min(OTHERS * (sum(each) - best), 1 - best)
    return scores


def _read(db: sqlite3.Connection, paths: Sequence[str]) -> list[_Page]:
    marks = ", ".join("?" * len(paths))
    sql = (
        "SELECT path, title, content_hash, html FROM wiki_pages JOIN wiki_content USING (id)"
        f" WHERE path IN ({marks}) ORDER BY path"
    )
    return [_Page(*row) for row in db.execute(sql, tuple(paths))]


class _Shelf:
    """The table of one provider's vectors."""

    def __init__(self, index: Path, provider: Provider) -> None:
        try:
            import lancedb
        except ImportError as error:
            hint = f"install it: {how_to_install('vectors')}"
            raise EmbeddingsFailed("LanceDB is not installed", hint=hint) from error
        self._provider = provider
        self._name = "chunks_" + sha256(f"{provider.identity} {CHUNKING}".encode()).hexdigest()[:16]
        self._db = lancedb.connect(str(index.parent / "vectors"))
        self._table: Any = self._db.open_table(self._name) if self._name in self._names() else None

    def _names(self) -> list[str]:
        return list(self._db.list_tables().tables)

    def is_empty(self) -> bool:
        """Whether there is nothing to search."""
        return self._table is None or self._table.count_rows() == 0

    def digests(self) -> dict[str, str]:
        """The digest of every page that is here, by path."""
        if self._table is None:
            return {}
        rows = self._table.search().select(["page", "digest"]).where("n = 0").limit(None).to_arrow().to_pylist()
        return {row["page"]: row["digest"] for row in rows}

    def forget(self, paths: Sequence[str]) -> None:
        """Remove all pieces of these pages."""
        for start in range(0, len(paths), _DELETED_AT_ONCE):
            quoted = ", ".join("'" + path.replace("'", "''") + "'" for path in paths[start : start + _DELETED_AT_ONCE])
            self._table.delete(f"page IN ({quoted})")

    def put(self, pages: Sequence[_Page]) -> None:
        """Embed pages that are not here. A page without text gets one piece, its title."""
        pieces = [(page, chunk) for page in pages for chunk in _pieces(page)]
        vectors = self._provider.passages([sent_text(page.title, chunk) for page, chunk in pieces])
        if len(vectors) != len(pieces):
            raise EmbeddingsFailed("there are fewer vectors than texts", hint="check embeddings.model")
        self._check_length(len(vectors[0]))
        rows = [
            {"page": page.path, "digest": page.digest, "n": chunk.n, "heading": chunk.heading, "vector": vector}
            for (page, chunk), vector in zip(pieces, vectors, strict=True)
        ]
        if self._table is None:
            self._table = self._db.create_table(self._name, schema=_schema(len(vectors[0])))
        self._table.add(rows)

    def nearest(self, vector: Vector, limit: int) -> tuple[tuple[str, float], ...]:
        """The pages nearest to a vector, equal ones by path."""
        self._check_length(len(vector))
        query = self._table.search(vector).distance_type("cosine").select(["page", "_distance"]).limit(_MOST_CHUNKS)
        scores = page_scores(above_the_farthest([(row["page"], 1 - row["_distance"]) for row in query.to_list()]))
        return tuple(sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))[:limit])

    def tidy(self) -> None:
        """Drop the vectors of other models, and join the small files that updates leave."""
        for name in self._names():
            if name != self._name:
                self._db.drop_table(name)
        if self._table is not None:
            self._table.optimize()

    def _check_length(self, length: int) -> None:
        if self._table is None:
            return
        known = self._table.schema.field("vector").type.list_size
        if known != length:
            message = f"the model gives vectors of {length} numbers, and those that are kept have {known}"
            raise EmbeddingsFailed(message, hint="the server's model has changed: name it in embeddings.model")


def _pieces(page: _Page) -> Iterator[Chunk]:
    yield from chunks_of(page.title, unpacked(page.html)) or [Chunk(0, "", "")]


def _schema(length: int) -> Any:
    import pyarrow

    fields: Mapping[str, Any] = {
        "page": pyarrow.string(),
        "digest": pyarrow.string(),
        "n": pyarrow.int32(),
        "heading": pyarrow.string(),
        "vector": pyarrow.list_(pyarrow.float32(), length),
    }
    return pyarrow.schema(list(fields.items()))
