"""Deprecated; use `ludus.client.find_match`."""

from ludus.client.matchmaking import find_match

__all__ = ["find_match"]
