"""Socket.IO without the rooms: server, WebSocket transport, packets. Knows no games and no service."""
