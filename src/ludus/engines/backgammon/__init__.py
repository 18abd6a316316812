"""Backgammon played by a network that learned from itself, with exact bear-offs and a look at the next two rolls."""

from ludus.engines.backgammon.adapter import ADAPTER

__all__ = ["ADAPTER"]
