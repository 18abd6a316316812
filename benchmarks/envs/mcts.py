"""The batched tree search on one core, beside OpenSpiel's in C++: both play leaves out at random."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.envs.figures import Row, ratio
from benchmarks.envs.peers import measure
from benchmarks.report import cpu_seconds
from ludus.envs.batched import batch
from ludus.envs.mcts import MCTS

GAMES, SIMULATIONS, STEPS = 256, 64, 25
"""Games of a batch, simulations of each, and the steps of random play before."""


def rows() -> list[Row]:
    return [row for game in ("checkers", "backgammon") for row in game_rows(game)]


def game_rows(game: str) -> list[Row]:
    peer = measure("openspiel", game, "search")["simulations"]
    name = "OpenSpiel's MCTSBot"
    return [
        ratio(f"tree search, {game}, PUCT, simulations/s per core", speed(game, None, "puct"), peer, name),
        ratio("the same, Gumbel", speed(game, None, "gumbel"), peer, name),
        Row("the same, an evaluator that answers 0", f"{speed(game, know_nothing, 'gumbel'):,.0f}"),
    ]


def know_nothing(_: Any, mask: Any) -> Any:
    return np.zeros(mask.shape, np.float32), np.zeros(len(mask), np.float32)


def speed(game: str, evaluate: Any, method: str) -> float:
    print(f"measuring our tree search, {game}, {method}", flush=True)
    env = batch(game, GAMES, seed=1)
    env.rollout(steps=STEPS)
    search = MCTS(game, evaluate, simulations=SIMULATIONS, method=method, threads=1)
    found = search(env)
    assert (found.visits.sum(axis=1) == SIMULATIONS).all()
    assert found.is_exact.mean() < 0.1
    return GAMES * SIMULATIONS / cpu_seconds(lambda: search(env), best_of=9)
