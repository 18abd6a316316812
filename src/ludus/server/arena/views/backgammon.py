"""Backgammon as agents see it: points as white counts them, whole plays."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from ludus.core.game import Game
from ludus.games.backgammon.position import Play, Position
from ludus.games.backgammon.position_text import write_position_id
from ludus.server.arena.views.asked import DIALECT, RESIGN, RESIGNATION, Asked, Reading, kind_of, whole
from ludus.service.table import Table
from ludus.wire import VIEWS as BOARDS

Place = int | str

MOST_STEPS: Final = 4
CACHED: Final = 512
"""Positions: each is looked at several times, by both players and by those who watch."""
SCHEMA: Final[dict[str, Any]] = {
    "$schema": DIALECT,
    "title": "An action of backgammon",
    "description": "A whole play, or the end of the game. Points are numbered as white counts them, 24 to 1.",
    "oneOf": [
        {
            "title": "Play",
            "type": "object",
            "properties": {
                "type": {"const": "move"},
                "moves": {
                    "description": "One step for each die, in an order in which they can be made.",
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
        RESIGN,
    ],
    "examples": [{"type": "move", "moves": [{"from": 24, "to": 20}, {"from": 13, "to": 10}]}, {"type": "resign"}],
}


class BackgammonView:
    colors: Final = ("white", "black")
    schema: Final = SCHEMA

    def __init__(self) -> None:
        self._board = BOARDS["backgammon"]
        self._shown = lru_cache(maxsize=CACHED)(self._show)
        self._legal_moves = lru_cache(maxsize=CACHED)(self._board.moves_from)

    def view(self, table: Table, *, is_to_move: bool) -> dict[str, Any]:
        position: Position = table.game.position
        return {
            **self._shown(position),
            "legalMoves": self._legal_moves(position) if is_to_move else [],
            "lastTurn": self._last_turn(table.game),
        }

    def _show(self, position: Position) -> dict[str, Any]:
        board = self._board.board(position)
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

    def move(self, position: Position, move: Any) -> dict[str, Any]:
        """A play made in this position, as records show it; the dice are those it was made with."""
        return {"dice": list(position.dice), **self._board.move(position, move)}

    def read(self, action: object) -> Asked:
        kind, fields = kind_of(action)
        if kind == "resign":
            return RESIGNATION
        steps = _read_steps(fields.get("moves"))
        name = " ".join(f"{source}-{target}" for source, target in steps)
        payload = {"moves": [{"from": source, "to": target} for source, target in steps]}
        return Asked(f"move {name}", lambda position: self._board.read_move(position, payload))

    def _last_turn(self, game: Game[Position, Any]) -> list[Any] | None:
        """What was played last: nothing at all before the first play, an empty one if it was a pass."""
        for number in range(game.length - 1, max(game.length - 3, -1), -1):
            move = game.move_at(number)
            if isinstance(move, Play):
                moves: list[Any] = self._board.move(game.position_at(number), move)["moves"]
                return moves
        return None


def _read_steps(value: object) -> list[tuple[Place, Place]]:
    reading = Reading()
    steps = []
    if not isinstance(value, list) or len(value) > MOST_STEPS:
        reading.wrong("action.moves", f"a list of at most {MOST_STEPS} steps")
    else:
        steps = [_read_step(item, f"action.moves[{i}]", reading) for i, item in enumerate(value)]
    reading.finish()
    return steps


def _read_step(value: object, place: str, reading: Reading) -> tuple[Place, Place]:
    if not isinstance(value, dict):
        reading.wrong(place, "an object with from and to")
        return 0, 0
    return _read_place(value.get("from"), "bar", f"{place}.from", reading), _read_place(
        value.get("to"), "off", f"{place}.to", reading
    )


def _read_place(value: object, word: str, place: str, reading: Reading) -> Place:
    point = whole(value)
    if point is not None and 1 <= point <= 24:
        return point
    if value != word:
        reading.wrong(place, f'a whole number from 1 to 24 or "{word}"')
    return word
