"""One trial of a rollout: a game played to its end, or for a number of rolls, and the luck of its rolls."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import count
from random import Random
from typing import Final, NamedTuple

import numpy as np

from ludus.core.rules import Player
from ludus.engines.backgammon.lookahead import FLIPPED, Afterstate, Answers, Outcomes, thread_lookahead
from ludus.engines.backgammon.player import BackgammonPlayer
from ludus.engines.engine import OWN_LIMIT
from ludus.games.backgammon.position import Position
from ludus.games.backgammon.rules import ROLLS, Backgammon

SIDES: Final = (list(range(6)), list(FLIPPED))
"""The order of the six chances for the side that rolls first, by whose turn it is."""
EARLY: Final = 2
"""Turns whose answers are kept, because many trials share them."""
UNUSED: Final = Random(0)


class Trial(NamedTuple):
    """Six chances of the side that rolls first: as the trial ended, and less the luck of its rolls."""

    plain: Outcomes
    adjusted: Outcomes


class TrialPlayer:
    """Plays trials.

    Luck is always that of plays chosen at sight, even if the trial's own plays look further ahead; its mean is zero in
    any case.
    """

    def __init__(self, depth: int, truncate: int | None, weights: str | None = None) -> None:
        self._depth, self._truncate = depth, truncate
        self._player = BackgammonPlayer(depth=depth, weights=weights)
        self._lookahead = thread_lookahead(weights)
        self._early: dict[Afterstate, Answers] = {}

    def play(self, start: Position, rolls: Iterator[int]) -> Trial:
        """Starts with the roll of this position's player."""
        after, luck = Afterstate(start.other, start.own), np.zeros(6)
        for turn in count():
            if turn == self._truncate or after.is_exact:
                break
            answers, roll = self._answers(after, turn), next(rolls)
            luck += (answers.outcomes[roll] - answers.mean)[SIDES[turn & 1]]
            after = answers.after(roll) if self._depth == 0 else self._chosen(after, roll)
        end = self._evaluate(after)[SIDES[turn & 1]]
        return Trial(end, end - luck)

    def _answers(self, after: Afterstate, turn: int) -> Answers:
        if turn < EARLY and (found := self._early.get(after)):
            return found
        with self._lookahead.within(OWN_LIMIT):
            answers = self._lookahead.answers(after)
        assert answers is not None  # there was no limit
        if turn < EARLY:
            self._early[after] = answers
        return answers

    def _chosen(self, after: Afterstate, roll: int) -> Afterstate:
        """The play that looks best `depth` rolls ahead."""
        one, two = ROLLS[roll][0]
        position = Position(after.other, after.own, Player.FIRST, (one, two))
        next_ = rules().play(position, self._player.choose(rules(), position, OWN_LIMIT, UNUSED))
        return Afterstate(next_.white, next_.black)

    def _evaluate(self, after: Afterstate) -> Outcomes:
        with self._lookahead.within(OWN_LIMIT):
            found = self._lookahead.outcomes(after, 0 if after.is_exact else self._depth)
        assert found is not None
        return found


@cache
def rules() -> Backgammon:
    return Backgammon().compiled()
