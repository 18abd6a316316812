"""Checkers in a room: 64 squares in rows from the top left, red at the bottom.

Red is the first player, which the rules put on top. A room shows the board rotated by half a turn, so an index is 63
minus the kernel's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from ludus.core.errors import AmbiguousMove, IllegalMove, MalformedMove
from ludus.core.rules import Rules
from ludus.games.checkers.position import MOST_PIECES, SQUARES, Move, Position, bit_of
from ludus.wire.protocols import Refusal, RoomSchemas

RED_MAN: Final = {"player": "red", "type": "man"}
RED_KING: Final = {"player": "red", "type": "king"}
BLACK_MAN: Final = {"player": "black", "type": "man"}
BLACK_KING: Final = {"player": "black", "type": "king"}
LETTERS: Final = {("red", "man"): "r", ("red", "king"): "R", ("black", "man"): "b", ("black", "king"): "B"}

INDEX: Final = {square: 64 - bit_of(square).bit_length() for square in SQUARES}
SQUARE: Final = {index: square for square, index in INDEX.items()}
"""The dark squares' numbers; light ones have none."""

SQUARE_SCHEMA: Final = {"type": "integer", "minimum": 0, "maximum": 63}
CAPTURES_SCHEMA: Final = {"type": "array", "items": SQUARE_SCHEMA, "maxItems": MOST_PIECES}
PIECE_SCHEMA: Final = {
    "title": "Piece",
    "type": "object",
    "properties": {
        "player": {"type": "string", "enum": ["red", "black"]},
        "type": {"type": "string", "enum": ["man", "king"]},
    },
    "required": ["player", "type"],
}
MOVE_FIELDS: Final = {
    "from": SQUARE_SCHEMA,
    "to": SQUARE_SCHEMA,
    "captures": {**CAPTURES_SCHEMA, "description": "The squares of the jumped pieces, in jumping order."},
}
MOVE_SCHEMA: Final = {
    "title": "Move",
    "description": "A chain of jumps is one move.",
    "type": "object",
    "properties": MOVE_FIELDS,
    "required": ["from", "to", "captures"],
}
SCHEMAS: Final = RoomSchemas(
    board={
        "board": {
            "type": "array",
            "items": {"anyOf": [PIECE_SCHEMA, {"type": "null"}]},
            "minItems": 64,
            "maxItems": 64,
            "description": "The squares in rows from the top left; red is at the bottom.",
        }
    },
    move=MOVE_SCHEMA,
    move_request={
        "title": "MoveRequest",
        "type": "object",
        "properties": {
            "from": SQUARE_SCHEMA,
            "to": SQUARE_SCHEMA,
            "captures": {
                "anyOf": [CAPTURES_SCHEMA, {"type": "null"}],
                "description": "Can be left out where `from` and `to` name a single move.",
            },
        },
        "required": ["from", "to"],
    },
    place={**SQUARE_SCHEMA, "description": "Only the moves of the piece on this square."},
    steps={"description": "Ignored: a chain of jumps is one move."},
    legal_move=MOVE_SCHEMA,
    move_fields={"becameKing": {"type": "boolean", "description": "Whether the move made a king."}},
    events={"capture": MOVE_FIELDS, "king": {"square": SQUARE_SCHEMA}},
)


class MoveRequest(NamedTuple):
    """A move as a client asks for it, in the room's indices; `captures` is None if the client left it out."""

    source: int
    target: int
    captures: tuple[int, ...] | None


class CheckersRoomCodec:
    colors: Final = ("red", "black")
    schemas: Final = SCHEMAS

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

    def packed_board(self, position: Position) -> str:
        """A letter for each square, kings in capitals."""
        pieces = self.board(position)["board"]
        return "".join("." if piece is None else LETTERS[piece["player"], piece["type"]] for piece in pieces)

    def move(self, position: Position, move: Move) -> dict[str, Any]:
        path, captures = move
        return {"from": INDEX[path[0]], "to": INDEX[path[-1]], "captures": [INDEX[square] for square in captures]}

    def parse_move(self, position: Position, payload: object) -> Move:
        wanted = _parse(payload)
        fitting = [move for move in self._rules.moves(position) if _fits(move, wanted)]
        if not fitting:
            raise IllegalMove(self._why(position, wanted))
        if len(fitting) > 1:
            raise AmbiguousMove(
                f"several chains go from {wanted.source} to {wanted.target}; captures must say which one"
            )
        return fitting[0]

    def moves_from(self, position: Position, place: object = None, so_far: object = None) -> list[Any]:
        """All legal moves, or those of the piece on a square; a chain is one move, so `so_far` is ignored."""
        moves = self._rules.moves(position)
        if place is not None:
            square = SQUARE.get(_index(place, "position"))
            moves = tuple(move for move in moves if move.path[0] == square)
        return [self.move(position, move) for move in moves]

    def refusal(
        self, position: Position, place: object, target: object = None, so_far: object = None
    ) -> Refusal | None:
        source = _index(place, "position")
        landing = None if target is None else _index(target, "target")
        piece = 1 << 63 - source
        if not position.own & piece:
            return Refusal("not_yours" if position.other & piece else "empty")
        moves = self._rules.moves(position)
        own = [move for move in moves if INDEX[move.path[0]] == source]
        if own and (landing is None or any(landing in map(INDEX.get, move.path[1:]) for move in own)):
            return None
        if moves and moves[0].captures:
            return Refusal("jump_due", tuple(sorted({INDEX[move.path[0]] for move in moves})))
        if own:
            return Refusal("unreachable", tuple(sorted({INDEX[move.path[-1]] for move in own})))
        return Refusal("blocked", tuple(sorted({INDEX[move.path[0]] for move in moves})))

    def move_fields(self, before: Position, move: Move, after: Position) -> dict[str, Any]:
        return {"becameKing": _is_crowned(before, move, after)}

    def ended(self, before: Position, move: Move, after: Position) -> None:
        """None: there are no matches."""

    def events(self, before: Position, move: Move, after: Position) -> Iterator[tuple[str, dict[str, Any]]]:
        if move.captures:
            yield "capture", self.move(before, move)
        if _is_crowned(before, move, after):
            yield "king", {"square": INDEX[move.landing]}

    def _why(self, position: Position, wanted: MoveRequest) -> str:
        """Why no legal move fits."""
        moves = self._rules.moves(position)
        if not moves:
            return "the game is over"
        piece = 1 << 63 - wanted.source
        if not position.own & piece:
            return f"the piece on {wanted.source} is not yours" if position.other & piece else _no_piece(wanted)
        if any(_is_cut_short(move, wanted) for move in moves):
            return "the chain of captures must be completed"
        if any(_fits(move, wanted._replace(captures=None)) for move in moves):
            return f"captures must be the pieces jumped from {wanted.source} to {wanted.target}, in jumping order"
        if moves[0].captures:
            return "a capture is available and must be made"
        return f"the piece on {wanted.source} cannot move to {wanted.target}"


def _is_crowned(before: Position, move: Move, after: Position) -> bool:
    return not before.kings & bit_of(move.origin) and bool(after.kings & bit_of(move.landing))


def _put(squares: list[dict[str, str] | None], piece: dict[str, str], places: int) -> None:
    while places:
        length = places.bit_length()
        squares[64 - length] = piece
        places ^= 1 << length - 1


def _fits(move: Move, wanted: MoveRequest) -> bool:
    path, taken = move
    source, target, captures = wanted
    if INDEX[path[0]] != source or INDEX[path[-1]] != target:
        return False
    return captures is None or tuple(INDEX[square] for square in taken) == captures


def _is_cut_short(move: Move, wanted: MoveRequest) -> bool:
    """Whether the client stops halfway."""
    path, taken = move
    stops = (n for n in range(1, len(path) - 1) if INDEX[path[n]] == wanted.target)
    return INDEX[path[0]] == wanted.source and any(_fits(Move(path[: n + 1], taken[:n]), wanted) for n in stops)


def _no_piece(wanted: MoveRequest) -> str:
    return f"there is no piece on {wanted.source}"


def _parse(payload: object) -> MoveRequest:
    if not isinstance(payload, dict):
        raise MalformedMove("a move is an object with from, to and captures")
    source, target = _index(payload.get("from"), "from"), _index(payload.get("to"), "to")
    captures = payload.get("captures")
    return MoveRequest(source, target, None if captures is None else _captures(captures))


def _captures(value: object) -> tuple[int, ...]:
    if not isinstance(value, list) or len(value) > MOST_PIECES:
        raise MalformedMove(f"captures must be a list of at most {MOST_PIECES} squares")
    return tuple(_index(item, "each of captures") for item in value)


def _index(value: object, name: str) -> int:
    if type(value) is not int or not 0 <= value <= 63:
        raise MalformedMove(f"{name} must be a whole number from 0 to 63")
    return value
