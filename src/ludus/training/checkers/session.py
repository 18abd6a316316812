"""One sitting of a training: learns until it is done or the time is over, and keeps the folder up to date."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from ludus.core.errors import BadInput, UnknownOption
from ludus.engines.checkers.weights import load
from ludus.training.checkers.learner import Learner, Plan
from ludus.training.checkers.workers import Workers
from ludus.training.clock import Clock
from ludus.training.curve import Line, draw
from ludus.training.sitting import kept, timed

CHECKPOINT, WEIGHTS, CURVE = "checkpoint.npz", "weights.npz", "curve.png"
GAMES_OF_A_THREAD = 4_096
"""In one generation, about a quarter of a minute."""
LATE_WINDOW = 3
"""Generations that are learned from where weights are given, which have seen more games than there will be now."""
LATE_CAUTION = 1_000.0
"""And how slowly such weights move: what a few games say of a rare way of standing is mostly chance."""
LATE_TRUST = 0.8
"""And how much more the search of such weights is trusted than one game's end."""


class Wish(NamedTuple):
    """What the caller asks for; None leaves it to the plan, or to the machine."""

    seed: int = 1
    generations: int | None = None
    start: Path | None = None
    """Weights to begin with, instead of material alone."""
    nodes: int | None = None
    games: int | None = None

    def plan(self, threads: int) -> Plan:
        default = Plan(seed=self.seed, games=GAMES_OF_A_THREAD * threads)
        return default._replace(
            generations=self.generations or default.generations,
            nodes=self.nodes or default.nodes,
            games=self.games or default.games,
            window=LATE_WINDOW if self.start else default.window,
            caution=LATE_CAUTION if self.start else default.caution,
            trust=LATE_TRUST if self.start else default.trust,
        )


def open_learner(out: Path, device: str, wish: Wish, *, resume: bool) -> Learner:
    """A new training, or the one in the folder, which keeps the plan it began with but for the generations."""
    if device != "cpu":
        raise UnknownOption(f"checkers is trained on the cores of the processor, not on {device!r}: --device cpu")
    import_module("PIL")  # the curve needs it: better missed now than after the first generation
    out.mkdir(parents=True, exist_ok=True)
    workers, checkpoint = Workers(), out / CHECKPOINT
    if resume:
        if not checkpoint.is_file():
            raise BadInput(f"there is no {CHECKPOINT} in {out} to go on from")
        return Learner.load(checkpoint, workers, wish.generations)
    if checkpoint.exists():
        raise BadInput(f"{out} has a training already: --resume goes on with it, another --out begins anew")
    return Learner(wish.plan(workers.threads), workers, None if wish.start is None else load(wish.start))


def train(
    learner: Learner,
    out: Path,
    seconds: float,
    every: int,
    tell: Callable[[Learner], None],
    say: Callable[[str], None],
    now: Callable[[], float] = time.monotonic,
) -> None:
    """Learns for about so long; what every so many generations brought is said and saved. `tell` follows the games.

    A generation that the time does not suffice for is left aside. What was learned is kept on Ctrl-C too.
    """
    with kept(learner, lambda: keep(learner, out), say), timed(learner, say):
        learn_on(learner, out, Clock(seconds, now), every, tell, say)


def learn_on(
    learner: Learner,
    out: Path,
    clock: Clock,
    every: int,
    tell: Callable[[Learner], None],
    say: Callable[[str], None],
) -> None:
    def look() -> None:
        tell(learner)
        clock.look()

    while not learner.is_done:
        clock.look()
        report = learner.learn(look)
        tell(learner)
        if learner.generation % every == 0:
            say(str(report))
            keep(learner, out)


def keep(learner: Learner, out: Path) -> None:
    """Checkpoint and weights, and the curve once there is one."""
    learner.save(out / CHECKPOINT)
    learner.export(out / WEIGHTS)
    if not learner.reports:
        return
    minutes = [report.seconds / 60 for report in learner.reports]
    lines = [
        Line("against the first guess", list(zip(minutes, [r.first.mean for r in learner.reports], strict=True))),
        Line("against the generation before", list(zip(minutes, [r.last.mean for r in learner.reports], strict=True))),
        Line("loss", list(zip(minutes, [r.loss for r in learner.reports], strict=True))),
    ]
    title = f"ludus train checkers: {learner.generation} generations, {learner.positions:,} positions"
    draw(out / CURVE, title, "minutes", "points a game", lines)
