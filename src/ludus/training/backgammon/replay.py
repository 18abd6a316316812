"""What turns teach: targets for every position, and a store of the last ones to learn from again."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from ludus.engines.backgammon.network.features import WORDS
from ludus.training.backgammon.games import Seen
from ludus.training.backgammon.net import flip
from ludus.training.backgammon.turns import OUTCOMES


def targets(turns: Sequence[Seen], trace: float) -> Tensor:
    """Chances for each position of each turn: turns × games × outcomes.

    A position is worth what the best answers to all rolls are worth on average. What the turns after it found out about
    their own positions is added, `trace` as much with every turn: the luck of the dice is in none of these terms.
    """
    found = turns[-1].backed
    every = [found]
    for now, after in zip(reversed(turns[:-1]), reversed(turns[1:]), strict=True):
        news = flip(found - after.value) * now.follows[:, None]
        found = now.backed + trace * news
        every.append(found)
    return torch.stack(every[::-1])


class Lessons:
    """The newest positions with their targets, as many as there is room for."""

    def __init__(self, room: int, device: str) -> None:
        self.room, self.number, self._next = room, 0, 0
        self.packed = torch.empty((room, WORDS), dtype=torch.int64, device=device)
        self.target = torch.empty((room, OUTCOMES), device=device)

    def add(self, packed: Tensor, target: Tensor) -> None:
        """Positions in columns, targets in rows."""
        where = (torch.arange(len(target), device=target.device) + self._next) % self.room
        self.packed[where], self.target[where] = packed.T, target
        self._next = (self._next + len(target)) % self.room
        self.number = min(self.number + len(target), self.room)

    def draw(self, number: int, newest: int) -> tuple[Tensor, Tensor]:
        """Some of the newest at random: positions in columns, targets in rows."""
        back = torch.randint(min(newest, self.number), (number,), device=self.target.device)
        some = (self._next - 1 - back) % self.room
        return self.packed[some].T.contiguous(), self.target[some]
