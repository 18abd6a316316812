"""The backgammon engine: a network trained by self-play, exact bear-offs, and two rolls of lookahead."""

from ludus.engines.backgammon.adapter import ADAPTER

__all__ = ["ADAPTER"]
