"""The arena's WebSocket endpoints."""
