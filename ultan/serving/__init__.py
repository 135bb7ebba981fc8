"""One process that keeps things warm: the socket, MCP and the reading room."""
