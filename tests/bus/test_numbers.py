"""Gaps in what other processes have written."""

from __future__ import annotations

import pytest

from ludus.bus.numbers import FORGET_SECONDS, MAX_PUBLISHERS, Numbers


class FakeClock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def numbers(clock: FakeClock) -> Numbers:
    found = Numbers(2, clock)
    found.is_settled = True
    return found


def test_entries_in_a_row_have_no_gap(numbers: Numbers) -> None:
    assert not any(numbers.entry("a", 0, number) for number in (1, 2, 3))
    assert not numbers.entry("a", 1, 1)
    assert not numbers.beacon("a", (3, 1))


def test_a_number_that_is_left_out_is_a_gap_once(numbers: Numbers) -> None:
    numbers.entry("a", 0, 1)
    assert numbers.entry("a", 0, 3)
    assert not numbers.entry("a", 0, 4)


def test_an_entry_that_comes_again_is_no_gap(numbers: Numbers) -> None:
    for number in (1, 2, 3):
        numbers.entry("a", 0, number)
    assert not any(numbers.entry("a", 0, number) for number in (1, 2, 3, 4))


def test_a_beacon_tells_of_the_last_entry(numbers: Numbers) -> None:
    numbers.entry("a", 0, 1)
    assert numbers.beacon("a", (1, 1))
    assert not numbers.beacon("a", (1, 1))
    assert not numbers.entry("a", 1, 2)


def test_the_first_entry_of_a_new_process_has_the_number_1(numbers: Numbers) -> None:
    assert not numbers.beacon("new", (0, 0))
    assert not numbers.entry("newer", 1, 1)
    assert numbers.entry("missed", 0, 2)


def test_until_it_is_settled_the_others_may_be_at_any_number(numbers: Numbers) -> None:
    numbers.is_settled = False
    assert not numbers.beacon("a", (7, 9))
    assert not numbers.entry("b", 0, 5)
    numbers.is_settled = True
    assert not numbers.entry("a", 0, 8) and not numbers.entry("b", 0, 6)
    assert numbers.entry("a", 1, 11)


def test_a_process_that_was_silent_for_long_may_have_been_missed(numbers: Numbers, clock: FakeClock) -> None:
    numbers.entry("silent", 0, 1)
    clock.seconds = FORGET_SECONDS - 1
    numbers.entry("other", 0, 1)
    assert len(numbers) == 2
    clock.seconds = FORGET_SECONDS + 1
    numbers.entry("other", 0, 2)
    assert len(numbers) == 1
    assert numbers.entry("silent", 0, 2)


def test_however_many_write_memory_is_bounded(numbers: Numbers) -> None:
    for publisher in range(MAX_PUBLISHERS + 100):
        numbers.entry(str(publisher), 0, 1)
    assert len(numbers) == MAX_PUBLISHERS
