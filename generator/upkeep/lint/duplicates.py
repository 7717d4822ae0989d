"""Names that several pages claim."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from generator.analyser import name_key
from generator.upkeep.lint.issue import Issue, LintInput, Rule, issue
from generator.upkeep.snapshot import PageFacts


def _check(c: LintInput) -> Iterator[Issue]:
    for pages in c.wiki.trees:
        yield from _titles(pages)
        yield from _aliases(pages)


def _titles(pages: Sequence[PageFacts]) -> Iterator[Issue]:
    titles: dict[str, list[PageFacts]] = {}
    for page in pages:
        titles.setdefault(name_key(page.title), []).append(page)
    for _, owners in sorted(titles.items()):
        for page in owners if len(owners) > 1 else ():
            message = f"the title “{page.title}” is also that of {_others(owners, page)}"
            yield issue(page, "duplicate-title", "warning", 0, message)


def _aliases(pages: Sequence[PageFacts]) -> Iterator[Issue]:
    aliases: dict[str, list[PageFacts]] = {}
    stems: dict[str, list[PageFacts]] = {}
    for page in pages:
        stems.setdefault(name_key(page.stem), []).append(page)
        for alias in dict.fromkeys(map(name_key, page.aliases)):
            aliases.setdefault(alias, []).append(page)
    for alias, owners in sorted(aliases.items()):
        for page in owners:
            rivals = [other for other in (*owners, *stems.get(alias, ())) if other.id != page.id]
            if rivals:
                message = f"the alias “{_spelled(page, alias)}” is also a name of {_others(rivals, page)}"
                yield issue(page, "duplicate-alias", "warning", 0, message)


RULE = Rule({"duplicate-title": "warning", "duplicate-alias": "warning"}, _check)


def _others(pages: list[PageFacts], page: PageFacts) -> str:
    paths = sorted({other.path for other in pages if other.id != page.id})
    return ", ".join(paths[:3]) + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")


def _spelled(page: PageFacts, key: str) -> str:
    return next((alias for alias in page.aliases if name_key(alias) == key), key)
