"""The checkers engine: a compiled alpha-beta search with an evaluation learned from self-play."""

from ludus.engines.checkers.adapter import ADAPTER

__all__ = ["ADAPTER"]
