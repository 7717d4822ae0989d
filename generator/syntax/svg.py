"""A drawing made from a note's text, reduced to shapes and text: safe in a page, with ids of its own, and small."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import escape
from xml.parsers import expat

from generator.syntax.dark import Palette
from generator.syntax.marks import FORBIDDEN, ID_MARK, SLOT_CLOSE, SLOT_OPEN, text_slot

_ELEMENTS = frozenset(
    (
        "a circle clipPath defs desc ellipse feBlend feComposite feDropShadow feFlood feGaussianBlur feMerge "
        "feMergeNode feOffset filter g line linearGradient marker mask path pattern polygon polyline radialGradient "
        "rect stop style svg symbol text textPath title tspan use"
    ).split()
)
_ATTRIBUTES = frozenset(
    (
        "class clip-path clip-rule cx cy d direction display dominant-baseline dx dy fill fill-opacity fill-rule "
        "filter flood-color flood-opacity font-family font-size font-style font-weight fx fy gradientTransform "
        "gradientUnits height in in2 k1 k2 k3 k4 lengthAdjust letter-spacing marker-end marker-mid marker-start "
        "markerHeight markerUnits markerWidth mask mode offset opacity operator orient overflow pathLength "
        "patternUnits points preserveAspectRatio r refX refY result rotate rx ry shape-rendering spreadMethod "
        "startOffset stdDeviation stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap "
        "stroke-linejoin stroke-miterlimit stroke-opacity stroke-width style text-anchor text-decoration textLength "
        "transform transform-origin vector-effect viewBox visibility width word-spacing writing-mode x x1 x2 y y1 y2"
    ).split()
)
_ROOT_ATTRIBUTES = frozenset({"class", "preserveAspectRatio", "viewBox"})
# Only of use if something refers to them: Mermaid defines every arrow head that there is.
_DEFINITIONS = frozenset("marker filter linearGradient radialGradient clipPath mask pattern symbol".split())
_REFERENCE = re.compile(r"(?:url\(\s*[\"']?|href=\")#([\w.:-]+)")
_LOCAL_URL = re.compile(r"url\(\s*[\"']?#([\w.:-]+)[\"']?\s*\)")
_ID = re.compile(r"#([\w-]+)")
_ID_ATTRIBUTE = re.compile(r"\[id=\"([\w-]+)\"\]")
_CLASS = re.compile(r"\.(-?[A-Za-z_][\w-]*)")
_REMOTE_URL = re.compile(r"url\((?!\s*[\"']?#)", re.IGNORECASE)
_UNSAFE_CSS = re.compile(r"[\\<@!]|/\*|expression|position|(?<![\w-])inset|z-index", re.IGNORECASE)
_UNSAFE_STYLE = re.compile(r"[\\<@]|/\*|expression|position|z-index", re.IGNORECASE)
_SAFE_LINK = re.compile(r"(?:https?|mailto|obsidian):", re.IGNORECASE)
_MAX_WIDTH = re.compile(r"max-width:\s*([\d.]+px)")


@dataclass(frozen=True, slots=True)
class Drawing:
    """Cleaned SVG. `nodes` maps the ids of the nodes that are internal links to their texts, in the order of the
    slots `␂M0␃`, `␂M1␃` … in `svg`."""

    svg: str
    nodes: dict[str, str] = field(default_factory=dict)


def clean_svg(svg: str) -> Drawing:
    """Keep shapes, text and the style rules that apply; ids and references to them get ID_MARK before them.

    Raises ValueError where `svg` is not XML.
    """
    cleaner = _Cleaner(svg)
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = cleaner.start
    parser.EndElementHandler = cleaner.end
    parser.CharacterDataHandler = cleaner.text
    try:
        parser.Parse(svg, True)
    except expat.ExpatError as error:
        raise ValueError(f"the drawing cannot be read: {error}") from error
    return Drawing(cleaner.whole(), cleaner.nodes)


class _Cleaner:
    """Handlers of one pass over the drawing, without a tree: its depth is the note's choice."""

    def __init__(self, svg: str) -> None:
        self.out: list[str] = []
        self.nodes: dict[str, str] = {}
        self.references = set(_REFERENCE.findall(svg))
        self.classes = {name for value in re.findall(r'class="([^"]*)"', svg) for name in value.split()}
        self.root = ""
        self.root_attributes: dict[str, str] = {}
        self.palette = Palette()
        self.closing: list[str] = []  # what ends each open element
        self.skipped = 0  # depth inside an element that is left out
        self.css: list[str] | None = None
        self.link_depth = 0  # depth of the open `a`, or 0: links cannot be nested
        self.node = ""  # the open node that is an internal link

    def start(self, name: str, attributes: dict[str, str]) -> None:
        identity = attributes.get("id", "")
        left_out = name not in _ELEMENTS or (name in _DEFINITIONS and identity not in self.references)
        if self.skipped or left_out:
            self.skipped += 1
            return
        if name == "style":
            self.css = []
            self.closing.append("")
            return
        if not self.closing:
            self.root = identity
            self.root_attributes = attributes
            self.closing.append("</svg>")
            return
        self._open(name, identity, attributes)

    def whole(self) -> str:
        """The drawing; its root comes last, since it holds the palette."""
        width = _MAX_WIDTH.search(self.root_attributes.get("style", ""))
        parts = filter(None, (f"max-width:{width[1]}" if width else "", self.palette.style()))
        style = escape(";".join(parts))
        kept = {key: value for key, value in self.root_attributes.items() if key in _ROOT_ATTRIBUTES}
        role = "group" if any(part.startswith("<a ") for part in self.out) else "img"  # a picture holds no links
        named = f'role="{role}" aria-label="{text_slot("diagram")}"'
        root = f'<svg id="{ID_MARK}{escape(self.root)}" width="100%" style="{style}" {named}{self._serialise(kept)}>'
        return root + "".join(self.out)

    def _open(self, name: str, identity: str, attributes: dict[str, str]) -> None:
        tag, before, after = name, "", ""
        if name == "a":
            href = attributes.get("xlink:href", attributes.get("href", "")).strip()
            if self.link_depth or not _SAFE_LINK.match(href):
                tag = "g"
            else:
                before, tag = f'<a class="external-link" href="{escape(href)}" rel="noopener">', "g"
        elif name == "g" and not self.link_depth and "internal-link" in attributes.get("class", "").split():
            before = f"<a {SLOT_OPEN}M{len(self.nodes)}{SLOT_CLOSE}>"
            self.node = identity or str(len(self.nodes))
            self.nodes[self.node] = ""
        if before:
            self.link_depth, after = len(self.closing) + 1, "</a>"
        elif self.node and name == "tspan" and "row" in attributes.get("class", "").split():
            self.nodes[self.node] += " "
        kept = {key: value for key, value in attributes.items() if key in _ATTRIBUTES}
        if identity in self.references:
            kept["id"] = ID_MARK + identity
        reference = attributes.get("xlink:href", attributes.get("href", "")) if name in {"use", "textPath"} else ""
        if reference.startswith("#"):
            kept["href"] = f"#{ID_MARK}{reference[1:]}"
        self.out.append(f"{before}<{tag}{self._serialise(kept)}>")
        self.closing.append(f"</{tag}>{after}")

    def end(self, name: str) -> None:
        if self.skipped:
            self.skipped -= 1
            return
        if name == "style" and self.css is not None:
            self.out.append(self._style("".join(self.css)))
            self.css = None
        elif self.link_depth == len(self.closing):
            self.link_depth = 0
            if self.node:
                self.nodes[self.node] = " ".join(self.nodes[self.node].split())
                self.node = ""
        self.out.append(self.closing.pop())

    def text(self, data: str) -> None:
        if self.skipped:
            return
        if self.css is not None:
            self.css.append(data)
            return
        data = FORBIDDEN.sub("", data)
        if self.node:
            self.nodes[self.node] += data
        self.out.append(escape(data, quote=False))

    def _style(self, css: str) -> str:
        """The rules for this drawing and for classes that are in it; what a note smuggled in beside them goes."""
        root = f"#{self.root}"
        rules: list[str] = []
        for rule in _ID_ATTRIBUTE.sub(r"#\1", FORBIDDEN.sub("", css)).split("}"):
            selectors, _, body = rule.rpartition("{")
            wanted = [s.strip() for s in selectors.split(",") if self._applies(s)]
            if not wanted or not all(s.startswith(root) for s in wanted) or _UNSAFE_CSS.search(selectors):
                continue
            declarations = [d for d in body.split(";") if d.strip() and not _is_unsafe_declaration(d)]
            if declarations:
                # Not `#id`: what fills the mark may be no CSS identifier.
                shown = ",".join(_ID.sub(rf'[id="{ID_MARK}\1"]', s) for s in wanted)
                rules.append(f"{shown}{{{';'.join(map(self._declaration, declarations))}}}")
        return f"<style>{escape(''.join(rules), quote=False)}</style>" if rules else ""

    def _declaration(self, text: str) -> str:
        name, colon, value = text.partition(":")
        return f"{name}{colon}{self.palette.paint(name.strip(), _with_own_ids(value))}"

    def _serialise(self, attributes: dict[str, str]) -> str:
        parts: list[str] = []
        for key, value in attributes.items():
            if _REMOTE_URL.search(value) or (key == "style" and _UNSAFE_STYLE.search(value)):
                continue
            clean = value if key in {"id", "href"} else _with_own_ids(FORBIDDEN.sub("", value))
            if key == "style":
                clean = ";".join(map(self._declaration, filter(str.strip, clean.split(";"))))
            parts.append(f' {key}="{escape(self.palette.paint(key, clean))}"')
        return "".join(parts)

    def _applies(self, selector: str) -> bool:
        ids = set(_ID.findall(selector))
        return set(_CLASS.findall(selector)) <= self.classes and ids <= self.references | {self.root}


def _is_unsafe_declaration(declaration: str) -> bool:
    plain = declaration.replace("!important", "")
    return bool(_UNSAFE_CSS.search(plain) or _REMOTE_URL.search(plain)) or plain.count('"') % 2 == 1


def _with_own_ids(value: str) -> str:
    return _LOCAL_URL.sub(lambda m: f"url(#{ID_MARK}{m[1]})", value)
