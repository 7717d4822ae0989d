"""`![](https://…)` of what is no image: a video or a post elsewhere, a sound, a film, a document.

A page asks no other host for anything by itself, so what Obsidian plays in place is a card here that leads there;
sounds and films of a plain address are fetched when they are played.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from markdown_it.common.utils import escapeHtml

from generator.syntax.media import MEDIA_EXTENSIONS, extension

_YOUTUBE = re.compile(
    r"https?://(?:(?:www\.|m\.|music\.)?youtube(?:-nocookie)?\.com/(?:watch\?(?:[^#\s]*&)?v=|shorts/|live/|embed/|playlist\?)"
    r"|youtu\.be/)[\w-]",
    re.IGNORECASE,
)
_POST = re.compile(r"https?://(?:www\.|mobile\.)?(?:twitter|x)\.com/\w+/status/\d", re.IGNORECASE)
_SERVICES = (("youtube", "YouTube", _YOUTUBE), ("x", "X", _POST))


@dataclass(frozen=True, slots=True)
class Card:
    """A service whose videos or posts are embedded: its name for style sheets, and for people."""

    kind: str
    name: str


def card_of(src: str) -> Card | None:
    """The service that an address belongs to; None for all others."""
    return next((Card(kind, name) for kind, name, pattern in _SERVICES if pattern.match(src)), None)


def is_card(src: str) -> bool:
    """Whether an embed of this address is a link: a link's label cannot hold it."""
    return card_of(src) is not None or _kind(src) == "pdf"


def remote_embed(src: str, alt: str, width: str) -> str | None:
    """The element for an address elsewhere; None where an image is meant."""
    href, shown = escapeHtml(src), escapeHtml(alt)
    card = card_of(src)
    if card is not None:
        label = f'<span class="media-card-service">{card.name}</span> <span>{shown or href}</span>'
        return f'<a class="media-card" data-service="{card.kind}" href="{href}" rel="noopener">{label}</a>'
    kind = _kind(src)
    if kind == "pdf":
        return f'<a class="external-link file-embed" href="{href}" rel="noopener">{shown or href}</a>'
    if kind in {"audio", "video"}:
        size = f' width="{width}"' if width and kind == "video" else ""
        title = f' title="{shown}"' if alt else ""
        return f'<{kind} class="media-embed" controls preload="none"{size} src="{href}"{title}></{kind}>'
    return None


def _kind(src: str) -> str:
    try:
        ending = extension(urlsplit(src).path)
    except ValueError:
        return ""
    return next((kind for kind in ("audio", "video", "pdf") if ending in MEDIA_EXTENSIONS[kind]), "")
