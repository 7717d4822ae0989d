"""The tools, in the order in which clients list them. A new one is a typed function and a line here."""

from mcp_bridge.tools.context import wiki_context
from mcp_bridge.tools.face import ToolFace
from mcp_bridge.tools.insight import daily_update, memory_bridge, wiki_synthesize
from mcp_bridge.tools.neighbors import wiki_neighbors
from mcp_bridge.tools.query import wiki_query
from mcp_bridge.tools.read_page import wiki_read_page
from mcp_bridge.tools.status import wiki_status
from mcp_bridge.tools.upkeep import cross_linker, tag_taxonomy, wiki_lint

TOOLS: tuple[ToolFace, ...] = (
    ToolFace(wiki_query, "Search the wiki", always_load=True),
    ToolFace(wiki_read_page, "Read a page", always_load=True),
    ToolFace(wiki_context, "Gather pages for a question"),
    ToolFace(wiki_neighbors, "What lies around a page"),
    ToolFace(wiki_status, "State of the wiki"),
    ToolFace(memory_bridge, "Which tool knew it"),
    ToolFace(wiki_lint, "What is amiss"),
    ToolFace(cross_linker, "Missing links", writes="all"),
    ToolFace(tag_taxonomy, "Tags against the taxonomy", writes="all"),
    ToolFace(wiki_synthesize, "Pages worth joining"),
    ToolFace(daily_update, "The daily round", writes="generated"),
)
