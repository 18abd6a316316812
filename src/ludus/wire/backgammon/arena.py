"""Backgammon in the arena: whole plays."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from ludus.core.game import Game
from ludus.core.rules import Player
from ludus.games.backgammon.position import (
    BAR,
    OFF,
    Cube,
    CubeAction,
    Match,
    Play,
    Position,
    Resignation,
    Stage,
    Step,
    men,
)
from ludus.games.backgammon.position_text import write_position_id
from ludus.wire.actions import (
    BARE_PASS_SCHEMA,
    DIALECT,
    PASS,
    RESIGN_SCHEMA,
    RESIGNATION,
    RESIGNATION_SCHEMAS,
    Action,
    Problems,
    as_integer,
    fields_of,
    parse_resignation,
)
from ludus.wire.backgammon.places import MOST_STEPS, RANGE, Place, is_place, own_point
from ludus.wire.backgammon.rooms import CUBE_WORDS, BackgammonRoomCodec

CACHED: Final = 512
"""Positions; each is shown several times, to both players and to watchers."""
SCHEMA: Final[dict[str, Any]] = {
    "$schema": DIALECT,
    "title": "A backgammon action",
    "description": "A whole play, a decision about the doubling cube, or a resignation. Points are numbered from"
    " white's side, 24 to 1.",
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
        {
            "title": "Cube",
            "description": "Only in games with a doubling cube, where legalActions lists it; roll is to roll without"
            " doubling.",
            "type": "object",
            "properties": {"type": {"enum": CUBE_WORDS}},
            "required": ["type"],
        },
        RESIGN_SCHEMA,
        *RESIGNATION_SCHEMAS,
    ],
    "examples": [
        {"type": "move", "moves": [{"from": 24, "to": 20}, {"from": 13, "to": 10}]},
        PASS,
        {"type": "double"},
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
        is_play_due = is_to_move and bool(position.dice)
        view = {
            **self._board(position),
            "legalMoves": self._legal_moves(position) if is_play_due else [],
            "lastTurn": self._last_turn(game),
        }
        if position.match is not None:
            number = sum(each.mover is None for each in game.positions)
            view["match"] = {**view["match"], "game": number}
        if position.cube is not None or position.match is not None:
            view["lastAction"] = self._last_action(game)
            view["legalActions"] = self._legal_actions(position) if is_to_move else []
        return view

    def _legal_actions(self, position: Position) -> list[dict[str, Any]]:
        return [self.action(position, move) for move in self._rooms.legal_moves(position)]

    def position(self, view: Mapping[str, Any]) -> Position:
        board, dice = list(view["board"]), list(view["dice"])[:2]
        white = {point: count for point, count in enumerate(board) if count > 0}
        black = {25 - point: -count for point, count in enumerate(board) if count < 0}
        decider = Player(self.colors.index(view["yourColor"]))
        if not view["isYourTurn"]:
            decider = decider.other
        cube = self._read_cube(view["cube"]) if "cube" in view else None
        return Position(
            men({**white, BAR: view["whiteBar"], OFF: view["whiteOff"]}),
            men({**black, BAR: view["blackBar"], OFF: view["blackOff"]}),
            decider.other if cube is not None and cube.stage is Stage.DOUBLED else decider,
            (max(dice), min(dice)) if dice else (),
            cube,
            self._read_match(view["match"]) if "match" in view else None,
        )

    def _read_cube(self, shown: Mapping[str, Any]) -> Cube:
        owner, offered, value = shown["owner"], shown["offered"], shown["value"]
        stage = Stage.ON_ROLL if offered is None else Stage.DOUBLED if offered == 2 * value else Stage.BEAVERED
        return Cube(
            value, None if owner is None else Player(self.colors.index(owner)), stage, shown["jacoby"], shown["beavers"]
        )

    def _read_match(self, shown: Mapping[str, Any]) -> Match:
        score = shown["score"]
        layout = shown.get("layout", "standard")
        return Match(shown["length"], score["white"], score["black"], shown["isCrawford"], layout)

    def _write_board(self, position: Position) -> dict[str, Any]:
        board = self._rooms.board(position)
        options: dict[str, Any] = {name: board[name] for name in ("cube", "match") if name in board}
        return {
            "board": board["board"],
            "whiteBar": board["bar"]["white"],
            "blackBar": board["bar"]["black"],
            "whiteOff": board["off"]["white"],
            "blackOff": board["off"]["black"],
            "dice": board["dice"],
            "positionId": write_position_id(position),
            "pipCounts": board["pipCounts"],
            **options,
        }

    def move(self, position: Position, move: Play | CubeAction | Resignation) -> dict[str, Any]:
        """A move with its dice; a player who resigns in the other's turn has none."""
        is_own = not isinstance(move, Resignation) or move.player == position.mover
        return {"dice": list(position.dice) if is_own else [], **self._rooms.move(position, move)}

    def action(self, position: Position, move: Play | CubeAction) -> dict[str, Any]:
        if isinstance(move, CubeAction):
            return {"type": move.value}
        return {"type": "move", **self._rooms.move(position, move)}

    def parse_action(self, payload: object) -> Action:
        if (resignation := parse_resignation(payload)) is not None:
            return resignation
        fields = fields_of(PASS if payload == [] else payload, *CUBE_WORDS)
        if fields is None:
            return RESIGNATION
        if fields["type"] != "move":
            return Action(fields["type"], fields["type"])
        steps = _parse_steps(fields.get("moves"))
        return Action("move " + " ".join(f"{source}-{target}" for source, target in steps), steps)

    def resolve(self, position: Position, action: Action) -> Play | CubeAction:
        if isinstance(action.move, str):
            return self._rooms.find_cube_action(position, action.move)
        steps = [Step(own_point(position, source), own_point(position, target)) for source, target in action.move]
        return self._rooms.find_play(position, tuple(steps))

    def board_text(self, game: Game[Position, Any]) -> str:
        return game.board().text()

    def _last_turn(self, game: Game[Position, Any]) -> list[Any] | None:
        """The last play of this game: None before the first one, empty if it was a pass."""
        for number in range(game.length - 1, -1, -1):
            position, move = game.position_at(number), game.move_at(number)
            if isinstance(move, Play):
                moves: list[Any] = self._rooms.move(position, move)["moves"]
                return moves
            if position.mover is None:
                return None
        return None

    def _last_action(self, game: Game[Position, Any]) -> dict[str, Any] | None:
        """The last thing that a player did, a decision about the cube included."""
        for number in range(game.length - 1, -1, -1):
            position, move = game.position_at(number), game.move_at(number)
            if isinstance(move, Play | CubeAction):
                return self.action(position, move)
            if isinstance(move, Resignation):
                return {"type": "resign", "points": move.win}
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
