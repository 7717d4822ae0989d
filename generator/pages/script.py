"""The scripts and the stylesheet that all pages share, each put together from a few files; scripts with their texts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from generator.look import Look, template_files
from generator.pages.kind import Kind, Planned
from generator.render import Renderer, messages
from generator.script_data import safe_json
from generator.urls import ASSETS
from generator.wiki import Wiki

# `style.css` and `site.js` are on every page, `search.js` is loaded when the search is first used.
_FILES = {
    "style.css": ("style.css", "highlight.css"),
    "site.js": ("site.js", "reading.js", "around.js", "tree.js"),
    "search.js": ("search/words.js", "search/rank.js", "search/passage.js", "search/box.js"),
}
_TEXTS = ("search", "search.missing", "search.close", "copy", "copied", "copy.failed", "zoom", "keys", "mentions.none")
_TEXT_GROUPS = ("keys.", "tree.", "lifecycle.")


def _plan(wiki: Wiki, look: Look) -> Iterator[Planned]:
    for name in _FILES:
        yield Planned(f"{ASSETS}/{name}", name, "")  # the templates and the language are in the key of every file


def _make(renderer: Renderer, name: str, url: str) -> bytes:
    files = template_files(renderer.look.templates)
    parts = [_read(files[part]) for part in _FILES[name]]
    return "".join([*([_texts(renderer.look.language)] if name == "site.js" else []), *parts]).encode()


def _read(file: Path) -> str:
    return file.read_text("utf-8")


def _texts(language: str) -> str:
    texts = messages(language)
    shown = {name: text for name, text in texts.items() if name in _TEXTS or name.startswith(_TEXT_GROUPS)}
    return f"var llmwikiLanguage={safe_json(language)},llmwikiTexts={safe_json(shown)};\n"


KIND = Kind("script", _plan, _make)
