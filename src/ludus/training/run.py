"""A training run in a folder, the same for every game: trains until done, out of time or interrupted by Ctrl-C."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

from ludus.core.errors import BadInput, UnknownOption
from ludus.core.extras import extra
from ludus.games import GAMES, layer
from ludus.training.curve import Series, draw

CURVE: Final = "curve.png"

CheckTime = Callable[[], None]
"""Called between pieces of work; may raise `OutOfTime`."""


class OutOfTime(Exception):
    """Ends the current generation; it is discarded."""


def no_limit() -> None:
    """A `CheckTime` that never raises."""


class Deadline:
    def __init__(self, seconds: float, now: Callable[[], float] = time.monotonic) -> None:
        self._now, self._end = now, now() + seconds

    def check(self) -> None:
        if self._now() >= self._end:
            raise OutOfTime


class Options(NamedTuple):
    """Options of a new training; None leaves a value to the game's plan. The game's adapter lists those it takes."""

    seed: int = 1
    generations: int | None = None
    start: Path | None = None
    """Weights to start from."""
    width: int | None = None
    rate: float | None = None
    nodes: int | None = None
    games: int | None = None
    kept: int | None = None
    deeper: int | None = None


class Learner(Protocol):
    """One game's training: plays and learns, generation by generation."""

    generation: int
    progress: float
    """Share of the current generation that has been played."""
    positions: int

    @property
    def generations(self) -> int: ...

    @property
    def is_done(self) -> bool: ...

    @property
    def notice(self) -> str:
        """A notice for the user before training starts, or nothing."""
        ...

    def learn(self, check_time: CheckTime = no_limit) -> None:
        """One generation; if `check_time` ends it, it is discarded."""
        ...

    def measure(self, check_time: CheckTime = no_limit) -> object:
        """A report of its current strength, to be printed; takes fewer games if `check_time` ends it."""
        ...

    def curve(self) -> Sequence[Series]:
        """The measurements so far, over minutes."""
        ...

    def save(self, path: Path) -> None: ...

    def export(self, path: Path) -> None:
        """Writes the weights as the engine reads them."""
        ...


def trainable() -> tuple[str, ...]:
    return tuple(game for game in GAMES if layer(game, "training"))


def trainer(game: str) -> Any:
    """The game's training adapter."""
    if game not in GAMES or (module := layer(game, "training")) is None:
        raise UnknownOption(f"{game!r} cannot be trained; choose {', '.join(trainable())}")
    return module


class Run:
    def __init__(self, game: str, learner: Learner, folder: Path) -> None:
        self.learner = learner
        self._game, self._folder, self._trainer = game, folder, trainer(game)

    @classmethod
    def open(cls, game: str, folder: Path, device: str, options: Options, *, resume: bool) -> Run:
        """A new training, or the folder's, which keeps its plan except for the number of generations."""
        own = trainer(game)
        checkpoint = folder / own.CHECKPOINT
        if resume and not checkpoint.is_file():
            raise BadInput(f"{folder} has no {own.CHECKPOINT} to resume from")
        if not resume and checkpoint.exists():
            raise BadInput(f"{folder} has a training already: --resume continues it, another --out starts a new one")
        if resume:
            learner = own.load_learner(checkpoint, device, options.generations)
        else:
            learner = own.new_learner(options, device)
        with extra("train"):
            import_module("PIL")  # the curve needs it; fail now rather than after the first generation
        folder.mkdir(parents=True, exist_ok=True)
        return cls(game, learner, folder)

    def train(
        self,
        seconds: float,
        every: int,
        on_progress: Callable[[Learner], None],
        say: Callable[[str], None],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Trains for about this long, measuring and saving every `every` generations and at the end.

        The last measurement is brief if time is up, and skipped if nothing was learned since the one before.
        """
        learner, deadline = self.learner, Deadline(seconds, now)
        measured = learner.generation

        def check_time() -> None:
            on_progress(learner)
            deadline.check()

        def measure() -> None:
            nonlocal measured
            say(str(learner.measure(check_time)))
            measured = learner.generation

        try:
            if learner.notice and not learner.is_done:
                say(learner.notice)
            try:
                while not learner.is_done:
                    learner.learn(check_time)
                    on_progress(learner)
                    if is_due(learner.generation, every) and not learner.is_done:
                        measure()
                        self.save()
            except OutOfTime:
                say(f"time is up after generation {learner.generation} of {learner.generations}")
            if learner.generation > measured:
                measure()
        except KeyboardInterrupt:
            self.save()
            say(f"stopped after generation {learner.generation} of {learner.generations}; --resume continues")
            raise
        self.save()

    def save(self) -> None:
        """Writes checkpoint and weights, and the curve once there is one."""
        learner = self.learner
        learner.save(self._folder / self._trainer.CHECKPOINT)
        learner.export(self._folder / self._trainer.WEIGHTS)
        curve = learner.curve()
        if any(series.points for series in curve):
            title = f"ludus train {self._game}: {learner.generation} generations, {learner.positions:,} positions"
            draw(self._folder / CURVE, title, "minutes", "points a game", curve)


def is_due(generation: int, every: int) -> bool:
    """Whether to measure; at first more often, after 1, 2, 4, 8, … generations."""
    return generation % every == 0 or (generation < every and generation & generation - 1 == 0)
