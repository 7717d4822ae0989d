"""The part of the wiki that an operation looks at: all of it, a folder, or one page by any of its names."""

from __future__ import annotations

from generator.lookup import find_page
from generator.query import Program, Query


def scope_of(name: str) -> Program[str]:
    """The path of the folder or page that `name` means; "" for all. Raises `PageNotFound`, `AmbiguousPage`."""
    wanted = name.strip().removeprefix("./").rstrip("/")
    if not wanted or wanted == ".":
        return ""
    sql = "SELECT path FROM wiki_pages WHERE substr(path, 1, ?) = ? LIMIT 1"
    below = yield Query(sql, (len(wanted) + 1, wanted + "/"), tuple)
    if below:
        return wanted
    return (yield from find_page(name)).path
