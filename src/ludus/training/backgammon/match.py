"""Games between two judges, each pair of games with the same dice and the sides changed."""

from __future__ import annotations

from typing import NamedTuple

import torch

from ludus.training.backgammon import turns
from ludus.training.backgammon.games import Games
from ludus.training.backgammon.judge import Judge, Verdict
from ludus.training.backgammon.machine import Machine

LONGEST = 500
"""Turns of a game; one that is not over by then, as happens to players who know nothing, counts nothing."""


class Result(NamedTuple):
    """Points a game for the first player, with the standard error over pairs of games."""

    points: float
    error: float
    games: int

    def __str__(self) -> str:
        return f"{self.points:+.3f} ± {self.error:.3f} points a game ({self.games:,} games)"


def match(machine: Machine, first: Judge, second: Judge, games: int, seed: int) -> Result:
    """Only the first game at each place counts. `games` is even."""
    table, pairs = Games(machine, games, seed, every=False), games // 2
    table.state[turns.KEY, pairs:] = table.state[turns.KEY, :pairs].clone()
    is_first = torch.arange(games, device=machine.device) < pairs
    score = torch.zeros(games, device=machine.device)
    is_open = torch.ones_like(is_first)
    for _ in range(LONGEST):
        if not is_open.any():
            break
        starts, packed = table.list_plays()
        one, two = first.judge(packed, packed.shape[1]), second.judge(packed, packed.shape[1])
        owner = torch.repeat_interleave(table.counts, output_size=packed.shape[1])
        equity = torch.where(is_first[owner], one.equity, two.equity)
        _, points = table.advance(table.choose(starts, Verdict(one.chances, equity)))
        score += torch.where(is_first, points, -points) * is_open
        is_open &= points == 0
        is_first = ~is_first
    pair = (score[:pairs] + score[pairs:]) / 2
    return Result(float(pair.mean()), float(pair.std() / pairs**0.5), games)
