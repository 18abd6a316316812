"""What a puzzle of checkers is about, in players' words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from ludus.core.rules import Rules
from ludus.games.checkers.position import Move, Position, bit_of

VOCABULARY: Final = (
    "win",
    "draw",
    "shot",
    "two_for_one",
    "three_for_one",
    "three_for_two",
    "exchange",
    "choice",
    "crown",
    "kings",
    "block",
    "opening",
    "midgame",
    "endgame",
)
WON: Final = 0.5
"""The value in points from which a position is called won."""
OPENING, MIDGAME = 20, 9
"""The fewest pieces in an opening and in a midgame position."""
TRADES: Final = {(1, 2): "two_for_one", (1, 3): "three_for_one", (2, 3): "three_for_two"}


def themes(rules: Rules[Position, Move], position: Position, moves: Sequence[Move], value: float) -> Iterator[str]:
    """`moves` is the solution."""
    yield "win" if value >= WON else "draw"
    gained, given = (sum(len(move.captures) for move in moves[side::2]) for side in (0, 1))
    if gained > given > 0:
        yield "shot"
        yield from [TRADES[given, gained]] if (given, gained) in TRADES else []
    elif gained == given > 0:
        yield "exchange"
    if moves[0].captures:
        yield "choice"
    if _crowns(rules, position, moves):
        yield "crown"
    yield from _about(position)
    if len(moves) % 2 and not rules.moves(_end(rules, position, moves)) and _end(rules, position, moves).own:
        yield "block"


def _about(position: Position) -> Iterator[str]:
    pieces = position.first | position.second
    if position.kings == pieces:
        yield "kings"
    number = pieces.bit_count()
    yield "opening" if number >= OPENING else "midgame" if number >= MIDGAME else "endgame"


def _crowns(rules: Rules[Position, Move], position: Position, moves: Sequence[Move]) -> bool:
    """Whether a man of the solver becomes a king."""
    for number, move in enumerate(moves):
        after = rules.play(position, move)
        is_crowned = bit_of(move.landing) & after.kings and not bit_of(move.origin) & position.kings
        if number % 2 == 0 and is_crowned:
            return True
        position = after
    return False


def _end(rules: Rules[Position, Move], position: Position, moves: Sequence[Move]) -> Position:
    for move in moves:
        position = rules.play(position, move)
    return position
