"""One trial of a rollout: a game played to its end, or for a number of rolls, and the luck of its rolls."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import count
from random import Random
from typing import Final, NamedTuple

import numpy as np

from ludus.core.rules import Player
from ludus.engines.backgammon.bearoff import is_bearoff
from ludus.engines.backgammon.cube.janowski import Array, rates
from ludus.engines.backgammon.cube.life import cube_life
from ludus.engines.backgammon.cube.score import CubeView, cube_view
from ludus.engines.backgammon.cube.tree import Level, Node, Tree, is_exact
from ludus.engines.backgammon.lookahead import FLIPPED, WEIGHTS, Afterstate, Answers, Outcomes, thread_lookahead
from ludus.engines.backgammon.network import Chances
from ludus.engines.backgammon.player import BackgammonPlayer
from ludus.engines.engine import OWN_LIMIT
from ludus.games.backgammon.position import Men, Position, Stage
from ludus.games.backgammon.rules import ROLLS, Backgammon

SIDES: Final = (list(range(6)), list(FLIPPED))
"""The order of the six chances for the side that rolls first, by whose turn it is."""
AT_LEAST: Final = np.array(
    [[1, 1, 1, 0, 0, 0], [0, 1, 1, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 1, 1], [0, 0, 0, 0, 0, 1]], np.float64
).T
"""Converts the six chances of exactly an outcome to those of `Chances`."""
EARLY: Final = 2
"""The first turns, whose answers are cached because many trials share them."""
UNUSED: Final = Random(0)


class Trial(NamedTuple):
    """How a trial ended for the side that rolls first, with and without the luck of its rolls.

    Chances are six, and those of a dropped game are its prospects then. Worth is in points, or in a match the chance to
    win it.
    """

    chances: Outcomes
    worth: float
    adjusted_chances: Outcomes
    adjusted_worth: float


class TrialPlayer:
    """Plays trials.

    Luck is always that of plays chosen at sight, even if the trial's own plays look further ahead; its mean is zero in
    any case. The same holds for the luck in the worth with the cube, by Janowski. Decisions about the cube look one
    roll ahead, since those rolls are evaluated anyway; no one beavers.
    """

    def __init__(self, depth: int, truncate: int | None, weights: str | None = None) -> None:
        self._depth, self._truncate = depth, truncate
        self._player = BackgammonPlayer(depth=depth, weights=weights)
        self._lookahead = thread_lookahead(weights)
        self._early: dict[tuple[Afterstate, tuple[float, ...]], Answers] = {}

    def play(self, start: Position, rolls: Iterator[int]) -> Trial:
        """Plays a trial that starts before the roll of this position's player."""
        return (self._play_cubeless if start.cube is None else self._play_cubeful)(start, rolls)

    def _play_cubeless(self, position: Position, rolls: Iterator[int]) -> Trial:
        view, luck = cube_view(position), np.zeros(6)
        payoffs, worths = (_payoffs(view), _payoffs(view.flipped)), view.worths()
        for turn in count():
            after = Afterstate(position.other, position.own)
            if turn == self._truncate or after.is_exact:
                break
            answers, roll = self._answers(after, turn, payoffs[turn & 1]), next(rolls)
            luck += (answers.outcomes[roll] - answers.mean)[SIDES[turn & 1]]
            position = self._next(position, answers, roll)
        end = self._evaluate(after)[SIDES[turn & 1]]
        return Trial(end, float(end @ worths), end - luck, float((end - luck) @ worths))

    def _play_cubeful(self, position: Position, rolls: Iterator[int]) -> Trial:
        score, chance_luck, worth_luck = cube_view(position).score, np.zeros(6), 0.0
        assert position.cube is not None
        may_double = position.cube.stage is Stage.ON_ROLL
        for turn in count():
            view, after = cube_view(position), Afterstate(position.other, position.own)
            if turn == self._truncate or is_exact(view, position.own, position.other):
                end = self._evaluate(after)
                worth = _worth(view, position.own, position.other, end, may_double=may_double)
                break
            answers = self._answers(after, turn, _payoffs(view))
            values = _values(view, after, answers)
            if may_double and view.can_double:
                doubled = _values(view.doubled, after, answers)
                no_double, taken = float(WEIGHTS @ values), float(WEIGHTS @ doubled)
                passed = view.score.worth(view.value)
                if no_double < min(taken, passed):
                    if taken > passed:
                        end, worth = answers.mean, passed
                        break
                    position, values = _doubled(position), doubled
                    answers = self._answers(after, turn, _payoffs(view.doubled))
            roll, sign = next(rolls), -1 if turn & 1 else 1
            chance_luck += (answers.outcomes[roll] - answers.mean)[SIDES[turn & 1]]
            worth_luck += sign * float(values[roll] - WEIGHTS @ values)
            position, may_double = self._next(position, answers, roll), True
        end = end[SIDES[turn & 1]]
        worth = float(score.complement(np.array(worth))) if turn & 1 else worth
        return Trial(end, worth, end - chance_luck, worth - worth_luck)

    def _answers(self, after: Afterstate, turn: int, payoffs: tuple[float, ...]) -> Answers:
        if turn < EARLY and (found := self._early.get((after, payoffs))):
            return found
        with self._lookahead.within(OWN_LIMIT, payoffs):
            answers = self._lookahead.answers(after)
        assert answers is not None  # there was no limit
        if turn < EARLY:
            self._early[after, payoffs] = answers
        return answers

    def _next(self, position: Position, answers: Answers, roll: int) -> Position:
        """The position after the play that looks best, before the other side's roll."""
        if self._depth:
            return self._searched(position, roll)
        own, other = answers.after(roll)
        return _after(position, own, other)

    def _searched(self, position: Position, roll: int) -> Position:
        one, two = ROLLS[roll][0]
        rolled = position._replace(dice=(one, two))
        play = self._player.choose(rules(), rolled, OWN_LIMIT, UNUSED)
        next_ = rules().play(Position(*rolled[:4]), play)  # outside the match, whose next game it might start
        return _after(position, next_.other, next_.own)

    def _evaluate(self, after: Afterstate) -> Outcomes:
        with self._lookahead.within(OWN_LIMIT):
            found = self._lookahead.outcomes(after, 0 if after.is_exact else self._depth)
        assert found is not None
        return found


@cache
def rules() -> Backgammon:
    return Backgammon().compiled()


def _after(position: Position, own: Men, other: Men) -> Position:
    """`own` are the men of the player who has played."""
    assert position.mover is not None
    white, black = (own, other) if position.mover is Player.FIRST else (other, own)
    cube = position.cube and position.cube._replace(stage=Stage.ON_ROLL)
    return position._replace(white=white, black=black, mover=position.mover.other, cube=cube)


def _doubled(position: Position) -> Position:
    """The position after a double that was taken."""
    cube, mover = position.cube, position.mover
    assert cube is not None and mover is not None
    taken = cube._replace(value=2 * cube.value, owner=mover.other, stage=Stage.ROLLING)
    return position._replace(cube=taken)


def _payoffs(view: CubeView) -> tuple[float, ...]:
    """The payoffs of the side that has just played, if this is the view of the player on roll."""
    won_single, won_gammon, won_backgammon, *lost = view.weights().tolist()
    return *(-each for each in lost), won_single, won_gammon, won_backgammon


def _values(view: CubeView, after: Afterstate, answers: Answers) -> Array:
    """What the answer to each roll is worth to the player on roll; the other side may double next.

    By Janowski, with cubes as live as before the roll; by the table of pairs, if it has the position.
    """
    other, chances = view.flipped, answers.outcomes[:, FLIPPED] @ AT_LEAST
    if is_bearoff(*after.own, *after.other):
        afters = map(answers.after, range(len(chances)))
        pairs = zip(afters, chances.tolist(), strict=True)
        nodes = [Node(each.other, each.own, Chances(*row)) for each, row in pairs]
        return view.score.complement(Tree([Level(nodes)]).on_roll(other))
    shares, win = rates(chances), chances[:, 0]
    life = np.full(len(win), cube_life(*after))
    worth = other.cubeful(shares, win, life)
    if other.can_double:
        taken = other.doubled.cubeful(shares, win, life)
        worth = np.maximum(worth, np.minimum(taken, other.score.worth(other.value)))
    return view.score.complement(worth)


def _worth(view: CubeView, own: Men, other: Men, outcomes: Outcomes, *, may_double: bool) -> float:
    """The worth of a position at the end of a trial to the side to roll."""
    tree = Tree([Level([Node(own, other, Chances(*(outcomes @ AT_LEAST).tolist()))])])
    return float((tree.on_roll(view) if may_double else tree.no_double(view))[0])
