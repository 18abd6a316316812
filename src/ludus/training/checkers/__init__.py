"""The checkers evaluation's training: games against itself, and weights fitted to them by logistic regression."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from ludus.core.errors import UnknownOption

if TYPE_CHECKING:
    from ludus.training.checkers.learner import Learner
    from ludus.training.run import Options

CHECKPOINT, WEIGHTS = "checkpoint.npz", "weights.npz"
OPTIONS: Final = ("nodes", "games")
MEASURE_EVERY: Final = 1


def new_learner(options: Options, device: str) -> Learner:
    from ludus.engines.checkers.weights import load
    from ludus.training.checkers.learner import Learner, plan_for
    from ludus.training.checkers.workers import Workers

    _refuse_gpu(device)
    workers = Workers()
    return Learner(plan_for(options, workers.threads), workers, load(options.start) if options.start else None)


def load_learner(checkpoint: Path, device: str, generations: int | None = None) -> Learner:
    from ludus.training.checkers.learner import Learner
    from ludus.training.checkers.workers import Workers

    _refuse_gpu(device)
    return Learner.load(checkpoint, Workers(), generations)


def _refuse_gpu(device: str) -> None:
    if device != "cpu":
        raise UnknownOption(f"checkers is trained on the CPU, not on {device!r}: --device cpu")
