from __future__ import annotations

import pytest

from ludus.training.clock import Clock, TimeIsOver


def test_a_clock_ends_the_work_when_its_seconds_are_over() -> None:
    times = iter([100.0, 100.0, 104.9, 105.0])
    clock = Clock(5, lambda: next(times))
    clock.look()
    clock.look()
    with pytest.raises(TimeIsOver):
        clock.look()
