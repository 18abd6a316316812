"""A small network that learns from the large one which plays the large one need not evaluate."""

from __future__ import annotations

import math
from typing import Final

import torch
from torch import Tensor

from ludus.training.backgammon import net
from ludus.training.backgammon.backend import Backend
from ludus.training.backgammon.evaluator import Evaluator, Inputs, NetEvaluator, logits_of
from ludus.training.backgammon.net import Net
from ludus.training.backgammon.selfplay import Games, Pruning
from ludus.training.run import CheckTime, no_limit

SEED: Final = 1 << 39
"""Seed of the games it learns from, between the seeds of self-play and of held-out games."""
RATE, LAST_RATE = 2e-3, 2e-5
EQUITY_WEIGHT: Final = 4.0


def learn_to_prune(
    evaluator: Evaluator, backend: Backend, hidden: int, narrow: int, number: int, games: int, turns: int, steps: int,
    batch: int, chunk: int, check_time: CheckTime = no_limit,
) -> Pruning:  # fmt: skip
    """Distils the evaluator's values of all plays in some turns into a small network."""
    played = Games(backend, games, SEED, all_rolls=True)
    kept = max(1, steps * batch // (4 * turns))
    parts = []
    for turn in range(turns * WARM_UP):
        check_time()
        starts, after = played.list_plays()
        evaluation = evaluator.evaluate(after, after.shape[1])
        if turn % WARM_UP == WARM_UP - 1:
            some = torch.randint(after.shape[1], (min(kept, after.shape[1]),), device=backend.device)
            parts.append((after[:, some].T, evaluation.chances[some]))
        played.advance(played.choose(starts, evaluation), 0.1, 0.1)
    packed, chances = (torch.cat(part) for part in zip(*parts, strict=True))
    small = Net(hidden, narrow).to(backend.device)
    fit(small, packed, chances, backend, steps, batch, check_time)
    return Pruning(NetEvaluator(small, backend, chunk), number)


WARM_UP: Final = 3
"""Turns from one sample to the next, so that the positions differ."""


def fit(
    small: Net, packed: Tensor, chances: Tensor, backend: Backend, steps: int, batch: int, check_time: CheckTime
) -> None:
    inputs = Inputs(backend)
    optimizer = torch.optim.AdamW(small.parameters(), RATE, weight_decay=0.0, fused=backend.device == "cuda")
    for step in range(steps):
        check_time()
        for group in optimizer.param_groups:
            group["lr"] = LAST_RATE + (RATE - LAST_RATE) * (1 + math.cos(math.pi * step / steps)) / 2
        some = torch.randint(len(packed), (batch,), device=backend.device)
        words = packed[some].T.contiguous()
        loss = net.loss(logits_of(small, inputs.expand(words, 0, batch).float(), words), chances[some], EQUITY_WEIGHT)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
