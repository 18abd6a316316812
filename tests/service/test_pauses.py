from __future__ import annotations

from random import Random

import pytest

from ludus.engines.levels import LEVELS
from ludus.service.pauses import PAUSES, exhibition_pause, pause


def test_every_level_has_its_pauses() -> None:
    assert tuple(PAUSES) == LEVELS


@pytest.mark.parametrize(
    ("level", "shortest", "longest"), [("beginner", 0.5, 1.5), ("easy", 0.5, 1.5), ("medium", 1, 3), ("hard", 2, 5)]
)
def test_pauses_fill_the_span_of_their_level(level: str, shortest: float, longest: float) -> None:
    rng, tenth = Random(1), (longest - shortest) / 10
    pauses = sorted(pause(level, rng) for _ in range(1000))
    assert shortest <= pauses[0] < shortest + tenth
    assert longest - tenth < pauses[-1] <= longest


def test_pauses_are_scaled_down_to_none() -> None:
    assert pause("hard", Random(1), scale=0.5) == pause("hard", Random(1)) / 2
    assert pause("hard", Random(1), scale=0) == 0


def test_the_same_seed_pauses_as_long() -> None:
    assert pause("easy", Random(7)) == pause("easy", Random(7)) != pause("easy", Random(8))


def test_bots_that_play_for_spectators_take_two_to_six_seconds_and_mostly_less_than_four() -> None:
    rng = Random(1)
    pauses = [exhibition_pause(rng) for _ in range(1000)]
    assert 2 <= min(pauses) < 2.2
    assert 5 < max(pauses) <= 6
    assert 3 < sum(pauses) / len(pauses) < 4
    assert exhibition_pause(rng, scale=0) == 0
