"""Afterstates of random games."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from ludus.core.kernel import compiled, new_words
from ludus.engines.backgammon.lookahead import Afterstate, Lookahead
from ludus.engines.backgammon.network import Network
from ludus.games.backgammon import kernel
from ludus.games.backgammon.position import VARIANTS, Men


def play(number: int, seed: int) -> list[Afterstate]:
    """Those of every ninth play, for variety."""
    rng, quick, found = random.Random(seed), compiled(kernel), list[Afterstate]()
    words = new_words(quick, kernel.MOST_PLAYS * kernel.WORDS)
    start = (*VARIANTS["standard"].white, *VARIANTS["standard"].black)
    now, turn = start, 0
    while len(found) < number:
        end = quick.write_plays(words, 0, *now, rng.randint(1, 6), rng.randint(1, 6))
        a, b, c, d = words[5 * rng.randrange(end) :][:4].tolist()
        turn += 1
        if turn % 9 == 0:
            found.append(Afterstate(Men(a, b), Men(c, d)))
        now = start if kernel.is_off(a, b) else (c, d, a, b)
    return found


@pytest.fixture(scope="session")
def afterstates() -> Callable[[int, int], list[Afterstate]]:
    """Makes `number` afterstates of random games from a seed."""
    return play


@pytest.fixture(scope="session")
def network() -> Network:
    return Network.load()


@pytest.fixture
def lookahead(network: Network) -> Lookahead:
    """With an empty cache."""
    return Lookahead(network)
