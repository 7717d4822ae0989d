"""The kinds of pages and other made files of the site, one file each. A kind says what it makes, and from what."""

from __future__ import annotations

from generator.pages import (
    feed,
    folder,
    graph,
    graph_data,
    health,
    home,
    hot,
    listing,
    llms,
    markdown,
    missing,
    note,
    orphans,
    redirect,
    script,
    search,
    sitemap,
    tag,
    tags,
    text,
    timeline,
    tree,
)
from generator.pages.kind import Kind, Planned

PAGES: tuple[Kind, ...] = (
    note.KIND,
    folder.KIND,
    tag.KIND,
    tags.KIND,
    listing.KIND,
    orphans.KIND,
    health.KIND,
    hot.KIND,
    home.KIND,
    timeline.KIND,
    graph.KIND,
    graph_data.MAP,
    graph_data.NEAR,
    missing.KIND,
    redirect.KIND,
    markdown.KIND,
    llms.KIND,
    feed.KIND,
    sitemap.KIND,
    text.KIND,
    search.KIND,
    script.KIND,
    tree.KIND,
)

__all__ = ["PAGES", "Kind", "Planned"]
