"""Which HTML a note may use, and the cleaning of one opening tag."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from html import escape, unescape

import nh3

from generator.syntax.marks import FORBIDDEN, ID_MARK, SLOT_CLOSE, SLOT_OPEN

_GLOBAL = frozenset("align aria-hidden aria-label class dir id lang role style title translate".split())
_SIZE = ("height", "width")
_CELL = ("bgcolor", "colspan", "headers", "rowspan", "scope", "valign", *_SIZE)
_MEDIA = ("autoplay", "controls", "loop", "muted", "playsinline", "preload", "src", *_SIZE)
_PLAIN_TAGS = (
    "abbr address article aside b bdi bdo big br caption center cite code dd dfn div dl dt em figcaption figure footer "
    "h1 h2 h3 h4 h5 h6 header hgroup hr i kbd mark p picture pre rb rp rt rtc ruby s samp section small span strike "
    "strong sub summary sup tbody tfoot thead tr tt u var wbr"
)
_ATTRIBUTES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_PLAIN_TAGS.split(), ()),
    "a": ("href", "hreflang", "name", "target"),
    "audio": _MEDIA,
    "blockquote": ("cite",),
    "col": ("span", "width"),
    "colgroup": ("span", "width"),
    "data": ("value",),
    "del": ("cite", "datetime"),
    "details": ("open", "name"),
    "font": ("color", "face", "size"),
    "iframe": ("src", "title", "allowfullscreen", *_SIZE),
    "img": ("alt", "border", "hspace", "loading", "src", "vspace", *_SIZE),
    "ins": ("cite", "datetime"),
    "li": ("value",),
    "meter": ("high", "low", "max", "min", "optimum", "value"),
    "ol": ("reversed", "start", "type"),
    "progress": ("max", "value"),
    "q": ("cite",),
    "source": ("media", "src", "type"),
    "table": ("bgcolor", "border", "cellpadding", "cellspacing", "width"),
    "td": _CELL,
    "th": ("abbr", *_CELL),
    "time": ("datetime",),
    "track": ("default", "kind", "label", "src", "srclang"),
    "ul": ("type",),
    "video": ("poster", *_MEDIA),
}
HIDING_TAGS = frozenset(
    "iframe noembed noframes noscript plaintext script style svg template textarea title xmp".split()
)
"""Elements whose content is not text of the page: they are left out whole (an `iframe` that is allowed stays)."""

HTML_TAGS = (
    frozenset(_ATTRIBUTES)
    | HIDING_TAGS
    | frozenset(
        (
            "acronym applet area base basefont body button canvas datalist dialog dir embed fieldset form frame "
            "frameset head html input label legend link main map marquee math menu menuitem meta nav nobr object "
            "optgroup option output param search select slot"
        ).split()
    )
)
"""Every tag that HTML knows. Those without an entry in the allow-list are dropped, and their content stays; what is
not here (`List<String>`) is text."""

VOID_TAGS = frozenset("area base br col embed frame hr img input link meta param source track wbr".split())

_LINKS = frozenset({"href", "src", "poster"})
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):|//", re.IGNORECASE)
_SCHEMES = frozenset("http https mailto tel sms obsidian zotero".split())
_IMAGE_DATA = re.compile(r"data:image/(?:png|jpe?g|gif|webp|avif|bmp|svg\+xml)[;,]", re.IGNORECASE)
_BLANKS = re.compile(r"[\x00-\x20\x7f\xa0]+")
# nh3 reads a tag as a browser would inside a `<div>`, where these do not exist.
_TABLE_PARTS = frozenset("caption col colgroup tbody td tfoot th thead tr".split())
_ADDED = {
    "iframe": ' sandbox="allow-scripts allow-same-origin allow-popups allow-presentation allow-forms"'
    ' loading="lazy" referrerpolicy="strict-origin-when-cross-origin"',
}

# Styles that stay inside the element: nothing that positions, layers, loads or animates.
_PROPERTIES = frozenset(
    (
        "align-content align-items align-self aspect-ratio background background-color border border-bottom "
        "border-bottom-color border-bottom-style border-bottom-width border-collapse border-color border-left "
        "border-left-color border-left-style border-left-width border-radius border-right border-right-color "
        "border-right-style border-right-width border-spacing border-style border-top border-top-color "
        "border-top-style border-top-width border-width box-sizing break-after break-before break-inside caption-side "
        "clear color column-count column-gap column-rule column-width columns direction display flex flex-basis "
        "flex-direction flex-flow flex-grow flex-shrink flex-wrap float font font-family font-feature-settings "
        "font-size font-style font-variant font-weight gap grid-column grid-row grid-template-columns "
        "grid-template-rows height hyphens justify-content justify-items letter-spacing line-height list-style "
        "list-style-type margin margin-block margin-bottom margin-inline margin-left margin-right margin-top "
        "max-height max-width min-height min-width object-fit opacity overflow overflow-wrap overflow-x overflow-y "
        "padding padding-block padding-bottom padding-inline padding-left padding-right padding-top ruby-align "
        "ruby-position row-gap tab-size text-align text-align-last text-decoration text-decoration-color "
        "text-decoration-line text-decoration-style text-decoration-thickness text-emphasis text-indent "
        "text-orientation text-transform text-underline-offset text-wrap unicode-bidi vertical-align visibility "
        "white-space width word-break word-spacing word-wrap writing-mode"
    ).split()
)
_FUNCTIONS = frozenset(
    "calc clamp fit-content hsl hsla lab lch linear-gradient max min minmax oklab oklch repeat rgb rgba var".split()
)
_STYLE_VALUE = re.compile(r"(?:[\w\s#%.,+*/()-]|\"[\w\s.-]*\"|'[\w\s.-]*')+")
_FUNCTION = re.compile(r"([\w-]*)\(")
_NEGATIVE = re.compile(r"(?<![\w)])-\s*[\d.]")
_NO_ARITHMETIC = ("margin", "text-indent")


@dataclass(frozen=True, slots=True)
class CleanTag:
    """An opening tag: `text` has `␂H␃` for each of `links`, which are `(url, attribute)` of files in the vault."""

    text: str
    links: tuple[tuple[str, str], ...] = ()


@lru_cache(maxsize=4096)
def clean_tag(name: str, attributes: str, mode: str) -> CleanTag | None:
    """The opening tag as the page may have it; None if the tag is not to be there."""
    if mode == "allow":
        return _assemble(name, _read_attributes(attributes), trusted=True)
    if name not in _ATTRIBUTES:
        return None
    allowed = _GLOBAL.union(_ATTRIBUTES[name])
    found: dict[str, str] = {}

    def collect(tag: str, attribute: str, value: str) -> str:
        # Of two readings of a strange quote, nh3's may see a second tag here: its attributes are not ours.
        if tag == element and attribute in allowed:
            found.setdefault(attribute, value)
        return value

    element = "span" if name in _TABLE_PARTS else name
    nh3.clean(
        f"<{element} {attributes}>",
        tags={element},
        clean_content_tags=set(),
        attributes={element: set(allowed)},
        attribute_filter=collect,
        link_rel=None,
        url_schemes={*_SCHEMES, "data"},
    )
    if name == "iframe" and not found.get("src", "").strip().lower().startswith("https://"):
        return None
    return _assemble(name, found, trusted=False)


_ATTRIBUTE = re.compile(r"([^\s\"'<>/=]+)(?:\s*=\s*(\"[^\"]*\"|'[^']*'|[^\s\"'=<>`]+))?")


def _read_attributes(source: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for attribute, value in _ATTRIBUTE.findall(source):
        found.setdefault(attribute.lower(), unescape(value.strip("\"'") if value[:1] in "\"'" else value))
    return found


def _assemble(name: str, attributes: dict[str, str], *, trusted: bool) -> CleanTag:
    parts, links = [f"<{name}"], []
    for attribute, raw in attributes.items():
        value: str | None = FORBIDDEN.sub("", raw)
        if attribute in _LINKS:
            if value and not _SCHEME.match(_BLANKS.sub("", value)):
                links.append((value.strip(), attribute))
                parts.append(f' {attribute}="{SLOT_OPEN}H{SLOT_CLOSE}"')
                continue
            value = value if trusted else _safe_url(value or "", name, attribute)
        elif attribute == "style" and not trusted:
            value = clean_style(value or "")
        elif attribute == "id" or (attribute == "name" and name == "a"):
            attribute, value = "id", ID_MARK + "-".join((value or "").split())
        if value is not None:
            parts.append(f' {attribute}="{escape(value)}"' if value else f" {attribute}")
    if not trusted:
        parts.append(_ADDED.get(name, ""))
        if name == "a" and any(part.startswith(' href="') and SLOT_OPEN not in part for part in parts):
            parts.append(' rel="noopener"')
        elif name == "img" and "loading" not in attributes:
            parts.append(' loading="lazy"')
    parts.append(">")
    return CleanTag("".join(parts), tuple(links))


def _safe_url(value: str, tag: str, attribute: str) -> str | None:
    """The URL without its blanks at the ends; None unless its scheme is one of ours."""
    plain = _BLANKS.sub("", value)
    match = _SCHEME.match(plain)
    if match is None:
        return None
    if match[1] is None:
        return "https:" + plain
    if match[1].lower() in _SCHEMES:
        return value.strip()
    return plain if tag == "img" and attribute == "src" and _IMAGE_DATA.match(plain) else None


def clean_style(style: str) -> str | None:
    """The declarations of a `style` that may stay; None if there is none."""
    kept: list[str] = []
    for declaration in style.split(";"):
        name, _, value = declaration.partition(":")
        name, value = name.strip().lower(), value.strip()
        if name in _PROPERTIES and _is_safe_value(name, value):
            kept.append(f"{name}:{value}")
    return ";".join(kept) or None


def _is_safe_value(name: str, value: str) -> bool:
    if len(value) > 300 or "/*" in value or not _STYLE_VALUE.fullmatch(value) or value.count("(") != value.count(")"):
        return False
    functions = _FUNCTION.findall(value.lower())
    if not _FUNCTIONS.issuperset(functions):
        return False
    # A negative margin or indent would draw over the page around the note.
    return not (name.startswith(_NO_ARITHMETIC) and (functions or _NEGATIVE.search(value)))
