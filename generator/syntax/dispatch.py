"""Try, at each place, only the rules that can begin there.

markdown-it asks every rule in turn at every line and at every special character; most of them look at one character
and refuse. Its ruler keeps the compiled chains of rules: each chain becomes one function that looks at the character
first. The result is the same, in less than two thirds of the time; a test compares the two on every fixture.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.ruler import Ruler
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType

# The characters with which a rule can begin; a rule that is not named here is tried everywhere.
BLOCK_STARTS: Mapping[str, str] = {
    "comment": "%",
    "callout": "[",
    "math_block": "$",
    "fence": "`~",
    "blockquote": ">",
    "hr": "*-_",
    "list": "*+-0123456789",
    "footnote_def": "[",
    "reference": "[",
    "html_block": "<",
    "heading": "#",
}
INLINE_STARTS: Mapping[str, str] = {
    "newline": "\n",
    "math_inline": "$",
    "escape": "\\",
    "backticks": "`",
    "strikethrough": "~",
    "emphasis": "*_",
    "wikilink": "[!",
    "footnote_ref": "[",
    "link": "[",
    "image": "!",
    "autolink": "<",
    "html_inline": "<",
    "entity": "&",
    "comment": "%",
    "highlight": "=",
    "tag": "#",
    "url": ":",
    "footnote_inline": "^",
}

_BlockRule = Callable[[Any, int, int, bool], bool]
_InlineRule = Callable[[Any, bool], bool]


def dispatch_by_character(md: MarkdownIt) -> None:
    """Replace the compiled chains of `md`, whose rules are complete, by one function each."""
    chains = md.block.ruler.__cache__ = {"": []}
    for chain in {"", *(name for rule in md.block.ruler.__rules__ for name in rule.alt)}:
        chains[chain] = [_block_dispatcher(_rules(md.block.ruler, chain))]
    rules = _rules(md.inline.ruler, "")
    md.inline.ruler.__cache__ = {"": [_inline_dispatcher(rules)]}
    stops = "]" + "".join(INLINE_STARTS[name] for name, _ in rules if name in INLINE_STARTS)  # `]` ends a label
    md.inline.terminator_re = re.compile(f"[{re.escape(''.join(sorted(set(stops))))}]")
    md.inline.__class__ = _PlainTextFirst


class _PlainTextFirst(ParserInline):
    """Half of all lines, cells and headings have no special character: they are one text, without more ado. All rules
    are one function here, and what a look ahead has read once is known."""

    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        """Tokens of one run of inline Markdown, as markdown-it makes them."""
        if src and not tokens and not self.terminator_re.search(src):
            text = Token("text", "", 0)
            text.content = src
            tokens.append(text)
            return tokens
        return super().parse(src, md, env, tokens)

    def skipToken(self, state: StateInline) -> None:  # noqa: N802
        """Go past one token, or one character that begins none."""
        pos = state.pos
        end = state.cache.get(pos)
        if end is None:
            if state.level < state.md.options["maxNesting"]:
                state.level += 1
                end = state.pos if self.ruler.getRules("")[0](state, True) else pos + 1
                state.level -= 1
            else:
                end = state.posMax
            state.cache[pos] = end
        state.pos = end


def _rules(ruler: Ruler[Any], chain: str) -> list[tuple[str, Any]]:
    """The enabled rules of a chain, in order."""
    return [(rule.name, rule.fn) for rule in ruler.__rules__ if rule.enabled and (not chain or chain in rule.alt)]


def _by_character(
    rules: Sequence[tuple[str, Any]], starts: Mapping[str, str]
) -> tuple[dict[str, tuple[Any, ...]], tuple[Any, ...]]:
    """The rules to try for each character, and those for all other characters."""
    others = tuple(rule for name, rule in rules if name not in starts)
    characters = {character for name, _ in rules for character in starts.get(name, "")}
    table = {
        character: tuple(rule for name, rule in rules if name not in starts or character in starts[name])
        for character in characters
    }
    return table, others


def _block_dispatcher(rules: Sequence[tuple[str, Any]]) -> _BlockRule:
    table, others = _by_character(rules, BLOCK_STARTS)

    def dispatch(state: Any, start_line: int, end_line: int, silent: bool) -> bool:
        start = state.bMarks[start_line] + state.tShift[start_line]
        for rule in table.get(state.src[start : start + 1], others):  # noqa: SIM110 - a generator is slower
            if rule(state, start_line, end_line, silent):
                return True
        return False

    return dispatch


def _inline_dispatcher(rules: Sequence[tuple[str, Any]]) -> _InlineRule:
    table, others = _by_character(rules, INLINE_STARTS)
    # At a character that some rule begins with, running text has no length.
    table = {character: found[1:] if found[0] is rules[0][1] else found for character, found in table.items()}

    def dispatch(state: Any, silent: bool) -> bool:
        for rule in table.get(state.src[state.pos], others):  # noqa: SIM110 - a generator is slower
            if rule(state, silent):
                return True
        return False

    return dispatch
