"""Positions and actions as agents know them. No rules are in here: what is legal, the games say."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Protocol

from ludus.server.arena.players import public_id
from ludus.server.arena.views.asked import Asked, whole
from ludus.server.arena.views.backgammon import BackgammonView
from ludus.server.arena.views.checkers import CheckersView
from ludus.service.table import Table

__all__ = ["VIEWS", "Asked", "View", "state", "view", "whole"]


class View(Protocol):
    """How the arena shows one game and reads its actions."""

    @property
    def colors(self) -> tuple[str, str]:
        """What the first and the second player are called."""
        ...

    @property
    def schema(self) -> Mapping[str, Any]:
        """The JSON Schema of an action: valid is just what `read` takes."""
        ...

    def view(self, table: Table, *, is_to_move: bool) -> dict[str, Any]:
        """What only this game has; legal moves are for the player whose turn it is."""
        ...

    def move(self, position: Any, move: Any) -> dict[str, Any]:
        """A move (not a roll) made in this position."""
        ...

    def read(self, action: object) -> Asked:
        """The action, if it is well-formed; `InvalidInput` if not. Whether it is legal shows at the board."""
        ...


VIEWS: Mapping[str, View] = MappingProxyType({"checkers": CheckersView(), "backgammon": BackgammonView()})


def view(table: Table, seat: int | None) -> dict[str, Any]:
    """A match as the player of this seat sees it, or as somebody who watches (None) does."""
    own = VIEWS[table.opening.game]
    mover = table.mover
    is_to_move = mover is not None and mover == seat
    you = None if seat is None else public_id(table, seat)
    return {
        "you": you,
        "yourColor": None if seat is None else own.colors[seat],
        "currentPlayer": None if mover is None else you if is_to_move else public_id(table, mover),
        "isYourTurn": is_to_move,
        **own.view(table, is_to_move=is_to_move),
    }


def state(table: Table, seat: int, status: str, sequence: int) -> dict[str, Any]:
    """What a player is told of a match, but for the time that is left and all that comes with its end."""
    return {
        "matchId": table.id,
        "gameId": table.opening.game,
        "gameType": "sequential",
        "status": status,
        "sequence": sequence,
        "view": view(table, seat),
    }
