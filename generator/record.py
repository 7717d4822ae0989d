"""A document as the rows of the index: made by the process that parsed it, so that the writer only writes."""

from __future__ import annotations

import json
from dataclasses import dataclass

from generator.analyser import fts_row
from generator.model import Document
from generator.packed import packed
from generator.syntax.tag import tag_key


@dataclass(frozen=True, slots=True)
class PageRecord:
    """A document as rows, ready to be stored: made by the process that parsed it. `facts` are the columns of
    wiki_pages before and after the dates, less path and URL; `tags` are pairs of key and label."""

    path: str
    created: str
    updated: str
    facts: tuple[tuple[object, ...], tuple[object, ...]]
    content: tuple[object, ...]
    fts: tuple[str, ...]
    links: tuple[tuple[object, ...], ...]
    tags: tuple[tuple[str, str], ...]
    queries: tuple[str, ...]


def record_of(d: Document) -> PageRecord:
    """The rows of a document."""
    before = (d.title, d.category, _json(d.tags), _json(d.aliases), d.summary, d.digest, d.lifecycle)
    problems = [(problem.code, problem.message, problem.line) for problem in d.problems]
    after = (
        _json(d.sources), d.word_count, d.language, d.published, d.special, _json(d.meta), _json(problems), "",
    )  # fmt: skip
    headings = [(h.level, h.text, h.raw, h.anchor, h.line, h.offset, h.start, h.end) for h in d.headings]
    blocks, footnotes = ([(b.id, b.line, b.start, b.end, b.tag) for b in group] for group in (d.blocks, d.footnotes))
    return PageRecord(
        path=d.path,
        created=d.created,
        updated=d.updated,
        facts=(before, after),
        content=(_json(headings), _json(blocks), _json(footnotes), packed(d.text), packed(d.html)),
        fts=fts_row(d.path, d.title, d.aliases, (h.text for h in d.headings), d.tags, d.summary, d.text),
        links=tuple((x.target, x.subpath, x.label, x.kind, x.embed, x.line, x.context) for x in d.links),
        tags=tuple((tag_key(tag), tag) for tag in d.tags),
        queries=d.queries,
    )


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
