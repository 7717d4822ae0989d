"""Mathematics, diagrams and code: what fixtures cannot say of them, and bounds for hostile input."""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
import time
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from conftest import require_shared
from hypothesis import given, settings
from hypothesis import strategies as st
from linear_cost import growth
from page_audit import MARKS, faults, parse, render

from generator.syntax import build_parser

# The package exports functions of the same names.
code = importlib.import_module("generator.syntax.code")
math = importlib.import_module("generator.syntax.math")
mermaid = importlib.import_module("generator.syntax.mermaid")
svg = importlib.import_module("generator.syntax.svg")

TEMPLATES = Path(__file__).parents[1] / "templates"
needs_mmdr = pytest.mark.skipif(importlib.util.find_spec("mmdr") is None, reason="mmdr has no wheel for this platform")


# --- mathematics -----------------------------------------------------------------------------------------------

FORMULAS = r"""
x^2+y_1 \neq \frac{a}{b}
\sqrt[3]{x} + \sum_{i=1}^{n} i + \int_0^\infty e^{-x^2}\,dx
\lim_{x \to 0} \frac{\sin x}{x}
\begin{pmatrix} a & b \\ c & d \end{pmatrix} \begin{vmatrix} a & b \\ c & d \end{vmatrix}
\begin{smallmatrix} a & b \\ c & d \end{smallmatrix}
f(x)=\begin{cases} 1 & x>0 \\ 0 & \text{otherwise} \end{cases}
\begin{align} a &= b \\ c &= d \end{align}
\begin{align*} a &= b \\ c &= d \end{align*}
\begin{equation} \begin{split} a &= b \\ &= c \end{split} \end{equation}
\begin{alignat}{2} a &= b \end{alignat}
\begin{gather} a \\ b \end{gather}
\begin{array}{c|c} a & b \\ \hline c & d \end{array}
\text{速度} = \frac{\text{距离}}{\text{时间}}
\text{设 $x>0$ 则 $y$}
x \in \mathbb{R}, \mathcal{L} \mathfrak{g} \mathscr{F} \mathsf{x} \mathtt{y} \mathrm{d}x \mathbf{v}
\boldsymbol{\alpha} \bm{x} \pmb{x}
\operatorname{rank} A + \operatorname*{argmax}_x f(x)
\left( \frac{a}{b} \right) \left\{ x \middle| y \right\} \left. f \right|_{x=0}
\big( \Big( \bigg( \Bigg(
\hat{x} \bar{x} \vec{v} \dot{x} \ddot{x} \tilde{x} \widehat{ab} \widetilde{ab} \overline{AB} \underline{x}
\overbrace{a+b}^{n} \underbrace{c+d}_{m} \overset{!}{=} \underset{x}{\max} \stackrel{d}{=}
\xrightarrow{f} \xleftarrow[b]{a}
\forall \exists \neg \land \lor \implies \iff \mapsto \cup \cap \subseteq \notin \emptyset \partial \nabla \hbar
\cdots \ldots \vdots \ddots \hdots
\binom{n}{k} {n \choose k} {a \over b}
\color{red}{x} + \textcolor{blue}{y} + \color{#ff0000}z + \textcolor{#00ff00}{w}
\boxed{x=1} \cancel{x} \xcancel{x} \sout{x}
\phantom{x} a \quad b \qquad c \; d \! e
x' x'' a \bmod b \pmod{n}
x = 1 \tag{1}
\begin{equation} x = 1 \label{eq} \end{equation}
\ref{eq} \eqref{eq}
\newcommand{\R}{\mathbb{R}} \newcommand{\pair}[2]{(#1, #2)} \pair{a}{b} \in \R
\DeclareMathOperator{\Tr}{Tr} \Tr A
\require{cancel}\cancel{x}
\sum_{\substack{i<n \\ j<m}} x
\langle x | y \rangle \lVert x \rVert \lfloor x \rfloor \ket{\psi} \bra{\phi}
10^{-3}\,\mathrm{m/s} 50\% \$ \& \#
\mathop{\mathrm{Res}}_{z=0}
\Large x \displaystyle\sum_i
\href{javascript:alert(1)}{x}
\ce{2H2 + O2 -> 2H2O} \ce{SO4^2-}
\displaylines{a \\ b}
""".strip().split("\n")


@pytest.mark.parametrize("tex", FORMULAS)
@pytest.mark.parametrize("display", [True, False])
def test_common_formulas_become_mathml(tex: str, display: bool) -> None:
    mathml, problem = math._convert(tex, display)
    assert problem == ""
    root = ElementTree.fromstring(re.sub("&(?!lt;|gt;|amp;|quot;)[A-Za-z]+;", "x", mathml))  # HTML's entities
    assert root.tag == "math"
    assert root.get("display") == ("block" if display else None)
    assert not {"href", "id"} & {name for element in root.iter() for name in element.attrib}


def test_equations_have_no_numbers_unless_tagged() -> None:
    assert "(1)" not in math._convert(r"\begin{align}a&=b\end{align}", True)[0]
    assert "(7)" in math._convert(r"a=b\tag{7}", True)[0]


def test_bad_formulas_are_named_with_their_lines() -> None:
    _, problems = render("a $\\nope$\nb $\\nada$\n\n> $$\n> \\null{\n> $$")
    assert [(kind, line) for kind, _, line in problems] == [("bad-math", 1), ("bad-math", 2), ("bad-math", 4)]
    assert r"\nope" in problems[0][1]


@pytest.mark.parametrize(
    "tex",
    [
        "{" * 50_000,
        "{" * 9_000 + "}" * 9_000,
        r"\hat" * 4_000 + " x",
        r"\frac" * 4_000,
        "_{a" * 6_000,
        r"\left(" * 3_000,
        r"\begin{matrix}" * 1_400,
        r"\color{red}" * 1_800 + "x",
        r"\def\a{\a\a}\a",
        r"\newcommand{\h}[1]{" + r"\hat{" * 90 + "#1" + "}" * 90 + "}" + r"\h" * 60 + " x",
        "x" * 100_000,
        "x+" * 9_000,
    ],
    ids=lambda tex: f"{tex[:12]}-{len(tex)}",
)
def test_no_formula_takes_long_or_stops_the_process(tex: str) -> None:
    start = time.process_time()
    mathml, problem = math._convert(tex, True)
    assert bool(mathml) != bool(problem)
    assert len(mathml) <= 500_000
    assert time.process_time() - start < 2


# --- diagrams --------------------------------------------------------------------------------------------------

DIAGRAMS = {
    "flowchart": "flowchart LR\nA[甲] -->|是| B{x}\nsubgraph 组\nC\nend\nB-->C\nclassDef k fill:#333\nclass B k",
    "sequence": "sequenceDiagram\n甲->>Bob: 你好\nNote right of Bob: 注意",
    "class": "classDiagram\nAnimal <|-- Duck\nclass Duck{\n+String 颜色\n}",
    "state": "stateDiagram-v2\n[*] --> 静止\n静止 --> Moving : 开始",
    "er": "erDiagram\nCUSTOMER ||--o{ ORDER : places",
    "gantt": "gantt\ndateFormat YYYY-MM-DD\nsection 一\n任务 :a1, 2024-01-01, 30d",
    "pie": 'pie title 宠物\n"狗" : 386\n"猫" : 85',
    "journey": "journey\ntitle My day\nsection Go\nTea: 5: Me",
    "git": "gitGraph\ncommit\nbranch dev\ncommit\ncheckout main\nmerge dev",
    "mindmap": "mindmap\nroot((中心))\n  甲\n    乙",
    "timeline": "timeline\ntitle 三国\n184 : 黄巾之乱",
    "quadrant": "quadrantChart\nx-axis Low --> High\nA: [0.3,0.6]",
    "xychart": 'xychart-beta\nx-axis [a,b]\ny-axis "R" 0 --> 10\nbar [1,5]',
    "front matter": "---\ntitle: 标题\n---\nflowchart LR\nA-->B",
}


def svg_of(source: str) -> str:
    html, problems = render(f"```mermaid\n{source}\n```")
    assert problems == []
    found = re.fullmatch(r'<figure class="mermaid">(.*)</figure>\n', html, re.DOTALL)
    assert found
    return found[1]


@needs_mmdr
@pytest.mark.parametrize("kind", DIAGRAMS)
def test_diagrams_become_svg_with_their_labels(kind: str) -> None:
    drawing = svg_of(DIAGRAMS[kind])
    root = ElementTree.fromstring(MARKS.sub("", drawing))
    shown = "".join(root.itertext())
    for label in re.findall("[\u4e00-\u9fff]+", DIAGRAMS[kind]):
        assert label in re.sub(r"\s", "", shown)
    ids = re.findall(r' id="([^"]*)"', drawing)
    assert len(ids) == len(set(ids))
    assert all(name.startswith("\x01mermaid-1-") for name in ids)
    for reference in re.findall(r'url\(#([^)]*)\)|href="#([^"]*)"|\[id="([^"]*)"\]', drawing):
        assert "".join(reference) in ids
    assert "foreignObject" not in drawing
    assert len(drawing) < 30_000


@needs_mmdr
def test_two_diagrams_of_a_page_share_no_id() -> None:
    html, _ = render("```mermaid\ngraph TD\nA-->B\n```\n\n```mermaid\ngraph TD\nA-->B\n```")
    ids = re.findall(r' id="([^"]*)"', html)
    assert len(ids) == len(set(ids)) > 2


@needs_mmdr
def test_nodes_that_are_internal_links() -> None:
    long = "三国 演义的作者与他写作的那个时代背景"
    source = f'graph TD\nA[Biology]\nB["{long}"]:::internal-link --> A\nC["<b>Tea</b> shop"]\nclass A,C internal-link;'
    tokens, _ = parse(f"```mermaid\n{source}\n```")
    html = tokens[0].meta["svg"]
    names = tokens[0].meta["internal_links"]
    assert sorted(names) == sorted(["Biology", long, "Tea shop"])
    assert tokens[0].content == source + "\n"
    for number, name in enumerate(names):
        link = re.search(f"<a \x02M{number}\x03>(.*?)</a>", html, re.DOTALL)
        assert link
        assert re.sub(r"<[^>]*>|\s", "", link[1]) == re.sub(r"\s", "", name)


@needs_mmdr
def test_a_diagram_brings_in_no_script_style_or_address() -> None:
    drawing = svg_of(
        '%%{init: {"themeCSS": "} body { display: none } .node { background: url(https://a.example/x) }"}}%%\n'
        'graph TD\nA["<img src=x onerror=alert(1)><script>alert(1)</script>"] --> B\n'
        'click A href "javascript:alert(1)"\nclick B "https://a.example/b"\n'
        "style A fill:url(https://a.example/y),stroke:red\nstyle B position:fixed"
    )
    assert faults(MARKS.sub("", drawing).replace("<style>", "").replace("</style>", "")) == []
    assert "javascript" not in drawing
    assert "position" not in drawing
    assert "body" not in drawing
    assert re.findall(r"https?://[^\s\"]*", drawing) == ["https://a.example/b"]


def test_svg_is_cleaned_without_recursion() -> None:
    deep = '<svg id="r" viewBox="0 0 1 1">' + "<g>" * 5000 + "<text>a &lt; b</text>" + "</g>" * 5000 + "</svg>"
    cleaned = svg.clean_svg(deep).svg
    assert cleaned.count("<g>") == cleaned.count("</g>") == 5000
    assert "a &lt; b" in cleaned


def test_svg_that_is_no_xml_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot be read"):
        svg.clean_svg("<svg><g></svg>")


@needs_mmdr
@pytest.mark.parametrize(
    "source",
    [
        "graph TD\n" + " & ".join(f"a{i}" for i in range(150)) + " --> " + " & ".join(f"b{i}" for i in range(150)),
        "graph TD\n" + "subgraph s\n" * 3000,
        "graph TD\nA[" + "{" * 20_000,
        "graph TD\n" + "".join(f"a{i}-->a{i + 1}\n" for i in range(3000)),
        "sequenceDiagram\n" + "loop x\n" * 3000,
        "x" * 100_000,
    ],
    ids=lambda source: f"{source[:10]!r}-{len(source)}",
)
def test_hostile_diagrams_are_shown_as_source(source: str) -> None:
    start = time.process_time()
    html, problems = render(f"a\n\n```mermaid\n{source}\n```")
    assert '<pre class="mermaid-error"><code>' in html
    assert [(kind, line) for kind, _, line in problems] == [("bad-mermaid", 3)]
    assert time.process_time() - start < 5


def test_without_the_renderer_the_source_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mmdr", None)
    mermaid._draw.cache_clear()
    html, problems = render("```mermaid\ngraph TD\nA-->B\n```")
    mermaid._draw.cache_clear()
    assert html == '<pre class="mermaid-error"><code>graph TD\nA--&gt;B\n</code></pre>\n'
    assert "mmdr" in problems[0][1]


# --- code ------------------------------------------------------------------------------------------------------


def test_long_code_is_not_coloured() -> None:
    line = "x = 1\n"
    short, _ = render(f"```python\n{line}```")
    long, _ = render(f"```python\n{line * 4000}```")
    assert "<span" in short
    assert "<span" not in long
    assert long.count("x = 1") == 4000


@pytest.mark.parametrize("language", sorted(code._PRISM_NAMES))
def test_names_of_prism_lead_to_a_lexer_or_to_plain_text(language: str) -> None:
    known = code._lexer(language)
    assert (known is None) == (code._PRISM_NAMES[language] == "text")


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(["python", "js", "html", "yaml", "md", "bash", "css", "sql", "", "nope"]), st.text(max_size=80))
def test_coloured_code_reads_as_its_source(language: str, text: str) -> None:
    text = re.sub("[\x00-\x08\x0b-\x1f\x85\u2028\u2029]", "", text)
    shown: list[str] = []
    parser = HTMLParser(convert_charrefs=True)
    parser.handle_data = shown.append  # type: ignore[method-assign, assignment]
    parser.feed(code._render(text, language))
    parser.close()
    assert "".join(shown).removesuffix("\n") == text


def test_the_style_sheet_is_the_one_of_the_code() -> None:
    assert (TEMPLATES / "highlight.css").read_text(encoding="utf-8") == code.highlight_css()


def test_colours_of_code_are_legible() -> None:
    style = (TEMPLATES / "style.css").read_text(encoding="utf-8")
    grounds = re.search(r"--background-secondary: light-dark\((#\w{6}), (#\w{6})\)", style)
    assert grounds
    assert "pre.highlight { background: var(--background-secondary)" in style
    for name, light, dark, _ in code._COLOURS:
        assert contrast(light, grounds[1]) >= 4.5, name
        assert contrast(dark, grounds[2]) >= 4.5, name


def contrast(a: str, b: str) -> float:
    """The contrast ratio of two colours as WCAG 2 defines it."""

    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


# --- all of them -----------------------------------------------------------------------------------------------


def hostile(count: int) -> Iterator[tuple[str, str]]:
    """Inputs of `count` repetitions that a careless rule reads in quadratic time."""
    for piece in (
        *("$", "$a ", "$$a\n", "$$a\n\n", "$$ $ ", "$[[a", "[[|$]] ", "> $$\n", "- $$\n", "$\\"),
        *(
            "<",
            "<div>",
            "<div>\n\n",
            "x <b>",
            '<div a="',
            "<a '\">",
            "<!--",
            "x <!--",
            "<script>",
            "x <script>",
            "<![CDATA[",
        ),
        *("<p>", "<li>", "</b>", "*<i>", "<b>*", "<iframe src='https://a.example'>", "<?", "<a ", "> <div>\n\n"),
    ):
        yield piece, piece * count
    yield "open and closed tags", "<div>" * count + "</span>" * count
    yield "a late end of a script", "x " + "<script>" * count + "</script>"
    yield "a late end of a comment", "<div>\n" + "<!--" * count + "-->"
    yield "attributes", "<div " + "a=b " * count + ">"


@pytest.mark.parametrize("number", range(len(list(hostile(1)))), ids=[repr(name) for name, _ in hostile(1)])
def test_hostile_input_takes_linear_time(number: int) -> None:
    """Eight times the input may take at most 24 times as long: a quadratic rule would take 64 times."""
    md = build_parser()

    assert growth(lambda count: md.parse(list(hostile(count))[number][1], {}), 500, 4000, 24) <= 24


@needs_mmdr
def test_every_diagram_formula_and_tag_of_the_help_vault_is_accepted() -> None:
    """English and Chinese; the other languages hold the same diagrams with other labels."""
    vault = require_shared("vaults", "obsidian-help")
    found: list[tuple[str, str]] = []
    drawn = 0
    for note in [*(vault / "en").rglob("*.md"), *(vault / "zh").rglob("*.md")]:
        text = note.read_text(encoding="utf-8")
        if not re.search(r"```mermaid|[$<]", text):
            continue
        tokens, problems = parse(text)
        drawn += sum(token.type == "mermaid" for token in tokens)
        found += [(note.name, message) for _, message, _ in problems]
    assert found == []
    assert drawn >= 12
