"""A player of checkers: a compiled alpha-beta search with an evaluation that was learned from its own games."""

from ludus.engines.checkers.adapter import ADAPTER

__all__ = ["ADAPTER"]
