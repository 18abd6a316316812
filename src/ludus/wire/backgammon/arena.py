"""Backgammon in the arena: whole plays."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from ludus.core.game import Game
from ludus.core.rules import Player
from ludus.games.backgammon.position import BAR, OFF, Play, Position, Step, men
from ludus.games.backgammon.position_text import write_position_id
from ludus.wire.actions import (
    BARE_PASS_SCHEMA,
    DIALECT,
    PASS,
    RESIGN_SCHEMA,
    RESIGNATION,
    Action,
    Problems,
    as_integer,
    fields_of,
)
from ludus.wire.backgammon.places import MOST_STEPS, RANGE, Place, is_place, own_point
from ludus.wire.backgammon.rooms import BackgammonRoomCodec

CACHED: Final = 512
"""Positions; each is shown several times, to both players and to watchers."""
SCHEMA: Final[dict[str, Any]] = {
    "$schema": DIALECT,
    "title": "A backgammon action",
    "description": "A whole play, or a resignation. Points are numbered from white's side, 24 to 1.",
    "oneOf": [
        {
            "title": "Play",
            "type": "object",
            "properties": {
                "type": {"const": "move"},
                "moves": {
                    "description": "One step for each die, in an order in which they can be played; none to pass,"
                    " where there is no legal play.",
                    "type": "array",
                    "maxItems": MOST_STEPS,
                    "items": {
                        "type": "object",
                        "properties": {
                            "from": {"anyOf": [{"type": "integer", "minimum": 1, "maximum": 24}, {"const": "bar"}]},
                            "to": {"anyOf": [{"type": "integer", "minimum": 1, "maximum": 24}, {"const": "off"}]},
                        },
                        "required": ["from", "to"],
                    },
                },
            },
            "required": ["type", "moves"],
        },
        BARE_PASS_SCHEMA,
        RESIGN_SCHEMA,
    ],
    "examples": [
        {"type": "move", "moves": [{"from": 24, "to": 20}, {"from": 13, "to": 10}]},
        PASS,
        {"type": "resign"},
    ],
}


class BackgammonArenaCodec:
    colors: Final = ("white", "black")
    schema: Final = SCHEMA

    def __init__(self, rooms: BackgammonRoomCodec) -> None:
        self._rooms = rooms
        self._board = lru_cache(maxsize=CACHED)(self._write_board)
        self._legal_moves = lru_cache(maxsize=CACHED)(rooms.moves_from)

    def view(self, game: Game[Position, Any], *, is_to_move: bool) -> dict[str, Any]:
        position = game.position
        return {
            **self._board(position),
            "legalMoves": self._legal_moves(position) if is_to_move else [],
            "lastTurn": self._last_turn(game),
        }

    def position(self, view: Mapping[str, Any]) -> Position:
        board, dice = list(view["board"]), list(view["dice"])[:2]
        white = {point: count for point, count in enumerate(board) if count > 0}
        black = {25 - point: -count for point, count in enumerate(board) if count < 0}
        mover = Player(self.colors.index(view["yourColor"]))
        return Position(
            men({**white, BAR: view["whiteBar"], OFF: view["whiteOff"]}),
            men({**black, BAR: view["blackBar"], OFF: view["blackOff"]}),
            mover if view["isYourTurn"] else mover.other,
            (max(dice), min(dice)) if dice else (),
        )

    def _write_board(self, position: Position) -> dict[str, Any]:
        board = self._rooms.board(position)
        return {
            "board": board["board"],
            "whiteBar": board["bar"]["white"],
            "blackBar": board["bar"]["black"],
            "whiteOff": board["off"]["white"],
            "blackOff": board["off"]["black"],
            "dice": board["dice"],
            "positionId": write_position_id(position),
            "pipCounts": board["pipCounts"],
        }

    def move(self, position: Position, move: Play) -> dict[str, Any]:
        """With the dice it was made with."""
        return {"dice": list(position.dice), **self._rooms.move(position, move)}

    def action(self, position: Position, move: Play) -> dict[str, Any]:
        return {"type": "move", **self._rooms.move(position, move)}

    def parse_action(self, payload: object) -> Action:
        fields = fields_of(PASS if payload == [] else payload)
        if fields is None:
            return RESIGNATION
        steps = _parse_steps(fields.get("moves"))
        return Action("move " + " ".join(f"{source}-{target}" for source, target in steps), steps)

    def resolve(self, position: Position, action: Action) -> Play:
        steps = [Step(own_point(position, source), own_point(position, target)) for source, target in action.move]
        return self._rooms.find_play(position, tuple(steps))

    def board_text(self, game: Game[Position, Any]) -> str:
        return game.board().text()

    def _last_turn(self, game: Game[Position, Any]) -> list[Any] | None:
        """The last play: None before the first one, empty if it was a pass."""
        for number in range(game.length - 1, max(game.length - 3, -1), -1):
            move = game.move_at(number)
            if isinstance(move, Play):
                moves: list[Any] = self._rooms.move(game.position_at(number), move)["moves"]
                return moves
        return None


def _parse_steps(value: object) -> tuple[tuple[Place, Place], ...]:
    problems = Problems()
    steps = []
    if not isinstance(value, list) or len(value) > MOST_STEPS:
        problems.add("action.moves", f"a list of at most {MOST_STEPS} steps")
    else:
        steps = [_parse_step(item, f"action.moves[{i}]", problems) for i, item in enumerate(value)]
    problems.raise_any()
    return tuple(steps)


def _parse_step(value: object, at: str, problems: Problems) -> tuple[Place, Place]:
    if not isinstance(value, dict):
        problems.add(at, "an object with from and to")
        return 0, 0
    source = _parse_place(value.get("from"), "bar", f"{at}.from", problems)
    return source, _parse_place(value.get("to"), "off", f"{at}.to", problems)


def _parse_place(value: Any, word: str, at: str, problems: Problems) -> Place:
    place: Place = value if type(value) is str else as_integer(value) or 0
    if not is_place(place, word):
        problems.add(at, f'{RANGE} or "{word}"')
    return place
