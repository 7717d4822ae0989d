"""HTML in notes: cleaned tag by tag and kept balanced, so that a note cannot break out of its place in the page.

`md.options["raw_html"]` is `sanitize` (tags, attributes and styles of the lists in `html_tags`), `allow` (every tag as
written, still balanced) or `escape` (HTML is shown as text). Comments are removed in each: they are private.

A tag that is open when its container ends (quote, list item, callout, paragraph, the note) is closed there, and a
closing tag without its opening one is dropped. `<details>`, a blank line, Markdown, `</details>` works, as CommonMark
has it. `src`, `href` and `poster` without a scheme name files of the vault: `token.meta["html_links"]` lists them as
`(url, attribute, tag)`, and number i is `␂H{i}␃` in the content, as the whole value of its attribute.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, MutableMapping
from dataclasses import dataclass, field
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.html_inline import html_inline
from markdown_it.token import Token

from generator.syntax.html_tags import HIDING_TAGS, HTML_TAGS, VOID_TAGS, CleanTag, clean_tag
from generator.syntax.marks import SLOT_CLOSE, SLOT_OPEN

_HIDDEN = r"<!--(?:-?>|.*?(?:-->|\Z))|<!\[CDATA\[.*?(?:\]\]>|\Z)|<[!?][^>]*(?:>|\Z)"
_TAG = r"<(?P<close>/?)(?P<name>[A-Za-z][^\s/>]*)"
_QUOTED = r"(?P<attributes>(?:[^>\"']|\"[^\"]*\"|'[^']*')*+)>"
_MARKUP = re.compile(f"{_HIDDEN}|{_TAG}{_QUOTED}", re.DOTALL)
# For what stands before a quote that is never closed: there, a tag ends at the next `>`.
_CARELESS_MARKUP = re.compile(rf"{_HIDDEN}|{_TAG}(?P<attributes>[^>]*+)>", re.DOTALL)
_START = re.compile(r"<(?=[!?]|/?[A-Za-z])")

# What HTML closes by itself when the tag on the left opens.
_CLOSES: dict[str, frozenset[str]] = {
    "a": frozenset({"a"}),
    "li": frozenset({"li"}),
    "p": frozenset({"p"}),
    **dict.fromkeys(("dt", "dd"), frozenset({"dt", "dd"})),
    **dict.fromkeys(("td", "th"), frozenset({"td", "th"})),
    "tr": frozenset({"td", "th", "tr"}),
    **dict.fromkeys(("tbody", "thead", "tfoot"), frozenset({"td", "th", "tr", "tbody", "thead", "tfoot"})),
}
_MAX_OPEN = 100
"""Tags that one container can have open at once: browsers draw no deeper nesting than a few hundred."""
# What an `<a>` adds to `linkLevel`, apart from the ones of Markdown's links: what is not open cannot be closed.
_RAW_LINK = 1 << 20
LINK_ENDS = ("</a>", "</A>")


def html(md: MarkdownIt) -> None:
    """Register the rules; the second runs after all that add or move tokens, whose nesting it has to respect."""
    md.inline.ruler.at("html_inline", _inline_tag)
    md.core.ruler.push("html", _clean_tokens)


def _inline_tag(state: StateInline, silent: bool) -> bool:
    """markdown-it's rule, which takes what follows an `<a>` for the text of a link: only if an `</a>` follows."""
    level = state.linkLevel
    if not html_inline(state, silent):
        return False
    if state.linkLevel > level:
        closed = any(state.html_terminator_last(end) >= state.pos for end in LINK_ENDS)
        state.linkLevel = level + _RAW_LINK if closed else level
    elif state.linkLevel < level:
        state.linkLevel = level - _RAW_LINK if level >= _RAW_LINK else level
    return True


def _clean_tokens(state: StateCore) -> None:
    if "<" not in state.src:
        return
    mode = str(state.md.options.get("raw_html", "sanitize"))
    if mode == "escape":
        _escape_all(state.tokens)
    elif any(token.type == "html_block" or _has_html(token) for token in state.tokens):
        state.tokens = _Cleaner(mode, state.env).blocks(state.tokens)


def _has_html(token: Token) -> bool:
    return "<" in token.content and any(child.type == "html_inline" for child in token.children or ())


def _escape_all(tokens: list[Token]) -> None:
    for token in tokens:
        if token.type == "html_block":
            shown = escapeHtml(_without_comments(token.content).strip())
            token.content = f'<p class="raw-html">{shown}</p>\n' if shown else ""
        for child in token.children or ():
            if child.type == "html_inline":
                child.content = escapeHtml(_without_comments(child.content))


def _without_comments(text: str) -> str:
    return re.sub(r"<!--(?:-?>|.*?(?:-->|\Z))", "", text, flags=re.DOTALL)


@dataclass(slots=True)
class _Container:
    """The tags that are open in one container, innermost last."""

    open: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    too_deep: Counter[str] = field(default_factory=Counter)

    def close_all(self) -> str:
        closing = "".join(f"</{name}>" for name in reversed(self.open))
        self.open.clear()
        self.counts.clear()
        return closing

    def close_last(self) -> str:
        name = self.open.pop()
        self.counts[name] -= 1
        return f"</{name}>"


class _Cleaner:
    def __init__(self, mode: str, env: MutableMapping[str, Any]) -> None:
        self.mode = mode
        self.env = env
        self.containers = [_Container()]
        self.line = 1

    def blocks(self, tokens: list[Token]) -> list[Token]:
        out: list[Token] = []
        last = max(
            (i for i, token in enumerate(tokens) if token.type == "html_block" and _ends_link(token)), default=-1
        )
        for i, token in enumerate(tokens):
            if token.map:
                self.line = token.map[0] + 1
            if token.type == "html_block":
                self._clean_block(token, closed_later=i < last)
            elif token.children and _has_html(token):
                token.children = self._inline(token.children)
            self._step(token, out, "html_block")
            out.append(token)
        self._end(out, "html_block")
        return out

    def _step(self, token: Token, out: list[Token], kind: str) -> None:
        """Enter or leave the container that a Markdown token opens or closes."""
        if token.nesting == 1:
            self.containers.append(_Container())
        elif token.nesting == -1 and len(self.containers) > 1:
            self._end(out, kind)
            self.containers.pop()

    def _end(self, out: list[Token], kind: str) -> None:
        closing = self.containers[-1].close_all()
        if closing:
            out.append(Token(kind, "", 0, content=closing + ("\n" if kind == "html_block" else "")))

    # --- running text: each token is one tag -------------------------------------------------------------------

    def _inline(self, children: list[Token]) -> list[Token]:
        outside, self.containers = self.containers, [_Container()]
        tags = [self._tag_of(token) for token in children]
        last_close = {name: i for i, (closes, name, _) in enumerate(tags) if closes}
        out: list[Token] = []
        hidden = ""  # the element whose content is left out
        for i, (token, (closes, name, attributes)) in enumerate(zip(children, tags, strict=True)):
            if hidden and (token.nesting == -1 or (closes and name == hidden)):
                hidden = ""
                if closes:
                    continue
            if token.type == "html_inline":
                if hidden:
                    continue
                if not closes and name in HIDING_TAGS and last_close.get(name, -1) > i:
                    hidden = name
                    kept = list(self._iframe(token, attributes)) if name == "iframe" else []
                    out.extend(kept)
                    if not kept:
                        self._report(name)
                    continue
                never_closed = name == "a" and not closes and last_close.get("a", -1) < i
                self._clean_inline(token, closes, name, attributes, at_once=never_closed)
            elif hidden and token.nesting == 0:
                continue
            self._step(token, out, "html_inline")
            out.append(token)
        self._end(out, "html_inline")
        self.containers = outside
        return out

    def _tag_of(self, token: Token) -> tuple[bool, str, str]:
        """`(closing, name, attributes)` of a tag; the name is "" for all else."""
        match = _MARKUP.fullmatch(token.content) if token.type == "html_inline" else None
        if match is None or match["name"] is None:
            return False, "", ""
        return bool(match["close"]), match["name"].lower(), match["attributes"]

    def _clean_inline(self, token: Token, closes: bool, name: str, attributes: str, *, at_once: bool = False) -> None:
        links: list[tuple[str, str, str]] = []
        if not name:
            token.content = ""  # a comment, a declaration, an instruction
        elif (not closes and name in HIDING_TAGS) or (name not in HTML_TAGS and self.mode != "allow"):
            token.type = "text"  # prose: "the <script> element", `List<String>`
        else:
            token.content = self._tag(token.content, closes, name, attributes, links, at_once=at_once)
        if links:
            token.meta["html_links"] = links

    def _iframe(self, token: Token, attributes: str) -> Iterator[Token]:
        tag = clean_tag("iframe", attributes, self.mode)
        if tag is not None:
            token.content = tag.text + "</iframe>"
            yield token

    # --- blocks: each token is a piece of HTML -----------------------------------------------------------------

    def _clean_block(self, token: Token, *, closed_later: bool) -> None:
        """Clean a piece of HTML; `closed_later` says whether a later piece has an `</a>`."""
        links: list[tuple[str, str, str]] = []
        text, out, pos = token.content, [], 0
        last_end = max(map(text.rfind, LINK_ENDS))
        for match in _markup_of(text):
            if match.start() < pos:
                continue  # inside an element that is left out
            out.append(_escape_angles(text[pos : match.start()]))
            pos = match.end()
            name = (match["name"] or "").lower()
            if not name:
                if match[0].startswith("<!--") and not match[0].endswith("-->"):
                    self._problem("open-comment", "this comment is never closed: it hides what follows")
            elif not match["close"] and name in HIDING_TAGS:
                pos = self._skip_hidden(text, pos, name, match["attributes"], out)
            else:
                at_once = name == "a" and not (closed_later or last_end >= pos)
                out.append(self._tag(match[0], bool(match["close"]), name, match["attributes"], links, at_once=at_once))
        out.append(_escape_angles(text[pos:]))
        cleaned = "".join(out)
        token.content = cleaned if cleaned.strip() else ""
        if links:
            token.meta["html_links"] = links

    def _skip_hidden(self, text: str, pos: int, name: str, attributes: str, out: list[str]) -> int:
        """Leave out an element with its content; returns where the text goes on."""
        end = re.compile(rf"</{re.escape(name)}(?=[\s/>])[^>]*>?|</{re.escape(name)}\Z|\Z", re.IGNORECASE).search(
            text, pos
        )
        stop = end.end() if end else len(text)
        if self.mode == "allow":
            tag = clean_tag(name, attributes, self.mode)
            out.append(f"{tag.text if tag else ''}{text[pos : end.start() if end else stop]}</{name}>")
            return stop
        tag = clean_tag(name, attributes, self.mode) if name == "iframe" else None
        if tag is None:
            self._report(name)
        else:
            out.append(tag.text + "</iframe>")
        return stop

    # --- one tag -----------------------------------------------------------------------------------------------

    def _tag(
        self,
        source: str,
        closes: bool,
        name: str,
        attributes: str,
        links: list[tuple[str, str, str]],
        *,
        at_once: bool = False,
    ) -> str:
        """One tag as the page has it; `at_once` closes an element that is opened, since nothing else will."""
        if name not in HTML_TAGS and self.mode != "allow":
            return _escape_angles(source)  # `List<String>`, `<your name>`: text that looks like a tag
        if closes:
            return self._close(name)
        tag = clean_tag(name, attributes, self.mode)
        return "" if tag is None else self._open(name, tag, at_once or attributes.rstrip().endswith("/"), links)

    def _open(self, name: str, tag: CleanTag, self_closing: bool, links: list[tuple[str, str, str]]) -> str:
        container = self.containers[-1]
        implied = ""
        while container.open and container.open[-1] in _CLOSES.get(name, ()):
            implied += container.close_last()
        if name not in VOID_TAGS and not self_closing:
            if len(container.open) >= _MAX_OPEN:
                container.too_deep[name] += 1
                return implied
            container.open.append(name)
            container.counts[name] += 1
        text = tag.text
        if tag.links:
            text = _number_links(tag, len(links))
            links.extend((url, attribute, name) for url, attribute in tag.links)
        return implied + text + (f"</{name}>" if self_closing and name not in VOID_TAGS else "")

    def _close(self, name: str) -> str:
        container = self.containers[-1]
        if container.too_deep[name] > 0:
            container.too_deep[name] -= 1
            return ""
        if container.counts[name] <= 0:
            return ""
        out = container.close_last()
        while not out.endswith(f"</{name}>"):
            out += container.close_last()
        return out

    def _report(self, name: str) -> None:
        self._problem("unsafe-html", f"<{name}> and what is in it are left out of the page")

    def _problem(self, code: str, message: str) -> None:
        self.env.setdefault("problems", []).append((code, message, self.line))


def _ends_link(token: Token) -> bool:
    return any(end in token.content for end in LINK_ENDS)


def _markup_of(text: str) -> Iterator[re.Match[str]]:
    """The tags and comments of a piece of HTML, each place read a bounded number of times."""
    markup, pos = _MARKUP, 0
    while start := _START.search(text, pos):
        match = markup.match(text, start.start())
        if match is None and markup is _MARKUP:
            markup = _CARELESS_MARKUP
            match = markup.match(text, start.start())
        if match is None:
            return  # no `>` ahead
        yield match
        pos = match.end()


def _number_links(tag: CleanTag, first: int) -> str:
    numbers = iter(range(first, first + len(tag.links)))
    return re.sub(f"{SLOT_OPEN}H{SLOT_CLOSE}", lambda _: f"{SLOT_OPEN}H{next(numbers)}{SLOT_CLOSE}", tag.text)


def _escape_angles(text: str) -> str:
    """Text between tags: its entities stay."""
    return text.replace("<", "&lt;").replace(">", "&gt;")
