"""`#tag` and `#nested/tag`, and where the page of a tag is.

A tag starts at the start of the text or after white space; any other character before the `#`, also markup, prevents
it. It consists of letters, marks, digits, emoji, `_`, `-` and `/`, of which one at least is no digit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any
from unicodedata import category, normalize
from urllib.parse import quote

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from generator.syntax.marks import ROOT_MARK

_WORD = re.compile(r"[\w/-]*")
_ZERO_WIDTH_JOINER, _ZERO_WIDTH_NON_JOINER = "\u200d", "\u200c"
_MAX_SEGMENT_BYTES = 200
_MAX_PATH_BYTES = 800
# Names that Windows keeps for devices, and the name of the page that lists all tags.
_RESERVED = re.compile(r"con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|index")


def tag(md: MarkdownIt) -> None:
    """Register the rule; the token's type is `tag`, its content the tag as typed, without `#`."""
    md.inline.ruler.push("tag", _parse)
    md.add_render_rule("tag", _render)


def tag_key(text: str) -> str:
    """What a tag is compared by: in NFC, case folded, without leading `#` and without outer or doubled slashes."""
    folded = normalize("NFC", normalize("NFD", text.strip().lstrip("#")).casefold())
    return "/".join(filter(None, (segment.strip() for segment in folded.split("/"))))


@lru_cache(maxsize=4096)
def tag_file(key: str) -> str:
    """The page of a tag, from the site's root: `tags/tea/green.html`.

    Two keys never share a file, also where the file system ignores case or normalisation: a segment that cannot be
    a file name as it is gets `~` and a hash, and `~` itself is never kept.
    """
    path = "/".join(map(_file_name, key.split("/")))
    if len(path.encode()) > _MAX_PATH_BYTES:
        path = _hashed(key.partition("/")[0], key)
    return f"tags/{path}.html"


@lru_cache(maxsize=4096)
def tag_url(key: str) -> str:
    """`tag_file`, percent-encoded for an `href`."""
    return quote(tag_file(key), safe="/")


def _file_name(segment: str) -> str:
    folds_back = normalize("NFC", segment.upper().casefold()) == segment
    plain = folds_back and all(map(_is_tag_character, segment))
    if segment and plain and not _RESERVED.fullmatch(segment) and len(segment.encode()) <= _MAX_SEGMENT_BYTES:
        return segment
    return _hashed(segment, segment)


def _hashed(name: str, hashed: str) -> str:
    digest = blake2b(hashed.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    kept = "".join(c if _is_tag_character(c) else "_" for c in name)
    return f"{kept.encode()[: _MAX_SEGMENT_BYTES - 20].decode('utf-8', 'ignore')}~{digest}"


def _is_tag_character(character: str) -> bool:
    return character in "_-" or character.isalnum() or _extends_tag(character)


def _extends_tag(character: str) -> bool:
    r"""Whether a character that `\w` does not match belongs to a tag: combining marks, emoji and what joins them."""
    if character < "\x80":
        return False
    kind = category(character)
    if kind in {"So", "Mn", "Mc", "Me"}:
        return True
    if kind == "Cf":
        return character in {_ZERO_WIDTH_JOINER, _ZERO_WIDTH_NON_JOINER} or "\U000e0020" <= character <= "\U000e007f"
    return "\U0001f3fb" <= character <= "\U0001f3ff"  # skin tones


def _parse(state: StateInline, silent: bool) -> bool:
    src, start = state.src, state.pos
    if src[start] != "#" or state.linkLevel or (start and not src[start - 1].isspace()):
        return False
    maximum, end = state.posMax, start + 1
    while match := _WORD.match(src, end, maximum):
        end = match.end()
        if end >= maximum or not _extends_tag(src[end]):
            break
        end += 1
    name = src[start + 1 : end].rstrip("/")
    if not name or name[0] == "/" or name.isdigit():
        return False
    if not silent:
        state.push("tag", "a", 0).content = name
    state.pos = start + 1 + len(name)
    return True


def _render(self: Any, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
    name = tokens[idx].content
    return f'<a class="tag" href="{ROOT_MARK}{tag_url(tag_key(name))}">#{escapeHtml(name)}</a>'
