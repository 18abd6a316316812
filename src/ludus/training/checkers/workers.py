"""Plays and fits on all cores: threads that run compiled code, which needs no lock of the interpreter."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.core.kernel import compiled
from ludus.engines.checkers.endgames.tables import PACKAGED, Tables
from ludus.engines.checkers.memory import new_memory
from ludus.engines.checkers.weights import Words
from ludus.training.checkers import fit, games
from ludus.training.clock import Look, TimeIsOver, never

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

    def _each(self, deed: Callable[..., Rows], tasks: Sequence[tuple[Any, ...]]) -> Generator[Rows, None, None]:
        """What comes of the tasks, one after the other; once it is closed, no further one is begun."""
        running = [self._pool.submit(deed, *task) for task in tasks]
        try:
            for task in running:
                yield task.result()
        finally:
            for task in running:
                task.cancel()

    def play(self, weights: Words, seed: int, rounds: int, nodes: int, whims: int, look: Look = never) -> Rows:
        """Games against itself, `ROUND` by each of `rounds` tasks, seeds counting up from `seed`."""
        tasks, made = [(weights, seed + ROUND * k, nodes, whims) for k in range(rounds)], []
        with closing(self._each(self._play, tasks)) as parts:
            for rows in parts:
                made.append(rows)
                look()
        return np.concatenate(made)

    def _play(self, weights: Words, seed: int, nodes: int, whims: int) -> Rows:
        out = np.empty(ROUND * games.MOST_PLIES * games.ROW, np.int64)
        random, path = np.zeros(2, np.int64), np.zeros(games.MOST_PLIES + 1, np.int64)
        number = compiled(games).play_games(
            self._memory(), weights, self._tables.wld, random, path, seed, ROUND, nodes, whims, out
        )
        return out[: number * games.ROW].copy()

    def match(self, weights: Words, rival: Words, seed: int, number: int, nodes: int, look: Look = never) -> Score:
        """Pairs of games from openings at random, sides changed; both look at so many positions for a move.

        It has fewer games, one round at least, if the time is over before.
        """
        each, made = -(-number // (2 * self.threads)) * 2, []
        tasks = [
            (weights, rival, seed + each * k + first // 2, min(ROUND, each - first), nodes)
            for first in range(0, each, ROUND)
            for k in range(self.threads)
        ]
        with suppress(TimeIsOver), closing(self._each(self._match, tasks)) as rounds:
            for scores in rounds:
                made.append(scores)
                look()
        return Score(*np.stack(made).sum(axis=0).tolist())

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
