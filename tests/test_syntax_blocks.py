"""What fixtures cannot say of mathematics, diagrams, code and HTML: properties, bounds, drawings, real input."""

from __future__ import annotations

import importlib
import re
import sys
import time
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import nh3
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it.token import Token

from conftest import require_shared
from generator.syntax import build_parser
from generator.syntax.html_tags import HTML_TAGS, VOID_TAGS, clean_style, clean_tag

# The packages export functions of the same names.
code = importlib.import_module("generator.syntax.code")
math = importlib.import_module("generator.syntax.math")
mermaid = importlib.import_module("generator.syntax.mermaid")
svg = importlib.import_module("generator.syntax.svg")

TEMPLATES = Path(__file__).parents[1] / "templates"
MARKS = re.compile("[\x01\x04]|\x02[HM]?[0-9]+\x03")


def render(source: str, raw_html: str = "sanitize") -> tuple[str, list[Token], list[tuple[str, str, int]]]:
    """The body with its marks, the tokens, and the problems."""
    md = build_parser(raw_html=raw_html)
    env: dict[str, Any] = {}
    tokens = md.parse(source, env)
    return md.renderer.render(tokens, md.options, env), tokens, env.get("problems", [])


# --- HTML ------------------------------------------------------------------------------------------------------


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


PIECES = (
    *("<div>", "</div>", "<div", "<b>", "</b>", "<p>", "</p>", "<p/>", "<li>", "<td>", "<table>", "</table>", "<x-y>"),
    *("<script>", "</script>", "<script src='a'>", "<style>", "</style>", "<svg/onload=alert(1)>", "<svg>", "<math>"),
    *(
        "<img src=x onerror=alert(1)>",
        "<img src='a.png'",
        "<a href='javascript:alert(1)'>",
        '<a href="java\tscript:x">',
    ),
    *("<a href='&#106;avascript:x'>", "</a>", "<iframe src='https://a.example'>", "</iframe>", "<iframe srcdoc='<b>'>"),
    *(
        "<div style='position:fixed;top:0'>",
        "<i style=\"background:url('javascript:x')\">",
        "<b onclick=x>",
        "<textarea>",
    ),
    *(
        "<details>",
        "</details>",
        "<summary>",
        "<!--",
        "-->",
        "<!---->",
        "<![CDATA[",
        "]]>",
        "<?",
        "?>",
        "<!x>",
        "<plaintext>",
    ),
    *(
        '"',
        "'",
        "<",
        ">",
        "/",
        "=",
        "&lt;",
        "&#60;",
        "&#2;",
        "`",
        "``",
        "```\n",
        "*",
        "**",
        "_",
        "[",
        "](b)",
        "[[c",
        "]]",
    ),
    *(
        "\n",
        "\n\n",
        "\n> ",
        "\n- ",
        "\n  ",
        "    ",
        "> [!note]\n> ",
        "| a |\n|---|\n| ",
        "# ",
        "text",
        "中文",
        " ",
        "$x$",
        "%%",
    ),
)
SOUP = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=4)), max_size=30).map("".join)


@settings(max_examples=600, deadline=None)
@given(SOUP)
def test_no_soup_makes_an_unsafe_or_unbalanced_page(source: str) -> None:
    source = re.sub("[\x00-\x08\x0e-\x1f]", "\ufffd", source)  # as the parser does with each note
    html, _, _ = render(source)
    assert faults(MARKS.sub("", html)) == []


@settings(max_examples=200, deadline=None)
@given(SOUP)
def test_soup_is_text_where_html_is_escaped(source: str) -> None:
    html, tokens, _ = render(re.sub("[\x00-\x08\x0e-\x1f]", "\ufffd", source), "escape")
    for token in tokens:
        for piece in (token, *(token.children or ())):
            if piece.type in {"html_block", "html_inline"}:
                assert "<" not in re.sub(r'^<p class="raw-html">|</p>\n$', "", piece.content)
    assert "<!--" not in html


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(sorted(HTML_TAGS)), st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=6))).map("".join)
)
def test_a_second_sanitiser_finds_nothing_in_a_clean_tag(name: str, attributes: str) -> None:
    tag = clean_tag(name, attributes, "sanitize")
    if tag is None or name in {"caption", "col", "colgroup", "tbody", "td", "tfoot", "th", "thead", "tr", "iframe"}:
        return
    text = MARKS.sub("", tag.text.replace("\x02H\x03", "x"))
    kept = nh3.clean(
        text, tags={name}, clean_content_tags=set(), link_rel=None, attributes={name: attribute_names(text)}
    )
    assert attribute_names(kept) == attribute_names(text)


def attribute_names(html: str) -> set[str]:
    names: set[str] = set()
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attrs: names.update(name for name, _ in attrs)  # type: ignore[method-assign]
    parser.feed(html)
    return names


@pytest.mark.parametrize(
    ("style", "kept"),
    [
        ("color:red;;", "color:red"),
        ("COLOR: Red ; Text-Align:center", "color:Red;text-align:center"),
        ("margin:0 auto", "margin:0 auto"),
        ("margin-left:-1px", None),
        ("margin:calc(0px - 9em)", None),
        ("text-indent:-.5em", None),
        ("letter-spacing:-1px", "letter-spacing:-1px"),
        ("width:expression(alert(1))", None),
        ("background:url(x)", None),
        ("background:URL (x)", None),
        ("background:linear-gradient(red, blue)", "background:linear-gradient(red, blue)"),
        ("color:var(--text)", "color:var(--text)"),
        ("--text:red", None),
        ("color:red !important", None),
        ("font-family:'a;position:fixed'", None),
        ("color:red/*;position:fixed*/", None),
        ("color:\\72 ed", None),
        ("width:calc(1px", None),
        ("transform:scale(99)", None),
        ("", None),
    ],
)
def test_styles(style: str, kept: str | None) -> None:
    assert clean_style(style) == kept


def test_links_of_html_are_named_with_their_attribute_and_tag() -> None:
    _, tokens, _ = render('<video src="a.mp4" poster="b.png"></video>\n\nx <a href="C.md">c</a>')
    inline = [child for token in tokens for child in token.children or () if "html_links" in child.meta]
    assert [token.meta["html_links"] for token in inline] == [
        [("a.mp4", "src", "video"), ("b.png", "poster", "video")],
        [("C.md", "href", "a")],
    ]
    assert inline[0].content == '<video src="\x02H0\x03" poster="\x02H1\x03">'


def test_allowed_html_keeps_its_tags_and_is_balanced() -> None:
    html, _, _ = render('<script>if (a < b) c()</script>\n\n<div onclick="x()" data-y=z>\n\nd <!-- e -->', "allow")
    assert "<script>if (a < b) c()</script>" in html
    assert '<div onclick="x()" data-y="z">\n<p>d </p>\n</div>' in html


def test_what_is_left_out_is_named_with_its_line() -> None:
    _, _, problems = render("a\n\n<script>\nb\n</script>\n\nc\n\n<!-- d")
    assert [(kind, line) for kind, _, line in problems] == [("unsafe-html", 3), ("open-comment", 9)]
    assert "<script>" in problems[0][1]


def test_nesting_is_bounded() -> None:
    html, _, _ = render("<div>" * 5000 + "a" + "</div>" * 5000 + "\n\nb")
    assert html.count("<div>") == html.count("</div>") == 100
    assert html.endswith("<p>b</p>\n")


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
    root = ElementTree.fromstring(mathml)
    assert root.tag == "math"
    assert root.get("display") == ("block" if display else None)
    assert not {"href", "id"} & {name for element in root.iter() for name in element.attrib}


def test_equations_have_no_numbers_unless_tagged() -> None:
    assert "(1)" not in math._convert(r"\begin{align}a&=b\end{align}", True)[0]
    assert "(7)" in math._convert(r"a=b\tag{7}", True)[0]


def test_bad_formulas_are_named_with_their_lines() -> None:
    _, _, problems = render("a $\\nope$\nb $\\nada$\n\n> $$\n> \\null{\n> $$")
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

pytestmark_mmdr = pytest.mark.skipif(importlib.util.find_spec("mmdr") is None, reason="mmdr has no wheel here")

DIAGRAMS = {
    "flowchart": "flowchart LR\nA[甲] -->|是| B{x}\nsubgraph 组\nC\nend\nB-->C\nclassDef k fill:#333,color:#fff\nclass B k",
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
    html, _, problems = render(f"```mermaid\n{source}\n```")
    assert problems == []
    found = re.fullmatch(r'<figure class="mermaid">(.*)</figure>\n', html, re.DOTALL)
    assert found
    return found[1]


@pytestmark_mmdr
@pytest.mark.parametrize("kind", DIAGRAMS)
def test_diagrams_become_svg_with_their_labels(kind: str) -> None:
    drawing = svg_of(DIAGRAMS[kind])
    root = ElementTree.fromstring(MARKS.sub("", drawing))
    shown = "".join(root.itertext())
    for label in re.findall("[\u4e00-\u9fff]+", DIAGRAMS[kind]):
        assert label in re.sub(r"\s", "", shown)
    ids = re.findall(r'\bid="([^"]*)"', drawing)
    assert len(ids) == len(set(ids))
    assert all(name.startswith("\x01mermaid-1-") for name in ids)
    for reference in re.findall(r'url\(#([^)]*)\)|href="#([^"]*)"|\[id="([^"]*)"\]', drawing):
        assert "".join(reference) in ids
    assert "foreignObject" not in drawing
    assert len(drawing) < 30_000


@pytestmark_mmdr
def test_two_diagrams_of_a_page_share_no_id() -> None:
    html, _, _ = render("```mermaid\ngraph TD\nA-->B\n```\n\n```mermaid\ngraph TD\nA-->B\n```")
    ids = re.findall(r'\bid="([^"]*)"', html)
    assert len(ids) == len(set(ids)) > 2


@pytestmark_mmdr
def test_nodes_that_are_internal_links() -> None:
    long = "三国 演义的作者与他写作的那个时代背景"
    source = f'graph TD\nA[Biology]\nB["{long}"]:::internal-link --> A\nC["<b>Tea</b> shop"]\nclass A,C internal-link;'
    html, tokens, _ = render(f"```mermaid\n{source}\n```")
    names = tokens[0].meta["internal_links"]
    assert sorted(names) == sorted(["Biology", long, "Tea shop"])
    assert tokens[0].content == source + "\n"
    for number, name in enumerate(names):
        link = re.search(f"<a \x02M{number}\x03>(.*?)</a>", html, re.DOTALL)
        assert link
        assert re.sub(r"<[^>]*>|\s", "", link[1]) == re.sub(r"\s", "", name)


@pytestmark_mmdr
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


@pytestmark_mmdr
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
    html, _, problems = render(f"a\n\n```mermaid\n{source}\n```")
    assert '<pre class="mermaid-error"><code>' in html
    assert [(kind, line) for kind, _, line in problems] == [("bad-mermaid", 3)]
    assert time.process_time() - start < 5


def test_without_the_renderer_the_source_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mmdr", None)
    mermaid._draw.cache_clear()
    html, tokens, problems = render("```mermaid\ngraph TD\nA-->B\n```")
    mermaid._draw.cache_clear()
    assert html == '<pre class="mermaid-error"><code>graph TD\nA--&gt;B\n</code></pre>\n'
    assert tokens[0].meta["internal_links"] == []
    assert "mmdr" in problems[0][1]


# --- code ------------------------------------------------------------------------------------------------------


def test_long_code_is_not_coloured() -> None:
    line = "x = 1\n"
    short, _, _ = render(f"```python\n{line}```")
    long, _, _ = render(f"```python\n{line * 4000}```")
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

    def seconds(count: int) -> float:
        source = list(hostile(count))[number][1]
        best = float("inf")
        for _ in range(2):
            start = time.process_time()
            md.parse(source, {})
            best = min(best, time.process_time() - start)
        return best

    small = seconds(500)
    assert seconds(4000) < 24 * max(small, 0.002)


@pytestmark_mmdr
def test_every_diagram_formula_and_tag_of_the_help_vault_is_accepted() -> None:
    """English and Chinese; the other languages hold the same diagrams with other labels."""
    vault = require_shared("vaults", "obsidian-help")
    found: list[tuple[str, str]] = []
    drawn = 0
    for note in [*(vault / "en").rglob("*.md"), *(vault / "zh").rglob("*.md")]:
        text = note.read_text(encoding="utf-8")
        if not re.search(r"```mermaid|[$<]", text):
            continue
        _, tokens, problems = render(text)
        drawn += sum(token.type == "mermaid" for token in tokens)
        found += [(note.name, message) for _, message, _ in problems]
    assert found == []
    assert drawn >= 12
