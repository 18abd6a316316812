"""Matches between two evaluators, in pairs of games with the same dice and sides swapped."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

import torch
from torch import Tensor

from ludus.training.backgammon import turns
from ludus.training.backgammon.backend import Backend
from ludus.training.backgammon.evaluator import Evaluation, Evaluator
from ludus.training.backgammon.selfplay import Games
from ludus.training.run import CheckTime, OutOfTime, no_limit

MAX_TURNS = 500
"""A longer game, which untrained players may have, counts 0 points."""
ROUND_BITS = 20
"""Rounds' seeds are far enough apart for those of later measurements to fit between them."""


class Result(NamedTuple):
    """Points per game for the first player, with the standard error over pairs of games."""

    points: float
    error: float
    games: int


def matches(
    backend: Backend, first: Evaluator, others: Sequence[Evaluator], games: int, most: int, seed: int,
    check_time: CheckTime = no_limit,
) -> list[Result]:  # fmt: skip
    """The first player's match with each of the others, in rounds of at most `most` games.

    Time is checked between rounds; out of time, the rounds played count, at least one. Their games are always finished:
    dropping unfinished ones would favor short games.
    """
    pairs: list[list[Tensor]] = [[] for _ in others]
    with suppress(OutOfTime):
        for start in range(0, games, most):
            if start:
                check_time()
            for other, played in zip(others, pairs, strict=True):
                played.append(play_pairs(backend, first, other, min(most, games - start), seed + (start << ROUND_BITS)))
    return [result(played) for played in pairs]


def result(parts: Sequence[Tensor]) -> Result:
    pair = torch.cat(list(parts))
    return Result(float(pair.mean()), float(pair.std() / len(pair) ** 0.5), 2 * len(pair))


def play_pairs(backend: Backend, first: Evaluator, second: Evaluator, games: int, seed: int) -> Tensor:
    """The first player's points per game in each pair. Only each slot's first game counts. `games` must be even."""
    played, pairs = Games(backend, games, seed, all_rolls=False), games // 2
    played.state[turns.KEY, pairs:] = played.state[turns.KEY, :pairs].clone()
    is_first = torch.arange(games, device=backend.device) < pairs
    score = torch.zeros(games, device=backend.device)
    is_open = torch.ones_like(is_first)
    for _ in range(MAX_TURNS):
        if not is_open.any():
            break
        starts, packed = played.list_plays()
        one, two = first.evaluate(packed, packed.shape[1]), second.evaluate(packed, packed.shape[1])
        owner = torch.repeat_interleave(played.counts, output_size=packed.shape[1])
        equity = torch.where(is_first[owner], one.equity, two.equity)
        _, points = played.advance(played.choose(starts, Evaluation(one.chances, equity)))
        score += torch.where(is_first, points, -points) * is_open
        is_open &= points == 0
        is_first = ~is_first
    return (score[:pairs] + score[pairs:]) / 2
