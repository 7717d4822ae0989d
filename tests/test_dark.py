"""Diagrams on a dark page: each colour has a counterpart, and what could be read still can."""

from __future__ import annotations

import re
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_syntax_blocks import DIAGRAMS, contrast, needs_mmdr, svg_of

from generator.syntax.dark import Palette, on_dark

BYTE = st.integers(0, 255)
COLOUR = st.builds("#{:02x}{:02x}{:02x}".format, BYTE, BYTE, BYTE)
PAPER = "#1b1a18"  # about the ground of a dark page


@pytest.mark.parametrize(
    ("colour", "dark"),
    [
        ("#fff", "#292929"),
        ("#000", "#f2f2f2"),
        ("white", "#292929"),
        ("#FFFFFF80", "#29292980"),
        ("rgb(255, 255, 255)", "#292929"),
        ("rgba(255,255,255,.5)", "#29292980"),
        ("hsl(0, 0%, 100%)", "#292929"),
        ("hsl(0 0% 0% / 50%)", "#f2f2f280"),
        ("none", ""),
        ("currentColor", ""),
        ("transparent", ""),
        ("#12345", ""),
    ],
)
def test_a_colour_has_a_counterpart(colour: str, dark: str) -> None:
    assert on_dark(colour) == dark


def test_names_that_only_browsers_know_are_turned_round_by_them() -> None:
    assert on_dark("Peru").startswith("oklch(from peru ")


@given(COLOUR)
def test_every_colour_can_be_shown(colour: str) -> None:
    assert re.fullmatch("#[0-9a-f]{6}", on_dark(colour))


@given(COLOUR)
def test_what_is_legible_on_white_is_legible_on_black(colour: str) -> None:
    if contrast(colour, "#ffffff") >= 7:
        assert contrast(on_dark(colour), PAPER) >= 4.5


def test_mermaids_labels_are_legible_on_its_nodes() -> None:
    inks, fills = (
        ("#333", "#000", "#131300"),
        ("#ECECFF", "#ffffde", "#fff5ad", "#EDF2AE", "#fff", "#FFF8DC", "#eaeaea"),
    )
    for ink, fill in product(inks, fills):
        assert contrast(on_dark(ink), on_dark(fill)) >= 7, (ink, fill)


def test_a_palette_names_each_colour_once() -> None:
    palette = Palette()
    assert palette.paint("fill", "#333 !important") == "var(--c0) !important"
    assert palette.paint("stroke", "#333") == "var(--c0)"
    assert palette.paint("fill", "none") == "none"
    assert palette.paint("fill", "url(#red)") == "url(#red)"
    assert palette.paint("font-family", "red") == "red"
    assert palette.paint("color", "navy") == "var(--c1)"
    assert palette.style().startswith("--c0:light-dark(#333,#cdcdcd);--c1:light-dark(navy,oklch(from navy ")


@needs_mmdr
@pytest.mark.parametrize("kind", DIAGRAMS)
def test_no_colour_of_a_diagram_is_for_light_pages_alone(kind: str) -> None:
    drawing = svg_of(DIAGRAMS[kind])
    rest = drawing.partition(">")[2]
    painted = re.findall(r"(?:fill|stroke|(?<!-)color|stop-color)\s*[:=]\s*[\"']?([^;}\"'>]+)", rest)
    plain = {value.removesuffix("!important").strip() for value in painted if not value.startswith(("var(", "url("))}
    assert plain <= {"none", "currentColor", "transparent", "inherit", "context-stroke"}
    used, defined = set(re.findall(r"var\((--c\d+)\)", rest)), set(re.findall(r"(--c\d+):", drawing))
    assert used == defined
    assert len(re.findall("light-dark", drawing)) == len(defined)


@needs_mmdr
def test_two_themes_cost_little() -> None:
    """Each colour stands once in both themes, and is referred to: the drawing is not there twice."""
    drawing = svg_of(DIAGRAMS["flowchart"])
    root = drawing.partition(">")[0]
    assert drawing.count("<svg") == 1
    assert len(root) < 0.12 * len(drawing)
