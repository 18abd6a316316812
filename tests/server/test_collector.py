"""Full collections of garbage wait for a quiet moment, but not forever."""

from __future__ import annotations

import pytest

from ludus.server.collector import ENOUGH, MANY, YOUNG, Collector


class Process:
    """Seconds, CPU seconds and objects by hand."""

    def __init__(self) -> None:
        self.seconds = self.cpu = 0.0
        self.added = self.left = self.collected = 0
        self.collector = Collector(lambda: self.seconds, lambda: self.cpu, lambda: self.added // YOUNG, self._collect)

    def _collect(self) -> int:
        self.collected += 1
        self.added = 0
        return self.left

    def pass_second(self, *, busy: float, added: int) -> int:
        """How many full collections there were."""
        before = self.collected
        self.seconds += 1
        self.cpu += busy
        self.added += added
        self.collector.check()
        return self.collected - before


def test_a_busy_process_collects_only_when_it_must() -> None:
    process = Process()
    seconds = MANY // ENOUGH
    assert [process.pass_second(busy=0.5, added=ENOUGH) for _ in range(seconds)] == [0] * (seconds - 1) + [1]


def test_a_quiet_process_collects_what_has_gathered() -> None:
    process = Process()
    assert process.pass_second(busy=0.5, added=ENOUGH) == 0
    assert process.pass_second(busy=0.01, added=0) == 1
    assert process.pass_second(busy=0.01, added=ENOUGH // 2) == 0, "too little to be worth it"


@pytest.mark.parametrize("left", [0, 3 * MANY])
def test_the_more_is_left_the_more_may_be_added_before_the_next(left: int) -> None:
    process = Process()
    process.left = left
    assert process.pass_second(busy=1, added=MANY) == 1
    assert process.pass_second(busy=1, added=MANY) == (0 if left else 1)
    assert process.pass_second(busy=1, added=2 * MANY) == 1
