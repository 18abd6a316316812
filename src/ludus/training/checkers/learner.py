"""Trains the evaluation: self-play, weights fitted to it, stronger self-play, generation by generation."""

from __future__ import annotations

import json
import time
from collections import deque
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import numpy as np

from ludus.core.errors import BadInput
from ludus.core.npz import BAD_FILE
from ludus.engines.checkers.weights import PackedWeights, save
from ludus.training.checkers.folding import Floats, fold, initial_weights, unfold
from ludus.training.checkers.selfplay import ROW
from ludus.training.checkers.workers import ROUND, Rows, Score, Workers
from ludus.training.curve import Series, series
from ludus.training.run import CheckTime, Options, no_limit

RATES: Final = (0.1, 0.05, 0.02, 0.01)
"""Learning rates of the passes over a generation's positions."""
TEST_SHARE: Final = 50
"""One position in 50 is held out to measure the loss."""
MATCH_SEED: Final = 1_000_000_000
"""Openings of matches differ from those of self-play."""
GAMES_PER_THREAD: Final = 4_096
"""Games of a thread in a generation; they take about a quarter of a minute."""
RENAMED: Final = {"whims": "random_every", "trust": "search_weight", "caution": "initial_gradient"}
"""Fields of `Plan` in older checkpoints."""


class Plan(NamedTuple):
    """The training's parameters."""

    seed: int = 1
    generations: int = 8
    games: int = 65_536
    nodes: int = 400
    more_nodes: int = 150
    """Added to `nodes` with every generation."""
    random_every: int = 40
    """One move in this many is random."""
    window: int = 2
    """Generations of games to learn from."""
    search_weight: float = 0.5
    """Weight of the search's score in the targets, against the game's result; 0 while weights only count material."""
    initial_gradient: float = 1.0
    """Initial sums of squared gradients (AdaGrad): a weight hardly moves until its sum is much larger."""
    is_started: bool = False
    """Whether it started from given weights instead of material only."""
    match_games: int = 800
    match_nodes: int = 1_000


def plan_for(options: Options, threads: int) -> Plan:
    """The plan. Given weights come from more games than this training plays: they learn from more, more slowly."""
    plan = Plan(seed=options.seed, games=GAMES_PER_THREAD * threads)
    if options.start:
        plan = plan._replace(window=3, initial_gradient=1_000.0, search_weight=0.8)
    return plan._replace(
        generations=options.generations or plan.generations,
        nodes=options.nodes or plan.nodes,
        games=options.games or plan.games,
    )


class Report(NamedTuple):
    """A generation's strength: points per game against the initial weights and against the previous generation."""

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
            f"loss {self.loss:.4f}; against the initial weights {self.first}, the previous generation {self.last}"
        )


class Learner:
    def __init__(self, plan: Plan, workers: Workers, start: PackedWeights | None = None) -> None:
        self.plan, self._workers = plan._replace(is_started=plan.is_started or start is not None), workers
        self.theta: Floats = initial_weights() if start is None else unfold(start)
        self.generation = self.games = self.positions = 0
        self.seconds = 0.0
        self.progress = 0.0
        self.notice = ""
        self.reports: list[Report] = []
        self._window: deque[Rows] = deque(maxlen=plan.window)

    @property
    def generations(self) -> int:
        return self.plan.generations

    @property
    def is_done(self) -> bool:
        return self.generation >= self.plan.generations

    @property
    def weights(self) -> PackedWeights:
        return fold(self.theta)

    def learn(self, check_time: CheckTime = no_limit) -> None:
        """One generation: plays, fits, and is measured against its predecessors.

        Time is checked at the start and after each round of games. Out of time, the generation is dropped; once the
        weights are fitted, only the matches are cut short.
        """
        self.progress = 0.0
        check_time()
        begin, before = time.monotonic(), self.weights
        rows = self._play(before, check_time)
        window = deque([*self._window, rows], self.plan.window)
        theta, loss = self._fit(np.concatenate(window))
        made = fold(theta)
        first = self._match(made, fold(initial_weights()), 0, check_time)
        last = self._match(made, before, 1, check_time)
        self.theta, self._window = theta, window
        self.generation, self.progress = self.generation + 1, 0.0
        self.games, self.positions = self.games + self._rounds * ROUND, self.positions + len(rows) // ROW
        self.seconds += time.monotonic() - begin
        self.reports.append(Report(self.generation, self.seconds, self.games, self.positions, loss, first, last))

    def measure(self, check_time: CheckTime = no_limit) -> Report:
        """The last generation's report: every generation is measured as it ends."""
        return self.reports[-1]

    @property
    def _rounds(self) -> int:
        return -(-self.plan.games // ROUND)

    def _play(self, weights: PackedWeights, check_time: CheckTime) -> Rows:
        plan = self.plan
        nodes = plan.nodes + plan.more_nodes * self.generation

        def after_round() -> None:
            self.progress += 1 / self._rounds
            check_time()

        seed = plan.seed * 10_000_000 + self.games
        return self._workers.play(weights, seed, self._rounds, nodes, plan.random_every, after_round)

    def _fit(self, rows: Rows) -> tuple[Floats, float]:
        """New weights, and their loss on held-out positions."""
        packed, made = self.weights, self.theta.copy()
        theta = made.reshape(-1)
        rng = np.random.default_rng([self.plan.seed, self.generation])
        number = len(rows) // ROW
        learned = number - number // TEST_SHARE
        gradients = np.full(theta.size, self.plan.initial_gradient, np.float32)
        search_weight = self.plan.search_weight if self.generation or self.plan.is_started else 0.0
        for rate in RATES:
            self._workers.fit(packed, theta, gradients, rows, rng.permutation(learned), rate, search_weight)
        return made, self._workers.loss(packed, theta, rows[learned * ROW :], search_weight)

    def _match(self, weights: PackedWeights, rival: PackedWeights, number: int, check_time: CheckTime) -> Score:
        plan, seed = self.plan, MATCH_SEED * (1 + number)
        return self._workers.match(weights, rival, seed, plan.match_games, plan.match_nodes, check_time)

    def curve(self) -> list[Series]:
        minutes = [report.seconds / 60 for report in self.reports]
        values = {
            "against the initial weights": [report.first.mean for report in self.reports],
            "against the previous generation": [report.last.mean for report in self.reports],
            "loss": [report.loss for report in self.reports],
        }
        return series(minutes, values)

    def export(self, path: Path) -> None:
        save(path, self.weights)

    def save(self, path: Path) -> None:
        """Everything except the games: a resumed training plays new ones."""
        counts = {"games": self.games, "positions": self.positions}
        progress = {"plan": self.plan._asdict(), "reports": self.reports, **counts}
        unfinished = path.with_name(path.name + ".part")
        with unfinished.open("wb") as file:
            np.savez_compressed(file, theta=self.theta, story=np.array(json.dumps(progress)))
        unfinished.replace(path)

    @classmethod
    def load(cls, path: Path, workers: Workers, generations: int | None = None) -> Self:
        try:
            with np.load(path, allow_pickle=False) as parts:
                theta, progress = parts["theta"], json.loads(str(parts["story"]))
            plan = Plan(**{RENAMED.get(name, name): value for name, value in progress["plan"].items()})
            reports = [_report(fields) for fields in progress["reports"]]
        except BAD_FILE as error:
            raise BadInput(f"{path} is not a checkpoint of this training: {error}") from error
        learner = cls(plan if generations is None else plan._replace(generations=generations), workers)
        if theta.shape != learner.theta.shape:
            raise BadInput(f"{path} has weights of another shape than this version's")
        learner.theta, learner.reports = np.ascontiguousarray(theta, np.float32), reports
        learner.generation, learner.seconds = len(reports), reports[-1].seconds if reports else 0.0
        learner.games, learner.positions = progress["games"], progress["positions"]
        return learner


def _report(fields: list[Any]) -> Report:
    generation, seconds, games, positions, loss, first, last = fields
    return Report(generation, seconds, games, positions, loss, Score(*first), Score(*last))
