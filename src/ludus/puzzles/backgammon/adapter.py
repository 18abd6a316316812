"""Which positions of backgammon make a puzzle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ludus.core.rules import Player, Rules
from ludus.engines import Limit, Line
from ludus.engines.backgammon.player import BackgammonPlayer
from ludus.games.backgammon.position import CubeAction, Position, Stage
from ludus.games.backgammon.rules import Move, can_double
from ludus.puzzles.adapter import LEAST_MOVES, PuzzleAdapter
from ludus.puzzles.backgammon.beginner import beginner_plays
from ludus.puzzles.backgammon.themes import is_doubled, themes

BackgammonRules = Rules[Position, Move]

DECIDED: Final = 1.2
"""The equity of either side from which on nothing is left to play for, in points."""
OBVIOUS: Final = 0.25
"""If the wrong decision about the cube loses this many points, anyone makes the right one."""
TEMPTING, HASTY = 0.45, 0.15
"""When not doubling is right: how far ahead the player must be at least, and how much a double may lose at most."""
WRONG_DOUBLE: Final = 0.05
"""A double that loses this many points should not be offered."""
TEN_TIMES: Final = 10
"""Looking two rolls ahead, the engine evaluates over ten times as many positions as looking one roll ahead."""


@dataclass(frozen=True)
class BackgammonPuzzles(PuzzleAdapter):
    def deeper(self, times: int) -> Limit:
        """A limit of one more roll ahead, the most there is."""
        return self.limit if times < TEN_TIMES else self.limit._replace(depth=(self.limit.depth or 0) + 1)

    def questions(self, position: Position) -> Iterator[Position]:
        """The solver is always white, as in books. If a double is possible, the first question is how to answer it."""
        if position.mover is None or position.ended or is_doubled(position):
            return
        seen = self.mirrored(position) if position.mover is Player.SECOND else position
        if can_double(seen) and seen.cube:
            yield self.mirrored(seen._replace(cube=seen.cube._replace(stage=Stage.DOUBLED)))
        yield seen

    def has_choice(self, rules: BackgammonRules, position: Position) -> bool:
        """Whether there is a choice; a decision about the cube needs only two options."""
        return not position.dice or len(rules.moves(position)) >= LEAST_MOVES

    def is_open(self, position: Position, best: Line[Move], second: Line[Move]) -> bool:
        if position.dice:
            return abs(best.value) <= DECIDED
        margin = best.value - second.value
        if best.move is CubeAction.NO_DOUBLE:
            return best.value >= TEMPTING and margin <= HASTY
        return margin <= OBVIOUS

    def is_obvious(self, rules: BackgammonRules, position: Position, move: Move) -> bool:
        """Whether a beginner would make this play, or whether it answers a double that no one would have offered."""
        if position.dice:
            return move in beginner_plays(rules, position)
        if not is_doubled(position):
            return False
        cube = BackgammonPlayer().decide(position, self.limit)
        return cube.no_double - cube.doubled > WRONG_DOUBLE

    def themes(self, rules: BackgammonRules, position: Position, moves: Sequence[Move], value: float) -> Iterable[str]:
        return themes(position)

    def mirrored(self, position: Position) -> Position:
        """The position with the colours swapped; a game that has ended is not a puzzle."""
        cube, match, mover = position.cube, position.match, position.mover
        if cube is not None and cube.owner is not None:
            cube = cube._replace(owner=cube.owner.other)
        if match is not None:
            match = match._replace(white=match.black, black=match.white)
        return Position(
            position.black, position.white, None if mover is None else mover.other, position.dice, cube, match
        )
