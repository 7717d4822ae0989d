"""What a note's page says of itself to machines: JSON-LD, and the picture for previews elsewhere."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from generator.look import Look
from generator.properties import as_text
from generator.render import Renderer
from generator.urls import absolute_url
from generator.wiki import PageRow, json_list


def json_ld(look: Look, page: PageRow) -> Any:
    """The page as a schema.org Article, safe within a script element."""
    from markupsafe import Markup

    facts: dict[str, Any] = {
        "@context": "https://schema.org",
        "@type": "Article",
        "headline": page.title,
        "inLanguage": page.language,
        "dateModified": page.updated_at,
        "datePublished": page.created_at,
        "description": page.summary,
        "keywords": json_list(page.tags),
        "url": absolute_url(look.base_url, page.url) if look.base_url else "",
    }
    text = json.dumps({key: value for key, value in facts.items() if value}, ensure_ascii=False)
    return Markup(text.translate(_ESCAPED))


# What could end the script element, or a line of it.
_ESCAPED = str.maketrans({char: f"\\u{ord(char):04x}" for char in "&<>\u2028\u2029"})


def image(renderer: Renderer, page: PageRow, meta: Mapping[str, Any]) -> str:
    """The absolute address of the picture that `image` or `cover` names; "" for none, or if it is not in the site."""
    value = as_text(meta.get("image")) or as_text(meta.get("cover"))
    if value.startswith(("https://", "http://")):
        return value
    base = renderer.look.base_url
    if not value or not base:
        return ""
    name = value.removeprefix("![[").removeprefix("[[").removesuffix("]]").partition("|")[0].strip()
    links = (row for row in renderer.bodies.read(page.id).links if row.kind == "property")
    target = next((row.target for row in links if row.name in {name, unquote(name)}), None)
    url = renderer.wiki.url_of(target) if target in renderer.wiki.attachments else ""
    return absolute_url(base, url) if url else ""
