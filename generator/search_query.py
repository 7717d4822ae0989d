"""What people type → a `Search`. Never SQL, never an error: whatever cannot be an operator is a word.

Words must all be there; `"a phrase"`, `-word`, `word*`, `a OR b`, `tag:x`, `path:x`, `file:x`, `title:x` and
`lifecycle:x` do what their like does elsewhere. A word with punctuation in it (`node.js`, `KB-1042`, `C++`) is the
phrase of its parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from generator.analyser import UNSPACED, fold, fts_text
from generator.stop_words import is_stop_word, is_telling_bigram, split_chinese

_MOST_CHARACTERS = 10_000
_MOST_TERMS = 64
_MOST_PARTS = 64  # of one phrase, and of all words together when some are enough

_FIELDS = "tag|path|file|title|lifecycle"
_TOKEN = re.compile(rf'(-(?=[^\s-]))?(?:({_FIELDS}):(?=\S))?(?:"([^"]*)"?|([^\s"]\S*))', re.IGNORECASE)
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
    """One word or phrase. `parts` are its tokens (bigrams for Chinese), `surface` is its folded text as written;
    `exact` ones were quoted, or asked for in a title: they are never dropped or taken apart."""

    surface: str
    parts: tuple[str, ...]
    prefix: bool = False
    exact: bool = False
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
        return all_of(self.groups)

    @property
    def relaxed_match(self) -> str:
        """The FTS5 expression for pages with some of the words."""
        return any_of(self.parts)

    @property
    def terms(self) -> tuple[Term, ...]:
        """All terms that may be found in a page, for marking them in its text."""
        return tuple(term for group in self.groups for term in group)


def all_of(groups: Iterable[Sequence[Term]]) -> str:
    """The FTS5 expression for pages with one term of each group."""
    return " AND ".join(f"({any_of(group)})" if len(group) > 1 else group[0].match for group in groups)


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
    words: list[str] = []
    joins = False  # the last token was an OR between two words
    tokens = list(islice(_tokens(text), 4 * _MOST_TERMS))
    for at, token in enumerate(tokens):
        if token.field and token.field != "title":
            filters.append(Filter(token.field, token.text, token.negative))
        elif groups and at + 1 < len(tokens) and _is_operator(token):
            joins = joins or token.text == "OR"
        elif token.negative:
            excluded.extend(_terms(token, whole=True))
        else:
            terms = _terms(token, whole=joins)
            if joins and terms:
                groups[-1] = (*groups[-1], *terms)
            else:
                groups.extend((term,) for term in terms)
            words.append(token.text)
            joins = False
    groups = _without_stop_words(groups)[:_MOST_TERMS]
    return Search(
        name=" ".join(words),
        groups=tuple(groups),
        excluded=tuple(excluded[:_MOST_TERMS]),
        filters=tuple(filters[:_MOST_TERMS]),
        parts=_parts([term for group in groups for term in group], words),
        literals=tuple(dict.fromkeys(filter(None, map(_literal, words))))[:_MOST_TERMS],
    )


def _tokens(text: str) -> Iterator[_Token]:
    for minus, field, quoted, word in _TOKEN.findall(text):
        if quoted or word:
            yield _Token(quoted or word, field.lower(), quoted=bool(quoted), negative=bool(minus))


def _is_operator(token: _Token) -> bool:
    return token.text in {"AND", "OR"} and not (token.quoted or token.field or token.negative)


def _terms(token: _Token, *, whole: bool) -> list[Term]:
    """The terms of a token: one, or (not if it is `whole`) several where question words stand between Chinese ones."""
    exact = token.quoted or token.field == "title"
    pieces = [token.text] if exact or whole else split_chinese(token.text)
    terms = [term for term in map(term_of, pieces) if term is not None]
    if terms and not token.quoted and token.text.endswith("*"):
        terms[-1] = replace(terms[-1], prefix=True)
    return [replace(term, exact=exact, title_only=token.field == "title") for term in terms]


def term_of(text: str) -> Term | None:
    """The phrase of all words in `text`; None if it holds no word."""
    parts = _PARTS.findall(fts_text(text))[:_MOST_PARTS]
    if not parts:
        return None
    prefix = False
    if _is_lone(parts[-1]):
        # The last character of a run: in the page it may have a neighbour. After its bigram it says nothing new.
        before = parts[-2] if len(parts) > 1 else ""
        if len(before) == 2 and before[1] == parts[-1] and _is_lone(before[0]):
            parts.pop()
        else:
            prefix = True
    return Term(fold(text).strip(), tuple(parts), prefix)


def _is_lone(part: str) -> bool:
    return len(part) == 1 and _UNSPACED_CHARACTER.match(part) is not None


def _without_stop_words(groups: list[tuple[Term, ...]]) -> list[tuple[Term, ...]]:
    """The groups without those that only say what all pages say, unless no other is there."""
    kept = [group for group in groups if not all(map(_says_nothing, group))]
    return kept or groups


def _says_nothing(term: Term) -> bool:
    return not (term.prefix or term.exact) and is_stop_word(term.surface.strip(_SENTENCE_MARKS))


def _parts(terms: Iterable[Term], words: Iterable[str]) -> tuple[Term, ...]:
    """What pages with some of the words are ranked by: every token of the terms, and the bigrams across particles.

    Exact terms stay whole. Stop words are here only if nothing else is.
    """
    found: dict[str, Term] = {}
    for term in terms:
        pieces = [term] if term.exact else list(_tokens_of(term))
        found.update((piece.match, piece) for piece in pieces)
    kept = {match: piece for match, piece in found.items() if piece.exact or not is_stop_word(piece.surface)}
    across = (piece for word in words if (whole := term_of(word)) for piece in _tokens_of(whole))
    if kept:
        kept.update((piece.match, piece) for piece in across if is_telling_bigram(piece.surface))
    return tuple((kept or found).values())[:_MOST_PARTS]


def _tokens_of(term: Term) -> Iterator[Term]:
    for at, part in enumerate(term.parts, 1):
        yield Term(part, (part,), prefix=_is_lone(part) or (term.prefix and at == len(term.parts)))


def _literal(word: str) -> str:
    """A word as typed, where its signs matter (`c++`, `.net`, `50%`): "" where it has none."""
    bare = word.strip("\"'()*").rstrip(_SENTENCE_MARKS).lower()
    return bare if _PARTS.search(bare) and not _PARTS.fullmatch(bare) and " " not in bare else ""
