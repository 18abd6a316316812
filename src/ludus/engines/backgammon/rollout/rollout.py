"""Rollouts of one position or several, in this process or in several, and what they estimate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import sqrt
from typing import Final, NamedTuple

import numpy as np

from ludus.core.errors import BadInput
from ludus.core.processes import ordered_results
from ludus.engines.backgammon.cube.janowski import Array
from ludus.engines.backgammon.cube.score import cube_view
from ludus.engines.backgammon.lookahead import FLIPPED
from ludus.engines.backgammon.network import Chances
from ludus.engines.backgammon.player import MAX_DEPTH
from ludus.engines.backgammon.rollout.dice import StratifiedDice
from ludus.engines.backgammon.rollout.trial import AT_LEAST, Trial, TrialPlayer, rules
from ludus.engines.estimate import Estimate
from ludus.engines.study import EVEN, CubeEquities
from ludus.games.backgammon.kernel import is_off
from ludus.games.backgammon.position import CubeAction, Position, Stage
from ludus.games.backgammon.rules import can_double

MOST_TRIALS: Final = 1_000_000

_trials: Trials
"""The trials of a worker process, set when it starts."""


class Settings(NamedTuple):
    """The same settings give the same result, however many processes share the work."""

    trials: int = 1296
    plies: int = 0
    """How many rolls the plays of a trial look ahead."""
    truncate: int | None = None
    """After how many rolls a trial ends with an evaluation; None plays it out."""
    cube: bool = True
    """Whether the cube, if the position has one, is turned in trials."""
    seed: int = 0
    weights: str | None = None
    """A file with weights for the network; None for those of the package."""

    def check(self) -> None:
        if not 1 <= self.trials <= MOST_TRIALS:
            raise BadInput(f"a rollout has 1 to {MOST_TRIALS} trials, not {self.trials}")
        if not 0 <= self.plies <= MAX_DEPTH:
            raise BadInput(f"plays look 0 to {MAX_DEPTH} rolls ahead, not {self.plies}")
        if self.truncate is not None and self.truncate < 1:
            raise BadInput(f"a trial has at least one roll, not {self.truncate}")


DEFAULT: Final = Settings()


class Rollout(NamedTuple):
    """A rollout's estimates for a position, from one player's side. Errors are standard errors."""

    trials: int
    equity: Estimate
    """The equity without the luck of the rolls, in units of the cube's value; normalized in the same way in a match."""
    plain_equity: Estimate
    """The equity of the same trials as they ended, luck included."""
    chances: Chances
    errors: Chances
    """The standard errors of the chances."""

    @property
    def variance_ratio(self) -> float | None:
        """How many trials without luck reduction are worth one of these."""
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
    """Rolls out positions before the roll, with the same dice. A play may have ended the game: its result is exact.

    Results are from the side of the player on roll in the position where the decision between them is made, in units of
    its cube.
    """

    def __init__(self, starts: Sequence[Position], decision: Position, settings: Settings = DEFAULT) -> None:
        settings.check()
        for start in starts:
            _refuse_unplayable(start, after_a_play=bool(decision.dice))
        self._starts = [start if settings.cube else start._replace(cube=None) for start in starts]
        self._settings, self._player = settings, decision.mover
        self._view = cube_view(decision if settings.cube else decision._replace(cube=None))
        self._results: list[list[Trial]] = []

    def run(self, cores: int = 1) -> Iterator[int]:
        """Plays the trials and yields how many are done. Closing the iterator stops them; finished trials count."""
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
        """The results so far, one for each start."""
        return [self._result(i) for i in range(len(self._starts))]

    @property
    def has_beavers(self) -> bool:
        """Whether a double in the position of the decision may be beavered."""
        return self._view.has_beavers

    def difference(self, one: int, other: int) -> Estimate:
        """How much more one start is worth than another; the same dice make this more precise than either."""
        return _estimate(self._equities(one) - self._equities(other))

    def _result(self, i: int) -> Rollout:
        trials = self._trials(i)
        chances = np.array([trial.adjusted_chances for trial in trials])
        own = chances if self._is_own(i) else chances[:, FLIPPED]
        estimates = [_estimate(column) for column in (own @ AT_LEAST).T]
        return Rollout(
            len(trials),
            _estimate(self._equities(i)),
            _estimate(self._equities(i, is_plain=True)),
            Chances(*(each.mean for each in estimates)),
            Chances(*(each.error or 0.0 for each in estimates)),
        )

    def _equities(self, i: int, *, is_plain: bool = False) -> Array:
        worth = np.array([trial.worth if is_plain else trial.adjusted_worth for trial in self._trials(i)])
        return self._view.equity(worth if self._is_own(i) else self._view.score.complement(worth))

    def _trials(self, i: int) -> list[Trial]:
        if not self._results:
            raise BadInput("no trial was completed")
        return [trials[i] for trials in self._results]

    def _is_own(self, i: int) -> bool:
        """Whether the player of the decision rolls first in this start."""
        return self._starts[i].mover is self._player


def rollout(position: Position, settings: Settings = DEFAULT, cores: int = 1) -> Rollout:
    """Rolls out a position before the roll, from the side of the player on roll."""
    rollouts = Rollouts([position], position, settings)
    _finish(rollouts, cores)
    return rollouts.results[0]


class CubeRollout(NamedTuple):
    """A decision about the cube; equities are the doubler's, in units of the cube before the double."""

    no_double: Rollout
    double_take: Rollout
    difference: Estimate
    """How much more a double that is taken is worth than none."""
    double_pass: float = 1.0
    has_beavers: bool = False

    @property
    def double_beaver(self) -> Estimate | None:
        """The equity after a beaver and the best answer to it, worth twice a take or a drop; None without beavers."""
        if not self.has_beavers:
            return None
        mean, error = self.double_take.equity
        is_taken = self.beaver_response is CubeAction.TAKE
        return Estimate(2 * mean, error and 2 * error) if is_taken else Estimate(-2 * self.double_pass, None)

    @property
    def equities(self) -> CubeEquities:
        no_double, taken = self.no_double.equity.mean, self.double_take.equity.mean
        beavered = None if self.double_beaver is None else self.double_beaver.mean
        return CubeEquities(no_double, taken, self.double_pass, self.no_double.chances, beavered)

    @property
    def best(self) -> CubeAction:
        """The best action of the player on roll."""
        return CubeAction.DOUBLE if self.equities.margin < EVEN else CubeAction.NO_DOUBLE

    @property
    def is_too_good(self) -> bool:
        """Whether a double would be dropped, but playing on is worth more."""
        return self.best is CubeAction.NO_DOUBLE and self.response is CubeAction.DROP

    @property
    def response(self) -> CubeAction:
        """The best response to a double, whether the double is right or wrong."""
        taken = self.double_take.equity.mean
        if taken > self.double_pass:
            return CubeAction.DROP
        return CubeAction.BEAVER if self.double_beaver and self.double_beaver.mean < taken else CubeAction.TAKE

    @property
    def beaver_response(self) -> CubeAction:
        """The doubler's best response to a beaver, whether the beaver is right or wrong."""
        return CubeAction.DROP if self.double_take.equity.mean < -self.double_pass else CubeAction.TAKE


def cube_starts(position: Position) -> tuple[Position, Position] | None:
    """The position without a double and after one that is taken; None unless the player may double or has doubled.

    They serve for a beaver too, which is worth twice as much as a take.
    """
    cube = position.cube
    if cube is not None and cube.stage in (Stage.DOUBLED, Stage.BEAVERED):
        position = position._replace(cube=cube._replace(stage=Stage.ON_ROLL))
    if not can_double(position):
        return None
    taken = rules().play(rules().play(position, CubeAction.DOUBLE), CubeAction.TAKE)
    return rules().play(position, CubeAction.NO_DOUBLE), taken


def cube_result(rollouts: Rollouts) -> CubeRollout:
    """The result so far of rolling out `cube_starts`."""
    no_double, double_take = rollouts.results
    return CubeRollout(no_double, double_take, rollouts.difference(1, 0), has_beavers=rollouts.has_beavers)


def rollout_cube(position: Position, settings: Settings = DEFAULT, cores: int = 1) -> CubeRollout:
    """Rolls out no double and a double that is taken, with the same dice."""
    starts = cube_starts(position)
    if starts is None or not settings.cube:
        raise BadInput("nobody may double in this position, or the cube is not used")
    rollouts = Rollouts(starts, position, settings)
    _finish(rollouts, cores)
    return cube_result(rollouts)


def _finish(rollouts: Rollouts, cores: int) -> None:
    for _ in rollouts.run(cores):
        pass


def _refuse_unplayable(start: Position, *, after_a_play: bool) -> None:
    if start.mover is None:
        raise BadInput("it is nobody's turn before the opening roll; say whose: 1 or -1 in an XGID")
    if start.dice:
        raise BadInput("a rollout starts before the roll; to compare plays, roll out the positions after them")
    is_over = start.ended or is_off(*start.own) or (is_off(*start.other) and not after_a_play)
    if is_over or not start.is_sound:
        raise BadInput("the game is over in this position, or it has impossible men")


def _estimate(values: Array) -> Estimate:
    """An estimate whose error ignores that first rolls are stratified, so it is a little too large."""
    number = len(values)
    return Estimate(float(values.mean()), float(values.std(ddof=1)) / sqrt(number) if number > 1 else None)


def _start_worker(starts: Sequence[Position], settings: Settings) -> None:
    global _trials
    _trials = Trials(starts, settings)


def _play_trial(number: int) -> list[Trial]:
    return _trials.play(number)
