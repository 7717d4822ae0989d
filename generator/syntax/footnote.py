"""`[^id]` with `[^id]: text` elsewhere, `^[text]` in place, and the provenance marks `^[inferred]`, `^[ambiguous]`.

Ids are compared without case and hold no white space: `[^two words]` is text, never a link. A definition goes on in
lines that are indented by two spaces or more. Notes are numbered in the order in which a reader meets them; those that
nothing refers to are not shown. Token types are those of mdit-py-plugins: `footnote_ref`, and at the end of the page
`footnote_block_open`, `footnote_open`, the note's blocks with `footnote_anchor` tokens, and the closing ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from unicodedata import normalize

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, reference
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from generator.syntax.marks import ID_MARK, text_slot

_LABEL = re.compile(r"\[\^([^\s\[\]]+)\]")
_PROVENANCE = re.compile(r"\^\[\s*(inferred|ambiguous)\s*\]", re.IGNORECASE)
_DEFINED = "footnotes"  # in env: the keys of the defined notes; present as soon as the page has any note
UNSHOWN = "unshown_footnotes"  # in env: the tokens of definitions that nothing shows; their links and words count still
_INSIDE = "inside_footnote"  # in env while a note in place is parsed: notes do not nest


@dataclass(slots=True)
class _Note:
    number: int
    label: str | None
    tokens: list[Token] = field(default_factory=list)
    references: int = 0


def footnote(md: MarkdownIt) -> None:
    """Register definitions, references, notes in place, the step that collects them, and how they are rendered."""
    md.block.ruler.before("reference", "footnote_def", _definition, {"alt": ["paragraph", "reference"]})
    md.block.ruler.at("reference", _link_definition)
    md.inline.ruler.before("link", "footnote_ref", _reference)
    md.inline.ruler.push("footnote_inline", _in_place)
    md.core.ruler.after("inline", "footnote_tail", _collect)
    for name, rule in _RENDER_RULES.items():
        md.add_render_rule(name, rule)


def footnote_key(label: str) -> str:
    """What a footnote's id is compared by."""
    return normalize("NFC", label.casefold())


def _definition(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    start = state.bMarks[start_line] + state.tShift[start_line]
    if not state.src.startswith("[^", start) or state.is_code_block(start_line):
        return False
    match = _LABEL.match(state.src, start, state.eMarks[start_line])
    if match is None or not state.src.startswith(":", match.end()):
        return False
    if silent:
        return True
    key = footnote_key(match[1])
    state.env.setdefault(_DEFINED, set()).add(key)
    opening = state.push("footnote_reference_open", "", 1)
    opening.meta["label"] = key
    _parse_body(state, start_line, end_line, match.end() + 1)
    opening.map = [start_line, state.line]
    state.push("footnote_reference_close", "", -1)
    return True


def _parse_body(state: StateBlock, start_line: int, end_line: int, pos: int) -> None:
    """Parse the blocks of a definition whose text starts at `pos`, as a list item's are parsed."""
    saved = state.bMarks[start_line], state.tShift[start_line], state.sCount[start_line]
    indent, parent = state.blkIndent, state.parentType
    state.blkIndent += _continuation_indent(state, start_line, end_line)
    state.bMarks[start_line] = min(state.skipSpaces(pos), state.eMarks[start_line])
    state.tShift[start_line] = 0
    state.sCount[start_line] = state.blkIndent
    state.parentType = "footnote"
    state.md.block.tokenize(state, start_line, end_line)
    state.blkIndent, state.parentType = indent, parent
    state.bMarks[start_line], state.tShift[start_line], state.sCount[start_line] = saved


def _continuation_indent(state: StateBlock, start_line: int, end_line: int) -> int:
    """How far the first line after a blank one is indented: 2 to 4 columns."""
    line = state.skipEmptyLines(start_line + 1)
    indent = state.sCount[line] - state.blkIndent if line < end_line else 0
    return min(max(indent, 2), 4)


def _link_definition(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """`[^two words]: x` defines no link."""
    start = state.bMarks[start_line] + state.tShift[start_line]
    return not state.src.startswith("[^", start) and reference(state, start_line, end_line, silent)


def _reference(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] != "[" or not state.src.startswith("^", state.pos + 1) or state.linkLevel:
        return False
    defined: set[str] = state.env.get(_DEFINED, set())
    match = _LABEL.match(state.src, state.pos, state.posMax) if defined else None
    if match is None or (key := footnote_key(match[1])) not in defined:
        return False
    if not silent:
        state.push("footnote_ref", "", 0).meta["label"] = key
    state.pos = match.end()
    return True


def _in_place(state: StateInline, silent: bool) -> bool:
    start = state.pos
    if state.src[start] != "^" or not state.src.startswith("[", start + 1):
        return False
    provenance = _PROVENANCE.match(state.src, start, state.posMax)
    if provenance:
        if not silent:
            state.push("provenance", "span", 0).content = provenance[1].lower()
        state.pos = provenance.end()
        return True
    if state.linkLevel or _INSIDE in state.env or state.src.find("]", start, state.posMax) < 0:
        return False
    end = state.md.helpers.parseLinkLabel(state, start + 1)
    content = state.src[start + 2 : end].strip()
    if end < 0 or not content:
        return False
    if not silent:
        state.env.setdefault(_DEFINED, set())
        state.env[_INSIDE] = True
        children = state.md.inline.parse(content, state.md, state.env, [])
        del state.env[_INSIDE]
        token = state.push("footnote_ref", "", 0)
        token.meta["inline"] = Token("inline", "", 0, content=content, children=children, level=3, block=True)
    state.pos = end + 1
    return True


def _collect(state: StateCore) -> None:
    """Take the definitions out of the page, number what refers to them, and append the notes that are in use."""
    if _DEFINED not in state.env:
        return
    body, definitions, unshown = _split(state.tokens)
    notes: list[_Note] = []
    by_label: dict[str, _Note] = {}
    _number(body, definitions, notes, by_label)
    for note in notes:  # grows: a note may refer to others
        _number(note.tokens, definitions, notes, by_label)
    state.tokens = body
    unshown += (tokens for label, tokens in definitions.items() if label not in by_label)
    state.env[UNSHOWN] = [token for tokens in unshown for token in tokens]
    if not notes:
        return
    body.append(Token("footnote_block_open", "section", 1, block=True))
    for note in notes:
        body.extend(_note_tokens(note))
    body.append(Token("footnote_block_close", "section", -1, block=True))


def _split(tokens: Iterable[Token]) -> tuple[list[Token], dict[str, list[Token]], list[list[Token]]]:
    """The page without definitions, the tokens of the first definition of each label, and those of the others."""
    body: list[Token] = []
    definitions: dict[str, list[Token]] = {}
    others: list[list[Token]] = []
    targets = [body]
    for token in tokens:
        if token.type == "footnote_reference_open":
            targets.append([])
            if definitions.setdefault(token.meta["label"], targets[-1]) is not targets[-1]:
                others.append(targets[-1])
        elif token.type == "footnote_reference_close":
            targets.pop()
        else:
            targets[-1].append(token)
    return body, definitions, others


def _number(
    tokens: Iterable[Token], definitions: dict[str, list[Token]], notes: list[_Note], by_label: dict[str, _Note]
) -> None:
    """Give each reference in `tokens` the number of its note; notes met for the first time are appended."""
    for block in tokens:
        for token in block.children or ():
            if token.type != "footnote_ref":
                continue
            label = token.meta.get("label")
            note = by_label.get(label) if label else None
            if note is None:
                note = _Note(len(notes), label, definitions[label] if label else _as_paragraph(token, block.map))
                notes.append(note)
                if label:
                    by_label[label] = note
            token.meta.update(id=note.number, subId=note.references)
            note.references += 1


def _as_paragraph(reference_token: Token, lines: list[int] | None) -> list[Token]:
    inline: Token = reference_token.meta["inline"]
    inline.map = lines
    opening = Token("paragraph_open", "p", 1, map=lines, level=2, block=True)
    return [opening, inline, Token("paragraph_close", "p", -1, level=2, block=True)]


def _note_tokens(note: _Note) -> Iterable[Token]:
    meta = {"id": note.number, "label": note.label}
    first = note.tokens[0].map if note.tokens else None
    yield Token("footnote_open", "li", 1, map=first, level=1, block=True, meta=meta)
    anchors = [Token("footnote_anchor", "", 0, meta={**meta, "subId": i}) for i in range(note.references)]
    if note.tokens and note.tokens[-1].type == "paragraph_close":
        note.tokens[-2].children = [*(note.tokens[-2].children or ()), *anchors]
        yield from note.tokens
    else:
        yield from (*note.tokens, *anchors)
    yield Token("footnote_close", "li", -1, level=1, block=True, meta=meta)


def _back_id(meta: dict[str, Any]) -> str:
    repeated = f"-{meta['subId'] + 1}" if meta["subId"] else ""
    return f"{ID_MARK}fnref-{meta['id'] + 1}{repeated}"


def _render_ref(self: Any, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
    meta = tokens[idx].meta
    number = meta["id"] + 1
    link = f'<a href="#{ID_MARK}fn-{number}" id="{_back_id(meta)}" role="doc-noteref">[{number}]</a>'
    return f'<sup class="footnote-ref">{link}</sup>'


def _render_open(self: Any, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
    return f'<li id="{ID_MARK}fn-{tokens[idx].meta["id"] + 1}" class="footnote-item">\n'


def _render_anchor(self: Any, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
    # U+FE0E keeps the arrow from being drawn as an emoji.
    href = f"#{_back_id(tokens[idx].meta)}"
    name = text_slot("footnote.back")
    return f' <a href="{href}" class="footnote-backref" role="doc-backlink" aria-label="{name}">\u21a9\ufe0e</a>'


def _render_provenance(self: Any, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
    kind = tokens[idx].content
    title, shown = text_slot(f"provenance.{kind}.title"), text_slot(f"provenance.{kind}")
    return f'<span class="provenance provenance-{kind}" title="{title}">{shown}</span>'


_RENDER_RULES = {
    "footnote_ref": _render_ref,
    "footnote_block_open": lambda *_: '<section class="footnotes" role="doc-endnotes">\n<ol class="footnotes-list">\n',
    "footnote_block_close": lambda *_: "</ol>\n</section>\n",
    "footnote_open": _render_open,
    "footnote_close": lambda *_: "</li>\n",
    "footnote_anchor": _render_anchor,
    "provenance": _render_provenance,
}
