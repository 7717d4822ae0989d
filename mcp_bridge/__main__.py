"""`python -m mcp_bridge`: the same as `llmwiki-mcp`."""

from mcp_bridge.server import main

if __name__ == "__main__":
    main()
