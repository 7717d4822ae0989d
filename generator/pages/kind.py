"""What a kind of page or file is: a plan (cheap, for all of them) and how one is made (for those that differ)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from typing import Any, NamedTuple

from generator.look import Look
from generator.render import Renderer
from generator.retrieval import STALE_AFTER
from generator.wiki import PageRow, Wiki


class Planned(NamedTuple):
    """A page to be: its output path, its subject (an id or a name, by kind) and the digest of all that it shows."""

    url: str
    subject: Any
    digest: str


@dataclass(frozen=True, slots=True)
class Kind:
    """`plan` lists the pages, or other files of the site; `make` gives the bytes for one subject at one URL."""

    name: str
    plan: Callable[[Wiki, Look], Iterable[Planned]]
    make: Callable[[Renderer, Any, str], bytes]


def drawn(
    template: str, context: Callable[[Renderer, Any, str], Mapping[str, Any]]
) -> Callable[[Renderer, Any, str], bytes]:
    """Pages that are drawn with a template; `context` gives its values."""

    def make(renderer: Renderer, subject: Any, url: str) -> bytes:
        return renderer.draw(template, url, context(renderer, subject, url))

    return make


def entry(page: PageRow) -> dict[str, str]:
    """A page as a line of a list."""
    return {
        "title": page.title,
        "path": page.url,
        "summary": page.summary,
        "updated": page.updated_at,
        "lifecycle": page.lifecycle,
        "lang": page.language,
    }


def entry_digest(page: PageRow) -> str:
    """All that `entry` shows."""
    return f"{page.title}\x1e{page.url}\x1e{page.summary}\x1e{page.updated_at}\x1e{page.lifecycle}\x1e{page.language}"


def days_since(moment: str, today: date) -> int:
    """Whole days from an ISO 8601 date or time to `today`; negative for the future, 0 for what cannot be read."""
    return _days_since(moment[:10], today)


@lru_cache(maxsize=4096)
def _days_since(day: str, today: date) -> int:
    try:
        return (today - datetime.fromisoformat(day).date()).days
    except ValueError:
        return 0


def is_stale(page: PageRow, today: date) -> bool:
    """Not updated for more than 90 days."""
    return days_since(page.updated_at, today) > STALE_AFTER.days


def initial(title: str) -> str:
    """The heading under which a title is listed: its letter in Latin script, else the name of its script."""
    import unicodedata

    first = unicodedata.normalize("NFD", title.strip()[:1].upper())[:1]
    if "A" <= first <= "Z":
        return first
    script = unicodedata.name(first, "").split(" ")[0] if first.isalpha() else ""
    return _SCRIPTS.get(script, "#" if not script else script.capitalize())


_SCRIPTS = {
    "CJK": "汉",
    "HIRAGANA": "かな",
    "KATAKANA": "かな",
    "HANGUL": "한",
    "CYRILLIC": "Кир",
    "GREEK": "Ελ",
    "ARABIC": "ع",
    "HEBREW": "א",
    "THAI": "ก",
}
