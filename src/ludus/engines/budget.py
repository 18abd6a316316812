"""How much an engine may look at. Positions are counted, not seconds, so that the same seed plays the same game."""

from __future__ import annotations


class BudgetSpent(Exception):
    """Leaves a search in the midst of it; what is known by then has to do."""


class Budget:
    def __init__(self, nodes: int) -> None:
        self.left = nodes

    def spend(self, nodes: int) -> None:
        self.left -= nodes
        if self.left < 0:
            raise BudgetSpent
