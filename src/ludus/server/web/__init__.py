"""Serves the page and what it asks for."""
