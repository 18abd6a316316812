"""The Socket.IO transport: engine, WebSocket transport, packets."""
