"""XML files: only characters that XML 1.0 allows, and the same bytes for the same tree."""

from __future__ import annotations

import re
from xml.etree import ElementTree

_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_text(text: str) -> str:
    """`text` without what XML cannot hold."""
    return _FORBIDDEN.sub("\ufffd", text)


def xml_bytes(root: ElementTree.Element) -> bytes:
    """The document, indented, in UTF-8."""
    ElementTree.indent(root)
    text: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"
