"""Plays and fits on all cores: threads that run compiled code, which releases the GIL."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.core.cores import cores
from ludus.core.kernel import compiled
from ludus.engines.checkers.endgames.tables import PACKAGED, EndgameTables
from ludus.engines.checkers.state import new_state
from ludus.engines.checkers.weights import PackedWeights
from ludus.training.checkers import fit, selfplay
from ludus.training.run import CheckTime, OutOfTime, no_limit

ENTRY_BITS: Final = 15
"""The size of the transposition table: a small one stays in the CPU's cache, and is enough for short searches."""
ROUND: Final = 16
"""Games of one thread between two time checks."""

Rows = NDArray[np.int64]
Floats = NDArray[np.float32]


class Score(NamedTuple):
    """Games lost, drawn and won."""

    losses: int
    draws: int
    wins: int

    @property
    def games(self) -> int:
        return sum(self)

    @property
    def mean(self) -> float:
        """Points per game, 0 to 1."""
        return (self.wins + self.draws / 2) / self.games

    @property
    def error(self) -> float:
        """One standard error of the mean; treats paired games as independent, which overestimates it."""
        spread = self.wins * (1 - self.mean) ** 2 + self.draws * (0.5 - self.mean) ** 2 + self.losses * self.mean**2
        return float((spread / self.games / self.games) ** 0.5)

    def __str__(self) -> str:
        return f"{self.mean:.4f} ± {self.error:.4f} (+{self.wins} ={self.draws} -{self.losses})"


class Workers:
    def __init__(self, threads: int | None = None) -> None:
        self.threads = threads or cores()
        self._pool = ThreadPoolExecutor(self.threads, "ludus-train")
        self._tables = EndgameTables(PACKAGED)

    def _new_state(self) -> Any:
        return new_state(ENTRY_BITS, self._tables.layout)

    def _each(self, function: Callable[..., Rows], tasks: Sequence[tuple[Any, ...]]) -> Generator[Rows, None, None]:
        """The tasks' results in order; closing it cancels the tasks that have not started."""
        running = [self._pool.submit(function, *task) for task in tasks]
        try:
            for task in running:
                yield task.result()
        finally:
            for task in running:
                task.cancel()

    def play(
        self, weights: PackedWeights, seed: int, rounds: int, nodes: int, random_every: int,
        check_time: CheckTime = no_limit,
    ) -> Rows:  # fmt: skip
        """Self-play: `ROUND` games in each of `rounds` tasks, with seeds counting up from `seed`."""
        tasks, made = [(weights, seed + ROUND * k, nodes, random_every) for k in range(rounds)], []
        with closing(self._each(self._play, tasks)) as parts:
            for rows in parts:
                made.append(rows)
                check_time()
        return np.concatenate(made)

    def _play(self, weights: PackedWeights, seed: int, nodes: int, random_every: int) -> Rows:
        out = np.empty(ROUND * selfplay.MAX_GAME_PLIES * selfplay.ROW, np.int64)
        random, path = np.zeros(2, np.int64), np.zeros(selfplay.MAX_GAME_PLIES + 1, np.int64)
        number = compiled(selfplay).play_games(
            self._new_state(), weights, self._tables.wld, random, path, seed, ROUND, nodes, random_every, out
        )
        return out[: number * selfplay.ROW].copy()

    def match(
        self, weights: PackedWeights, rival: PackedWeights, seed: int, number: int, nodes: int,
        check_time: CheckTime = no_limit,
    ) -> Score:  # fmt: skip
        """Pairs of games from random openings with sides swapped, at `nodes` nodes per move.

        If `check_time` ends it, there are fewer games, but at least one round.
        """
        each, made = -(-number // (2 * self.threads)) * 2, []
        tasks = [
            (weights, rival, seed + each * k + first // 2, min(ROUND, each - first), nodes)
            for first in range(0, each, ROUND)
            for k in range(self.threads)
        ]
        with suppress(OutOfTime), closing(self._each(self._match, tasks)) as rounds:
            for scores in rounds:
                made.append(scores)
                check_time()
        return Score(*np.stack(made).sum(axis=0).tolist())

    def _match(self, weights: PackedWeights, rival: PackedWeights, seed: int, number: int, nodes: int) -> Rows:
        out, scores = np.empty(selfplay.MAX_GAME_PLIES * selfplay.ROW, np.int64), np.zeros(3, np.int64)
        random, path = np.zeros(2, np.int64), np.zeros(selfplay.MAX_GAME_PLIES + 1, np.int64)
        compiled(selfplay).play_match(
            self._new_state(), weights, self._new_state(), rival, self._tables.wld, random, path, seed, number, nodes,
            out, scores,
        )  # fmt: skip
        return scores

    def fit(
        self, packed: PackedWeights, theta: Floats, squared_gradients: Floats, rows: Rows, order: Rows, rate: float,
        search_weight: float,
    ) -> float:  # fmt: skip
        """One pass over the rows in this order; threads update the shared weights without locks (Hogwild)."""
        code = compiled(fit)
        losses = self._pool.map(
            lambda cut: code.fit(
                packed, theta, squared_gradients, rows, order, *cut, rate, search_weight,
                np.zeros(fit.MOST_WEIGHTS, np.int64),
            ),
            self._cuts(len(order)),
        )  # fmt: skip
        return float(np.mean(list(losses)))

    def loss(self, packed: PackedWeights, theta: Floats, rows: Rows, search_weight: float) -> float:
        code = compiled(fit)
        losses = self._pool.map(
            lambda cut: code.loss_of(packed, theta, rows, *cut, search_weight, np.zeros(fit.MOST_WEIGHTS, np.int64)),
            self._cuts(len(rows) // selfplay.ROW),
        )
        return float(np.mean(list(losses)))

    def _cuts(self, number: int) -> list[tuple[int, int]]:
        ends = [number * k // self.threads for k in range(self.threads + 1)]
        return [(a, b) for a, b in pairwise(ends) if a < b]
