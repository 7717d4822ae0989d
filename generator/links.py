"""Which file a link opens: Obsidian's lookup rules, in one pure function.

Names are compared as NFC and casefolded, `.md` is optional. An exact path wins, then a note in the link's own folder,
then the shortest path; what still ties is decided by order and reported. Aliases come last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from generator.analyser import name_key, path_key
from generator.model import Ambiguous, Block, Found, Heading, Missing, Resolution
from generator.syntax.heading import heading_key


class NameTable:
    """Every name that a link may use: the vault's paths and the pages' aliases."""

    def __init__(
        self, paths: Iterable[str], aliases: Mapping[str, Sequence[str]] | None = None, *, nearest: bool = False
    ) -> None:
        """`paths` of notes and attachments; `aliases` maps a page's path to its aliases; with `nearest`, the
        candidate that shares most folders with the link's page wins (for vaults with one tree a language)."""
        self.nearest = nearest
        self._by_path: dict[str, list[str]] = {}
        self._by_name: dict[str, list[tuple[str, str]]] = {}  # the last segment of a key → (key, path)
        self._by_alias: dict[str, list[str]] = {}
        for path in sorted(paths):
            key = path_key(path)
            self._by_path.setdefault(key, []).append(path)
            self._by_name.setdefault(key.rpartition("/")[2], []).append((key, path))
        for path, names in sorted((aliases or {}).items()):
            for alias in dict.fromkeys(map(name_key, names)):
                self._by_alias.setdefault(alias, []).append(path)
        self._memo: dict[tuple[str, str], Resolution] = {}
        # The same target is written in many folders: what does not depend on the folder is looked up once.
        self._key = lru_cache(maxsize=None)(path_key)
        self._anywhere = lru_cache(maxsize=None)(self._look_up_anywhere)

    def resolve(self, target: str, source: str) -> Resolution:
        """The file that `target` (as written, without subpath) opens from the page `source`; "" is the page itself."""
        if not target:
            return Found(source)
        folder = source.rpartition("/")[0]
        known = self._memo.get((target, folder))
        if known is None:
            known = self._memo[target, folder] = self._look_up(target, folder)
        return known

    def _look_up(self, target: str, folder: str) -> Resolution:
        if target.startswith(("./", "../")):
            path = _join(folder, target)
            found = self._exact(path_key(path), path) if path is not None else None
            return found or Missing()
        key = self._key(target.strip("/"))
        if key in self._by_path and (not self.nearest or "/" in key):
            return self._exact(key, target.lstrip("/")) or Missing()
        if folder and (own := f"{self._key(folder + '/')}{key}") in self._by_path:
            return self._exact(own, f"{folder}/{target}") or Missing()
        return self._anywhere(target, folder if self.nearest else "")

    def _look_up_anywhere(self, target: str, folder: str) -> Resolution:
        """The best file with that name in any folder, else the page with that alias."""
        key = self._key(target.strip("/"))
        suffix, name = "/" + key, key.rpartition("/")[2]
        candidates = [path for found, path in self._by_name.get(name, ()) if found == key or found.endswith(suffix)]
        if candidates:
            return self._choose(candidates, target, folder)
        claimants = self._by_alias.get(name_key(target), ())
        if self.nearest and len(claimants) > 1:
            closest = max(_shared_folders(path, folder) for path in claimants)
            claimants = [path for path in claimants if _shared_folders(path, folder) == closest]
        if len(claimants) == 1:
            return Found(claimants[0], via_alias=True)
        return Ambiguous(tuple(claimants)) if claimants else Missing()

    def _exact(self, key: str, written: str) -> Found | None:
        paths = self._by_path.get(key)
        if not paths:
            return None
        return self._choose(paths, written, "") if len(paths) > 1 else Found(paths[0])

    def _choose(self, candidates: Sequence[str], written: str, folder: str) -> Found:
        """The best of several: nearest where asked for, an attachment before `name.ext.md`, the shortest path, the one
        spelled as written."""

        def rank(path: str) -> tuple[int, bool, int, bool]:
            shared = -_shared_folders(path, folder) if self.nearest else 0
            return (shared, not _ends(name_key(path), name_key(written)), len(path), not _is_spelled(path, written))

        ranked = sorted(candidates, key=lambda path: (*rank(path), path))
        best = rank(ranked[0])
        return Found(ranked[0], tied=tuple(path for path in ranked[1:] if rank(path) == best))


def last_segment(target: str, source: str) -> str:
    """The key of the file name that `target`, written on the page `source`, asks for: no other can be what it opens,
    but for aliases."""
    if target.startswith(("./", "../")):
        target = _join(source.rpartition("/")[0], target) or ""
    return path_key(target.strip("/")).rpartition("/")[2]


def _is_spelled(path: str, written: str) -> bool:
    """Whether the path is the written one in case too."""
    return _ends(path, written) or _ends(path[:-3], written)


def _ends(path: str, end: str) -> bool:
    return path == end or path.endswith("/" + end)


def _shared_folders(path: str, folder: str) -> int:
    count = 0
    for mine, theirs in zip(path.split("/")[:-1], folder.split("/") if folder else (), strict=False):
        if mine != theirs:
            break
        count += 1
    return count


def _join(folder: str, relative: str) -> str | None:
    """`relative` from `folder`, or None where it leaves the vault."""
    parts = folder.split("/") if folder else []
    for part in relative.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in {"", "."}:
            parts.append(part)
    return "/".join(parts)


def find_anchor(
    subpath: str, headings: Sequence[Heading], blocks: Sequence[Block], *, slugs: bool = False
) -> str | None:
    """The id in the page that a subpath names: `^block`, `Heading` or `Heading#Deeper heading`; None if there is none.

    `slugs` also accepts the id itself, which Markdown links from other tools use.
    """
    if subpath.startswith("^"):
        wanted = subpath[1:].strip().lower()
        return f"^{wanted}" if any(block.id == wanted for block in blocks) else None
    heading = find_heading(subpath, headings)
    if heading is not None:
        return heading.anchor
    if slugs and any(item.anchor == subpath for item in headings):
        return subpath
    return None


def find_heading(subpath: str, headings: Sequence[Heading]) -> Heading | None:
    """The heading that a subpath names; each further step must lie deeper, within the section of the one before."""
    steps = [key for key in map(heading_key, subpath.split("#")) if key]
    found = _descend(steps, headings, None) if steps else None
    if found is None and len(steps) > 1:
        whole = heading_key(subpath)  # a heading with `#` in its text
        found = next((item for item in headings if _matches(item, whole)), None)
    return found


def _descend(steps: Sequence[str], headings: Sequence[Heading], outer: Heading | None) -> Heading | None:
    """The first way down; it ends soon, since each step lies deeper than the one before."""
    for item in headings:
        if _matches(item, steps[0]) and (outer is None or _inside(item, outer)):
            found = item if len(steps) == 1 else _descend(steps[1:], headings, item)
            if found is not None:
                return found
    return None


def _matches(heading: Heading, key: str) -> bool:
    return heading_key(heading.text) == key or (heading.raw != "" and heading_key(heading.raw) == key)


def _inside(heading: Heading, outer: Heading) -> bool:
    return heading.level > outer.level and outer.start < heading.start < outer.end
