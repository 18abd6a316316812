"""A match as one of its players or a watcher sees it: the same in the arena and in a series."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ludus.core.game import Game
from ludus.wire import codec


def view(game: Game[Any, Any], seat: int | None, ids: Sequence[str]) -> dict[str, Any]:
    """The board as the player in this seat sees it, or a watcher (None)."""
    arena = codec(game.rules.name).arena
    mover = game.turn.player
    is_to_move = mover is not None and mover == seat
    return {
        "you": None if seat is None else ids[seat],
        "yourColor": None if seat is None else arena.colors[seat],
        "currentPlayer": None if mover is None else ids[mover],
        "isYourTurn": is_to_move,
        **arena.view(game, is_to_move=is_to_move),
    }


def state(
    game: Game[Any, Any], seat: int, ids: Sequence[str], *, match: str, status: str, sequence: int
) -> dict[str, Any]:
    """The arena's answer to `GET state`, without the time left and the result."""
    return {
        "matchId": match,
        "gameId": game.rules.name,
        "gameType": "sequential",
        "status": status,
        "sequence": sequence,
        "view": view(game, seat, ids),
    }
