"""Which positions of checkers make a puzzle."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from ludus.core.rules import Rules
from ludus.engines import Line
from ludus.games.checkers.position import Move, Position
from ludus.puzzles.adapter import PuzzleAdapter
from ludus.puzzles.checkers.themes import themes

CheckersRules = Rules[Position, Move]

WINNING, NOT_WINNING = 0.5, 0.3
"""Values in points: about a man ahead, and clearly less than one."""
DRAWN, LOST = 0.3, -0.7
FEW_PIECES, FEWEST = 10, 4
"""The most pieces in an ending, and the fewest in one that is worth thinking about."""
BITS: Final = 64


@dataclass(frozen=True)
class CheckersPuzzles(PuzzleAdapter):
    def questions(self, position: Position) -> Iterable[Position]:
        """The position without the count of moves towards a draw, which is irrelevant."""
        return (position._replace(quiet=0),)

    def is_open(self, position: Position, best: Line[Move], second: Line[Move]) -> bool:
        """Whether only the best move wins or, in an ending, only the best one draws."""
        pieces = (position.first | position.second).bit_count()
        if best.value >= WINNING:
            return second.value <= NOT_WINNING and pieces >= FEWEST
        return best.value >= -DRAWN and second.value <= LOST and FEWEST <= pieces <= FEW_PIECES

    def is_obvious(self, rules: CheckersRules, position: Position, move: Move) -> bool:
        """Whether the count of pieces after this move and one reply is better than after any other."""
        counts = {each: _count(rules, position, each) for each in rules.moves(position)}
        return all(counts[move] > count for each, count in counts.items() if each != move)

    def is_worth_showing(self, move: Move) -> bool:
        """A forced jump at the end of a solution shows what the moves before it were for."""
        return bool(move.captures)

    def themes(self, rules: CheckersRules, position: Position, moves: Sequence[Move], value: float) -> Iterable[str]:
        return themes(rules, position, moves, value)

    def mirrored(self, position: Position) -> Position:
        """The position turned around, with the colours swapped."""
        first, second, kings = map(_turned, position[:3])
        return Position(second, first, kings, position.mover.other, position.quiet)


def _count(rules: CheckersRules, position: Position, move: Move) -> int:
    replies = rules.moves(rules.play(position, move))
    return len(move.captures) - max((len(reply.captures) for reply in replies), default=0)


def _turned(squares: int) -> int:
    return int(f"{squares:0{BITS}b}"[::-1], 2)
