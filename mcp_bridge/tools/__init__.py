"""The tools, in the order in which clients list them. A new one is a typed function and a line here."""

from mcp_bridge.tools.face import ToolFace
from mcp_bridge.tools.query import wiki_query
from mcp_bridge.tools.read_page import wiki_read_page
from mcp_bridge.tools.status import wiki_status

TOOLS: tuple[ToolFace, ...] = (
    ToolFace(wiki_query, "Search the wiki", always_load=True),
    ToolFace(wiki_read_page, "Read a page", always_load=True),
    ToolFace(wiki_status, "State of the wiki"),
)
