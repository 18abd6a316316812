"""Checkers in OpenSpiel, which plays one jump at a time and has the first player at the bottom."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from ludus.core.errors import UnknownVariant
from ludus.core.game import Game
from ludus.games.checkers.position import SQUARES, Move, Position, column_of, row_of

NAMES = {square: f"{'hgfedcba'[column_of(square)]}{row_of(square) + 1}" for square in SQUARES}
"""OpenSpiel's names of the squares: the board turned by 180 degrees."""
NUMBERS = {name: square for square, name in NAMES.items()}


def write_game(record: Game[Position, Move], _scoring: str) -> str:
    """OpenSpiel's game for the record; a win is always one point."""
    if record.variant != "standard":
        raise UnknownVariant("OpenSpiel's checkers has the standard starting position only")
    return "checkers"


def read_variant(game: Any) -> str:
    if game.get_parameters() != {"columns": 8, "egocentric": False, "rows": 8}:
        raise UnknownVariant("only OpenSpiel's checkers on 8 × 8 squares can be read")
    return "standard"


def apply_move(state: Any, record: Game[Position, Move], number: int) -> None:
    for here, there in pairwise(record.move_at(number).path):
        state.apply_action(state.string_to_action(NAMES[here] + NAMES[there]))


def read_move(record: Game[Position, Move], turn: Any) -> Move:
    path = (NUMBERS[turn.texts[0][:2]], *(NUMBERS[text[2:4]] for text in turn.texts))
    return next(move for move in record.legal_moves() if move.path == path)
