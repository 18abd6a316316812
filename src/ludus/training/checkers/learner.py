"""A training: games against itself, weights fitted to them, stronger games, generation after generation."""

from __future__ import annotations

import json
import time
from collections import deque
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import numpy as np

from ludus.core.errors import BadInput
from ludus.engines.checkers.weights import BAD_FILE, Words, save
from ludus.training.checkers.folding import Floats, first_weights, fold, unfold
from ludus.training.checkers.games import ROW
from ludus.training.checkers.workers import ROUND, Rows, Score, Workers
from ludus.training.clock import Look, never

RATES: Final = (0.1, 0.05, 0.02, 0.01)
"""Of the passes over the positions of a generation."""
KEPT_FOR_TEST: Final = 50
"""One position in so many is not learned from, but tells the loss."""
MATCH_SEED: Final = 1_000_000_000
"""Openings of matches are others than those of the games to learn from."""


class Plan(NamedTuple):
    """What a training is, but for the machine it runs on."""

    seed: int = 1
    generations: int = 8
    games: int = 65_536
    nodes: int = 400
    more_nodes: int = 150
    """So many more positions are looked at for a move in each generation than in the one before."""
    whims: int = 40
    """One move in so many is made at random."""
    window: int = 2
    """Generations that are learned from."""
    trust: float = 0.5
    """How much of what is taught is the search's opinion; the rest is how the game ended. The opinion of material alone
    is not trusted."""
    caution: float = 1.0
    """What the sums of squares begin with: a weight hardly moves until they are much larger."""
    is_started: bool = False
    """Whether it began with weights that somebody gave, not with material alone."""
    match_games: int = 800
    match_nodes: int = 1_000


class Report(NamedTuple):
    """How strong a generation is: points a game against the first guess and against the generation before."""

    generation: int
    seconds: float
    games: int
    positions: int
    loss: float
    first: Score
    last: Score

    def __str__(self) -> str:
        return (
            f"generation {self.generation}: {self.games:,} games, {self.positions:,} positions, {self.seconds:.0f} s, "
            f"loss {self.loss:.4f}; against the first guess {self.first}, the generation before {self.last}"
        )


class Learner:
    def __init__(self, plan: Plan, workers: Workers, start: Words | None = None) -> None:
        self.plan, self._workers = plan._replace(is_started=plan.is_started or start is not None), workers
        self.theta: Floats = first_weights() if start is None else unfold(start)
        self.generation = self.games = self.positions = 0
        self.seconds = 0.0
        self.part = 0.0
        """How much of the generation at hand has been played."""
        self.reports: list[Report] = []
        self._window: deque[Rows] = deque(maxlen=plan.window)

    @property
    def is_done(self) -> bool:
        return self.generation >= self.plan.generations

    @property
    def weights(self) -> Words:
        return fold(self.theta)

    def learn(self, look: Look = never) -> Report:
        """One generation: plays, fits, and is measured against its forebears.

        A look at the clock follows every round of games; if one ends the generation, it never was. Only the games that
        measure it may be fewer.
        """
        begin, before = time.monotonic(), self.weights
        rows = self._play(before, look)
        window = deque([*self._window, rows], self.plan.window)
        theta, loss = self._fit(np.concatenate(window))
        made = fold(theta)
        first, last = self._match(made, fold(first_weights()), 0, look), self._match(made, before, 1, look)
        self.theta, self._window = theta, window
        self.generation, self.part = self.generation + 1, 0.0
        self.games, self.positions = self.games + self._rounds * ROUND, self.positions + len(rows) // ROW
        self.seconds += time.monotonic() - begin
        self.reports.append(
            Report(self.generation, self.seconds, self.games, self.positions, loss, first, last)
        )  # fmt: skip
        return self.reports[-1]

    @property
    def _rounds(self) -> int:
        return -(-self.plan.games // ROUND)

    def _play(self, weights: Words, look: Look) -> Rows:
        plan = self.plan
        nodes = plan.nodes + plan.more_nodes * self.generation
        self.part = 0.0

        def look_after_a_round() -> None:
            self.part += 1 / self._rounds
            look()

        seed = plan.seed * 10_000_000 + self.games
        return self._workers.play(weights, seed, self._rounds, nodes, plan.whims, look_after_a_round)

    def _fit(self, rows: Rows) -> tuple[Floats, float]:
        """Other weights than before, and their loss on positions that were not learned from."""
        words, made = self.weights, self.theta.copy()
        theta = made.reshape(-1)
        rng = np.random.default_rng([self.plan.seed, self.generation])
        number = len(rows) // ROW
        learned = number - number // KEPT_FOR_TEST
        sums = np.full(theta.size, self.plan.caution, np.float32)
        trust = self.plan.trust if self.generation or self.plan.is_started else 0.0
        for rate in RATES:
            self._workers.learn(words, theta, sums, rows, rng.permutation(learned), rate, trust)
        return made, self._workers.measure(words, theta, rows[learned * ROW :], trust)

    def _match(self, weights: Words, rival: Words, number: int, look: Look) -> Score:
        plan, seed = self.plan, MATCH_SEED * (1 + number)
        return self._workers.match(weights, rival, seed, plan.match_games, plan.match_nodes, look)

    def export(self, path: Path) -> None:
        save(path, self.weights)

    def save(self, path: Path) -> None:
        """All but the games: a training that goes on plays new ones."""
        story = {"plan": self.plan._asdict(), "reports": self.reports, "games": self.games, "positions": self.positions}
        fresh = path.with_name(path.name + ".part")
        with fresh.open("wb") as file:
            np.savez_compressed(file, theta=self.theta, story=np.array(json.dumps(story)))
        fresh.replace(path)

    @classmethod
    def load(cls, path: Path, workers: Workers, generations: int | None = None) -> Self:
        try:
            with np.load(path, allow_pickle=False) as parts:
                theta, story = parts["theta"], json.loads(str(parts["story"]))
            plan, reports = Plan(**story["plan"]), [_report(fields) for fields in story["reports"]]
        except BAD_FILE as error:
            raise BadInput(f"{path} is no checkpoint of this training: {error}") from error
        learner = cls(plan if generations is None else plan._replace(generations=generations), workers)
        if theta.shape != learner.theta.shape:
            raise BadInput(f"{path} has other weights than this version learns")
        learner.theta, learner.reports = np.ascontiguousarray(theta, np.float32), reports
        learner.generation, learner.seconds = len(reports), reports[-1].seconds if reports else 0.0
        learner.games, learner.positions = story["games"], story["positions"]
        return learner


def _report(fields: list[Any]) -> Report:
    generation, seconds, games, positions, loss, first, last = fields
    return Report(generation, seconds, games, positions, loss, Score(*first), Score(*last))
