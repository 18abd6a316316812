"""Games of checkers as PDN files."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ludus.core.game import Game
    from ludus.games.checkers.position import Move, Position
    from ludus.games.checkers.rules import Checkers


def write(rules: Checkers, games: Iterable[Game[Position, Move]]) -> str:
    raise AssertionError


def read(rules: Checkers, text: str) -> list[Game[Position, Move]]:
    raise AssertionError
