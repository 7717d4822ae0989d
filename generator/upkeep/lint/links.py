"""Links that lead nowhere, to a part that is not there, or to what may be another page than was meant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from generator.syntax.media import MEDIA_EXTENSIONS, extension
from generator.upkeep.likeness import nearest, nearest_of
from generator.upkeep.lint.issue import Issue, LintInput, Rule, issue
from generator.upkeep.repair import Relink
from generator.upkeep.snapshot import LinkFacts, PageFacts

_FIXED_KINDS = frozenset({"wikilink", "markdown", "property"})
_MEDIA = frozenset().union(*MEDIA_EXTENSIONS.values())


def _check(c: LintInput) -> Iterator[Issue]:
    close = _nearest_files(c)
    for link in c.wiki.links:
        if not link.status:
            continue
        words, page = set(link.status.split()), c.wiki.pages[link.source]
        if "missing" in words:
            yield _broken(c, page, link, close)
        elif "ambiguous" in words or "tied" in words:
            yield from _ambiguous(c, page, link)
        elif "alias" in words:
            yield _alias(c, page, link)
        if "subpath" in words:
            yield _subpath(c, page, link)


RULE = Rule(
    {
        "broken-link": "warning",
        "missing-heading": "warning",
        "missing-block": "warning",
        "ambiguous-link": "warning",
        "alias-link": "info",
    },
    _check,
)


def _nearest_files(c: LintInput) -> Mapping[str, str]:
    """For each missing name the one file whose name is nearest to it."""
    wanted = {_base(link.name): None for link in c.wiki.links if link.status == "missing" and link.name}
    if not wanted or not c.mends:
        return {}
    known: dict[str, str] = {}
    shared: set[str] = set()
    for path in c.wiki.files.values():
        name = _base(path)
        shared.update({name} if name in known else ())
        known[name] = path
    found = nearest_of(wanted, known)
    return {name: path for name, path in found.items() if _base(path) not in shared and _fits(name, path)}


def _base(path: str) -> str:
    name = path.rpartition("/")[2]
    return name[:-3] if name[-3:].lower() == ".md" else name


def _fits(name: str, path: str) -> bool:
    """A picture is no substitute for a note, nor the other way round."""
    ending = extension(path)
    return (ending if ending != "md" else "") == (extension(name) if extension(name) in _MEDIA else "")


def _broken(c: LintInput, page: PageFacts, link: LinkFacts, close: Mapping[str, str]) -> Issue:
    what = "embed" if link.embed else "link"
    message = f"{what} to “{_written(link)}”: there is no such file"
    path = close.get(_base(link.name), "")
    if not path or link.kind not in _FIXED_KINDS:
        return _issue(page, "broken-link", link, message)
    target = c.wiki.by_path.get(path)
    name = c.wiki.link_name(target, page.path) if target else path
    return _relinked(page, "broken-link", link, message, name, link.subpath)


def _issue(
    page: PageFacts,
    code: str,
    link: LinkFacts,
    message: str,
    about: str = "",
    fix: str = "",
    repair: Relink | None = None,
) -> Issue:
    about = about or _written(link)
    return issue(page, code, RULE.codes[code], link.line, message, fix=fix, repair=repair, about=about)


def _relinked(
    page: PageFacts, code: str, link: LinkFacts, message: str, name: str, subpath: str, about: str = ""
) -> Issue:
    fix = f"link to {name}#{subpath}" if subpath and name else f"link to {name or '#' + subpath}"
    return _issue(page, code, link, message, about, fix, Relink(link.name, link.subpath, name, subpath))


def _ambiguous(c: LintInput, page: PageFacts, link: LinkFacts) -> Iterator[Issue]:
    others = [path for path in link.candidates.split("\n") if path in c.wiki.paths]
    chosen = c.wiki.files.get(link.target) if link.target is not None else None
    paths = sorted({*others, *([chosen] if chosen else [])})
    if len(paths) < 2:  # the others are not to be named
        return
    named = ", ".join(paths[:4])
    message = f"link to “{_written(link)}” may mean {len(paths)} files: {named}"
    about = f"{_written(link)} → {named}"
    target = c.wiki.by_path.get(chosen or "") if c.mends else None
    if target is None or link.kind not in _FIXED_KINDS:
        yield _issue(page, "ambiguous-link", link, message, about)
    else:
        name = c.wiki.link_name(target, page.path)
        yield _relinked(page, "ambiguous-link", link, message, name, link.subpath, about)


def _alias(c: LintInput, page: PageFacts, link: LinkFacts) -> Issue:
    target = c.wiki.pages.get(link.target or 0) if c.mends else None
    message = f"link to “{_written(link)}” uses an alias: Obsidian shows it as not created"
    if target is None or link.kind not in _FIXED_KINDS:
        return _issue(page, "alias-link", link, message)
    name = c.wiki.link_name(target, page.path)
    shown = f"[[{name}|{link.label or link.name}]]"
    repair = Relink(link.name, link.subpath, name, link.subpath, label=link.name)
    return _issue(page, "alias-link", link, message, fix=f"write {shown}", repair=repair)


def _subpath(c: LintInput, page: PageFacts, link: LinkFacts) -> Issue:
    target = c.wiki.files.get(link.target or 0, page.path)
    where = "on this page" if link.target == link.source else f"in {target}"
    if link.subpath.startswith("^"):
        return _issue(
            page, "missing-block", link, f"link to “{_written(link)}”: there is no block {link.subpath} {where}"
        )
    message = f"link to “{_written(link)}”: there is no heading “{link.subpath}” {where}"
    texts = [heading.text for heading in c.headings.get(link.target or 0, ())]
    close = nearest(link.subpath.rpartition("#")[2], texts) if texts else ""
    if not close or link.kind not in _FIXED_KINDS or any(char in close for char in "#|[]^"):
        return _issue(page, "missing-heading", link, message)
    return _relinked(page, "missing-heading", link, message, link.name, close)


def _written(link: LinkFacts) -> str:
    return f"{link.name}#{link.subpath}" if link.subpath else link.name
