"""Request handlers of the arena, one module a topic."""
