"""Positions of few pieces, and the tables of the package."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest

from ludus.core.rules import Player
from ludus.engines.checkers.endgames import tables
from ludus.games.checkers.kernel import BOTTOM, TOP
from ludus.games.checkers.position import SQUARES, Position, bit_of

Draw = Callable[[int, int, int], Iterator[Position]]


@pytest.fixture(scope="session")
def four() -> tables.EndgameTables:
    return tables.load(4)


@pytest.fixture
def positions() -> Draw:
    """Makes `number` random positions of so many pieces, from a seed."""
    return drawn


def drawn(number: int, pieces: int, seed: int) -> Iterator[Position]:
    rng = random.Random(seed)
    for _ in range(number):
        squares = [bit_of(square) for square in rng.sample(SQUARES, pieces)]
        cut = rng.randrange(1, pieces)
        first, second = sum(squares[:cut]), sum(squares[cut:])
        kings = sum(square for square in squares if rng.random() < 0.5) | first & BOTTOM | second & TOP
        yield Position(first, second, kings, rng.choice(list(Player)))
