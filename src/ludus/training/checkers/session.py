"""One sitting of a training: learns until it is done or the time is over, and keeps the folder up to date."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from ludus.core.errors import BadInput, UnknownOption
from ludus.training.checkers.learner import Learner, Plan
from ludus.training.checkers.workers import Workers
from ludus.training.curve import Line, draw

CHECKPOINT, WEIGHTS, CURVE = "checkpoint.npz", "weights.npz", "curve.png"
GAMES_OF_A_THREAD = 4_096
"""In one generation, about a quarter of a minute."""


def open_learner(out: Path, device: str, *, resume: bool, seed: int, generations: int | None) -> Learner:
    """A new training, or the one in the folder, which keeps the plan it began with."""
    if device != "cpu":
        raise UnknownOption(f"checkers is trained on the cores of the processor, not on {device!r}: --device cpu")
    import_module("PIL")  # the curve needs it: better missed now than after the first generation
    out.mkdir(parents=True, exist_ok=True)
    workers, checkpoint = Workers(), out / CHECKPOINT
    if resume:
        if not checkpoint.is_file():
            raise BadInput(f"there is no {CHECKPOINT} in {out} to go on from")
        return Learner.load(checkpoint, workers, generations)
    if checkpoint.exists():
        raise BadInput(f"{out} has a training already: --resume goes on with it, another --out begins anew")
    plan = Plan(seed=seed, games=GAMES_OF_A_THREAD * workers.threads)
    return Learner(plan if generations is None else plan._replace(generations=generations), workers)


def train(
    learner: Learner, out: Path, seconds: float, every: int, tell: Callable[[Learner], None], say: Callable[[str], None]
) -> None:
    """Learns for about so long; what every so many generations brought is said and saved. `tell` follows each."""
    end = time.monotonic() + seconds
    while not learner.is_done and time.monotonic() < end:
        report = learner.learn()
        tell(learner)
        if learner.generation % every == 0:
            say(str(report))
            keep(learner, out)
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
