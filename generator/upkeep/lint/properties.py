"""Front matter: fields that a page should have, and values outside their type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from generator.upkeep.lint.issue import Issue, LintInput, Rule, issue
from generator.upkeep.repair import SetProperty
from generator.upkeep.snapshot import PageFacts

LONGEST_SUMMARY = 200
RELATIONS = ("extends", "implements", "contradicts", "derived_from", "uses", "replaces", "related_to")
_TEXTS = ("title", "category", "summary", "description")
_LISTS = ("tags", "aliases", "sources")
_NAMES = {
    "title": ("title",),
    "category": ("category", "type"),
    "tags": ("tags", "tag"),
    "created": ("created", "created_at", "date"),
    "updated": ("updated", "updated_at", "modified"),
}


def _check(c: LintInput) -> Iterator[Issue]:
    broken = {finding.path for finding in c.findings if finding.code == "invalid-frontmatter"}
    for page in c.wiki.content_pages:
        meta = page.meta
        yield from _types(page, meta)
        yield from _long_summary(page, meta)
        if c.layout.kind != "plain" and page.path not in broken:
            yield from _fields(page, meta)
            yield from _summary(page, meta)


RULE = Rule(
    {"missing-field": "warning", "missing-summary": "info", "long-summary": "info", "bad-type": "error"}, _check
)


def _fields(page: PageFacts, meta: dict[str, Any]) -> Iterator[Issue]:
    values: dict[str, str | tuple[str, ...]] = {
        "title": page.title,
        "category": page.category,
        "tags": page.tags,
        "created": page.created_at[:10],
        "updated": page.updated_at[:10],
    }
    for name, spellings in _NAMES.items():
        if any(meta.get(spelling) not in (None, "", []) for spelling in spellings):
            continue
        value = values[name]
        repair = SetProperty(name, value) if value else None
        shown = ", ".join(value) if isinstance(value, tuple) else value
        fix = f"{name}: {shown}" if value else ""
        yield issue(page, "missing-field", "warning", 1, f"`{name}` is missing", fix=fix, repair=repair)


def _summary(page: PageFacts, meta: dict[str, Any]) -> Iterator[Issue]:
    if any(meta.get(name) for name in ("summary", "description")):
        return
    repair = SetProperty("summary", page.summary) if page.summary else None
    fix = f"summary: {page.summary}" if page.summary else ""
    yield issue(page, "missing-summary", "info", 1, "it has no summary", fix=fix, repair=repair)


def _long_summary(page: PageFacts, meta: dict[str, Any]) -> Iterator[Issue]:
    """`description` belongs to other programs too: only what is called a summary is measured."""
    written = meta.get("summary")
    if isinstance(written, str) and len(" ".join(written.split())) > LONGEST_SUMMARY:
        message = f"the summary has {len(written)} characters, of which {LONGEST_SUMMARY} are shown"
        yield issue(page, "long-summary", "info", 1, message)


def _types(page: PageFacts, meta: dict[str, Any]) -> Iterator[Issue]:
    for name in _TEXTS:
        if isinstance(meta.get(name), (list, dict)):
            yield issue(page, "bad-type", "error", 1, f"`{name}` should be a text, not a {_kind(meta[name])}")
    for name in _LISTS:
        value = meta.get(name)
        items = value if isinstance(value, list) else [value]
        if any(isinstance(item, (list, dict)) for item in items):
            yield issue(page, "bad-type", "error", 1, f"`{name}` should be a list of texts")
    for relation in _relations(meta):
        kind = relation.get("type") if isinstance(relation, dict) else None
        if not isinstance(relation, dict) or not isinstance(relation.get("target"), str):
            yield issue(page, "bad-type", "error", 1, "an entry of `relationships` needs `target` and `type`")
        elif kind not in RELATIONS:
            yield issue(page, "bad-type", "error", 1, f"the relation {kind!r} is none of {', '.join(RELATIONS)}")


def _relations(meta: dict[str, Any]) -> list[Any]:
    value = meta.get("relationships")
    return value if isinstance(value, list) else [] if value is None else [value]


def _kind(value: object) -> str:
    return "list" if isinstance(value, list) else "mapping"
