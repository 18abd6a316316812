"""A game of a series in the arena's words: the state that an agent is shown, and the moves that its actions mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ludus.client.positions import action_of
from ludus.core.errors import AmbiguousMove, IllegalMove, MalformedMove
from ludus.core.game import Game
from ludus.core.rules import Player
from ludus.games.backgammon.position import BAR, OFF, Play, Position, Step
from ludus.games.backgammon.position_text import write_position_id
from ludus.games.checkers.position import SQUARES, Move, column_of, row_of
from ludus.series.contender import ROUND, Resignation

COLORS: Final = {"checkers": ("dark", "light"), "backgammon": ("white", "black")}
MOST_STEPS: Final = 4


def state_of(game: Game[Any, Any]) -> dict[str, Any]:
    """What `GET state` of the arena would say to whoever is to move."""
    mover = game.turn.player
    assert mover is not None
    name = game.rules.name
    seen = {"you": f"player:{mover:d}", "yourColor": COLORS[name][mover], "currentPlayer": f"player:{mover:d}"}
    own = _checkers(game) if name == "checkers" else _backgammon(game)
    return {
        "matchId": game.tags.get(ROUND, "1"),
        "gameId": name,
        "gameType": "sequential",
        "status": "your_turn",
        "sequence": game.length + 1,
        "view": {**seen, "isYourTurn": True, **own},
    }


def move_of(game: Game[Any, Any], action: Mapping[str, Any]) -> Any:
    """The legal move that an action means, or a resignation; what it cannot be is refused with a `BadMove`."""
    match action.get("type"):
        case "resign":
            return Resignation()
        case "move" if game.rules.name == "checkers":
            return _chosen_chain(game, action)
        case "move":
            return _chosen_play(game, action.get("moves"))
    raise MalformedMove('the type of an action is "move" or "resign"')


def _checkers(game: Game[Any, Any]) -> dict[str, Any]:
    return {
        "board": _rows(game.position),
        "legalMoves": [_shown(move) for move in game.legal_moves()],
        "fen": game.rules.notation.write_position(game.position),
        "lastMove": _shown(game.move_at(game.length - 1)) if game.length else None,
    }


def _rows(position: Any) -> list[list[dict[str, Any] | None]]:
    rows: list[list[dict[str, Any] | None]] = [[None] * 8 for _ in range(8)]
    for square in SQUARES:
        if piece := position.piece_on(square):
            shown = {"player": COLORS["checkers"][piece.player], "king": bool(piece.is_king), "position": square}
            rows[row_of(square)][column_of(square)] = shown
    return rows


def _shown(move: Move) -> dict[str, Any]:
    return {"from": move.origin, "to": move.landing, "captures": list(move.captures)}


def _backgammon(game: Game[Any, Any]) -> dict[str, Any]:
    position: Position = game.position
    white, black = position.white, position.black
    dice = sorted(position.dice, reverse=True)
    return {
        "board": [0, *(white.on(point) - black.on(25 - point) for point in range(1, 25))],
        "whiteBar": white.on(BAR),
        "blackBar": black.on(BAR),
        "whiteOff": white.on(OFF),
        "blackOff": black.on(OFF),
        "dice": dice * 2 if len(set(dice)) == 1 else dice,
        "positionId": write_position_id(position),
        "pipCounts": {"white": white.pips, "black": black.pips},
        "legalMoves": [action_of(position, play)["moves"] for play in game.legal_moves()],
        "lastTurn": _last_turn(game),
    }


def _last_turn(game: Game[Any, Any]) -> list[Any] | None:
    """What was played last, the rolls since then left out."""
    for number in range(game.length - 1, -1, -1):
        move = game.move_at(number)
        if isinstance(move, Play):
            moves: list[Any] = action_of(game.position_at(number), move)["moves"]
            return moves
    return None


def _chosen_chain(game: Game[Any, Any], action: Mapping[str, Any]) -> Move:
    """The arena takes `captures` in any order, and `path` instead."""
    ends = action.get("from"), action.get("to")
    found = [move for move in game.legal_moves() if (move.origin, move.landing) == ends]
    if (captures := action.get("captures")) is not None:
        found = [move for move in found if set(move.captures) == set(_numbers(captures))]
    if (path := action.get("path")) is not None:
        found = [move for move in found if list(move.path) == _numbers(path)]
    if not found:
        raise IllegalMove(f"{str(dict(action))[:80]} is none of the legal moves")
    if len({frozenset(move.captures) for move in found}) > 1:
        raise AmbiguousMove("several chains have these ends; give captures or path")
    chosen: Move = found[0]
    return chosen


def _chosen_play(game: Game[Any, Any], moves: object) -> Play:
    steps = _steps(moves, is_black=game.turn.player is Player.SECOND)
    if (play := Play(steps)) in game.legal_moves():
        return play
    rules: Any = game.rules
    found: list[Play] = rules.resolve(game.position, steps)
    if not found:
        raise IllegalMove(f"{str(moves)[:80]} is none of the legal plays")
    if len(found) > 1:
        raise AmbiguousMove("these moves can be several plays; give one for each die")
    return found[0]


def _steps(moves: object, *, is_black: bool) -> tuple[Step, ...]:
    """In the mover's own numbers; black counts the points from the other end than the arena does."""
    if not isinstance(moves, list) or len(moves) > MOST_STEPS:
        raise MalformedMove(f"moves must be a list of at most {MOST_STEPS} steps")
    words = {"bar": BAR, "off": OFF} | {point: 25 - point if is_black else point for point in range(1, 25)}
    try:
        return tuple(Step(words[step["from"]], words[step["to"]]) for step in moves)
    except (KeyError, TypeError):
        raise MalformedMove("a step has from and to, points from 1 to 24, bar or off") from None


def _numbers(value: object) -> list[int]:
    if not isinstance(value, list) or not all(type(item) is int for item in value):
        raise MalformedMove("captures and path are lists of squares")
    return value
