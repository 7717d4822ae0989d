"""Fenced and indented code, coloured when the note is parsed: classes of Pygments, colours in `highlight.css`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml, unescapeAll
from markdown_it.token import Token

from generator.syntax.marks import text_slot

if TYPE_CHECKING:
    from pygments.lexer import Lexer
    from pygments.token import _TokenType

MAX_HIGHLIGHTED = 20_000
"""Characters of the longest block that is coloured; a longer one is data more often than code."""

PLUGIN_FENCES = frozenset("dataview dataviewjs tasks kanban excalidraw leaflet base".split())
"""The fences that only Obsidian or one of its plugins can run; what is said above them are the texts `fence.*`."""

# Obsidian highlights with Prism. Its names on the left, where Pygments has another (or a near) one; names that
# neither knows stay plain.
_PRISM_NAMES = {
    "adoc": "text",
    "antlr4": "antlr",
    "g4": "antlr",
    "arm-asm": "gas",
    "armasm": "gas",
    "aspnet": "aspx-cs",
    "astro": "html",
    "atom": "xml",
    "base": "yaml",
    "cilkc": "c",
    "cilkcpp": "cpp",
    "cjs": "javascript",
    "clike": "c",
    "cshtml": "html",
    "dataviewjs": "javascript",
    "dns-zone-file": "zone",
    "dotnet": "csharp",
    "editorconfig": "ini",
    "ejs": "html",
    "etlua": "lua",
    "gettext": "po",
    "git": "diff",
    "go-module": "go",
    "gradle": "groovy",
    "gv": "dot",
    "hbs": "html+handlebars",
    "htaccess": "apacheconf",
    "ino": "arduino",
    "javadoc": "java",
    "jq": "bash",
    "js-extras": "javascript",
    "jsonc": "json5",
    "kt": "kotlin",
    "kts": "kotlin",
    "leaflet": "yaml",
    "markup": "html",
    "mathjax": "latex",
    "mathml": "xml",
    "mjs": "javascript",
    "mongodb": "javascript",
    "mustache": "html+handlebars",
    "n4js": "javascript",
    "opencl": "c",
    "openqasm": "text",
    "php-extras": "php",
    "phpdoc": "php",
    "plsql": "sql",
    "powerquery": "text",
    "processing": "java",
    "rss": "xml",
    "sh-session": "console",
    "ssml": "xml",
    "svelte": "html",
    "svg": "xml",
    "vb": "vbnet",
    "vba": "vbnet",
    "vbs": "vbscript",
    "wasm": "wat",
    "wiki": "mediawiki",
    "xml-doc": "xml",
}
_LANGUAGE = re.compile(r"[^\s{,]+")


def code(md: MarkdownIt) -> None:
    """Register the render rules of `fence` and `code_block`."""
    md.add_render_rule("fence", _render_fence)
    md.add_render_rule("code_block", _render_indented)


def _render_fence(self: Any, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
    token = tokens[idx]
    word = _LANGUAGE.match(unescapeAll(token.info).strip().lstrip("{."))
    return _render(token.content, word[0].lower().rstrip("}") if word else "")


def _render_indented(self: Any, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
    return _render(tokens[idx].content, "")


def highlighted(text: str, language: str) -> str:
    """A text as a block of code in a language, which may be any word."""
    return _render(text, language).rstrip("\n")


@lru_cache(maxsize=1024)
def _render(content: str, language: str) -> str:
    css_class = f' class="language-{escapeHtml(language)}"' if language else ""
    block = f'<pre class="highlight"><code{css_class}>{_highlight(content, language)}</code></pre>\n'
    if language not in PLUGIN_FENCES:
        return block
    return f'<p class="fence-notice" data-fence="{language}">{text_slot(f"fence.{language}")}</p>\n{block}'


def _highlight(content: str, language: str) -> str:
    lexer = _lexer(language) if language and len(content) <= MAX_HIGHLIGHTED else None
    if lexer is None:
        return escapeHtml(content)
    parts: list[str] = []
    last, pending = "", ""  # neighbours of the same class share one element
    for kind, value in lexer.get_tokens(content):
        short = _css_class(kind)
        if short == last:
            pending += value
            continue
        parts.append(_span(last, pending))
        last, pending = short, value
    parts.append(_span(last, pending))
    return "".join(parts)


@lru_cache(maxsize=512)
def _css_class(kind: _TokenType) -> str:
    """The class of a kind of token, or of the nearest kind above it that has one; "" for what is not coloured."""
    from pygments.token import STANDARD_TYPES

    above: _TokenType | None = kind
    while above is not None and above not in STANDARD_TYPES:
        above = above.parent
    short = STANDARD_TYPES[above] if above is not None else ""
    return "" if short in _PLAIN else short


def _span(css_class: str, text: str) -> str:
    if not text or not css_class:
        return escapeHtml(text)
    return f'<span class="{css_class}">{escapeHtml(text)}</span>'


@lru_cache(maxsize=256)
def _lexer(language: str) -> Lexer | None:
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(_PRISM_NAMES.get(language, language), stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
    return None if lexer.name == "Text only" else lexer


# --- colours ---------------------------------------------------------------------------------------------------

# Legible (a contrast of 4.5 and more) on the grounds that `style.css` gives to code, in light and in dark.
# What it colours: its light and its dark colour, and the Pygments classes.
_COLOURS: tuple[tuple[str, str, str, str], ...] = (
    ("keywords", "#9a1f6a", "#f08cc4", "k kc kd kn kp kr kt ow nt"),
    ("names that are defined", "#2c4fb5", "#8fb4ff", "nf fm nc ne nn nd"),
    ("names that are built in", "#0b6675", "#62cfdd", "nb bp no na"),
    ("variables", "#8a4b08", "#f0b070", "nv vc vg vi vm ni nl"),
    ("strings", "#1f6b3a", "#86d694", "s sa sb sc dl s2 sh si sx s1 ss se sr gi"),
    ("numbers", "#a13a12", "#f59b7c", "m mb mf mh mi mo il l ld"),
    ("comments", "#5f6773", "#98a2b1", "c ch cm cp cpf c1 cs sd go gp"),
    ("errors", "#b3261e", "#ff9a92", "gd gr gt"),
    ("headings", "#2c4fb5", "#8fb4ff", "gh gu"),
)
_STYLES = (("gh gu gs", "font-weight:600"), ("c ch cm c1 cs", "font-style:italic"))
# Classes that no rule colours: their text needs no element.
_PLAIN = frozenset(["n", "p", "o", "w", "x", "esc", "err", "g", "nx", "py", "pm", "bn"])


def highlight_css() -> str:
    """The rules of `templates/highlight.css`: one set of classes whose colours follow the page's `color-scheme`."""
    rules: list[str] = []
    for _, light, dark, classes in _COLOURS:
        rules.append(f"{_selector(classes)}{{color:{light};color:light-dark({light},{dark})}}")
    rules += [f"{_selector(classes)}{{{style}}}" for classes, style in _STYLES]
    head = "/* Written by generator.syntax.code.highlight_css(): change the colours there. */"
    return "\n".join((head, *rules, ""))


def _selector(classes: str) -> str:
    return f".highlight :is({','.join('.' + name for name in classes.split())})"
