"""Positions and moves as rooms say them: plain lists and dicts in the room's own numbers. No rules are in here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Protocol, cast

from ludus.games import GAMES
from ludus.games.backgammon.rules import Backgammon
from ludus.wire.backgammon.rooms import BackgammonView
from ludus.wire.checkers.rooms import CheckersView

__all__ = ["VIEWS", "BackgammonView", "CheckersView", "View"]


class View(Protocol):
    """How rooms show one game. What they read comes from outside and is refused with a `BadMove`."""

    @property
    def colors(self) -> tuple[str, str]:
        """What the first and the second player are called in rooms."""
        ...

    def board(self, position: Any) -> dict[str, Any]:
        """The fields of a message that show a position; they may share parts, so nobody may change them."""
        ...

    def move(self, position: Any, move: Any) -> dict[str, Any]:
        """A move (not a roll) made in this position."""
        ...

    def read_move(self, position: Any, payload: object) -> Any:
        """The legal move that a client asks for."""
        ...

    def moves_from(self, position: Any, place: object = None, so_far: object = None) -> list[Any]:
        """What the player to move may do from a place; None stands for what the client left out."""
        ...

    def crowned(self, before: Any, move: Any, after: Any) -> bool:
        """Whether a man became a king."""
        ...

    def result(self, points: int) -> str:
        """The name of a win worth so much; empty where wins have none."""
        ...


VIEWS: Mapping[str, View] = MappingProxyType(
    {
        "checkers": CheckersView(GAMES["checkers"]),
        "backgammon": BackgammonView(cast("Backgammon", GAMES["backgammon"])),
    }
)
