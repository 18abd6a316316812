"""The luck of a roll: the value of its best play less the mean over all rolls.

Over a position's rolls it sums to zero, weighted by their probabilities, whatever the evaluation is worth. So a result
less the luck of its rolls has the same expectation as the result itself, and varies far less.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ludus.core.errors import IllegalMove
from ludus.engines.backgammon.lookahead import POINTS, WEIGHTS, Afterstate, Lookahead, Outcomes, thread_lookahead
from ludus.engines.engine import OWN_LIMIT
from ludus.games.backgammon.position import Men, Position, Roll
from ludus.games.backgammon.rules import OPENING_ROLLS, ROLLS

SIGNED_POINTS: Final = np.array(POINTS) * (1, 1, 1, -1, -1, -1)
IS_DOUBLE: Final = np.array([roll.one == roll.two for roll, _ in ROLLS])
NUMBERS: Final = {roll: number for number, (roll, _) in enumerate(ROLLS)}
"""Of the rolls, as the kernel counts them."""
OPENING: Final = frozenset(roll for roll, _ in OPENING_ROLLS)


def luck(position: Position, roll: Roll, depth: int = 0, weights: str | None = None) -> float:
    """In points, for the player who plays the roll; `position` is the one before it.

    Plays are chosen at sight and valued `depth` rolls ahead. In the opening the roll also decides who plays it.
    """
    if position.dice or roll not in (OPENING if position.mover is None else NUMBERS):
        raise IllegalMove("this roll cannot fall here")
    lookahead, number = thread_lookahead(weights), NUMBERS[Roll(max(roll), min(roll))]
    if position.mover is not None:
        values = _values(lookahead, position.own, position.other, depth)
        return float(values[number] - WEIGHTS @ values)
    white = _values(lookahead, position.white, position.black, depth)
    black = _values(lookahead, position.black, position.white, depth) if position.white != position.black else white
    mean = (white[~IS_DOUBLE].mean() - black[~IS_DOUBLE].mean()) / 2
    return float(white[number] - mean if roll.one > roll.two else black[number] + mean)


def _values(lookahead: Lookahead, own: Men, other: Men, depth: int) -> Outcomes:
    """The value of each roll to the side that plays it."""
    with lookahead.within(OWN_LIMIT):
        answers = lookahead.answers(Afterstate(other, own), depth)
    assert answers is not None  # there was no limit
    found: Outcomes = answers.outcomes @ SIGNED_POINTS
    return found
