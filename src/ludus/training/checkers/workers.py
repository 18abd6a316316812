"""Plays and fits on all cores: threads that run compiled code, which needs no lock of the interpreter."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.core.kernel import compiled
from ludus.engines.checkers.endgames.tables import PACKAGED, Tables
from ludus.engines.checkers.memory import new_memory
from ludus.engines.checkers.weights import Words
from ludus.training.checkers import fit, games

ENTRY_BITS: Final = 15
"""A small transposition table stays in the cache, and short searches need no more."""
ROUND: Final = 16
"""Games of one thread between two looks at the clock."""

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
        """Points a game, 0 to 1."""
        return (self.wins + self.draws / 2) / self.games

    @property
    def error(self) -> float:
        """One standard error of the mean; pairs of games are taken as apart, which is on the safe side."""
        spread = self.wins * (1 - self.mean) ** 2 + self.draws * (0.5 - self.mean) ** 2 + self.losses * self.mean**2
        return float((spread / self.games / self.games) ** 0.5)

    def __str__(self) -> str:
        return f"{self.mean:.4f} ± {self.error:.4f} (+{self.wins} ={self.draws} -{self.losses})"


class Workers:
    def __init__(self, threads: int | None = None) -> None:
        self.threads = threads or len(os.sched_getaffinity(0))
        self._pool = ThreadPoolExecutor(self.threads, "ludus-train")
        self._tables = Tables(PACKAGED)

    def _memory(self) -> Any:
        return new_memory(ENTRY_BITS, self._tables.layout)

    def play(self, weights: Words, seed: int, rounds: int, nodes: int, whims: int) -> Rows:
        """Games against itself, `ROUND` by each of `rounds` tasks, seeds counting up from `seed`."""
        tasks = [(weights, seed + ROUND * k, nodes, whims) for k in range(rounds)]
        return np.concatenate(list(self._pool.map(lambda task: self._play(*task), tasks)))

    def _play(self, weights: Words, seed: int, nodes: int, whims: int) -> Rows:
        out = np.empty(ROUND * games.MOST_PLIES * games.ROW, np.int64)
        random, path = np.zeros(2, np.int64), np.zeros(games.MOST_PLIES + 1, np.int64)
        number = compiled(games).play_games(
            self._memory(), weights, self._tables.wld, random, path, seed, ROUND, nodes, whims, out
        )
        return out[: number * games.ROW].copy()

    def match(self, weights: Words, rival: Words, seed: int, number: int, nodes: int) -> Score:
        """Pairs of games from openings at random, sides changed; both look at so many positions for a move."""
        each = -(-number // (2 * self.threads)) * 2
        tasks = [(weights, rival, seed + each * k, each, nodes) for k in range(self.threads)]
        parts = np.stack(list(self._pool.map(lambda task: self._match(*task), tasks)))
        return Score(*parts.sum(axis=0).tolist())

    def _match(self, weights: Words, rival: Words, seed: int, number: int, nodes: int) -> Rows:
        out, scores = np.empty(games.MOST_PLIES * games.ROW, np.int64), np.zeros(3, np.int64)
        random, path = np.zeros(2, np.int64), np.zeros(games.MOST_PLIES + 1, np.int64)
        compiled(games).play_match(
            self._memory(), weights, self._memory(), rival, self._tables.wld, random, path, seed, number, nodes, out,
            scores,
        )  # fmt: skip
        return scores

    def learn(
        self, words: Words, theta: Floats, sums: Floats, rows: Rows, order: Rows, rate: float, trust: float
    ) -> float:
        """One pass over the rows in this order; the threads share the weights and rarely touch the same at once."""
        code = compiled(fit)
        losses = self._pool.map(
            lambda cut: code.learn(
                words, theta, sums, rows, order, *cut, rate, trust, np.zeros(fit.MOST_WEIGHTS, np.int64)
            ),
            self._cuts(len(order)),
        )  # fmt: skip
        return float(np.mean(list(losses)))

    def measure(self, words: Words, theta: Floats, rows: Rows, trust: float) -> float:
        code = compiled(fit)
        losses = self._pool.map(
            lambda cut: code.measure(words, theta, rows, *cut, trust, np.zeros(fit.MOST_WEIGHTS, np.int64)),
            self._cuts(len(rows) // games.ROW),
        )
        return float(np.mean(list(losses)))

    def _cuts(self, number: int) -> list[tuple[int, int]]:
        ends = [number * k // self.threads for k in range(self.threads + 1)]
        return [(a, b) for a, b in pairwise(ends) if a < b]
