"""The plays of beginners: a careful one hits, makes points and leaves no blots, a bold one does not mind blots."""

from __future__ import annotations

from typing import Final

from ludus.core.rules import Rules
from ludus.games.backgammon.position import BAR, OFF, Position
from ludus.games.backgammon.rules import Move

HIT: Final = 6
POINT: Final = 2
HOME_POINT: Final = 3
BLOT: Final = -2
"""The score of a blot that the other side can hit."""
OFF_MAN: Final = 4
HOME: Final = range(1, 7)


def beginner_plays(rules: Rules[Position, Move], position: Position) -> set[Move]:
    """The plays with the best scores; among equals, all of the careful beginner's and none of the bold one's."""
    board = Position(*position[:4])
    afters = {move: rules.play(board, move) for move in rules.moves(position)}
    careful = _best({move: _gains(position, after) + BLOT * _blots(after) for move, after in afters.items()})
    bold = _best({move: _gains(position, after) for move, after in afters.items()})
    return careful | bold if len(bold) == 1 else careful


def _best(counts: dict[Move, int]) -> set[Move]:
    highest = max(counts.values())
    return {move for move, count in counts.items() if count == highest}


def _gains(before: Position, after: Position) -> int:
    """Hits, points and men off. `after` is the other side's turn, so its own men are the other side's."""
    own, other = after.other, after.own
    hits = other.on(BAR) - before.other.on(BAR)
    points = sum(HOME_POINT if point in HOME else POINT for point in range(1, BAR) if own.on(point) > 1)
    return HIT * hits + points + OFF_MAN * own.on(OFF)


def _blots(after: Position) -> int:
    """The blots with a man of the other side still behind them."""
    own, other = after.other, after.own
    back = max((point for point in range(1, BAR + 1) if other.on(point)), default=0)
    return sum(own.on(point) == 1 and BAR - point < back for point in range(1, BAR))
