"""A checkers position that was set up on the page's board."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ludus.core.errors import MalformedPosition
from ludus.core.rules import Rules
from ludus.games.checkers.position import Move, Position
from ludus.wire.checkers.rooms import SQUARE

SIDES: Final = {"red": "B", "black": "W"}
"""The room's colours, as FEN has them: red is the first player, whom players call black."""
PIECES: Final = {"r": ("B", ""), "R": ("B", "K"), "b": ("W", ""), "B": ("W", "K")}
"""The letters of a packed board: whose piece it is, and FEN's sign of a king."""


class CheckersSetup:
    def __init__(self, rules: Rules[Position, Move]) -> None:
        self._rules = rules

    def read(self, payload: Mapping[str, Any]) -> Position:
        """`board` as records pack it, 64 letters, and `turn`, a colour. The FEN reader reports what is wrong."""
        board, turn = payload.get("board"), payload.get("turn")
        if not isinstance(board, str) or len(board) != 64 or set(board) - {".", *PIECES}:
            raise MalformedPosition("board must be 64 letters: r, R, b, B or a dot for an empty square")
        if not isinstance(turn, str) or turn not in SIDES:
            raise MalformedPosition(f"turn must be one of {', '.join(SIDES)}")
        found: dict[str, list[str]] = {"B": [], "W": []}
        for index, letter in enumerate(board):
            if letter != ".":
                side, king = PIECES[letter]
                found[side].append(f"{king}{_square(index)}")
        return self._rules.notation.read_position(f"{SIDES[turn]}:W{','.join(found['W'])}:B{','.join(found['B'])}")


def _square(index: int) -> int:
    if index not in SQUARE:
        raise MalformedPosition("pieces stand on dark squares only")
    return SQUARE[index]
