"""TD(λ) targets, and a replay buffer of the newest positions."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from ludus.engines.backgammon.network.features import WORDS
from ludus.training.backgammon.net import flip
from ludus.training.backgammon.selfplay import Turn
from ludus.training.backgammon.turns import OUTCOMES


def targets(turns: Sequence[Turn], lambda_: float) -> Tensor:
    """Chances for each position of each turn: turns × games × outcomes.

    A position's target is its backup: the mean of the best answers to all rolls. The corrections that later turns made
    to their own positions are added, `lambda_` as much with every turn; none of these terms contains the luck of the
    dice.
    """
    target = turns[-1].backup
    every = [target]
    for now, after in zip(reversed(turns[:-1]), reversed(turns[1:]), strict=True):
        correction = flip(target - after.value) * now.is_greedy[:, None]
        target = now.backup + lambda_ * correction
        every.append(target)
    return torch.stack(every[::-1])


class ReplayBuffer:
    """A ring buffer of positions and their targets, or of groups of `positions` side by side."""

    def __init__(self, capacity: int, device: str, positions: int = 1) -> None:
        self.capacity, self.size, self._next = capacity, 0, 0
        self.packed = torch.empty((capacity, positions * WORDS), dtype=torch.int64, device=device)
        self.target = torch.empty((capacity, positions * OUTCOMES), device=device)

    def add(self, packed: Tensor, target: Tensor) -> None:
        """Adds positions and targets, a row for each."""
        where = (torch.arange(len(target), device=target.device) + self._next) % self.capacity
        self.packed[where], self.target[where] = packed, target
        self._next = (self._next + len(target)) % self.capacity
        self.size = min(self.size + len(target), self.capacity)

    def sample(self, number: int, newest: int) -> tuple[Tensor, Tensor]:
        """A random sample of the newest positions, a row for each."""
        back = torch.randint(min(newest, self.size), (number,), device=self.target.device)
        some = (self._next - 1 - back) % self.capacity
        return self.packed[some], self.target[some]
