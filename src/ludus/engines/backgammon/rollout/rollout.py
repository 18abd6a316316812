"""Rollouts of one position or several, in this process or in several, and what they estimate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import sqrt
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import BadInput
from ludus.core.processes import ordered_results
from ludus.core.rules import Player
from ludus.engines.backgammon.lookahead import FLIPPED, POINTS, Outcomes
from ludus.engines.backgammon.network import Chances
from ludus.engines.backgammon.player import MAX_DEPTH
from ludus.engines.backgammon.rollout.dice import StratifiedDice
from ludus.engines.backgammon.rollout.trial import Trial, TrialPlayer
from ludus.engines.estimate import Estimate
from ludus.games.backgammon.kernel import is_off
from ludus.games.backgammon.position import Position

MOST_TRIALS: Final = 1_000_000
SIGNED_POINTS: Final = np.array(POINTS) * (1, 1, 1, -1, -1, -1)
AT_LEAST: Final = np.array(
    [[1, 1, 1, 0, 0, 0], [0, 1, 1, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 1, 1], [0, 0, 0, 0, 0, 1]], np.float64
).T
"""From the six chances of exactly an outcome to those of `Chances`."""

_trials: Trials
"""A worker's, set when it starts."""


class Settings(NamedTuple):
    """The same settings give the same result, however many processes share the work."""

    trials: int = 1296
    plies: int = 0
    """How many rolls the plays of a trial look ahead."""
    truncate: int | None = None
    """After how many rolls a trial ends with an evaluation; None plays it out."""
    seed: int = 0
    weights: str | None = None
    """A file for the network."""

    def check(self) -> None:
        if not 1 <= self.trials <= MOST_TRIALS:
            raise BadInput(f"a rollout has 1 to {MOST_TRIALS} trials, not {self.trials}")
        if not 0 <= self.plies <= MAX_DEPTH:
            raise BadInput(f"plays look 0 to {MAX_DEPTH} rolls ahead, not {self.plies}")
        if self.truncate is not None and self.truncate < 1:
            raise BadInput(f"a trial has at least one roll, not {self.truncate}")


DEFAULT: Final = Settings()


class Rollout(NamedTuple):
    """What a rollout says about a position, from one player's side. Errors are standard errors."""

    trials: int
    equity: Estimate
    """Without the luck of the rolls."""
    plain_equity: Estimate
    """Of the same trials as they ended."""
    chances: Chances
    errors: Chances
    """Of the chances."""

    @property
    def variance_ratio(self) -> float | None:
        """How many plain trials say as much as one of these."""
        if not self.equity.error or self.plain_equity.error is None:
            return None
        return (self.plain_equity.error / self.equity.error) ** 2


class Trials:
    """Plays the trials of some positions by number; all of them get the same dice."""

    def __init__(self, starts: Sequence[Position], settings: Settings) -> None:
        self._starts = starts
        self._player = TrialPlayer(settings.plies, settings.truncate, settings.weights)
        self._dice = StratifiedDice(settings.seed)

    def play(self, number: int) -> list[Trial]:
        return [self._player.play(start, self._dice.rolls(number)) for start in self._starts]


class Rollouts:
    """Rolls out positions, before the roll, with the same dice; results are `player`'s."""

    def __init__(self, starts: Sequence[Position], player: Player, settings: Settings = DEFAULT) -> None:
        settings.check()
        for start in starts:
            _refuse_unplayable(start)
        self._starts, self._settings, self._player = starts, settings, player
        self._results: list[list[Trial]] = []

    def run(self, cores: int = 1) -> Iterator[int]:
        """Plays the trials and yields how many are done. Closing the iterator stops them; what is done counts."""
        jobs = min(cores, self._settings.trials)
        if jobs < 1:
            raise BadInput(f"trials cannot be played by {cores} processes")
        for trials in self._played(jobs):
            self._results.append(trials)
            yield len(self._results)

    def _played(self, jobs: int) -> Iterator[list[Trial]]:
        if jobs == 1:
            return map(Trials(self._starts, self._settings).play, range(self._settings.trials))
        return ordered_results(_play_trial, self._settings.trials, jobs, _start_worker, (self._starts, self._settings))

    @property
    def results(self) -> list[Rollout]:
        """So far, one for each start."""
        return [self._result(i) for i in range(len(self._starts))]

    def difference(self, one: int, other: int) -> Estimate:
        """How much more one start is worth than another; the same dice make this more precise than either."""
        return _estimate(self._equities(one) - self._equities(other))

    def _result(self, i: int) -> Rollout:
        chances = [_estimate(column) for column in (self._outcomes(i) @ AT_LEAST).T]
        return Rollout(
            len(self._results),
            _estimate(self._equities(i)),
            _estimate(self._outcomes(i, is_plain=True) @ SIGNED_POINTS),
            Chances(*(each.mean for each in chances)),
            Chances(*(each.error or 0.0 for each in chances)),
        )

    def _equities(self, i: int) -> Outcomes:
        found: Outcomes = self._outcomes(i) @ SIGNED_POINTS
        return found

    def _outcomes(self, i: int, *, is_plain: bool = False) -> Outcomes:
        """A row for each trial."""
        if not self._results:
            raise BadInput("no trial was completed")
        rows = np.array([trials[i].plain if is_plain else trials[i].adjusted for trials in self._results])
        return rows if self._starts[i].mover is self._player else rows[:, FLIPPED]


def rollout(position: Position, settings: Settings = DEFAULT, cores: int = 1) -> Rollout:
    """Of a position before the roll, from the side of the player on roll."""
    _refuse_unplayable(position)
    assert position.mover is not None
    rollouts = Rollouts([position], position.mover, settings)
    for _ in rollouts.run(cores):
        pass
    return rollouts.results[0]


def _refuse_unplayable(start: Position) -> None:
    if start.mover is None:
        raise BadInput("it is nobody's turn before the opening roll; say whose: 1 or -1 in an XGID")
    if start.dice:
        raise BadInput("a rollout starts before the roll; to compare plays, roll out the positions after them")
    if start.ended or is_off(*start.white) or is_off(*start.black) or not start.is_sound:
        raise BadInput("the game is over in this position, or it has impossible men")


def _estimate(values: NDArray[np.float64]) -> Estimate:
    """The error ignores that first rolls are stratified, so it is a little too large."""
    number = len(values)
    return Estimate(float(values.mean()), float(values.std(ddof=1)) / sqrt(number) if number > 1 else None)


def _start_worker(starts: Sequence[Position], settings: Settings) -> None:
    global _trials
    _trials = Trials(starts, settings)


def _play_trial(number: int) -> list[Trial]:
    return _trials.play(number)
