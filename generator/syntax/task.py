"""`- [ ] open` and `- [x] done`: any single character but a space counts as done and is kept as `data-task`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from generator.syntax.marks import text_slot

# A box without text behind it is a task only if it cannot be anything else, such as a citation `[1]`.
_BOX = re.compile(r"\[(.)\]\s+|\[([ xX])\]$")
_LISTS = frozenset({"bullet_list_open", "ordered_list_open"})


def task(md: MarkdownIt) -> None:
    """Register the step between blocks and inlines that takes the boxes off, and how a box is rendered."""
    md.core.ruler.after("block", "task", _find_boxes)
    md.add_render_rule("task_checkbox", _render)


def _find_boxes(state: StateCore) -> None:
    lists: list[Token] = []
    tokens = state.tokens
    for i, token in enumerate(tokens):
        kind = token.type
        if kind in _LISTS:
            lists.append(token)
        elif kind == "bullet_list_close" or kind == "ordered_list_close":
            lists.pop()
        elif kind == "list_item_open" and tokens[i + 1].type == "paragraph_open":
            match = _BOX.match(tokens[i + 2].content)
            if match:
                _make_task(token, tokens[i + 2], match)
                lists[-1].attrSet("class", "contains-task-list")


def _make_task(item: Token, inline: Token, match: re.Match[str]) -> None:
    mark = match[1] or match[2]
    item.attrSet("class", "task-list-item" if mark == " " else "task-list-item is-checked")
    item.attrSet("data-task", mark)
    inline.content = inline.content[match.end() :]
    checkbox = Token("task_checkbox", "input", 0)
    checkbox.meta["mark"] = mark
    inline.children = [checkbox]  # the inline parser appends to it


def _render(self: Any, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
    mark = tokens[idx].meta["mark"]
    checked, name = ("", "task.open") if mark == " " else (" checked", "task.done")
    data = f'data-task="{escapeHtml(mark)}" aria-label="{text_slot(name)}"'
    return f'<input class="task-list-item-checkbox" type="checkbox" {data} disabled{checked}> '
