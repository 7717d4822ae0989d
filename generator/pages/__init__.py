"""The kinds of pages of the site, one file each. A kind says which pages it makes, and what each is made from."""

from __future__ import annotations

from generator.pages import folder, home, hot, listing, missing, note, orphans, tag, tags
from generator.pages.kind import Kind, Planned

PAGES: tuple[Kind, ...] = (
    note.KIND,
    folder.KIND,
    tag.KIND,
    tags.KIND,
    listing.KIND,
    orphans.KIND,
    hot.KIND,
    home.KIND,
    missing.KIND,
)

__all__ = ["PAGES", "Kind", "Planned"]
