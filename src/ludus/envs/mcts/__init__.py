"""Monte Carlo tree search over a batch of games, in compiled code."""

from __future__ import annotations

from ludus.envs.mcts.search import MCTS, Found

__all__ = ["MCTS", "Found"]
