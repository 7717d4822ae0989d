"""The tags that a wiki has agreed on, and where its pages depart from them.

`_meta/taxonomy.md` (or `wiki/_meta/taxonomy.md`) holds a table `| tag | kind | aliases | note |`. Without one, only
spellings are compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from markdown_it.token import Token

from generator.frontmatter import split
from generator.model import Edit
from generator.syntax import build_parser
from generator.syntax.plain import plain_text
from generator.syntax.tag import tag_key
from generator.upkeep.edits import read_indexed, refuse_unknown, suggestion_id
from generator.upkeep.likeness import nearest_of
from generator.upkeep.repair import RenameTag, repair_note
from generator.upkeep.severity import Severity
from generator.upkeep.snapshot import PageFacts, Snapshot
from generator.vault import TAXONOMY_FILES, decode

KINDS = ("domain", "type", "project", "other")
KIND_SEVERITIES: Mapping[str, Severity] = {
    "tag-alias": "warning",
    "tag-unknown": "warning",
    "tag-case": "info",
    "tag-plural": "info",
}
_COLUMNS = ("tag", "kind", "aliases", "note")
_BUILT_IN = frozenset({"visibility/internal", "visibility/pii"})


@dataclass(frozen=True, slots=True)
class TaxonomyTag:
    """A row of the table; `aliases` are other spellings, without `#`."""

    tag: str
    kind: str
    aliases: tuple[str, ...]
    note: str


@dataclass(frozen=True, slots=True)
class Taxonomy:
    """The agreed tags in their order, and the file that lists them."""

    path: str
    tags: tuple[TaxonomyTag, ...]

    def canonical(self) -> dict[str, str]:
        """The agreed spelling by key, of tags and of their aliases; a tag wins over an alias."""
        found = {tag_key(alias): entry.tag for entry in reversed(self.tags) for alias in entry.aliases}
        return found | {tag_key(entry.tag): entry.tag for entry in self.tags}


@dataclass(frozen=True, slots=True)
class TagConflict:
    """A tag that is not spelled as agreed. `canonical` is what it should be, "" where the list lacks it.

    `kind` is tag-alias, tag-unknown, tag-case or tag-plural; `pages` are the paths that carry it. `id` is a hash over
    the texts of these pages.
    """

    id: str
    kind: str
    tag: str
    canonical: str
    pages: tuple[str, ...]
    message: str


def load_taxonomy(vault: Path) -> Taxonomy | None:
    """The taxonomy of the vault; None without a file, or where its table is empty or commented out."""
    for path in TAXONOMY_FILES:
        try:
            text, _ = decode((vault / path).read_bytes())
        except OSError:
            continue
        tags = tuple(_read_table(build_parser().parse(split(text).body)))
        return Taxonomy(path, tags) if tags else None
    return None


def _read_table(tokens: Sequence[Token]) -> Iterator[TaxonomyTag]:
    """The rows of the first table that has a column `tag`."""
    columns: list[str] = []
    row: list[str] = []
    for i, token in enumerate(tokens):
        if token.type in {"th_open", "td_open"}:
            row.append(" ".join(plain_text(tokens[i + 1].children or []).split()))
        elif token.type == "tr_close":
            if columns:
                yield from _entry(dict(zip(columns, row, strict=False)))
            elif "tag" in (names := [name.lower() for name in row]):
                columns = names
            row = []
        elif token.type == "table_close" and columns:
            return


def _entry(cells: dict[str, str]) -> Iterator[TaxonomyTag]:
    tag, kind, aliases, note = (cells.get(column, "") for column in _COLUMNS)
    if tag_key(tag):
        others = tuple(part.strip().lstrip("#") for part in aliases.replace("，", ",").split(",") if part.strip(" #"))
        yield TaxonomyTag(tag.strip().lstrip("#"), kind.lower() if kind.lower() in KINDS else "other", others, note)


def tag_conflicts(wiki: Snapshot, taxonomy: Taxonomy | None) -> list[TagConflict]:
    """Every departure from the agreed tags, by kind and tag. Pages that list tags themselves are left out."""
    uses = _uses(wiki)
    found = [*_against_taxonomy(wiki, uses, taxonomy)] if taxonomy else []
    settled = {tag_key(conflict.tag) for conflict in found}
    canonical = taxonomy.canonical() if taxonomy else {}
    found += _plurals(wiki, {key: use for key, use in uses.items() if key not in settled}, canonical)
    found += _cases(wiki, {key: use for key, use in uses.items() if key not in settled}, canonical)
    return sorted(found, key=lambda conflict: (list(KIND_SEVERITIES).index(conflict.kind), conflict.tag))


_Uses = dict[str, dict[str, list[PageFacts]]]
"""By key, then by spelling: the pages, in order of path."""


def _uses(wiki: Snapshot) -> _Uses:
    uses: _Uses = {}
    for page in wiki.content_pages:
        for label in page.tags:
            uses.setdefault(tag_key(label), {}).setdefault(label, []).append(page)
    return uses


def _pages(use: Mapping[str, Sequence[PageFacts]]) -> list[PageFacts]:
    return sorted({page.path: page for pages in use.values() for page in pages}.values(), key=lambda page: page.path)


def _label(use: Mapping[str, Sequence[PageFacts]]) -> str:
    """The commonest spelling; of several as common, that of the first page by path."""
    return min(use, key=lambda label: (-len(use[label]), use[label][0].path, label))


def _conflict(kind: str, tag: str, canonical: str, pages: Sequence[PageFacts], message: str) -> TagConflict:
    digest = "".join(page.content_hash for page in pages)
    paths = tuple(page.path for page in pages)
    return TagConflict(suggestion_id(digest, kind, tag, canonical), kind, tag, canonical, paths, message)


def _against_taxonomy(wiki: Snapshot, uses: _Uses, taxonomy: Taxonomy) -> Iterator[TagConflict]:
    canonical = taxonomy.canonical()
    own = {tag_key(entry.tag) for entry in taxonomy.tags}
    unknown = [key for key in uses if key not in canonical and key not in _BUILT_IN]
    lone = {_label(uses[key]): None for key in unknown if len(_pages(uses[key])) == 1}
    close = nearest_of(lone, {entry.tag: entry.tag for entry in taxonomy.tags})
    for key, use in sorted(uses.items()):
        pages, label = _pages(use), _label(use)
        if key in canonical and key not in own:
            message = f"#{label} is another spelling of #{canonical[key]}"
            yield _conflict("tag-alias", label, canonical[key], pages, message)
        elif key in unknown:
            meant = close.get(label, "")
            advice = "is not in the taxonomy" + ("" if meant or len(pages) == 1 else ": add it, many pages carry it")
            yield _conflict("tag-unknown", label, meant, pages, f"#{label} {advice}")


def _cases(wiki: Snapshot, uses: _Uses, canonical: Mapping[str, str]) -> Iterator[TagConflict]:
    for key, use in sorted(uses.items()):
        best = canonical.get(key) or _label(use)
        for label, pages in sorted(use.items()):
            if label != best:
                yield _conflict("tag-case", label, best, pages, f"#{label} is spelled #{best} elsewhere")


def _plurals(wiki: Snapshot, uses: _Uses, canonical: Mapping[str, str]) -> Iterator[TagConflict]:
    """Of a singular and its plural, the one in the taxonomy, else the commoner, else the singular."""
    for key, use in sorted(uses.items()):
        for plural in (f"{key}s", f"{key}es", f"{key[:-1]}ies" if key.endswith("y") else ""):
            if len(key) > 2 and plural in uses and not (key in canonical and plural in canonical):
                counts = len(_pages(use)), len(_pages(uses[plural]))
                keep_plural = plural in canonical or (key not in canonical and counts[1] > counts[0])
                wrong, right = (key, plural) if keep_plural else (plural, key)
                label, best = _label(uses[wrong]), canonical.get(right) or _label(uses[right])
                message = f"#{label} and #{best} differ in number only"
                yield _conflict("tag-plural", label, best, _pages(uses[wrong]), message)


def conflicts_below(wiki: Snapshot, conflicts: Sequence[TagConflict], path: str) -> list[TagConflict]:
    """The conflicts on one page, or on the pages below a folder ("" for all): what is agreed holds for all pages, so
    they are found among all of them first."""
    below = path.rstrip("/") + "/"
    found = []
    for conflict in conflicts:
        pages = [page for page in conflict.pages if not path or page == path or page.startswith(below)]
        if pages:
            facts = [wiki.by_path[page] for page in pages]
            found.append(_conflict(conflict.kind, conflict.tag, conflict.canonical, facts, conflict.message))
    return found


def enforce(vault: Path, wiki: Snapshot, conflicts: Sequence[TagConflict], ids: Sequence[str] = ()) -> list[Edit]:
    """The renames as edits of front matter and text: of all conflicts with a canonical tag, or of those with `ids`.

    Raises `StaleEdit` for an id that none of them has, and for a page that has changed since it was indexed.
    """
    refuse_unknown(ids, [conflict.id for conflict in conflicts])
    renames: dict[str, dict[str, RenameTag]] = {}
    for conflict in conflicts:
        if conflict.canonical and (not ids or conflict.id in ids):
            for path in conflict.pages:
                renames.setdefault(path, {}).setdefault(
                    tag_key(conflict.tag), RenameTag(conflict.tag, conflict.canonical)
                )
    edits = (
        repair_note(read_indexed(vault, path, wiki.by_path[path].content_hash), [*wanted.values()])
        for path, wanted in sorted(renames.items())
    )
    return [edit for edit in edits if edit is not None]
