"""The backgammon network's training: each position of self-play learns the mean of the best answers to all 21 rolls."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from ludus.core.extras import extra

if TYPE_CHECKING:
    from ludus.training.backgammon.learner import Learner
    from ludus.training.run import Options

CHECKPOINT, WEIGHTS = "checkpoint.pt", "network.npz"
OPTIONS: Final = ("width", "rate", "kept", "deeper")
MEASURE_EVERY: Final = 100


def new_learner(options: Options, device: str) -> Learner:
    with extra("torch"):
        from ludus.training.backgammon.backend import backend
        from ludus.training.backgammon.learner import Learner

    return Learner.new(options, backend(device))


def load_learner(checkpoint: Path, device: str, generations: int | None = None) -> Learner:
    with extra("torch"):
        from ludus.training.backgammon.backend import backend
        from ludus.training.backgammon.learner import Learner

    return Learner.load(checkpoint, backend(device), generations)
