"""index.md and hot.md: what is generated of them, and nothing else of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from generator.errors import WikiError
from generator.model import Edit
from generator.syntax.tag import tag_key
from generator.upkeep.edits import NoteSource, Replacement, edit_of, read_source
from generator.upkeep.flagged import Flag, flagged_pages
from generator.upkeep.snapshot import PageFacts, Snapshot
from generator.vault import CATEGORY_FOLDERS, Layout

BEGIN, END = "<!-- llmwiki:begin index -->", "<!-- llmwiki:end index -->"
RECENT_DAYS = 7
MOST_WORDS = 500
_MOST_ENTRIES = 20
_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_LINK = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]]*)\]\]")
_OPENING = re.compile(r"\[\[|%%|<(?=[!/A-Za-z])")
_WORDS = {
    "en": {
        "other": "Other",
        "recent": "Recently updated",
        "tags": "New tags",
        "waiting": "Pages waiting for links",
        "flagged": "Flagged",
        "takeaways": "Key takeaways",
        "disputed": "disputed",
        "contradicts": "contradicts {names}",
        "and": ", ",
    },
    "zh": {
        "other": "其他",
        "recent": "最近更新",
        "tags": "新标签",
        "waiting": "等待链接的页面",
        "flagged": "有争议",
        "takeaways": "要点",
        "disputed": "有争议",
        "contradicts": "与 {names} 矛盾",
        "and": "，",
    },
}
_TAKEAWAYS = re.compile(
    rf"^## (?:{'|'.join(re.escape(words['takeaways']) for words in _WORDS.values())})[ \t]*$.*?(?=^## |\Z)",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)


# ── index.md ────────────────────────────────────────────────────────────────────────────────────────────


def index_list(pages: Iterable[PageFacts], layout: Layout, language: str) -> str:
    """The marked part of index.md, marks included: one heading a category, one line a page."""
    groups: dict[str, list[PageFacts]] = {}
    for page in pages:
        groups.setdefault(page.category, []).append(page)
    order = {name: number for number, name in enumerate(CATEGORY_FOLDERS)}
    parts = [BEGIN]
    for name in sorted(groups, key=lambda name: (name == "", order.get(name, len(order)), name.casefold(), name)):
        parts.append(f"## {name[:1].upper() + name[1:] if name else _WORDS[language]['other']}")
        parts.append("\n".join(_index_line(page, layout) for page in by_title(groups[name])))
    return "\n\n".join((*parts, END))


def _index_line(page: PageFacts, layout: Layout) -> str:
    summary = _OPENING.sub(lambda match: "\\" + match[0], " ".join(page.summary.split()))
    return f"- {_link(page, layout)}" + (f" — {summary}" if summary else "")


def _link(page: PageFacts, layout: Layout) -> str:
    path = page.path[:-3]
    inside = path.removeprefix(f"{layout.pages_root}/") if layout.pages_root else path
    title = page.title.replace("[[", "[ [").replace("]]", "] ]")
    return f"[[{inside}|{title}]]"


def by_title(pages: Iterable[PageFacts]) -> list[PageFacts]:
    """In the order of their titles, whatever the case, then of their paths."""
    return sorted(pages, key=lambda page: (page.title.casefold(), page.path))


def listed_pages(wiki: Snapshot, path: str) -> list[PageFacts]:
    """What a special file at `path` may list: where it is published, only pages that are."""
    own = wiki.by_path.get(path)
    is_public = own is None or bool(own.published)
    return [page for page in wiki.content_pages if (page.published or not is_public) and page.path != path]


def index_edit(vault: Path, layout: Layout, wiki: Snapshot, language: str = "en") -> Edit | None:
    """index.md as it should be, or None where it is that already, or where a plain vault has none of ours.

    Raises `Unreadable` for a file that is not UTF-8.
    """
    path = special_path(layout, "index.md")
    new = index_list(listed_pages(wiki, path), layout, language)
    source = _source(vault, path)
    if source is None:
        return None if layout.kind == "plain" else Edit(path, "", f"# Wiki Index\n\n{new}\n")
    start, end = source.text.find(BEGIN), source.text.find(END)
    if 0 <= start < end:
        return edit_of(source, [Replacement(start, end + len(END), new)])
    if layout.kind == "plain":
        return None
    size = len(source.text.rstrip("\n"))
    return edit_of(
        source, [Replacement(size, len(source.text), f"\n\n{new}\n" if size else f"# Wiki Index\n\n{new}\n")]
    )


def drifted_index(vault: Path, layout: Layout, wiki: Snapshot, language: str) -> tuple[str, str]:
    """The path of an index.md with our marks that does not match the pages, and its right text; else two ""."""
    path = special_path(layout, "index.md")
    try:
        source = _source(vault, path)
        edit = index_edit(vault, layout, wiki, language) if source and BEGIN in source.text else None
    except WikiError:
        return "", ""
    return (path, edit.new_text) if edit else ("", "")


def special_path(layout: Layout, name: str) -> str:
    """Where a special file stands: at the pages root."""
    return f"{layout.pages_root}/{name}" if layout.pages_root else name


def _source(vault: Path, path: str) -> NoteSource | None:
    return read_source(vault, path) if (vault / path).exists() else None


# ── hot.md ──────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Section:
    title: str
    lines: tuple[str, ...]


def hot_edit(vault: Path, layout: Layout, wiki: Snapshot, today: date, language: str = "en") -> Edit | None:
    """hot.md as it should be today; None where it is that already, and in a plain vault without a hot.md of ours."""
    path = special_path(layout, "hot.md")
    source = _source(vault, path)
    if layout.kind == "plain" and (source is None or "<!-- llmwiki:begin" not in source.text):
        return None
    kept = _TAKEAWAYS.search(source.text) if source else None
    takeaways = kept[0].rstrip() if kept else f"## {_WORDS[language]['takeaways']}"
    text = hot_text(listed_pages(wiki, path), wiki, layout, today, language, takeaways)
    if layout.kind == "plain":
        text += "\n<!-- llmwiki:begin hot -->\n<!-- llmwiki:end hot -->\n"
    if source is None:
        return Edit(path, "", text)
    front = source.text[: _body_start(source.text)]
    return edit_of(source, [Replacement(0, len(source.text), front + text)])


def _body_start(text: str) -> int:
    from generator import frontmatter

    return len(text) - len(frontmatter.split(text).body)


def hot_text(
    pages: Sequence[PageFacts], wiki: Snapshot, layout: Layout, today: date, language: str, takeaways: str
) -> str:
    """The whole of hot.md. Entries go, those of the longest list first, until it has at most 500 words."""
    words = _WORDS[language]
    there = {page.id for page in pages}
    lists = [
        _Section(words["recent"], tuple(_recent(pages, layout, today))),
        _Section(words["tags"], tuple(_new_tags(pages, today))),
        _Section(words["waiting"], tuple(f"- {_link(p, layout)}" for p in by_title(wiki.orphans) if p.id in there)),
        _Section(
            words["flagged"], tuple(_flag(f, layout, language) for f in flagged_pages(wiki) if f.page.id in there)
        ),
    ]
    title = f"# Wiki Hot - {today.isoformat()}"
    return "\n\n".join((title, *_within(lists, MOST_WORDS - count_words(title + takeaways)), takeaways)) + "\n"


def _recent(pages: Sequence[PageFacts], layout: Layout, today: date) -> Iterator[str]:
    fresh = [page for page in pages if 0 <= _age(page.updated_at, today) < RECENT_DAYS]
    ranked = sorted(sorted(fresh, key=lambda page: page.path), key=lambda page: page.updated_at[:10], reverse=True)
    return (f"- {_link(page, layout)} ({page.updated_at[:10]})" for page in ranked)


def _new_tags(pages: Sequence[PageFacts], today: date) -> Iterator[str]:
    seen: dict[str, tuple[str, str]] = {}
    for page in pages:
        for tag in page.tags:
            key, created = tag_key(tag), page.created_at[:10]
            if key not in seen or created < seen[key][0]:
                seen[key] = (created, tag)
    return (f"- {tag}" for _, (day, tag) in sorted(seen.items()) if 0 <= _age(day, today) < RECENT_DAYS)


def _flag(flag: Flag, layout: Layout, language: str) -> str:
    words = _WORDS[language]
    reasons = [words["disputed"]] if flag.is_disputed else []
    if flag.contradicts:
        names = words["and"].join(f"[[{name}]]" for name in flag.contradicts)
        reasons.append(words["contradicts"].format(names=names))
    return f"- {_link(flag.page, layout)}: {words['and'].join(reasons)}"


def _age(day: str, today: date) -> int:
    """Days from an ISO date to today; -1 for what is none."""
    try:
        return (today - date.fromisoformat(day[:10])).days
    except ValueError:
        return -1


def _within(lists: Sequence[_Section], budget: float) -> Iterator[str]:
    kept = [list(section.lines[:_MOST_ENTRIES]) for section in lists]
    costs = [[count_words(line) for line in lines] for lines in kept]
    titles = sum(count_words(section.title) for section in lists)
    while any(kept) and titles + sum(map(sum, costs)) > budget:
        longest = max(range(len(kept)), key=lambda number: sum(costs[number]))
        kept[longest].pop()
        costs[longest].pop()
    for section, lines in zip(lists, kept, strict=True):
        if lines:
            yield f"## {section.title}\n\n" + "\n".join(lines)


def count_words(text: str) -> float:
    """The words that a reader sees; a CJK character is half a word."""
    shown = _LINK.sub(lambda match: match[1], text)
    spaced, characters = _CJK.subn(" ", shown)
    return sum(1 for word in spaced.split() if any(char.isalnum() for char in word)) + characters / 2
