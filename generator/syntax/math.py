r"""`$x$` and `$$x$$`, which become MathML when the note is parsed: a page needs no script and no fonts for them.

A single dollar follows the rules that keep prices text: no space just inside the dollars, no digit just outside.
Double dollars are display mathematics, as a block or in running text. Inside a wikilink a dollar is a dollar.
"""

from __future__ import annotations

import re
import threading
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

if TYPE_CHECKING:
    from math_core import LatexToMathML

_SINGLE_END = re.compile(r"\\.|(\$)", re.DOTALL)
_DOUBLE_END = re.compile(r"\\.|(\$\$)", re.DOTALL)
_MATH = frozenset({"math_inline", "math_inline_double", "math_block"})
_BREAKS = frozenset({"softbreak", "hardbreak"})

MAX_SOURCE = 20_000
"""Characters of the longest formula that is converted."""
_MAX_OUTPUT = 500_000
# The converter recurses once for each of these, without a limit of its own, and takes the process with it when the
# stack ends. 400 levels fit in any thread's stack; what may need more runs in a thread with a stack for the worst.
_LEVEL = re.compile(r"\\[A-Za-z]+|[{^_]")
_SHALLOW = 400
_DEEP_STACK = 64 * 1024 * 1024
_DEFINES = re.compile(r"\\(?:re|provide)?newcommand|\\[gex]?def\b|\\let\b|\\DeclareMathOperator")
_MAX_LEVELS_WITH_DEFINITIONS = 200
_MAX_EXPANSIONS = 100


class _BadFormulaError(Exception):
    """Why a formula cannot be shown, as a sentence without its full stop."""


def math(md: MarkdownIt) -> None:
    """Register the rules. Tokens: `math_inline`, `math_inline_double` and `math_block`, their TeX as content."""
    md.inline.ruler.before("escape", "math_inline", _parse_inline)
    md.block.ruler.before("fence", "math_block", _parse_block, {"alt": ["paragraph", "reference", "blockquote"]})
    md.core.ruler.after("inline", "math_problems", _note_problems)
    md.add_render_rule("math_inline", _render_inline)
    md.add_render_rule("math_inline_double", _render_inline)
    md.add_render_rule("math_block", _render_block)


# --- parsing ---------------------------------------------------------------------------------------------------


def _parse_inline(state: StateInline, silent: bool) -> bool:
    src, start, end = state.src, state.pos, state.posMax
    if src[start] != "$" or (start > 0 and src[start - 1] == "$"):
        return False
    double = src.startswith("$$", start)
    close = _find_close(state, start + 2, _DOUBLE_END) if double else _find_close(state, start + 1, _SINGLE_END)
    if close is None or close + (2 if double else 1) > end:
        return False
    content = src[start + 2 : close] if double else src[start + 1 : close]
    if not content.strip() or _ends_in_wikilink(state, content, close):
        return False
    if not double and not _is_tight(src, start, close, content):
        return False
    if not silent:
        token = state.push("math_inline_double" if double else "math_inline", "math", 0)
        token.content, token.markup = content.strip(), "$$" if double else "$"
    state.pos = close + (2 if double else 1)
    return True


def _find_close(state: StateInline, start: int, pattern: re.Pattern[str]) -> int | None:
    if state.html_terminator_last("$$" if pattern is _DOUBLE_END else "$") < start:
        return None
    for match in pattern.finditer(state.src, start, state.posMax):
        if match[1]:
            return match.start()
    return None


def _is_tight(src: str, start: int, close: int, content: str) -> bool:
    """Not a price: `$5 and $6`, `5$ or 6$` and `$5/$6` are text."""
    if content[0].isspace() or content[-1].isspace():
        return False
    before = src[start - 1] if start else ""
    return not before.isdigit() and not src[close + 1 : close + 2].isdigit()


def _ends_in_wikilink(state: StateInline, content: str, close: int) -> bool:
    """Whether the closing dollar stands inside `[[…]]`: then the link wins."""
    opened = content.rfind("[[")
    if opened < 0 or content.find("]]", opened) >= 0 or state.html_terminator_last("]]") < close:
        return False
    bracket = state.src.find("]]", close)
    return bracket >= 0 and "\n" not in state.src[close:bracket]


def _parse_block(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    start = state.bMarks[start_line] + state.tShift[start_line]
    if not state.src.startswith("$$", start) or state.is_code_block(start_line):
        return False
    # The next `$$` is the closing one, or there is none: a search that goes on would read a hostile note n times.
    close = state.src.find("$$", start + 2, state.eMarks[end_line - 1])
    if close < 0:
        return False
    last = bisect_right(state.bMarks, close, start_line, end_line) - 1
    if state.src[close + 2 : state.eMarks[last]].strip() or not _inside_container(state, start_line, last):
        return False
    content = _block_content(state, start_line, start, last, close)
    if not content.strip():
        return False
    if silent:
        return True
    state.line = last + 1
    token = state.push("math_block", "math", 0)
    token.block, token.content, token.markup = True, content.strip(), "$$"
    token.map = [start_line, state.line]
    return True


def _inside_container(state: StateBlock, start_line: int, last: int) -> bool:
    return all(state.isEmpty(i) or state.sCount[i] >= state.blkIndent for i in range(start_line + 1, last + 1))


def _block_content(state: StateBlock, start_line: int, start: int, last: int, close: int) -> str:
    if start_line == last:
        return state.src[start + 2 : close]
    first = state.src[start + 2 : state.eMarks[start_line]]
    middle = state.getLines(start_line + 1, last, state.sCount[start_line], False)
    final = state.src[state.bMarks[last] + state.tShift[last] : close]
    return "\n".join((first, middle, final))


# --- rendering -------------------------------------------------------------------------------------------------


def _formulas(tokens: Sequence[Token]) -> Iterator[tuple[Token, int]]:
    """Every formula with its line, counted from 1."""
    for token in tokens:
        line = token.map[0] + 1 if token.map else 1
        if token.type == "math_block":
            yield token, line
        elif token.type == "inline" and "$" in token.content:
            for child in token.children or ():
                if child.type in _MATH:
                    yield child, line
                    line += child.content.count("\n")
                elif child.type in _BREAKS:
                    line += 1


def _note_problems(state: StateCore) -> None:
    if "$" not in state.src:
        return
    for token, line in _formulas(state.tokens):
        problem = _convert(token.content, token.type != "math_inline")[1]
        if problem:
            state.env.setdefault("problems", []).append(("bad-math", problem, line))


def _render_inline(self: Any, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
    token = tokens[idx]
    return _show(token.content, token.type != "math_inline")


def _render_block(self: Any, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
    return f'<div class="math-block">{_show(tokens[idx].content, True)}</div>\n'


def _show(tex: str, display: bool) -> str:
    mathml, _ = _convert(tex, display)
    return mathml or f'<code class="math math-error">{escapeHtml(tex)}</code>'


@lru_cache(maxsize=2048)
def _convert(tex: str, display: bool) -> tuple[str, str]:
    """MathML of a formula and "", or "" and what is wrong with it."""
    try:
        mathml = _checked_conversion(tex, display)
    except _BadFormulaError as error:
        return "", f"this formula is shown as its source: {error}"
    if len(mathml) > _MAX_OUTPUT:
        return "", "this formula is shown as its source: it grows too large"
    return mathml, ""


def _checked_conversion(tex: str, display: bool) -> str:
    if len(tex) > MAX_SOURCE:
        raise _BadFormulaError(f"it has more than {MAX_SOURCE} characters")
    levels = sum(1 for _ in _LEVEL.finditer(tex))
    defines = _DEFINES.search(tex) is not None
    if defines and levels > _MAX_LEVELS_WITH_DEFINITIONS:
        raise _BadFormulaError("it defines commands and is too large for that")
    plain = _to_known_tex(tex)
    if levels <= _SHALLOW and not defines:
        return _run_converter(plain, display)
    return _run_with_deep_stack(plain, display)


def _run_with_deep_stack(tex: str, display: bool) -> str:
    results: list[str | _BadFormulaError] = []

    def run() -> None:
        try:
            results.append(_run_converter(tex, display))
        except _BadFormulaError as error:
            results.append(error)

    usual = threading.stack_size(_DEEP_STACK)
    try:
        thread = threading.Thread(target=run)
        thread.start()
    finally:
        threading.stack_size(usual)
    thread.join()
    if isinstance(results[0], _BadFormulaError):
        raise results[0]
    return results[0]


def _run_converter(tex: str, display: bool) -> str:
    from math_core import LatexError

    try:
        return _converter().convert_with_local_state(tex, displaystyle=display)
    except LatexError as error:
        raise _BadFormulaError(re.sub(r"^\d+: ", "", str(error)).rstrip(".")) from None


@lru_cache(maxsize=1)
def _converter() -> LatexToMathML:
    from math_core import LatexToMathML

    return LatexToMathML(
        fancy_error=False,
        allow_unreliable_rendering=True,  # \widetilde and its like: unevenly drawn, but drawn
        macros=_MACROS,
        max_expansions=_MAX_EXPANSIONS,
    )


# --- what MathJax knows and the converter does not --------------------------------------------------------------

_MACROS = {
    "substack": r"\begin{matrix}#1\end{matrix}",
    "displaylines": r"\begin{gathered}#1\end{gathered}",
    "hdots": r"\ldots",
    "pmb": r"\boldsymbol{#1}",
    "mathbbm": r"\mathbb{#1}",
    "sout": r"\cancel{#1}",
    "href": "#2",
    "style": "#2",
    "class": "#2",
    "cssId": "#2",
    "colorbox": "#2",
    "hextext": r"{\color[HTML]{#1}#2}",
    "vspace": "",
    "tiny": "",
    "scriptsize": "",
    "small": "",
    "large": "",
    "Large": "",
    "LARGE": "",
    "huge": "",
    "Huge": "",
}
_ENVIRONMENTS = {"split": "aligned", "smallmatrix": "matrix", "alignedat": "aligned", "alignat": "aligned"}
_UNNUMBERED = frozenset({"align", "equation", "gather", "multline"})
_ENVIRONMENT = re.compile(r"\\(begin|end)\{([A-Za-z]+)(\*?)\}")
_ALIGN_COLUMNS = re.compile(r"(\\begin\{align(?:ed)?at\*?\})\{\d+\}")
_REQUIRE_OR_LABEL = re.compile(r"\\(?:require|label)\{[^{}]*\}")
_REFERENCE = re.compile(r"\\(eq)?ref\{([^{}]*)\}")
_TEXT = re.compile(r"\\text\{([^{}]*)\}")
_HEX_COLOUR = re.compile(r"\\(text)?color\{\s*#([0-9A-Fa-f]{6})\s*\}")
_NEW_COMMAND = re.compile(r"\\(?:re|provide)?newcommand\*?\s*\{?\s*(\\[A-Za-z]+)\s*\}?\s*(?:\[([1-9])\])?")
_NEW_OPERATOR = re.compile(r"\\DeclareMathOperator(\*?)\s*\{\s*(\\[A-Za-z]+)\s*\}\s*\{([^{}]*)\}")
_CHEMISTRY = re.compile(r"\\ce\{((?:[^{}]|\{[^{}]*\})*)\}")


def _to_known_tex(tex: str) -> str:
    """Rewrite what Obsidian's MathJax accepts into the TeX that the converter knows.

    Obsidian numbers no equations, so the starred environments are meant, unless a `\\tag` asks for a number.
    """
    if "\\" not in tex:
        return tex
    tagged = "\\tag" in tex

    def environment(match: re.Match[str]) -> str:
        name = _ENVIRONMENTS.get(match[2], match[2])
        star = "*" if name in _UNNUMBERED and not tagged else "" if name != match[2] else match[3]
        return f"\\{match[1]}{{{name}{star}}}"

    tex = _REQUIRE_OR_LABEL.sub("", tex)
    tex = _REFERENCE.sub(lambda m: f"\\text{{({m[2]})}}" if m[1] else f"\\text{{{m[2]}}}", tex)
    tex = _ENVIRONMENT.sub(environment, _ALIGN_COLUMNS.sub(r"\1", tex))
    tex = _HEX_COLOUR.sub(lambda m: f"\\hextext{{{m[2]}}}" if m[1] else f"\\color[HTML]{{{m[2]}}}", tex)
    tex = _TEXT.sub(_split_text, tex) if "$" in tex else tex
    # `\newcommand{\R}` fails where the converter has an `\R` of its own; `\def` does not ask.
    tex = _NEW_COMMAND.sub(lambda m: f"\\def{m[1]}" + "".join(f"#{i}" for i in range(1, int(m[2] or 0) + 1)), tex)
    tex = _NEW_OPERATOR.sub(lambda m: f"\\def{m[2]}{{\\operatorname{m[1]}{{{m[3]}}}}}", tex)
    tex = _CHEMISTRY.sub(lambda m: _chemistry(m[1]), tex)
    if tagged and not _ENVIRONMENT.search(tex):
        return f"\\begin{{equation}}{tex}\\end{{equation}}"
    return tex


def _split_text(match: re.Match[str]) -> str:
    """`\\text{if $x$ holds}`: text and mathematics take turns."""
    if "$" not in match[1]:
        return match[0]
    parts = match[1].split("$")
    return "".join(part if i % 2 else f"\\text{{{part}}}" for i, part in enumerate(parts) if part)


_SPECIES = re.compile(r"(?<=[A-Za-z)\]])(\d+)|\^(\d*[+-])|<=>|->|<-")
_ARROWS = {"<=>": r"\rightleftharpoons ", "->": r"\rightarrow ", "<-": r"\leftarrow "}


def _chemistry(formula: str) -> str:
    """The everyday part of mhchem: digits after an element go down, charges up, arrows become arrows."""

    def mark(match: re.Match[str]) -> str:
        if match[1]:
            return f"_{{{match[1]}}}"
        return f"^{{{match[2]}}}" if match[2] else _ARROWS[match[0]]

    return f"\\mathrm{{{_SPECIES.sub(mark, formula)}}}"
