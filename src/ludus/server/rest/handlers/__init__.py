"""The request handlers, one module a topic."""
