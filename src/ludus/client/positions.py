"""Deprecated; use `ludus.wire.codec(game).arena`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ludus.client.errors import Unexpected
from ludus.core.errors import BadInput, LudusError
from ludus.games import GAMES
from ludus.wire import codec


def position_of(game: str, view: Mapping[str, Any]) -> Any:
    """The position that a view shows."""
    if game not in GAMES:
        raise BadInput(f"there are no rules of {game!r}; there are {', '.join(GAMES)}")
    try:
        return codec(game).arena.position(view)
    except (KeyError, TypeError, ValueError, LudusError) as error:
        raise Unexpected(f"this view shows no position of {game}: {error}") from error


def action_of(position: Any, move: Any) -> dict[str, Any]:
    """A move made in this position, as an action for the arena."""
    game = next(name for name, rules in GAMES.items() if type(position) is type(rules.variants["standard"]))
    return codec(game).arena.action(position, move)
