"""Places on the backgammon board: points as white counts them, 24 down to 1, with `bar` and `off`.

The rules number points from their owner's side, so black's point p is 25 - p here.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ludus.core.rules import Player
from ludus.games.backgammon.position import BAR, OFF, Position, Step

Place = int | str

WHITE: Final[tuple[Place, ...]] = ("off", *range(1, 25), "bar")
BLACK: Final[tuple[Place, ...]] = ("off", *range(24, 0, -1), "bar")
"""A player's own points, from off (0) to the bar (25)."""
MOST_STEPS: Final = 4
RANGE: Final = "a whole number from 1 to 24"


def names(position: Position) -> tuple[Place, ...]:
    """The names of the mover's own points."""
    return BLACK if position.mover is Player.SECOND else WHITE


def is_place(value: object, word: str) -> bool:
    """Whether this is a point or the only word allowed here, `bar` or `off`."""
    return 1 <= value <= 24 if type(value) is int else type(value) is str and value == word


def own_point(position: Position, place: Place) -> int:
    """A place as the mover counts it."""
    if isinstance(place, str):
        return BAR if place == "bar" else OFF
    return 25 - place if position.mover is Player.SECOND else place


def write_steps(position: Position, steps: Iterable[Step]) -> list[dict[str, Place]]:
    named = names(position)
    return [{"from": named[source], "to": named[target]} for source, target in steps]
