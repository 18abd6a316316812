"""Codecs for any game: moves in the game's notation, the board as lines of text and, for people, as a picture."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from ludus.core.errors import IllegalMove, MalformedMove
from ludus.core.game import Game
from ludus.core.rules import Rules, Turn
from ludus.wire.actions import (
    BARE_PASS_SCHEMA,
    DIALECT,
    PASS,
    RESIGN_SCHEMA,
    RESIGNATION,
    Action,
    Problems,
    fields_of,
)
from ludus.wire.protocols import Codec, Refusal, RoomSchemas
from ludus.wire.text import TextCodec

MOST_CHARACTERS: Final = 200
"""The most characters of a move."""
MOVE: Final = {"type": "string", "minLength": 1, "maxLength": MOST_CHARACTERS}
PASSES: Final[list[dict[str, Any]]] = [
    {
        "title": "Pass",
        "description": "Only where there is no legal move.",
        "type": "object",
        "properties": {"type": {"const": "move"}, "moves": {"type": "array", "maxItems": 0}},
        "required": ["type", "moves"],
        "not": {"required": ["move"]},
    },
    BARE_PASS_SCHEMA,
]

LISTED: Final = {
    "title": "Move",
    "type": "object",
    "properties": {
        "move": {**MOVE, "description": "In the game's notation."},
        "touched": {
            "type": "array",
            "items": {"type": "integer"},
            "description": "The places that a board highlights.",
        },
    },
    "required": ["move", "touched"],
}
ROOM_SCHEMAS: Final = RoomSchemas(
    board={
        "board": {"type": "array", "items": {"type": "string"}, "description": "The board as lines of text."},
        "svg": {"type": "string", "description": "The board as a picture."},
    },
    move=LISTED,
    move_request={
        "title": "MoveRequest",
        "description": "A move in the game's notation or, where there is no legal one, empty `moves`.",
        "type": "object",
        "properties": {"move": MOVE, "moves": {"type": "array", "maxItems": 0}},
        "anyOf": [{"required": ["move"]}, {"required": ["moves"]}],
    },
    place={"type": "integer", "description": "A place as the board numbers it."},
    steps={},
    legal_move=LISTED,
    move_fields={},
    events={},
)


class GenericRoomCodec:
    schemas: Final = ROOM_SCHEMAS

    def __init__(self, rules: Rules[Any, Any]) -> None:
        self._rules = rules
        self.colors = rules.players

    def board(self, position: Any) -> dict[str, Any]:
        board = self._rules.board(position)
        return {"board": board.text().splitlines(), "svg": board.svg()}

    def packed_board(self, position: Any) -> dict[str, Any]:
        return self.board(position)

    def move(self, position: Any, move: Any) -> dict[str, Any]:
        """The move; `touched` is what a board highlights."""
        touched = list(self._rules.touched(position, move))
        return {"move": self._rules.notation.write_move(position, move), "touched": touched}

    def parse_move(self, position: Any, payload: object) -> Any:
        if isinstance(payload, dict) and "move" not in payload and payload.get("moves") == []:
            return read_pass(self._rules, position)
        text = payload.get("move") if isinstance(payload, dict) else None
        if not isinstance(text, str) or not 0 < len(text) <= MOST_CHARACTERS:
            raise MalformedMove("a move is an object with the move in the game's notation")
        return read_move(self._rules, position, text)

    def moves_from(self, position: Any, place: object = None, so_far: object = None) -> list[dict[str, Any]]:
        """All legal moves, or those that touch this place, as the board numbers it."""
        if place is not None and type(place) is not int:
            raise MalformedMove("position must be a whole number")
        if self._rules.turn(position).player is None:
            return []
        moves = [self.move(position, move) for move in listed_moves(self._rules, position)]
        return [move for move in moves if place is None or place in move["touched"]]

    def refusal(self, position: Any, place: object, target: object = None, so_far: object = None) -> Refusal | None:
        """Gives no details: the rules have no reasons, and only legal moves can be chosen."""
        return None if self.moves_from(position, place) else Refusal("illegal")

    def move_fields(self, before: Any, move: Any, after: Any) -> dict[str, Any]:
        return {}

    def ended(self, before: Any, move: Any, after: Any) -> dict[str, Any] | None:
        return None

    def events(self, before: Any, move: Any, after: Any) -> Iterable[tuple[str, dict[str, Any]]]:
        return ()


class GenericArenaCodec:
    def __init__(self, rules: Rules[Any, Any]) -> None:
        self._rules = rules
        self.colors = rules.players
        self._has_pass = rules.pass_move is not None
        self.schema: Final[dict[str, Any]] = {
            "$schema": DIALECT,
            "title": f"A {rules.name} action",
            "description": "A move in the game's notation, or a resignation.",
            "oneOf": [
                {
                    "title": "Move",
                    "type": "object",
                    "properties": {"type": {"const": "move"}, "move": MOVE},
                    "required": ["type", "move"],
                },
                *(PASSES if self._has_pass else ()),
                RESIGN_SCHEMA,
            ],
            "examples": [{"type": "resign"}],
        }

    def view(self, game: Game[Any, Any], *, is_to_move: bool) -> dict[str, Any]:
        position = game.position
        return {
            "board": self.board_text(game).splitlines(),
            "position": self._rules.notation.write_position(position),
            "legalMoves": [self.move(position, move) for move in listed_moves(self._rules, position)]
            if is_to_move
            else [],
            "lastMove": self._last_move(game),
        }

    def position(self, view: Mapping[str, Any]) -> Any:
        return self._rules.notation.read_position(view["position"])

    def move(self, position: Any, move: Any) -> dict[str, Any]:
        return {"move": self._rules.notation.write_move(position, move)}

    def action(self, position: Any, move: Any) -> dict[str, Any]:
        return {"type": "move", **self.move(position, move)}

    def parse_action(self, payload: object) -> Action:
        fields = fields_of(PASS if self._has_pass and payload == [] else payload)
        if fields is None:
            return RESIGNATION
        if self._has_pass and "move" not in fields and fields.get("moves") == []:
            return Action("move", PASS)
        text = fields.get("move")
        problems = Problems()
        if not isinstance(text, str) or not 0 < len(text) <= MOST_CHARACTERS:
            problems.add("action.move", f"a string of 1 to {MOST_CHARACTERS} characters")
        problems.raise_any()
        return Action(f"move {text}", text)

    def resolve(self, position: Any, action: Action) -> Any:
        if action.move is PASS:
            return read_pass(self._rules, position)
        return read_move(self._rules, position, action.move)

    def board_text(self, game: Game[Any, Any]) -> str:
        return game.board().text()

    def _last_move(self, game: Game[Any, Any]) -> dict[str, Any] | None:
        for number in range(game.length - 1, -1, -1):
            position = game.position_at(number)
            if self._rules.turn(position).player is not None:
                return self.move(position, game.move_at(number))
        return None


def read_move(rules: Rules[Any, Any], position: Any, text: str) -> Any:
    """The player's legal move with this text."""
    turn = rules.turn(position)
    if turn.player is None:
        raise IllegalMove("the game is over" if turn is Turn.OVER else "the dice must be rolled first")
    move = rules.notation.read_move(position, text)
    if move not in rules.moves(position):
        raise IllegalMove(f"{text[:40]!r} is not a legal move")
    return move


def read_pass(rules: Rules[Any, Any], position: Any) -> Any:
    """The player's pass, where it is legal."""
    if rules.pass_move is None or rules.turn(position).player is None or rules.pass_move not in rules.moves(position):
        raise IllegalMove("you cannot pass here")
    return rules.pass_move


def listed_moves(rules: Rules[Any, Any], position: Any) -> tuple[Any, ...]:
    """The legal moves; none where the player can only pass."""
    moves = rules.moves(position)
    return () if rules.pass_move is not None and moves == (rules.pass_move,) else moves


def build(rules: Rules[Any, Any]) -> Codec:
    return Codec(GenericRoomCodec(rules), GenericArenaCodec(rules), TextCodec())
