"""Where each file of the vault stands in the site: the vault's own paths, with `.html`, made safe for every system.

The places of the generated pages are theirs; a note of the same name moves aside. Two names that a file system might
take for one (case, Unicode form, replaced characters) get a suffix made from the path, so that the answer depends on
the set of paths alone.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from hashlib import md5
from urllib.parse import quote

from generator.analyser import name_key

ASSETS = "_assets"
SEARCH = f"{ASSETS}/search"
FEED = "feed.xml"
SITEMAP = "sitemap.xml"
LLMS = "llms.txt"
GENERATED = frozenset(
    {
        "index.html",
        "tags.html",
        "pages.html",
        "orphans.html",
        "hot.html",
        "timeline.html",
        "graph.html",
        "health.html",
        "search.html",
        "404.html",
    }
    | {FEED, SITEMAP, LLMS}
)
_GENERATED_ROOTS = frozenset({"tags", "timeline", ASSETS})
_RESERVED = re.compile(r'[<>:"|?*\\\x00-\x1f]')
_DEVICE = re.compile(r"(?i)(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?")
_SEGMENT_BYTES = 200


def page_urls(paths: Iterable[str]) -> dict[str, str]:
    """The output path of each published note."""
    return _assign({path: safe_path(path[:-3]) + ".html" for path in paths}, ())


def file_urls(paths: Iterable[str], pages: Collection[str]) -> dict[str, str]:
    """The output path of each attachment, beside the pages at `pages`."""
    return _assign({path: safe_path(path) for path in paths}, pages)


def folder_url(folder: str) -> str:
    """The output path of a folder's page."""
    return f"{safe_path(folder)}/index.html" if folder else "index.html"


def markdown_url(page_url: str) -> str:
    """The output path of a page's Markdown, beside the page."""
    return page_url.removesuffix(".html") + ".md"


def text_url(page_url: str, part: int = 0) -> str:
    """The output path of a page's text, as a script; long texts have several parts."""
    folder = f"text-{part}" if part else "text"
    return f"{ASSETS}/{folder}/{page_url.removesuffix('.html')}.js"


def safe_path(path: str) -> str:
    """`path` with every segment one that all file systems accept."""
    return "/".join(map(_safe_segment, path.split("/")))


def _safe_segment(name: str) -> str:
    safe = _RESERVED.sub("_", name)
    if safe[-1:] in {".", " "}:
        safe = safe.rstrip(". ") + "_"
    if safe[:1] in {".", " "} or _DEVICE.fullmatch(safe):
        safe = "_" + safe
    if len(safe.encode()) > _SEGMENT_BYTES:
        head = safe.encode()[: _SEGMENT_BYTES - 12].decode("utf-8", "ignore")
        safe = f"{head}-{_digest(name)}"
    return safe


def _assign(wanted: Mapping[str, str], taken: Collection[str]) -> dict[str, str]:
    """Resolve collisions: of several, the one whose wish equals its own path stays, the others get a suffix."""
    used = {name_key(url) for url in taken}
    result: dict[str, str] = {}
    # Those whose names needed no replacement first: they keep their names whatever else comes.
    order = sorted(wanted, key=lambda path: (not path.startswith(wanted[path].rpartition(".")[0]), path))
    for path in order:
        url = wanted[path]
        stem, dot, ending = url.rpartition(".")
        if is_generated(url):
            url = f"{stem}-note{dot}{ending}"
        if name_key(url) in used:
            url = f"{stem}-{_digest(path)}{dot}{ending}" if stem else f"{url}-{_digest(path)}"
        used.add(name_key(url))
        result[path] = url
    return result


def is_generated(url: str) -> bool:
    """Whether a generated page may stand there: site pages, tag pages, folder pages."""
    key = name_key(url)
    return key in GENERATED or key.split("/")[0] in _GENERATED_ROOTS or key.endswith("/index.html")


def _digest(text: str) -> str:
    return md5(text.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()[:8]


@lru_cache(maxsize=1 << 15)
def quote_path(url: str) -> str:
    """An output path, percent-encoded for an href."""
    return quote(url, safe="/-_.~!$&'()*+,;=@")


def absolute_url(base_url: str, url: str) -> str:
    """The address of an output path, for what must be found from elsewhere."""
    return f"{base_url.rstrip('/')}/{'' if url == 'index.html' else quote_path(url)}"


def root_prefix(url: str) -> str:
    """The relative way from the page at `url` to the site's root: `../../` or ""."""
    return "../" * url.count("/")


def relative_href(root: str, url: str, anchor: str = "") -> str:
    """The href, not yet HTML-escaped, from a page with that root prefix."""
    return f"{root}{quote_path(url)}#{quote(anchor, safe=_ANCHOR_SAFE)}" if anchor else root + quote_path(url)


_ANCHOR_SAFE = "/-_.~!$&'()*+,;=:@?^="
