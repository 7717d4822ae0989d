"""A note's body as the tests look at it: parsed, rendered, and searched for what must not be in a page."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

from markdown_it.token import Token

from generator.facts import collect
from generator.syntax import build_parser
from generator.syntax.html_tags import VOID_TAGS

MARKS = re.compile("[\x01\x04]|\x02[^\x03]*\x03")


def parse(source: str, raw_html: str = "sanitize") -> tuple[list[Token], list[tuple[str, str, int]]]:
    """The tokens as the syntaxes leave them, and the problems."""
    env: dict[str, Any] = {}
    tokens = build_parser(raw_html=raw_html).parse(source, env)
    return tokens, env.get("problems", [])


def render(source: str, raw_html: str = "sanitize") -> tuple[str, list[tuple[str, str, int]]]:
    """The body, its links numbered, and the problems."""
    tokens, problems = parse(source, raw_html)
    collect(tokens, 1)
    md = build_parser(raw_html=raw_html)
    return md.renderer.render(tokens, md.options, {}), problems


class Audit(HTMLParser):
    """Collects what must not be in a page: unbalanced tags, scripts, handlers, addresses that run."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.faults: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in {"script", "style", "object", "embed", "form", "base", "meta", "link"}:
            self.faults.append(f"<{tag}>")
        for name, value in attrs:
            plain = re.sub(r"[\x00-\x20]", "", value or "").lower()
            if name.startswith("on") or name in {"srcdoc", "formaction", "srcset"}:
                self.faults.append(f"{tag} {name}")
            if re.match(r"(?:javascript|vbscript|data(?!:image/)|file):", plain):
                self.faults.append(f"{tag} {name}={value}")
            if name == "style" and re.search(r"position|url\(|expression|z-index|transform|@", plain):
                self.faults.append(f"{tag} {name}={value}")
        if tag not in VOID_TAGS:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}>")

    def handle_comment(self, data: str) -> None:
        self.faults.append(f"<!--{data}")


def faults(html: str) -> list[str]:
    audit = Audit()
    audit.feed(html)
    audit.close()
    return audit.faults + [f"open {tag}" for tag in audit.open]
