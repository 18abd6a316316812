"""Games between two judges, each pair of games with the same dice and the sides changed."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

import torch
from torch import Tensor

from ludus.training.backgammon import turns
from ludus.training.backgammon.games import Games
from ludus.training.backgammon.judge import Judge, Verdict
from ludus.training.backgammon.machine import Machine
from ludus.training.clock import Look, TimeIsOver, never

LONGEST = 500
"""Turns of a game; one that is not over by then, as happens to players who know nothing, counts nothing."""
ROUND_BITS = 20
"""Seeds of rounds are so far apart that those of later measurements lie between them."""


class Result(NamedTuple):
    """Points a game for the first player, with the standard error over pairs of games."""

    points: float
    error: float
    games: int

    def __str__(self) -> str:
        return f"{self.points:+.3f} ± {self.error:.3f} points a game ({self.games:,} games)"


def match(machine: Machine, first: Judge, second: Judge, games: int, seed: int) -> Result:
    return result([play_pairs(machine, first, second, games, seed)])


def matches(
    machine: Machine, first: Judge, others: Sequence[Judge], games: int, most: int, seed: int, look: Look = never
) -> list[Result]:
    """The first player's match with each of the others, in rounds of `most` games at most, a look before the next one.

    If a look ends it, the rounds that were played count, one at least. All of their games are played to the end: those
    that a clock finds finished would be the short ones.
    """
    pairs: list[list[Tensor]] = [[] for _ in others]
    with suppress(TimeIsOver):
        for start in range(0, games, most):
            if start:
                look()
            for other, played in zip(others, pairs, strict=True):
                played.append(play_pairs(machine, first, other, min(most, games - start), seed + (start << ROUND_BITS)))
    return [result(played) for played in pairs]


def result(parts: Sequence[Tensor]) -> Result:
    pair = torch.cat(list(parts))
    return Result(float(pair.mean()), float(pair.std() / len(pair) ** 0.5), 2 * len(pair))


def play_pairs(machine: Machine, first: Judge, second: Judge, games: int, seed: int) -> Tensor:
    """What the first player wins in each pair, a game. Only the first game at each place counts. `games` is even."""
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
    return (score[:pairs] + score[pairs:]) / 2
