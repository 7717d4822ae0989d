"""The names of sources: portable keys, the files they stand for, and which key an entry of a page's `sources` means.

A key is a path below `raw/sources/`, a path from the vault for other folders of raw sources (`_raw/…`), an address,
`conversation:<date>` or `agent:<name>/<id>`. It is never an absolute path.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath
from unicodedata import normalize
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

RAW_ROOT = "raw/sources/"
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|(?:conversation|agent):")
_ADDRESS = re.compile(r"https?://", re.IGNORECASE)
_DRIVE = re.compile(r"[A-Za-z]:[\\/]|\\\\")
_ROOTS = re.compile(r"(?:^|/)(raw/sources/|_raw/)")
# Parameters that say where a visitor came from, not what the page is.
_TRACKING = re.compile(r"utm_\w+|fbclid|gclid|mc_[ce]id|ref_src|spm", re.IGNORECASE)


def is_file_key(key: str) -> bool:
    """Whether the key stands for a file of the vault."""
    return _ELSEWHERE.match(key) is None


def key_of(path: str) -> str:
    """The key of a raw file, by its vault path."""
    return path.removeprefix(RAW_ROOT)


def path_of(key: str) -> str:
    """The vault path of a file's key."""
    return key if key.startswith("_raw/") else RAW_ROOT + key


def kind_of(key: str) -> str:
    """`document`, `url`, `conversation` or `agent`."""
    if is_file_key(key):
        return "document"
    return "url" if "://" in key else key.partition(":")[0]


def portable_key(name: str) -> str:
    """The key that a path or an address is filed under. Of an absolute path that shows no folder of raw sources, only
    the file's name is left."""
    key = normalize("NFC", name.strip())
    if not is_file_key(key):
        return canonical_url(key) if _ADDRESS.match(key) else key
    is_absolute = key.startswith(("/", "~")) or _DRIVE.match(key) is not None
    if _DRIVE.match(key):
        key = key.replace("\\", "/")
    roots = [*_ROOTS.finditer(key)] if is_absolute else [*filter(None, [_ROOTS.match(key.removeprefix("./"))])]
    if roots:
        tail = key[roots[-1].end() :] if is_absolute else key.removeprefix("./")[roots[-1].end() :]
        key = tail if roots[-1][1] == RAW_ROOT else f"_raw/{tail}"
    elif is_absolute:
        key = PurePosixPath(key).name
    return "/".join(part for part in key.split("/") if part not in ("", ".", ".."))


def canonical_url(address: str) -> str:
    """The address by which two visits of one page are known as the same: scheme and host in lower case, no default
    port, no fragment, no tracking parameters. What is no address stays as it is."""
    try:
        parts = urlsplit(address.strip())
        port = parts.port
    except ValueError:
        return address.strip()
    if not parts.netloc:
        return address.strip()
    scheme, host = parts.scheme.lower(), (parts.hostname or "").lower()
    host = f"[{host}]" if ":" in host else host
    if port is not None and port != {"http": 80, "https": 443}.get(scheme):
        host = f"{host}:{port}"
    query = parts.query
    if query and any(_TRACKING.fullmatch(name) for name, _ in parse_qsl(query, keep_blank_values=True)):
        kept = [pair for pair in parse_qsl(query, keep_blank_values=True) if not _TRACKING.fullmatch(pair[0])]
        query = urlencode(kept)
    return urlunsplit((scheme, host, parts.path or "/", query, ""))


class SourceNames:
    """Finds the key that an entry of a page's `sources` means, among all keys there are."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._keys = set(keys)
        self._folded: dict[str, set[str]] = {}
        self._by_name: dict[str, set[str]] = {}
        for key in self._keys:
            self._folded.setdefault(key.casefold(), set()).add(key)
            if is_file_key(key):
                self._by_name.setdefault(key.rpartition("/")[2].casefold(), set()).add(key)

    def find(self, entry: str) -> str | None:
        """The key, or None. `KEY#section` is the source too; a bare file name only where one source has that name."""
        written = entry.strip()
        if written.startswith("[[") and written.endswith("]]"):
            written = written[2:-2].partition("|")[0].strip()
        for candidate in dict.fromkeys((written, written.partition("#")[0].strip())):
            if candidate and (found := self._find(candidate)) is not None:
                return found
        return None

    def _find(self, written: str) -> str | None:
        key = portable_key(written)
        for exact in (normalize("NFC", written), key):
            if exact in self._keys:
                return exact
        for candidates in (self._folded.get(key.casefold(), set()), self._by_name.get(key.casefold(), set())):
            if len(candidates) == 1:
                return next(iter(candidates))
        return None
