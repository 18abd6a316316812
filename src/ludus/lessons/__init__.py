"""Lessons: positions in which a learner finds a move, introducing one rule or idea after another.

A game's lesson is `ludus.lessons.NAME`, or the `lessons` module of a third-party package, with its steps as `STEPS`.
The page has the texts that the learner sees, by the names of the steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, cast

from ludus.games import GAMES, layer


class Step(NamedTuple):
    name: str
    position: Any
    is_right: Callable[[str], bool] = lambda _: True
    """Whether a legal move, in notation, is what the step asks for."""


def read(game: str, name: str, position: str, *right: str) -> Step:
    """A step in which any legal move is right, or one of the given moves."""
    found = GAMES[game].notation.read_position(position)
    return Step(name, found, right.__contains__) if right else Step(name, found)


def lesson(game: str) -> Sequence[Step]:
    """The steps of a game's lesson; empty if it has none."""
    found = layer(game, "lessons") if game in GAMES else None
    return cast("Sequence[Step]", found.STEPS) if found else ()
