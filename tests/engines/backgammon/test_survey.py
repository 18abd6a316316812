"""The walk over rolls to come beside the same by plain recursion; the interpreter beside compiled code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ludus.engines.backgammon import survey
from ludus.engines.backgammon.lookahead import DEEPEST, After, Lookahead, turned
from ludus.engines.backgammon.network import Chances
from ludus.engines.backgammon.network.inference import OUTCOMES
from ludus.engines.backgammon.tables import tables
from ludus.engines.engine import Limit
from ludus.games.backgammon import kernel
from ludus.games.backgammon.position import VARIANTS, Men, men
from ludus.games.backgammon.rules import ROLLS

Afters = Callable[[int, int], list[After]]


def plays(own: Men, other: Men, dice: tuple[int, int]) -> list[After]:
    words = [0] * kernel.MOST_PLAYS * kernel.WORDS
    end = kernel.write_plays(words, 0, *own, *other, *dice)
    return [After(Men(*words[i : i + 2]), Men(*words[i + 2 : i + 4])) for i in range(0, end * 5, 5)]


def looked(lookahead: Lookahead, after: After, depth: int) -> Chances:
    """By plain recursion: the answer that seems best to each roll, and what it is worth on average."""
    if depth == 0 or after.is_exact:
        return lookahead.judge([after])[0]
    total = np.zeros(5)
    for roll, weight in ROLLS:
        answers = plays(after.other, after.own, roll)
        likings = [chances.equity for chances in lookahead.judge(answers)]
        best = answers[likings.index(max(likings))]
        total += weight * np.array(turned(looked(lookahead, best, depth - 1)))
    return Chances(*(total / 36).tolist())


@pytest.mark.parametrize("seed", range(6))
def test_one_roll_ahead_is_a_plain_mean_of_best_answers(seed: int, lookahead: Lookahead, afters: Afters) -> None:
    after = afters(1, seed)[0]
    with lookahead.within(Limit()):
        assert lookahead.look(after, 1) == pytest.approx(looked(lookahead, after, 1), abs=1e-6)


@pytest.mark.parametrize(
    ("own", "other"),
    [
        (VARIANTS["hypergammon"].white, VARIANTS["hypergammon"].black),
        (men({13: 1, 2: 2, 0: 12}), men({8: 2, 1: 1, 0: 12})),
        (men({25: 1, 6: 2}), men({6: 2, 5: 2, 4: 2})),
        (men({6: 4, 5: 3, 0: 8}), men({6: 5, 1: 3, 0: 7})),
    ],
)
def test_two_rolls_ahead_is_the_same_twice(own: Men, other: Men, lookahead: Lookahead) -> None:
    after = After(own, other)
    with lookahead.within(Limit()):
        assert lookahead.look(after, 2) == pytest.approx(looked(lookahead, after, 2), abs=1e-6)


def test_the_interpreter_agrees(lookahead: Lookahead) -> None:
    """At home, where no network is asked: it takes the interpreter too long."""
    after = After(men({6: 4, 5: 3, 0: 8}), men({6: 5, 1: 3, 0: 7}))
    out: Any = np.zeros(kernel.MOST_PLAYS * OUTCOMES)
    words: Any = np.zeros(kernel.MOST_PLAYS * kernel.WORDS, np.int64)
    words[:4] = (*after.own, *after.other)
    state, stack = np.array([0, 0, 1 << 62]), np.zeros((DEEPEST, survey.LEVEL_WORDS), np.int64)
    memory = np.zeros((1024, survey.KEYS), np.int64), np.zeros((1024, OUTCOMES))
    assert survey.look(out, words, 1, 2, state, stack, np.zeros((DEEPEST, 6)), *memory, tables(), ())
    with lookahead.within(Limit()):
        chances = lookahead.look(after, 2)
        assert lookahead.nodes == state[survey.SEEN]
    assert chances is not None and 1 - chances.win == pytest.approx(out[0])


def test_rolls_are_numbered_from_11_to_66() -> None:
    assert [survey.dice(case) for case in range(survey.CASES)] == [tuple(roll) for roll, _ in ROLLS]


def test_places_in_the_memory_differ(afters: Afters) -> None:
    positions = {(*after.own, *after.other) for after in afters(1000, 1)}
    slots = {survey.slot_of(*position, depth, 1 << 20) for position in positions for depth in (1, 2)}
    assert len(slots) > 1.97 * len(positions)
