"""Control characters that stand, in a rendered body, for what is known only later.

A body is a function of its note's text alone. Where it depends on the rest of the vault, or on where the
body is shown, it holds a mark that `render` fills in. The parser replaces these characters in the source,
so a note can never forge one.
"""

from __future__ import annotations

import re
from html import escape

ID_MARK = "\x01"
"""Stands before every id and before the target of every in-page reference: `id="␁intro"`, `href="#␁intro"`.
Filled with nothing on the note's own page, with a namespace in an embedded copy."""

SLOT_OPEN, SLOT_CLOSE = "\x02", "\x03"
"""Surround the number of a link (its place in `Document.links`): `<a ␂4␃>label</a>` for links, whose slot
becomes the attributes; `␂4␃` alone for embeds, whose slot becomes the element."""

ROOT_MARK = "\x04"
"""Stands for the relative way from the page to the site's root: `href="␄tags/tea.html"`."""

FORBIDDEN = re.compile("[\x00-\x08\x0e-\x1f]")
"""Characters of a source that are replaced by U+FFFD before parsing."""


def text_slot(key: str) -> str:
    """The mark for a text of the interface (a key of `templates/messages/`): the site may have any language."""
    return f"{SLOT_OPEN}T{key}{SLOT_CLOSE}"


def query_slot(query: str) -> str:
    """The mark for the answer to an embedded search: its text, escaped, since all around it is HTML."""
    return f"{SLOT_OPEN}Q{escape(query)}{SLOT_CLOSE}"


def slot(number: int) -> str:
    """The mark for link `number`."""
    return f"{SLOT_OPEN}{number}{SLOT_CLOSE}"
