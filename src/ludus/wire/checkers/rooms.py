"""Checkers in a room: 64 squares in rows from the top left, red at the bottom.

Red is our first player, whom the rules have on top; the room sees their board turned by half, so that an index is 63
less the kernel's.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from ludus.core.errors import AmbiguousMove, IllegalMove, MalformedMove
from ludus.core.rules import Rules
from ludus.games.checkers.position import MOST_PIECES, SQUARES, Move, Position, bit_of

RED_MAN: Final = {"player": "red", "type": "man"}
RED_KING: Final = {"player": "red", "type": "king"}
BLACK_MAN: Final = {"player": "black", "type": "man"}
BLACK_KING: Final = {"player": "black", "type": "king"}

INDEX: Final = {square: 64 - bit_of(square).bit_length() for square in SQUARES}
SQUARE: Final = {index: square for square, index in INDEX.items()}
"""Of the dark squares; the light ones have no number."""


class Asked(NamedTuple):
    """A move as a client asks for it, in the room's indices; without `captures` where the client gave none."""

    source: int
    target: int
    captures: tuple[int, ...] | None


class CheckersView:
    colors: Final = ("red", "black")

    def __init__(self, rules: Rules[Position, Move]) -> None:
        self._rules = rules

    def board(self, position: Position) -> dict[str, Any]:
        first, second, kings, _, _ = position
        squares: list[dict[str, str] | None] = [None] * 64
        _put(squares, RED_MAN, first & ~kings)
        _put(squares, BLACK_MAN, second & ~kings)
        if kings:
            _put(squares, RED_KING, first & kings)
            _put(squares, BLACK_KING, second & kings)
        return {"board": squares}

    def move(self, position: Position, move: Move) -> dict[str, Any]:
        path, captures = move
        return {"from": INDEX[path[0]], "to": INDEX[path[-1]], "captures": [INDEX[square] for square in captures]}

    def read_move(self, position: Position, payload: object) -> Move:
        asked = _read(payload)
        fitting = [move for move in self._rules.moves(position) if _fits(move, asked)]
        if not fitting:
            raise IllegalMove(self._why(position, asked))
        if len(fitting) > 1:
            raise AmbiguousMove(f"several chains go from {asked.source} to {asked.target}; captures must say which")
        return fitting[0]

    def moves_from(self, position: Position, place: object = None, so_far: object = None) -> list[Any]:
        """Each as in `move`; a chain is one move, so nothing can have been done of it so far."""
        square = SQUARE.get(_index(place, "position"))
        return [self.move(position, move) for move in self._rules.moves(position) if move.path[0] == square]

    def crowned(self, before: Position, move: Move, after: Position) -> bool:
        return not before.kings & bit_of(move.origin) and bool(after.kings & bit_of(move.landing))

    def result(self, points: int) -> str:
        return ""

    def _why(self, position: Position, asked: Asked) -> str:
        """Why nothing legal fits."""
        moves = self._rules.moves(position)
        if not moves:
            return "the game is over"
        piece = 1 << 63 - asked.source
        if not position.own & piece:
            return f"the piece on {asked.source} is not yours" if position.other & piece else _no_piece(asked)
        if any(_is_cut_short(move, asked) for move in moves):
            return "the chain of captures must be completed"
        if any(_fits(move, asked._replace(captures=None)) for move in moves):
            return f"captures must be the pieces jumped from {asked.source} to {asked.target}, in jumping order"
        if moves[0].captures:
            return "a capture is there and must be made"
        return f"the piece on {asked.source} cannot move to {asked.target}"


def _put(squares: list[dict[str, str] | None], piece: dict[str, str], places: int) -> None:
    while places:
        length = places.bit_length()
        squares[64 - length] = piece
        places ^= 1 << length - 1


def _fits(move: Move, asked: Asked) -> bool:
    path, taken = move
    source, target, captures = asked
    if INDEX[path[0]] != source or INDEX[path[-1]] != target:
        return False
    return captures is None or tuple(INDEX[square] for square in taken) == captures


def _is_cut_short(move: Move, asked: Asked) -> bool:
    """Whether the client stops at a square on the way."""
    path, taken = move
    stops = (n for n in range(1, len(path) - 1) if INDEX[path[n]] == asked.target)
    return INDEX[path[0]] == asked.source and any(_fits(Move(path[: n + 1], taken[:n]), asked) for n in stops)


def _no_piece(asked: Asked) -> str:
    return f"there is no piece on {asked.source}"


def _read(payload: object) -> Asked:
    if not isinstance(payload, dict):
        raise MalformedMove("a move is an object with from, to and captures")
    source, target = _index(payload.get("from"), "from"), _index(payload.get("to"), "to")
    captures = payload.get("captures")
    return Asked(source, target, None if captures is None else _captures(captures))


def _captures(value: object) -> tuple[int, ...]:
    if not isinstance(value, list) or len(value) > MOST_PIECES:
        raise MalformedMove(f"captures must be a list of at most {MOST_PIECES} squares")
    return tuple(_index(item, "each of captures") for item in value)


def _index(value: object, name: str) -> int:
    if type(value) is not int or not 0 <= value <= 63:
        raise MalformedMove(f"{name} must be a whole number from 0 to 63")
    return value
