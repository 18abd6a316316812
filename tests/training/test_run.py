from __future__ import annotations

import pytest

from ludus.core.errors import UnknownOption
from ludus.training.run import Deadline, OutOfTime, is_due, trainable, trainer


def test_a_deadline_ends_the_work_when_its_seconds_are_over() -> None:
    times = iter([100.0, 100.0, 104.9, 105.0])
    deadline = Deadline(5, lambda: next(times))
    deadline.check()
    deadline.check()
    with pytest.raises(OutOfTime):
        deadline.check()


def test_measurements_are_frequent_at_first() -> None:
    due = [generation for generation in range(1, 301) if is_due(generation, 100)]
    assert due == [1, 2, 4, 8, 16, 32, 64, 100, 200, 300]


def test_both_games_can_be_trained_and_no_other() -> None:
    assert set(trainable()) >= {"checkers", "backgammon"}
    with pytest.raises(UnknownOption, match="cannot be trained"):
        trainer("chess")
