"""Views as positions of the house's rules, and moves as actions, for agents that play with an engine of the house."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ludus.client.errors import Unexpected
from ludus.core.errors import BadInput, LudusError
from ludus.core.rules import Player
from ludus.games import GAMES
from ludus.games.backgammon.position import BAR, OFF, Play, Position, men
from ludus.games.checkers.position import Move

COLORS: Final = {"white": Player.FIRST, "black": Player.SECOND}


def position_of(game: str, view: Mapping[str, Any]) -> Any:
    """The position that a view shows."""
    if game not in GAMES:
        raise BadInput(f"the house has no rules of {game!r}; it has {', '.join(GAMES)}")
    try:
        return GAMES["checkers"].notation.read_position(view["fen"]) if game == "checkers" else _backgammon(view)
    except (KeyError, TypeError, ValueError, LudusError) as error:
        raise Unexpected(f"this view shows no position of {game}: {error}") from error


def action_of(position: Any, move: Any) -> dict[str, Any]:
    """A move made in this position, as the arena wants it."""
    return _chain(move) if isinstance(move, Move) else _play(position, move)


def _backgammon(view: Mapping[str, Any]) -> Position:
    board, dice = list(view["board"]), list(view["dice"])[:2]
    white = {point: count for point, count in enumerate(board) if count > 0}
    black = {25 - point: -count for point, count in enumerate(board) if count < 0}
    mover = COLORS[view["yourColor"]]
    return Position(
        men({**white, BAR: view["whiteBar"], OFF: view["whiteOff"]}),
        men({**black, BAR: view["blackBar"], OFF: view["blackOff"]}),
        mover if view["isYourTurn"] else mover.other,
        (max(dice), min(dice)) if dice else (),
    )


def _play(position: Position, play: Play) -> dict[str, Any]:
    """Black counts the points from the other end than the arena does."""
    is_black = position.mover is Player.SECOND

    def named(point: int) -> int | str:
        return "bar" if point == BAR else "off" if point == OFF else 25 - point if is_black else point

    return {"type": "move", "moves": [{"from": named(source), "to": named(target)} for source, target in play.steps]}


def _chain(move: Move) -> dict[str, Any]:
    action: dict[str, Any] = {"type": "move", "from": move.origin, "to": move.landing}
    return action | ({"captures": list(move.captures)} if move.captures else {})
