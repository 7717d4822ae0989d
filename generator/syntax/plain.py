"""The visible text of inline tokens, without markup."""

from __future__ import annotations

from collections.abc import Iterable

from markdown_it.token import Token

_VERBATIM = frozenset({"text", "code_inline", "math_inline", "math_inline_double", "embed", "text_special"})
_BREAKS = frozenset({"softbreak", "hardbreak"})


def plain_text(children: Iterable[Token] | None, line_break: str = " ") -> str:
    """What a reader sees of `children`; images count as their alt text, tags keep their `#`."""
    parts: list[str] = []
    for token in children or ():
        kind = token.type
        if kind in _VERBATIM or kind == "image":
            parts.append(token.content)
        elif kind == "tag":
            parts.append("#" + token.content)
        elif kind in _BREAKS and not token.hidden:
            parts.append(line_break)
    return "".join(parts)
