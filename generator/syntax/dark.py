"""The colours of a drawing that was made for a light page, and what they are on a dark one.

Lightness is turned round as people see it (OKLab), hue stays: what stood out still does, and a label is as legible on
its node as it was.
"""

from __future__ import annotations

import re
from colorsys import hls_to_rgb
from functools import lru_cache

PAINTS = frozenset("fill stroke color background-color stop-color flood-color".split())
"""The properties that hold a colour."""

_NO_COLOUR = frozenset(
    "none transparent inherit initial unset revert currentcolor context-fill context-stroke auto normal".split()
)
_COLOUR = re.compile(
    r"#[0-9A-Fa-f]{3,8}\b|(?:rgb|hsl)a?\([^()]*\)|(?<![\w#(.-])[A-Za-z]{3,20}(?![\w(-])", re.IGNORECASE
)
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)%?")
_NAMES = {
    "white": "#ffffff",
    "black": "#000000",
    "red": "#ff0000",
    "green": "#008000",
    "blue": "#0000ff",
    "yellow": "#ffff00",
    "orange": "#ffa500",
    "pink": "#ffc0cb",
    "purple": "#800080",
    "gray": "#808080",
    "grey": "#808080",
    "lightgray": "#d3d3d3",
    "lightgrey": "#d3d3d3",
    "lightblue": "#add8e6",
    "lightgreen": "#90ee90",
    "lightyellow": "#ffffe0",
}
_DARKEST, _LIGHTEST = 0.28, 0.96  # what white and black become
_RICHER = 1.8  # how much more colour the dark counterpart of a pastel has: on black, a hint of it is not seen
_CURVE = 1.6  # so that dark grey, Mermaid's ink, becomes nearly as light as black does
_RGB = tuple[float, float, float]


class Palette:
    """The colours of one drawing, as custom properties: each is written once, with its counterpart."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def paint(self, name: str, value: str) -> str:
        """The value of a property, its colours replaced by references to the palette."""
        return _COLOUR.sub(self._reference, value) if name in PAINTS and not value.startswith("url(") else value

    def _reference(self, match: re.Match[str]) -> str:
        colour = match[0]
        if colour.lower() == "important" or not on_dark(colour):
            return colour
        return f"var({self._names.setdefault(colour, f'--c{len(self._names)}')})"

    def style(self) -> str:
        """The declarations of the palette."""
        return ";".join(f"{name}:light-dark({colour},{on_dark(colour)})" for colour, name in self._names.items())


@lru_cache(maxsize=1024)
def on_dark(colour: str) -> str:
    """The colour for a dark page, as CSS; "" for what is no colour."""
    name = colour.lower()
    if name in _NO_COLOUR:
        return ""
    rgba = _read(_NAMES.get(name, name))
    if rgba is None:
        # One of CSS's other names: browsers know how to turn it round.
        return (
            f"oklch(from {name} calc({_LIGHTEST} - {_LIGHTEST - _DARKEST:.2f} * pow(l,{_CURVE})) c h)"
            if name.isalpha()
            else ""
        )
    red, green, blue = (round(255 * part) for part in _turned(rgba[0]))
    shown = f"#{red:02x}{green:02x}{blue:02x}"
    return shown if rgba[1] == 1 else f"{shown}{round(255 * rgba[1]):02x}"


def _read(colour: str) -> tuple[_RGB, float] | None:
    """Red, green and blue from 0 to 1, and opacity."""
    if colour.startswith("#"):
        digits = colour[1:]
        if len(digits) in {3, 4}:
            digits = "".join(2 * digit for digit in digits)
        if len(digits) not in {6, 8}:
            return None
        red, green, blue, *rest = (int(digits[i : i + 2], 16) / 255 for i in range(0, len(digits), 2))
        return (red, green, blue), rest[0] if rest else 1.0
    parts = _NUMBER.findall(colour)
    if not colour.startswith(("rgb", "hsl")) or len(parts) not in {3, 4}:
        return None
    values = [float(part.rstrip("%")) / (100 if part.endswith("%") else 1) for part in parts]
    alpha = _within(values[3]) if len(values) == 4 else 1.0
    if colour.startswith("hsl"):
        red, green, blue = hls_to_rgb(values[0] / 360 % 1, _within(values[2]), _within(values[1]))
    else:
        red, green, blue = (_within(v if p.endswith("%") else v / 255) for v, p in zip(values[:3], parts, strict=False))
    return (red, green, blue), alpha


def _within(value: float) -> float:
    return min(1.0, max(0.0, value))


def _turned(rgb: _RGB) -> _RGB:
    """The colour with its lightness turned round; as much of its chroma as a screen can show there."""
    lightness, a, b = _to_oklab(rgb)
    chroma = _RICHER if lightness > 0.85 else 1.0
    lightness = _LIGHTEST - (_LIGHTEST - _DARKEST) * max(0.0, lightness) ** _CURVE
    while True:
        turned = _from_oklab(lightness, a * chroma, b * chroma)
        if all(-0.002 <= part <= 1.002 for part in turned) or chroma < 0.05:
            red, green, blue = map(_within, turned)
            return red, green, blue
        chroma -= 0.05


def _to_oklab(rgb: _RGB) -> _RGB:
    r, g, b = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in rgb)
    long = (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b) ** (1 / 3)
    middle = (0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b) ** (1 / 3)
    short = (0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short,
    )


def _from_oklab(lightness: float, a: float, b: float) -> _RGB:
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    middle = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (
        4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * middle + 1.7076147010 * short,
    )
    red, green, blue = (12.92 * part if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055 for part in linear)
    return red, green, blue
