"""Expectimax against plain recursion, and the interpreter against compiled code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ludus.engines.backgammon import expectimax
from ludus.engines.backgammon.lookahead import MAX_DEPTH, POINTS, Afterstate, Lookahead, flipped
from ludus.engines.backgammon.network import Chances
from ludus.engines.backgammon.network.inference import OUTCOMES
from ludus.engines.backgammon.tables import bearoff_tables
from ludus.engines.engine import Limit
from ludus.games.backgammon import kernel
from ludus.games.backgammon.position import VARIANTS, Men, men
from ludus.games.backgammon.rules import ROLLS

Afterstates = Callable[[int, int], list[Afterstate]]


def plays(own: Men, other: Men, dice: tuple[int, int]) -> list[Afterstate]:
    words = [0] * kernel.MOST_PLAYS * kernel.WORDS
    end = kernel.write_plays(words, 0, *own, *other, *dice)
    return [Afterstate(Men(*words[i : i + 2]), Men(*words[i + 2 : i + 4])) for i in range(0, end * 5, 5)]


def looked(lookahead: Lookahead, after: Afterstate, depth: int) -> Chances:
    """By plain recursion: the mean over all rolls of the best answer's chances."""
    if depth == 0 or after.is_exact:
        return lookahead.evaluate([after])[0]
    total = np.zeros(5)
    for roll, weight in ROLLS:
        answers = plays(after.other, after.own, roll)
        likings = [chances.equity for chances in lookahead.evaluate(answers)]
        best = answers[likings.index(max(likings))]
        total += weight * np.array(flipped(looked(lookahead, best, depth - 1)))
    return Chances(*(total / 36).tolist())


@pytest.mark.parametrize("seed", range(6))
def test_one_roll_ahead_equals_plain_recursion(seed: int, lookahead: Lookahead, afterstates: Afterstates) -> None:
    after = afterstates(1, seed)[0]
    with lookahead.within(Limit()):
        assert lookahead.search(after, 1) == pytest.approx(looked(lookahead, after, 1), abs=1e-6)


@pytest.mark.parametrize(
    ("own", "other"),
    [
        (VARIANTS["hypergammon"].white, VARIANTS["hypergammon"].black),
        (men({13: 1, 2: 2, 0: 12}), men({8: 2, 1: 1, 0: 12})),
        (men({25: 1, 6: 2}), men({6: 2, 5: 2, 4: 2})),
        (men({6: 4, 5: 3, 0: 8}), men({6: 5, 1: 3, 0: 7})),
    ],
)
def test_two_rolls_ahead_equal_plain_recursion(own: Men, other: Men, lookahead: Lookahead) -> None:
    after = Afterstate(own, other)
    with lookahead.within(Limit()):
        assert lookahead.search(after, 2) == pytest.approx(looked(lookahead, after, 2), abs=1e-6)


def test_the_interpreter_agrees(lookahead: Lookahead) -> None:
    """At home, without the network, which takes the interpreter too long."""
    after = Afterstate(men({6: 4, 5: 3, 0: 8}), men({6: 5, 1: 3, 0: 7}))
    work = expectimax.Work(
        plays=np.zeros(kernel.MOST_PLAYS * kernel.WORDS, np.int64),
        out=np.zeros(kernel.MOST_PLAYS * OUTCOMES),
        control=np.array([0, 0, 1 << 62]),
        stack=np.zeros((MAX_DEPTH, expectimax.LEVEL_WORDS), np.int64),
        sums=np.zeros((MAX_DEPTH, OUTCOMES)),
        cache_keys=np.zeros((1024, expectimax.KEY_WORDS), np.int64),
        cache_values=np.zeros((1024, OUTCOMES)),
        payoffs=np.array([POINTS, POINTS]),
        roll_afters=np.zeros((expectimax.ROLLS, 4), np.int64),
        roll_chances=np.zeros((expectimax.ROLLS, OUTCOMES)),
    )
    work.plays[:4] = (*after.own, *after.other)
    no_network: Any = ()
    assert expectimax.expectimax(work, 1, 2, bearoff_tables(), no_network, no_network)
    with lookahead.within(Limit()):
        chances = lookahead.search(after, 2)
        assert lookahead.nodes == work.control[expectimax.NODES]
    assert chances is not None and 1 - chances.win == pytest.approx(work.out[0])


def test_rolls_are_numbered_from_11_to_66() -> None:
    assert [expectimax.dice(roll) for roll in range(expectimax.ROLLS)] == [tuple(roll) for roll, _ in ROLLS]


def test_cache_slots_differ(afterstates: Afterstates) -> None:
    positions = {(*after.own, *after.other) for after in afterstates(1000, 1)}
    slots = {expectimax.slot_of(*position, depth, 1 << 20) for position in positions for depth in (1, 2)}
    assert len(slots) > 1.97 * len(positions)
