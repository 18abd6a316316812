"""Checkers on the wire."""
