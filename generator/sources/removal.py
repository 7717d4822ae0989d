"""A source is removed: what was made from it alone goes, what was made from others too only forgets it.

First the plan, from the index; then it is carried out, after everything that it touches was copied to the trash.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from generator.errors import WikiError
from generator.model import Edit, Finding, Found
from generator.sources.errors import SourceNotFound
from generator.sources.keys import SourceNames, is_file_key, path_of
from generator.sources.manifest import Manifest
from generator.sources.scan import file_of
from generator.sources.unlink import cleaned
from generator.syntax.wikilink import find_wikilinks
from generator.upkeep.edits import read_indexed
from generator.upkeep.snapshot import PageFacts, Snapshot

SUMMARY_CATEGORY = "sources"


@dataclass(frozen=True, slots=True)
class Removal:
    """What removing a source would do.

    `deleted` maps the paths of pages that go to their MD5; `edits` are the changes of others; `unsourced` are pages
    that stay without any source; `raw_file` is the path of the file that goes to the trash ("" for none); `left` are
    places that still name what is gone, and must be changed by hand.
    """

    key: str
    deleted: Mapping[str, str]
    edits: tuple[Edit, ...]
    unsourced: tuple[str, ...]
    raw_file: str
    left: tuple[Finding, ...]


def summary_pages(wiki: Snapshot, names: SourceNames, key: str) -> list[PageFacts]:
    """The pages of the category `sources` whose only source this is."""
    return [
        page
        for page in wiki.content_pages
        if page.category.casefold() == SUMMARY_CATEGORY
        and page.sources
        and all(names.find(entry) == key for entry in page.sources)
    ]


def source_names(manifest: Manifest, raw_keys: Sequence[str], *more: str) -> SourceNames:
    """All sources that a page may name: those of the manifest, and files that are not in it yet."""
    return SourceNames([*manifest.sources, *raw_keys, *more])


def plan_removal(
    vault: Path, wiki: Snapshot, manifest: Manifest, raw_keys: Sequence[str], key: str, *, with_file: bool = False
) -> Removal:
    """What must be done so that nothing names the source any more, nor a page that goes with it.

    `raw_keys` are the keys of all raw files there are. The index must be up to date. Raises `SourceNotFound` for a key
    that neither the manifest, nor a file, nor a page knows, `StaleEdit` for a page that has changed since it was
    indexed.
    """
    names = source_names(manifest, raw_keys, key)
    citing = [page for page in wiki.pages.values() if any(names.find(entry) == key for entry in page.sources)]
    if key not in manifest.sources and key not in raw_keys and not citing:
        raise SourceNotFound(f"there is no source {key!r}", hint="`llmwiki source list` shows those there are")
    gone_pages = {page.id: page for page in summary_pages(wiki, names, key)}
    raw_file = path_of(key) if with_file and is_file_key(key) and file_of(vault, key) is not None else ""
    gone = set(gone_pages) | {id_ for id_, path in wiki.files.items() if raw_file and path == raw_file}
    cascade = _Cascade(vault, wiki, names, key, frozenset(gone))
    edits, left = cascade.run({page.id for page in citing} - gone)
    return Removal(
        key=key,
        deleted={page.path: page.content_hash for page in gone_pages.values()},
        edits=edits,
        unsourced=tuple(
            page.path
            for page in citing
            if page.id not in gone and all(cascade.is_gone(page.path, "sources", entry) for entry in page.sources)
        ),
        raw_file=raw_file,
        left=left,
    )


class _Cascade:
    """The pages that name what is gone, each cleaned."""

    def __init__(self, vault: Path, wiki: Snapshot, names: SourceNames, key: str, gone: frozenset[int]) -> None:
        self._vault = vault
        self._wiki = wiki
        self._names = names
        self._key = key
        self._gone = gone
        self._gone_paths = {wiki.files[id_] for id_ in gone}

    def run(self, citing: set[int]) -> tuple[tuple[Edit, ...], tuple[Finding, ...]]:
        targets = self._targets()
        touched = {id_ for id_ in citing | targets.keys() | self._relating() if id_ not in self._gone}
        edits, left = [], []
        for page in sorted((self._wiki.pages[id_] for id_ in touched), key=lambda page: page.path):
            try:
                source = read_indexed(self._vault, page.path, page.content_hash)
            except WikiError as error:
                if error.code == "STALE":
                    raise
                left.append(Finding("unreadable", "warning", page.path, 0, error.message))
                continue
            is_index = bool(page.special) and page.path.rpartition("/")[2] == "index.md"
            result = cleaned(
                source, targets.get(page.id, frozenset()), partial(self.is_gone, page.path), drop_lines=is_index
            )
            edits += [result.edit] if result.edit else []
            left += [replace(finding, path=page.path) for finding in result.left]
        return tuple(edits), tuple(left)

    def _targets(self) -> dict[int, frozenset[str]]:
        """For each page the targets, as written there, that open what is gone: the index has resolved them."""
        found: dict[int, set[str]] = {}
        for link in self._wiki.links:
            if link.target in self._gone and link.name and link.source not in self._gone:
                found.setdefault(link.source, set()).add(link.name)
        return {page: frozenset(names) for page, names in found.items()}

    def _relating(self) -> set[int]:
        """The pages that name what is gone in `related` or `relationships`, with or without link brackets."""
        if not self._gone:
            return set()
        return {
            page.id
            for page in self._wiki.pages.values()
            if '"relat' in page.meta_json.lower()
            and any(self.is_gone(page.path, name, entry) for name, entry in _relations(page))
        }

    def is_gone(self, path: str, name: str, entry: str) -> bool:
        """Whether an entry of a page's list names the source, or a page that goes."""
        if name == "sources":
            return self._names.find(entry) == self._key or self._opens_gone(entry, path, links_only=True)
        return self._opens_gone(entry, path, links_only=False)

    def _opens_gone(self, entry: str, path: str, *, links_only: bool) -> bool:
        """Whether the entry is a link, or a name, that opens what is gone; text around a link stays, without it."""
        written = entry.strip()
        links = find_wikilinks(written)
        if links:
            is_bare = len(links) == 1 and written.startswith("[[") and written.endswith("]]")
            target = links[0].target if is_bare else ""
        else:
            target = "" if links_only else written.partition("#")[0]
        if not target:
            return False
        opened = self._wiki.names.resolve(target, path)
        return isinstance(opened, Found) and opened.path in self._gone_paths


def _relations(page: PageFacts) -> Iterator[tuple[str, str]]:
    """Property and text of each entry of `related` and `relationships`."""
    for name in ("related", "relationships"):
        value = page.meta.get(name)
        for item in value if isinstance(value, list) else [value]:
            named = item.get("target") if isinstance(item, dict) else item
            if isinstance(named, list) and len(named) == 1:  # [[name]] without quotes
                named = f"[[{named[0]}]]"
            if isinstance(named, str):
                yield name, named
