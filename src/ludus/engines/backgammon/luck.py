"""The luck of a roll: the value of its best play less the mean over all rolls.

Over a position's rolls it sums to zero, weighted by their probabilities, whatever the evaluation is worth. So a result
less the luck of its rolls has the same expectation as the result itself, and varies far less.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ludus.core.errors import IllegalMove
from ludus.core.rules import Player
from ludus.engines.backgammon.cube.score import cube_view
from ludus.engines.backgammon.cube.tree import Node, grow
from ludus.engines.backgammon.lookahead import (
    POINTS,
    WEIGHTS,
    Afterstate,
    Lookahead,
    Outcomes,
    flipped,
    thread_lookahead,
)
from ludus.engines.backgammon.player import has_cube_or_match
from ludus.engines.engine import OWN_LIMIT
from ludus.games.backgammon.position import Position, Roll
from ludus.games.backgammon.rules import OPENING_ROLLS, ROLLS

SIGNED_POINTS: Final = np.array(POINTS) * (1, 1, 1, -1, -1, -1)
IS_DOUBLE: Final = np.array([roll.one == roll.two for roll, _ in ROLLS])
NUMBERS: Final = {roll: number for number, (roll, _) in enumerate(ROLLS)}
"""The rolls' numbers in the kernel's order."""
OPENING: Final = frozenset(roll for roll, _ in OPENING_ROLLS)


def luck(position: Position, roll: Roll, depth: int = 0, weights: str | None = None) -> float:
    """The luck of a roll in points, for the player who plays it; `position` is the one before it.

    Plays are chosen at sight and valued `depth` rolls ahead. In the opening the roll also decides who plays it.
    """
    if position.dice or roll not in (OPENING if position.mover is None else NUMBERS):
        raise IllegalMove("no such roll is possible here")
    lookahead, number = thread_lookahead(weights), NUMBERS[Roll(max(roll), min(roll))]
    values = _cubeful_values if has_cube_or_match(position) else _values
    if position.mover is not None:
        found = values(lookahead, position, depth)
        return float(found[number] - WEIGHTS @ found)
    white = values(lookahead, position._replace(mover=Player.FIRST), depth)
    is_same = position.white == position.black and position.match is None
    black = white if is_same else values(lookahead, position._replace(mover=Player.SECOND), depth)
    mean = (white[~IS_DOUBLE].mean() - black[~IS_DOUBLE].mean()) / 2
    return float(white[number] - mean if roll.one > roll.two else black[number] + mean)


def _values(lookahead: Lookahead, position: Position, depth: int) -> Outcomes:
    """The value of each roll to the side that plays it."""
    with lookahead.within(OWN_LIMIT):
        answers = lookahead.answers(Afterstate(position.other, position.own), depth)
    assert answers is not None  # there was no limit
    found: Outcomes = answers.outcomes @ SIGNED_POINTS
    return found


def _cubeful_values(lookahead: Lookahead, position: Position, depth: int) -> Outcomes:
    """The same with the cube, or in a match: normalized, with the best decisions about the cube later on."""
    view, own, other = cube_view(position), position.own, position.other
    with lookahead.within(OWN_LIMIT):
        root = Node(own, other, flipped(lookahead.evaluate([Afterstate(other, own)])[0]))
        tree = grow(lookahead, root, view, 1 + depth)
    assert tree is not None  # there was no limit
    found: Outcomes = view.equity(view.score.complement(tree.on_roll(view.flipped, 1)))
    return found
