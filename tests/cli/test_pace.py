"""How fast a bot answers at a terminal, by a clock of the test's own."""

from __future__ import annotations

from random import Random

import pytest

from ludus.cli.pace import Pace
from ludus.service.pauses import PAUSES


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def read(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        assert seconds >= 0
        self.now += seconds


def taken(bot: str, thinking: float, seed: int) -> float:
    """Seconds from the question to the answer of a bot that thinks so long."""
    clock = Clock()
    with Pace(bot, Random(seed), clock.read, clock.sleep).kept():
        clock.now += thinking
    return clock.now - 100


@pytest.mark.parametrize("bot", ["easy", "medium", "hard", "house:easy", "mine:cautious", "policy.npz"])
def test_a_quick_answer_takes_as_long_as_in_the_house(bot: str) -> None:
    least, most = PAUSES.get(bot.removeprefix("house:"), PAUSES["medium"])
    for seed in range(20):
        assert least <= taken(bot, 0.001, seed) <= most


def test_thinking_is_part_of_the_pause_and_a_long_thought_gets_none() -> None:
    assert taken("hard", 1.0, 3) == pytest.approx(taken("hard", 0.0, 3))
    assert taken("easy", 30.0, 3) == pytest.approx(30.0)
