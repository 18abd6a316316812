from __future__ import annotations

from collections import Counter
from itertools import islice

import pytest

from ludus.engines.backgammon.rollout.dice import THROWS, StratifiedDice


def first(seed: int, trial: int, number: int = 2) -> tuple[int, ...]:
    return tuple(islice(StratifiedDice(seed).rolls(trial), number))


def test_every_throw_has_its_share() -> None:
    assert Counter(THROWS) == {number: 1 if number in (0, 2, 5, 9, 14, 20) else 2 for number in range(21)}


@pytest.mark.parametrize("turn", [0, 1])
def test_36_trials_have_every_throw_once(turn: int) -> None:
    assert sorted(first(3, trial)[turn] for trial in range(36, 72)) == sorted(THROWS)


def test_1296_trials_have_every_pair_of_throws_once() -> None:
    dice = StratifiedDice(3)
    pairs = Counter(tuple(islice(dice.rolls(trial), 2)) for trial in range(1296))
    shares = Counter(THROWS)
    assert pairs == {(one, two): shares[one] * shares[two] for one in shares for two in shares}


def test_rolls_depend_on_the_seed_and_the_trial_only() -> None:
    assert first(3, 40, 30) == first(3, 40, 30)
    assert len({first(seed, trial, 30) for seed in (3, 4) for trial in (0, 36, 1296)}) == 6


def test_later_rolls_are_as_frequent_as_they_should_be() -> None:
    dice = StratifiedDice(1)
    found = Counter(number for trial in range(200) for number in islice(dice.rolls(trial), 2, 50))
    shares = Counter(THROWS)
    for number, share in shares.items():
        expected = 200 * 48 * share / 36
        assert abs(found[number] - expected) < 4 * expected**0.5
