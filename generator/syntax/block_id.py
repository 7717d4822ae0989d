"""`^block-id`: a name for a paragraph, a list item, or the list, quote, table or code before it.

At the end of a paragraph or list item (after a space or on a line of its own) the id names that block; as a
paragraph of its own it names the block before it. The mark is removed from the page and from the text.
"""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from generator.fragment import OWN_ID
from generator.syntax.marks import ID_MARK

_AT_END = re.compile(r"(?:^|\s)\^([A-Za-z0-9-]+)\s*$")


# What the mark may follow without a space: Obsidian's own help writes `![[image.png]]^id`.
_MAY_PRECEDE = frozenset({"softbreak", "embed", "image"})


def block_id(md: MarkdownIt) -> None:
    """Register the core rule: it puts `meta["block_id"]` on the opening token of the named block."""
    md.core.ruler.after("inline", "block_id", _assign)


def _assign(state: StateCore) -> None:
    tokens = state.tokens
    opens: list[int] = []  # the open blocks around the current token
    last_closed: dict[int, int] = {}  # nesting level → index of the block that closed last there
    taken: set[str] = set()
    for i, token in enumerate(tokens):
        if token.nesting == 1:
            opens.append(i)
            last_closed.pop(len(opens), None)
        elif token.nesting == -1 and opens:
            start = opens.pop()
            last_closed[len(opens)] = start
        elif token.type == "inline":
            if opens and "^" in token.content:
                _name_block(tokens, opens, last_closed, token, taken)
        else:
            last_closed[len(opens)] = i


def _name_block(
    tokens: list[Token], opens: list[int], last_closed: dict[int, int], inline: Token, taken: set[str]
) -> None:
    children = inline.children
    owner = tokens[opens[-1]]
    if not children or children[-1].type != "text" or owner.type not in {"paragraph_open", "heading_open"}:
        return
    match = _AT_END.search(children[-1].content)
    if match is None:
        return
    alone = len(children) == 1 and not children[0].content[: match.start()].strip()
    after_break = not children[-1].content[: match.start()].strip() and len(children) > 1
    if match.start() == 0 and match[0][0] == "^" and not alone and children[-2].type not in _MAY_PRECEDE:
        return  # `**bold**^x`: no space before it
    if alone:
        previous = last_closed.get(len(opens) - 1)
        if previous is not None and "block_id" not in tokens[previous].meta:
            in_item = len(opens) > 1 and tokens[opens[-2]].type == "list_item_open" and previous == opens[-2] + 1
            _name(tokens[opens[-2] if in_item else previous], match[1], taken)
            inline.children, inline.content, owner.hidden = [], "", True
            tokens[opens[-1] + 2].hidden = True
        return
    children[-1].content = children[-1].content[: match.start()]
    if after_break and not children[-1].content and children[-2].type in {"softbreak", "hardbreak"}:
        del children[-2:]
    in_item = len(opens) > 1 and tokens[opens[-2]].type == "list_item_open" and opens[-2] == opens[-1] - 1
    _name(tokens[opens[-2]] if in_item else owner, match[1], taken)


def _name(token: Token, written: str, taken: set[str]) -> None:
    """The first id of a block wins, and the first block of an id. Ids are compared without case: Obsidian accepts both,
    URLs do not."""
    name = written.lower()
    if "block_id" not in token.meta and name not in taken:
        taken.add(name)
        token.meta["block_id"] = name
        if token.type in OWN_ID:
            token.attrSet("id", f"{ID_MARK}^{name}")
