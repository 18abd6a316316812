"""The plain WebSocket transport: protocol, frames, connections."""
