"""One note's text becomes a `Document`: front matter, then one Markdown parse that feeds index and page alike."""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import md5
from typing import Any

from markdown_it import MarkdownIt

from generator import frontmatter, properties
from generator.facts import Facts, collect, problems_of, property_links
from generator.language import detect_language
from generator.model import Block, Document, Heading, Link, Problem
from generator.parse_options import ParseOptions
from generator.syntax import build_parser
from generator.syntax.footnote import UNSHOWN
from generator.syntax.marks import FORBIDDEN
from generator.vault import SPECIAL_FILES, TAXONOMY_FILES

_GENERATED_MARK = "<!-- llmwiki:begin"
_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")


@lru_cache(maxsize=4)
def _markdown(strict_line_breaks: bool, raw_html: str) -> MarkdownIt:
    return build_parser(strict_line_breaks=strict_line_breaks, raw_html=raw_html)


def parse_note(
    path: str, data: bytes, text: str, options: ParseOptions, problems: tuple[Problem, ...] = ()
) -> Document:
    """Parse a note. `data` is the file's bytes (for the digest), `text` their decoded form with LF line ends,
    `problems` what decoding already found. Never raises for bad content."""
    text, oversized = _cut(FORBIDDEN.sub("\ufffd", text), options.max_page_size_kb)
    front = frontmatter.split(text)
    md = _markdown(options.strict_line_breaks, options.raw_html)
    env: dict[str, Any] = {}
    tokens = md.parse(front.body, env)
    facts = collect([*tokens, *env.get(UNSHOWN, ())], front.body_line)
    html = md.renderer.render(tokens, md.options, env)
    offsets: list[int] = env["offsets"] + env["offsets"][-1:] * len(env.get(UNSHOWN, ()))

    meta = properties.lower_keys(front.meta)
    notes: list[tuple[str, str]] = []

    def note(code: str, message: str) -> None:
        notes.append((code, message))

    tags = properties.read_tags(meta, facts.tags, note)
    stem = path.rpartition("/")[2][:-3]
    title = " ".join(properties.as_text(meta.get("title")).split()) or facts.title_heading or stem
    lifecycle = properties.read_lifecycle(meta, note)
    created = properties.read_date(meta, properties.CREATED, note)
    updated = properties.read_date(meta, properties.UPDATED, note)
    aliases = properties.read_aliases(meta, note)
    properties.read_classes(meta, note)
    return Document(
        path=path,
        digest=md5(data, usedforsecurity=False).hexdigest(),
        meta=front.meta,
        title=title,
        aliases=aliases,
        tags=tags,
        headings=_headings(facts, offsets, len(tokens)),
        blocks=tuple(Block(n, line, offsets[a], offsets[b + 1], tag) for n, line, a, b, tag in facts.block_spans),
        footnotes=tuple(Block(n, line, offsets[a], offsets[b + 1], tag) for n, line, a, b, tag in facts.footnote_spans),
        links=(*facts.links, *_property_links(front)),
        text="\n".join(filter(None, (facts.text, front.broken.strip()))),
        html=html,
        summary=properties.summarise(meta, facts.first_paragraph),
        category=_category(meta, path, options.pages_root),
        lifecycle=lifecycle,
        created=created,
        updated=updated,
        sources=tuple(properties.as_list(meta.get("sources"))),
        published=properties.is_published(meta, tags, opt_in=options.opt_in),
        special=_is_special(path, options, text),
        word_count=count_words(facts.text),
        language=_language(meta, facts.text, options.language),
        queries=tuple(dict.fromkeys(facts.queries)),
        problems=(
            *problems,
            *oversized,
            *front.problems,
            *properties.to_problems(notes, _key_lines(text, front.body_line)),
            *problems_of(env, front.body_line),
        ),
    )


def count_words(text: str) -> int:
    """Words of scripts with spaces, plus one for each CJK character."""
    if text.isascii():
        return len(text.split())
    spaced, cjk = _CJK.subn(" ", text)
    return len(spaced.split()) + cjk


def _cut(text: str, max_kb: int) -> tuple[str, tuple[Problem, ...]]:
    """The first part of an oversized note, up to the end of a line where there is one."""
    limit = max_kb * 1024
    if len(text) * 4 <= limit:
        return text, ()
    data = text.encode("utf-8", "surrogatepass")
    if len(data) <= limit:
        return text, ()
    head = data[:limit].decode("utf-8", "ignore")
    end = head.rfind("\n", len(head) // 2)
    message = f"the note has {len(data) // 1024} kB: only its first {max_kb} kB are indexed and shown"
    return head[: end + 1] if end > 0 else head, (Problem("oversized-page", message, 1),)


def _headings(facts: Facts, offsets: list[int], token_count: int) -> tuple[Heading, ...]:
    """Each heading with the extent of its section: up to the next one of the same or a higher level."""
    last = offsets[facts.footnotes_start if facts.footnotes_start is not None else token_count]
    ends: list[int] = [last] * len(facts.headings)
    open_sections: list[int] = []
    for i, fact in enumerate(facts.headings):
        start = offsets[fact.index]
        while open_sections and facts.headings[open_sections[-1]].level >= fact.level:
            ends[open_sections.pop()] = start
        open_sections.append(i)
    return tuple(
        Heading(fact.level, fact.text, fact.raw, fact.anchor, fact.line, fact.offset, offsets[fact.index], end)
        for fact, end in zip(facts.headings, ends, strict=True)
    )


def _property_links(front: frontmatter.FrontMatter) -> list[Link]:
    return property_links(front.meta) if front.meta else []


def _category(meta: dict[str, Any], path: str, pages_root: str) -> str:
    named = properties.as_text(meta.get("category")) or properties.as_text(meta.get("type"))
    if named:
        return named
    inside = path.removeprefix(pages_root + "/") if pages_root else path
    return inside.partition("/")[0] if "/" in inside else ""


def _is_special(path: str, options: ParseOptions, text: str) -> bool:
    """Index, log and the like: only where the layout gives them that meaning, or where we generated them."""
    if path in TAXONOMY_FILES:
        return True
    folder, _, name = path.rpartition("/")
    if name.lower() not in SPECIAL_FILES or folder not in {"", options.pages_root}:
        return False
    return options.layout != "plain" or _GENERATED_MARK in text


def _language(meta: dict[str, Any], text: str, default: str) -> str:
    named = properties.as_text(meta.get("lang")) or properties.as_text(meta.get("language"))
    if re.fullmatch(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*", named):
        return named
    # A Chinese site has Latin pages too, and they are most likely in English.
    return detect_language(text, default if default not in {"zh", "ja", "ko"} or not text.isascii() else "en")


def _key_lines(text: str, body_line: int) -> dict[str, int]:
    """The line of each top-level property."""
    if body_line == 1:
        return {}
    lines = text.split("\n", body_line)[:body_line]
    return {
        name.strip().lower(): number
        for number, line in enumerate(lines, 1)
        if (name := line.partition(":")[0]) and line[:1] not in " \t-#"
    }
