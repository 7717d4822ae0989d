"""A piece cut out of a page's body, made whole: what a note's own HTML left open in it, or closes of what it lacks."""

from __future__ import annotations

import re

from generator.syntax.html_tags import VOID_TAGS

_TAG = re.compile(r"<(?P<close>/?)(?P<name>[A-Za-z][^\s/>]*)(?:[^>\"']|\"[^\"]*\"|'[^']*')*+>")


def balanced(html: str) -> str:
    """`html`, in which each tag that stays open is closed at the end and no other element's end is left.

    It is made of bodies that are balanced as a whole, so tags are well-formed and only a cut can part them.
    """
    opened: list[str] = []
    out: list[str] = []
    pos = 0
    for match in _TAG.finditer(html):
        name = match["name"].lower()
        if not match["close"]:
            if name not in VOID_TAGS and not match[0].endswith("/>"):
                opened.append(name)
        elif opened and opened[-1] == name:
            opened.pop()
        else:  # the element began before the cut
            out.append(html[pos : match.start()])
            pos = match.end()
    out.append(html[pos:])
    out += [f"</{name}>" for name in reversed(opened)]
    return "".join(out)
