"""The tools, in the order in which clients list them. A new one is a typed function and a line here."""

from mcp_bridge.tools.context import wiki_context
from mcp_bridge.tools.face import ToolFace
from mcp_bridge.tools.ingest import ingest_queue
from mcp_bridge.tools.insight import daily_update, memory_bridge, wiki_synthesize
from mcp_bridge.tools.neighbors import wiki_neighbors
from mcp_bridge.tools.query import wiki_query
from mcp_bridge.tools.read_page import wiki_read_page
from mcp_bridge.tools.status import wiki_status
from mcp_bridge.tools.upkeep import cross_linker, tag_taxonomy, wiki_lint

TOOLS: tuple[ToolFace, ...] = (
    ToolFace(wiki_query, "Search", always_load=True),
    ToolFace(wiki_read_page, "Read page", always_load=True),
    ToolFace(wiki_context, "Gather pages"),
    ToolFace(wiki_neighbors, "Around a page"),
    ToolFace(wiki_status, "State"),
    ToolFace(memory_bridge, "Memory"),
    ToolFace(wiki_lint, "Lint"),
    ToolFace(cross_linker, "Links", writes="all"),
    ToolFace(tag_taxonomy, "Tags", writes="all"),
    ToolFace(wiki_synthesize, "Synthesize"),
    ToolFace(daily_update, "Daily round", writes="generated"),
    ToolFace(ingest_queue, "Sources", writes="generated", idempotent=False),
)
