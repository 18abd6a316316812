"""Plain WebSockets: the protocol below the application, and connections."""
