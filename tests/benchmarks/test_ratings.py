"""The simulation of `benchmarks.ratings`, small: colluders stay off the board, and the honest are ranked."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from benchmarks.ratings import collusion
from benchmarks.ratings.simulation import Arena, OurRatings, PlainGlicko, place, rank_correlation

AGENTS, ROUNDS = 100, 40
OFF_THE_BOARD = [kind for kind in collusion.KINDS.values() if kind is not collusion.pyramid]


@pytest.fixture(scope="module")
def arena() -> Arena:
    found = Arena((PlainGlicko(), OurRatings()), AGENTS, seed=1)
    found.play_rounds(ROUNDS)
    return found


def test_honest_agents_are_ranked_by_their_strength(arena: Arena) -> None:
    plain, ours = arena.systems
    assert rank_correlation(ours, arena.honest) > rank_correlation(plain, arena.honest) - 0.03 > 0.9
    assert sum(map(ours.is_listed, arena.honest)) > 0.9 * AGENTS


@pytest.mark.parametrize("collude", OFF_THE_BOARD)
def test_no_accomplices_buy_a_place(arena: Arena, collude: Callable[[Arena], Any]) -> None:
    arena = deepcopy(arena)  # each kind meets the same crowd
    boss = collude(arena)
    plain, ours = arena.systems
    assert place(ours, boss, arena.honest) is None
    assert place(plain, boss, arena.honest) is not None
    assert ours.now(boss).rating < plain.now(boss).rating + 20
