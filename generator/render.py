"""Pages become HTML: the Jinja environment (a user's folder laid over ours), and what every template may use."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generator import __version__
from generator.assets import templates_dir
from generator.body import BodyReader, BodyRenderer
from generator.language import direction
from generator.look import Look, template_state
from generator.urls import ASSETS, absolute_url, folder_url, relative_href, root_prefix
from generator.wiki import Wiki

if TYPE_CHECKING:
    from jinja2 import Environment

NAV = (
    {"title": "nav.home", "path": "index.html", "icon": "home"},
    {"title": "nav.pages", "path": "pages.html", "icon": "pages"},
    {"title": "nav.tags", "path": "tags.html", "icon": "tags"},
    {"title": "nav.graph", "path": "graph.html", "icon": "graph"},
    {"title": "nav.hot", "path": "hot.html", "icon": "hot"},
    {"title": "nav.timeline", "path": "timeline.html", "icon": "timeline"},
    {"title": "nav.health", "path": "health.html", "icon": "health"},
)
_MOST_FOLDERS = 60


class Renderer:
    """Draws the pages of one wiki. Not shared between processes: it holds a connection to the index."""

    def __init__(self, wiki: Wiki, db: sqlite3.Connection, look: Look) -> None:
        self.wiki = wiki
        self.db = db
        self.look = look
        self.bodies = BodyReader(db)
        self._environment = _environment(look.templates, look.language, template_state(look.templates))
        self._site = {
            "title": look.title,
            "language": look.language,
            "home": "index.html",
            "base_url": look.base_url,
            "generator": f"sanguo-llmwiki {__version__}",
            "theme": look.theme,
        }
        self._folders = [
            {"name": wiki.folders[path].name, "path": folder_url(path)}
            for path in wiki.folders[""].subfolders[:_MOST_FOLDERS]
        ]
        self._sidebar = lru_cache(maxsize=512)(self._draw_sidebar)

    def translate(self, key: str, **values: object) -> str:
        """The interface text for `key` in the site's language."""
        return translated(messages(self.look.language), key, **values)

    def body(self, url: str) -> BodyRenderer:
        """Fills bodies that are shown on the page at `url`."""
        return BodyRenderer(self.wiki, self.bodies, root_prefix(url), self.translate, self.look.vault)

    def draw(self, template: str, url: str, context: Mapping[str, Any]) -> bytes:
        """The page at `url`. `context` gives at least `title`; `lang` defaults to the site's language."""
        root = root_prefix(url)
        lang = context.get("lang", self.look.language)
        top = url.partition("/")[0]
        shared: dict[str, Any] = {
            "site": self._site,
            "lang": lang,
            "dir": direction(lang),
            "url": url,
            "root": root,
            "href": lambda path, anchor="": relative_href(root, path, anchor),
            "absolute": lambda path: absolute_url(self.look.base_url, path),
            "asset": lambda name: f"{root}{ASSETS}/{name}",
            "nav": NAV,
            "folders": self._folders,
            "sidebar": self._sidebar(root, url if "/" not in url else f"{top}/index.html", url.endswith("/index.html")),
        }
        text: str = self._environment.get_template(template).render(shared | dict(context))
        return text.encode("utf-8", "replace")

    def _draw_sidebar(self, root: str, here: str, is_folder: bool) -> Any:
        from markupsafe import Markup

        own = here if is_folder or "/" not in here else ""
        context = {
            "site": self._site,
            "url": own,
            "here": here,
            "href": lambda path, anchor="": relative_href(root, path, anchor),
            "nav": NAV,
            "folders": self._folders,
        }
        return Markup(self._environment.get_template("partials/sidebar.html").render(context))


def translated(texts: Mapping[str, str], key: str, **values: object) -> str:
    """The text for `key`, with its values put in."""
    text = texts[key]
    return text.format(**values) if values else text


@lru_cache(maxsize=2)
def messages(language: str) -> dict[str, str]:
    """The interface texts of a language."""
    texts: dict[str, str] = json.loads((templates_dir() / "messages" / f"{language}.json").read_text("utf-8"))
    return texts


@lru_cache(maxsize=2)
def _environment(user_folder: Path | None, language: str, state: str) -> Environment:
    """The templates as they are in `state`: a process that watches the vault outlives changes of them.

    Interface texts are a filter, `{{ "search"|t }}`, and not a function: Jinja works out filters of constants when it
    compiles a template, so that the many texts of a page cost nothing when it is drawn.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    class DictFirst(Environment):
        """`entry.title` of a dictionary is its item: no look first for an attribute, which costs an exception each."""

        def getattr(self, obj: Any, attribute: str) -> Any:
            if type(obj) is dict and attribute in obj:
                return obj[attribute]
            return super().getattr(obj, attribute)

    folders = [folder for folder in (user_folder, templates_dir()) if folder is not None]
    environment = DictFirst(
        loader=FileSystemLoader(folders),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters["t"] = partial(translated, messages(language))
    return environment
