"""Checks a built site from the outside: every address leads to a file or an id, and every page is sound HTML.

`python tests/site_checker.py SITE` prints what is wrong with a site.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

_ADDRESSES = {"href", "src", "poster", "data", "action"}
_EXTERNAL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")
_RAW_SYNTAX = re.compile(r"!?\[\[|%%")
_VOID_TAGS = "area base br col embed hr img input link meta param source track wbr"
_VOID = frozenset(_VOID_TAGS.split())
_LITERAL = frozenset({"code", "pre", "math", "annotation", "script", "style", "textarea", "title", "svg"})
# An open <p> ends where one of these starts.
_BLOCK_TAGS = """
    address article aside blockquote details dialog div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6
    header hgroup hr main menu nav ol p pre search section table ul
"""
_ENDS_PARAGRAPH = frozenset(_BLOCK_TAGS.split())
_SCOPES = frozenset({"button", "td", "th", "caption", "object", "html", "template", "svg", "math"})
_OPTIONAL_END = frozenset({"li", "dt", "dd", "p", "td", "th", "tr", "option", "tbody", "thead", "tfoot", "rp", "rt"})


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong on one page, or with one file."""

    page: str
    kind: str
    detail: str

    def __str__(self) -> str:
        return f"{self.page}: {self.kind}: {self.detail}"


@dataclass(slots=True)
class _Read:
    """One page read: its ids, the addresses it uses, and its own faults."""

    ids: set[str] = field(default_factory=set)
    addresses: list[str] = field(default_factory=list)
    faults: list[tuple[str, str]] = field(default_factory=list)


def check_site(site: Path) -> list[Fault]:
    """Every fault of the site, in order of path."""
    files = set(_files(site))
    folded = Counter(name.casefold() for name in files)
    faults = [
        Fault(name, "collision", "differs from another file in case only")
        for name in files
        if folded[name.casefold()] > 1
    ]
    pages = {name: _read(site / name) for name in sorted(files) if name.endswith(".html")}
    for name, page in pages.items():
        faults += [Fault(name, kind, detail) for kind, detail in page.faults]
        faults += [
            Fault(name, kind, address) for address in page.addresses if (kind := _follow(name, address, files, pages))
        ]
    return sorted(faults, key=lambda fault: (fault.page, fault.kind, fault.detail))


def _files(site: Path) -> Iterator[str]:
    """Every file, spelled as on disk."""
    for folder, _, names in os.walk(site):
        prefix = Path(folder).relative_to(site).as_posix()
        yield from (name if prefix == "." else f"{prefix}/{name}" for name in names)


def _follow(page: str, address: str, files: set[str], pages: dict[str, _Read]) -> str:
    """What is wrong with an internal address; "" if nothing is."""
    if _EXTERNAL.match(address):
        return ""
    path, _, fragment = address.partition("#")
    path = unquote(path.partition("?")[0], errors="strict")
    parts = page.split("/")[:-1] if path else page.split("/")
    if path.startswith("/"):
        return "absolute-address"
    for part in path.split("/") if path else ():
        if part == "..":
            if not parts:
                return "leaves-the-site"
            parts.pop()
        elif part not in {"", "."}:
            parts.append(part)
    target = "/".join(parts)
    if target not in files:
        return "dead-link"
    if fragment and target in pages and unquote(fragment, errors="strict") not in pages[target].ids:
        return "dead-fragment"
    return ""


def _read(file: Path) -> _Read:
    try:
        text = file.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        page = _Read()
        page.faults.append(("not-utf-8", str(error)))
        return page
    reader = _Reader()
    reader.feed(text)
    reader.close()
    reader.finish()
    if match := _CONTROL.search(text):
        reader.page.faults.append(("control-character", repr(text[max(0, match.start() - 30) : match.end() + 30])))
    return reader.page


class _Reader(HTMLParser):
    """Reads ids and addresses, and holds every end tag against its start tag."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.page = _Read()
        self._open: list[str] = []
        self._foreign = 0  # open <svg> and <math>
        self._note = 0  # how many elements are open where the note's body starts; 0 outside of it

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._start(tag, attrs)
        if tag not in _VOID:
            self._open.append(tag)
            self._foreign += tag in {"svg", "math"}
            if not self._note and "markdown-rendered" in (dict(attrs).get("class") or "").split():
                self._note = len(self._open)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._start(tag, attrs)
        if tag not in _VOID and not self._foreign:
            self.handle_starttag(tag, [])  # in HTML the slash means nothing

    def _start(self, tag: str, attrs: Iterable[tuple[str, str | None]]) -> None:
        seen: set[str] = set()
        for name, value in attrs:
            if name in seen:
                self._fault("double-attribute", f"{name} of <{tag}>")
            seen.add(name)
            if name == "id":
                if value in self.page.ids:
                    self._fault("double-id", str(value))
                self.page.ids.add(value or "")
            elif name in _ADDRESSES or (name == "xlink:href"):
                self.page.addresses.append(value or "")
            elif name.startswith("on"):
                self._fault("event-handler", f"{name} of <{tag}>")
        if not self._foreign and tag in _ENDS_PARAGRAPH and self._in_paragraph():
            self._fault("ends-paragraph", f"<{tag}> in <p> at line {self.getpos()[0]}")
        if tag == "a" and "a" in self._open and not self._foreign and any(name == "href" for name, _ in attrs):
            self._fault("nested-link", f"at line {self.getpos()[0]}")

    def _in_paragraph(self) -> bool:
        for tag in reversed(self._open):
            if tag == "p":
                return True
            if tag in _SCOPES:
                return False
        return False

    def handle_endtag(self, tag: str) -> None:
        if tag in _VOID:
            return
        while self._open and self._open[-1] != tag and self._open[-1] in _OPTIONAL_END and tag in self._open:
            self._open.pop()
        if not self._open or self._open[-1] != tag:
            self._fault("unbalanced", f"</{tag}> at line {self.getpos()[0]}, open: {' '.join(self._open[-4:])}")
            if tag not in self._open:
                return
            while self._open[-1] != tag:
                self._foreign -= self._open.pop() in {"svg", "math"}
        self._foreign -= self._open.pop() in {"svg", "math"}
        if len(self._open) < self._note:
            self._note = 0

    def handle_data(self, data: str) -> None:
        match = _RAW_SYNTAX.search(data) if self._note else None
        if match and not _LITERAL.intersection(self._open):
            self._fault("raw-syntax", repr(data[max(0, match.start() - 30) : match.end() + 30]))

    def finish(self) -> None:
        """What is still open at the end."""
        left = [tag for tag in self._open if tag not in _OPTIONAL_END | {"html", "body"}]
        if left:
            self._fault("unbalanced", f"never closed: {' '.join(left)}")

    def _fault(self, kind: str, detail: str) -> None:
        self.page.faults.append((kind, detail))


def main() -> int:
    """Print the faults of the site that the command line names, then how many of each kind there are."""
    faults = check_site(Path(sys.argv[1]))
    for fault in faults:
        print(fault)
    print(dict(Counter(fault.kind for fault in faults)))
    return min(1, len(faults))


if __name__ == "__main__":
    sys.exit(main())
