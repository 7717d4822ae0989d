"""The MCP bridge: the wiki's index for agents, over the Model Context Protocol."""
