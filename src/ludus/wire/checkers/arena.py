"""Checkers in the arena: PDN's squares 1 to 32, dark on top."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple

from ludus.core.errors import AmbiguousMove, IllegalMove
from ludus.core.game import Game
from ludus.core.rules import Rules
from ludus.games.checkers.position import MOST_PIECES, SQUARES, Move, Position, column_of
from ludus.wire.actions import DIALECT, RESIGN_SCHEMA, RESIGNATION, Action, Problems, as_integer, fields_of

SQUARE: Final = {"type": "integer", "minimum": 1, "maximum": 32}
MOST_STOPS: Final = MOST_PIECES + 1
CACHED: Final = 512
"""Positions; each is shown several times, to both players and to watchers."""
ROWS: Final = 8 * 5**4
"""All possible rows: eight rows of four squares, each empty or with one of four pieces."""
MOVES: Final = 1024
SCHEMA: Final[dict[str, Any]] = {
    "$schema": DIALECT,
    "title": "A checkers action",
    "description": "A move (a whole chain of jumps is one move), or a resignation. Squares are numbered as in PDN.",
    "oneOf": [
        {
            "title": "Move",
            "type": "object",
            "properties": {
                "type": {"const": "move"},
                "from": SQUARE,
                "to": {**SQUARE, "description": "Where the move ends: the last square of a chain."},
                "captures": {
                    "description": "The squares jumped over; needed if two chains have the same ends.",
                    "type": ["array", "null"],
                    "maxItems": MOST_PIECES,
                    "items": SQUARE,
                },
                "path": {
                    "description": "All squares visited, both ends included; an alternative to captures.",
                    "type": ["array", "null"],
                    "minItems": 2,
                    "maxItems": MOST_STOPS,
                    "items": SQUARE,
                },
            },
            "required": ["type", "from", "to"],
        },
        RESIGN_SCHEMA,
    ],
    "examples": [
        {"type": "move", "from": 11, "to": 15},
        {"type": "move", "from": 1, "to": 17, "captures": [6, 14]},
        {"type": "resign"},
    ],
}


class MoveRequest(NamedTuple):
    """A move as an agent asks for it; `captures` and `path` are None if left out."""

    origin: int
    landing: int
    captures: tuple[int, ...] | None
    path: tuple[int, ...] | None


class CheckersArenaCodec:
    colors: Final = ("dark", "light")
    schema: Final = SCHEMA

    def __init__(self, rules: Rules[Position, Move]) -> None:
        self._rules = rules
        self._legal_moves = lru_cache(maxsize=CACHED)(self._list_moves)
        self._fen = lru_cache(maxsize=CACHED)(rules.notation.write_position)

    def view(self, game: Game[Position, Move], *, is_to_move: bool) -> dict[str, Any]:
        position, length = game.position, game.length
        return {
            "board": board(position),
            "legalMoves": self._legal_moves(position) if is_to_move else [],
            "fen": self._fen(position),
            "lastMove": _write(game.move_at(length - 1)) if length else None,
        }

    def position(self, view: Mapping[str, Any]) -> Position:
        return self._rules.notation.read_position(view["fen"])

    def _list_moves(self, position: Position) -> list[dict[str, Any]]:
        return [_write(move) for move in self._rules.moves(position)]

    def move(self, position: Position, move: Move) -> dict[str, Any]:
        return {**_write(move), "path": list(move.path)}

    def action(self, position: Position, move: Move) -> dict[str, Any]:
        action: dict[str, Any] = {"type": "move", "from": move.origin, "to": move.landing}
        return action | ({"captures": list(move.captures)} if move.captures else {})

    def parse_action(self, payload: object) -> Action:
        fields = fields_of(payload)
        return RESIGNATION if fields is None else _action(_parse(fields))

    def resolve(self, position: Position, action: Action) -> Move:
        wanted: MoveRequest = action.move
        origin, landing = wanted.origin, wanted.landing
        moves = self._rules.moves(position)
        ends = [move for move in moves if move.path[0] == origin and move.path[-1] == landing]
        fitting = [move for move in ends if _fits(move, wanted)]
        if not fitting:
            raise IllegalMove(self._why(position, wanted, ends))
        if len(fitting) == 1:
            return fitting[0]
        if len({frozenset(move.captures) for move in fitting}) > 1:
            raise AmbiguousMove(f"several chains go from {origin} to {landing}; give captures or path")
        return next((move for move in fitting if move.captures == wanted.captures), fitting[0])

    def _why(self, position: Position, wanted: MoveRequest, ends: list[Move]) -> str:
        origin, landing = wanted.origin, wanted.landing
        piece = position.piece_on(origin)
        if piece is None:
            return f"there is no piece on {origin}"
        if piece.player is not position.mover:
            return f"the piece on {origin} is not yours"
        if ends:
            return f"captures or path does not fit a move from {origin} to {landing}"
        moves = self._rules.moves(position)
        if any(move.origin == origin and landing in move.path[1:-1] for move in moves):
            return "a chain of captures must be completed; to is its last square"
        if moves[0].captures:
            return "a capture is available and must be made"
        return f"the piece on {origin} cannot move to {landing}"

    def board_text(self, game: Game[Position, Move]) -> str:
        """The board's own drawing has PDN's words; the replacements keep its width."""
        return game.board().text().replace("black ─", "dark ──").replace("white", "light")


Row = list[dict[str, Any] | None]


@lru_cache(maxsize=CACHED)
def board(position: Position) -> list[Row]:
    """Eight rows from the top. Cached; do not mutate."""
    sets = (position.first, position.second, position.kings)
    first, second, kings = (squares.to_bytes(8, "little") for squares in sets)  # a byte for each row
    return list(map(_row, range(8), first, second, kings))


@lru_cache(maxsize=ROWS)
def _row(number: int, first: int, second: int, kings: int) -> Row:
    row: Row = [None] * 8
    for square in range(4 * number + 1, 4 * number + 5):
        column = column_of(square)
        if (first | second) >> column & 1:
            player = CheckersArenaCodec.colors[0 if first >> column & 1 else 1]
            row[column] = {"player": player, "king": bool(kings >> column & 1), "position": square}
    return row


@lru_cache(maxsize=MOVES)
def _write(move: Move) -> dict[str, Any]:
    """Cached; do not mutate."""
    return {"from": move.origin, "to": move.landing, "captures": list(move.captures)}


def _fits(move: Move, wanted: MoveRequest) -> bool:
    if wanted.path is not None and move.path != wanted.path:
        return False
    captures = wanted.captures
    return captures is None or move.captures == captures or sorted(move.captures) == sorted(captures)


@lru_cache(maxsize=MOVES)
def _action(wanted: MoveRequest) -> Action:
    captures = "" if wanted.captures is None else "x" + ".".join(map(str, wanted.captures))
    path = "" if wanted.path is None else "/" + ".".join(map(str, wanted.path))
    return Action(f"move {wanted.origin}-{wanted.landing}{captures}{path}", wanted)


def _parse(fields: dict[str, Any]) -> MoveRequest:
    problems = Problems()
    wanted = MoveRequest(
        _parse_square(fields.get("from"), "action.from", problems),
        _parse_square(fields.get("to"), "action.to", problems),
        _parse_squares(fields, "captures", 0, MOST_PIECES, problems),
        _parse_squares(fields, "path", 2, MOST_STOPS, problems),
    )
    problems.raise_any()
    return wanted


def _parse_squares(
    fields: dict[str, Any], name: str, least: int, most: int, problems: Problems
) -> tuple[int, ...] | None:
    value = fields.get(name)
    if value is None:
        return None
    if not isinstance(value, list) or not least <= len(value) <= most:
        problems.add(f"action.{name}", f"a list of {least} to {most} squares")
        return None
    return tuple([_parse_square(item, f"action.{name}[{i}]", problems) for i, item in enumerate(value)])


def _parse_square(value: object, place: str, problems: Problems) -> int:
    square = value if type(value) is int else as_integer(value)
    if square is None or square not in SQUARES:
        problems.add(place, "a whole number from 1 to 32")
        return 0
    return square
