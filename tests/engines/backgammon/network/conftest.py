"""Positions of random games to test the network on."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from ludus.core.kernel import compiled, new_words
from ludus.games.backgammon import kernel
from ludus.games.backgammon.position import VARIANTS

Planes = tuple[int, int, int, int]


def play(number: int, seed: int) -> tuple[Planes, ...]:
    """Positions before a roll; the mover's men come first."""
    rng, quick, found = random.Random(seed), compiled(kernel), list[Planes]()
    words = new_words(quick, kernel.MOST_PLAYS * kernel.WORDS)
    start = VARIANTS["standard"]
    now: Planes = (*start.white, *start.black)
    while len(found) < number:
        found.append(now)
        end = quick.write_plays(words, 0, *now, rng.randint(1, 6), rng.randint(1, 6))
        a, b, c, d = words[5 * rng.randrange(end) :][:4].tolist()
        now = (*start.white, *start.black) if kernel.is_off(a, b) else (c, d, a, b)
    return tuple(found)


@pytest.fixture(scope="session")
def positions() -> Callable[[int, int], tuple[Planes, ...]]:
    """Makes `number` positions of random games from a seed."""
    return play
