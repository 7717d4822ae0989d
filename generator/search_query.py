"""What people type → a `Search`. Never SQL, never an error: whatever cannot be an operator is a word.

Words must all be there; `"a phrase"`, `-word`, `word*`, `a OR b`, `tag:x`, `path:x`, `file:x`, `title:x` and
`lifecycle:x` do what their like does elsewhere. A word with punctuation in it (`node.js`, `KB-1042`, `C++`) is the
phrase of its parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from generator.analyser import UNSPACED, fold, fts_text
from generator.stop_words import is_stop_word, split_chinese

_MOST_CHARACTERS = 10_000
_MOST_TERMS = 64
_MOST_PARTS = 64  # of one phrase, and of all words together when some are enough

_FIELDS = "tag|path|file|title|lifecycle"
_TOKEN = re.compile(rf'(-(?=[^\s-]))?(?:({_FIELDS}):(?=\S))?(?:"([^"]*)"?|(\S+))', re.IGNORECASE)
# Punctuation that no Latin name has: in Chinese text it parts words as a blank does.
_BLANKS = "\u3000，。、；？！《》〈〉（）「」『』【】"
_QUOTES = {**dict.fromkeys("“”„«»", '"'), **dict.fromkeys("‘’", "'")}
_WIDE = str.maketrans({**dict.fromkeys(_BLANKS, " "), **_QUOTES, "：": ":"})
# The letters and digits that FTS5 makes words of, and the scripts whose vowel signs belong to their words.
_PARTS = re.compile(f"(?:[^\\W_]|[\u0900-\u0dff{UNSPACED}])+")
_UNSPACED_CHARACTER = re.compile(f"[{UNSPACED}]")
_SENTENCE_MARKS = ".,;:!?…"


@dataclass(frozen=True, slots=True)
class Term:
    """One word or phrase. `parts` are its tokens (bigrams for Chinese), `surface` is its folded text as written."""

    surface: str
    parts: tuple[str, ...]
    prefix: bool = False
    title_only: bool = False

    @property
    def match(self) -> str:
        """The FTS5 expression: a quoted string can hold nothing but words."""
        phrase = f'"{" ".join(self.parts)}"' + (" *" if self.prefix else "")
        return f"{{title aliases}} : ({phrase})" if self.title_only else phrase


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition that is not on the text: `field` is tag, path, file or lifecycle."""

    field: str
    value: str
    negative: bool = False


@dataclass(frozen=True, slots=True)
class Search:
    """A query understood. One term of each group must match, and none of `excluded`.

    `name` is what a page would be called if the whole query were its name. `parts` are the terms with which pages are
    ranked that hold only some of the words. `literals` are the words that were typed with punctuation.
    """

    name: str
    groups: tuple[tuple[Term, ...], ...] = ()
    excluded: tuple[Term, ...] = ()
    filters: tuple[Filter, ...] = ()
    parts: tuple[Term, ...] = ()
    literals: tuple[str, ...] = ()

    @property
    def match(self) -> str:
        """The FTS5 expression for pages with all of the words; "" when no word is asked for."""
        groups = (" OR ".join(term.match for term in group) for group in self.groups)
        return " AND ".join(f"({group})" for group in groups)

    @property
    def relaxed_match(self) -> str:
        """The FTS5 expression for pages with some of the words."""
        return any_of(self.parts)

    @property
    def terms(self) -> tuple[Term, ...]:
        """All terms that may be found in a page, for marking them in its text."""
        return tuple(term for group in self.groups for term in group)


def any_of(terms: Iterable[Term]) -> str:
    """The FTS5 expression for pages with one of the terms."""
    return " OR ".join(term.match for term in terms)


@dataclass(frozen=True, slots=True)
class _Token:
    """A piece of the query between blanks."""

    text: str
    field: str
    quoted: bool
    negative: bool


def parse_query(text: str) -> Search:
    """Understand what a person typed; any text will do. At most 10,000 characters and 64 words are looked at."""
    text = text[:_MOST_CHARACTERS].translate(_WIDE).replace("\x00", " ")
    groups: list[tuple[Term, ...]] = []
    excluded: list[Term] = []
    filters: list[Filter] = []
    plain: list[str] = []
    joins = False  # the last token was an OR between two words
    tokens = list(islice(_tokens(text), 4 * _MOST_TERMS))
    for at, token in enumerate(tokens):
        if token.field and token.field != "title":
            filters.append(Filter(token.field, token.text, token.negative))
            continue
        if _is_operator(token, "OR") and groups and at + 1 < len(tokens):
            joins = True
            continue
        if _is_operator(token, "AND") and groups and at + 1 < len(tokens):
            continue
        terms = _terms(token)
        if token.negative:
            excluded.extend(terms)
        elif joins and terms:
            groups[-1] = (*groups[-1], *terms)
        else:
            groups.extend((term,) for term in terms)
            plain.append(token.text)
        joins = False
    groups = _without_stop_words(groups)[:_MOST_TERMS]
    return Search(
        name=" ".join(plain),
        groups=tuple(groups),
        excluded=tuple(excluded[:_MOST_TERMS]),
        filters=tuple(filters[:_MOST_TERMS]),
        parts=_parts(groups),
        literals=tuple(dict.fromkeys(filter(None, map(_literal, plain))))[:_MOST_TERMS],
    )


def _tokens(text: str) -> Iterator[_Token]:
    for minus, field, quoted, word in _TOKEN.findall(text):
        value = word or quoted
        if field and word.startswith('"'):
            value = word.strip('"')
        if value:
            yield _Token(value, field.lower(), quoted=bool(quoted), negative=bool(minus))


def _is_operator(token: _Token, name: str) -> bool:
    return token.text == name and not (token.quoted or token.field or token.negative)


def _terms(token: _Token) -> list[Term]:
    """The terms of a token: one, or several where question words stand between Chinese ones."""
    whole = token.quoted or token.field
    terms = map(term_of, [token.text] if whole else split_chinese(token.text))
    found = [term for term in terms if term is not None]
    prefix = not token.quoted and token.text.endswith("*")
    if prefix and found:
        found[-1] = replace(found[-1], prefix=True)
    return [replace(term, title_only=True) for term in found] if token.field == "title" else found


def term_of(text: str) -> Term | None:
    """The phrase of all words in `text`; None if it holds no word."""
    folded = fold(text)
    parts = _PARTS.findall(fts_text(text))[:_MOST_PARTS]
    if not parts:
        return None
    prefix = False
    last = parts[-1]
    if len(last) == 1 and _UNSPACED_CHARACTER.match(last):
        # The lone last character of a run: in the page it may have a neighbour. After a bigram it says nothing new.
        before = parts[-2] if len(parts) > 1 else ""
        if len(before) == 2 and before[1] == last and _UNSPACED_CHARACTER.match(before):
            parts.pop()
        else:
            prefix = True
    return Term(folded.strip(), tuple(parts), prefix)


def _without_stop_words(groups: list[tuple[Term, ...]]) -> list[tuple[Term, ...]]:
    """The groups without those that only say what all pages say, unless no other is there."""
    kept = [group for group in groups if not all(map(_says_nothing, group))]
    return kept or groups


def _says_nothing(term: Term) -> bool:
    return not term.prefix and all(map(is_stop_word, term.surface.rstrip(_SENTENCE_MARKS).split()))


def _parts(groups: list[tuple[Term, ...]]) -> tuple[Term, ...]:
    """Every token of every term as a term of its own; stop words only if nothing else is there."""
    found: dict[tuple[str, bool, bool], Term] = {}
    for group in groups:
        for term in group:
            for at, part in enumerate(term.parts):
                prefix = (term.prefix and at + 1 == len(term.parts)) or _is_lone(part)
                found.setdefault((part, prefix, term.title_only), Term(part, (part,), prefix, term.title_only))
    kept = [term for term in found.values() if not is_stop_word(term.surface)]
    return tuple((kept or list(found.values()))[:_MOST_PARTS])


def _is_lone(part: str) -> bool:
    return len(part) == 1 and _UNSPACED_CHARACTER.match(part) is not None


def _literal(word: str) -> str:
    """A word as typed, where its signs matter (`c++`, `.net`, `50%`): "" where it has none."""
    bare = word.strip("\"'()*").rstrip(_SENTENCE_MARKS).lower()
    return bare if _PARTS.search(bare) and not _PARTS.fullmatch(bare) and " " not in bare else ""
