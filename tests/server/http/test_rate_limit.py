"""Rate limits, on a manual clock."""

from __future__ import annotations

from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.server.http.rate_limit import HOUR, EventLimit, Quota, RequestLimit, SocketCount

START = 1_800_000_000.0


class Clock:
    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> float:
        return self.now


def test_requests_are_counted_down_and_then_refused_until_the_minute_is_over() -> None:
    clock = Clock()
    limit = RequestLimit(2, clock)
    reset = int(START) + 60
    assert limit.hit("key") == Quota(True, 2, 1, reset, 0)
    clock.now += 20.5
    assert limit.hit("key") == Quota(True, 2, 0, reset, 0)
    assert limit.hit("key") == Quota(False, 2, 0, reset, 40)
    clock.now = START + 59.9
    assert limit.hit("key") == Quota(False, 2, 0, reset, 1)
    clock.now = START + 60
    assert limit.hit("key") == Quota(True, 2, 1, reset + 60, 0)


def test_a_client_that_waits_for_retry_after_is_accepted() -> None:
    clock = Clock()
    limit = RequestLimit(1, clock)
    limit.hit("key")
    clock.now += 12.34
    clock.now += limit.hit("key").retry_after
    assert limit.hit("key").allowed


def test_one_key_does_not_use_up_another() -> None:
    limit = RequestLimit(1, Clock())
    assert limit.hit("one").allowed
    assert limit.hit("other").allowed
    assert not limit.hit("one").allowed


def test_a_clock_set_back_locks_no_one_out() -> None:
    clock = Clock()
    limit = RequestLimit(1, clock)
    limit.hit("key")
    clock.now -= 3600
    assert limit.hit("key").allowed
    assert not limit.hit("key").allowed


def test_a_window_may_be_an_hour() -> None:
    clock = Clock()
    limit = RequestLimit(1, clock, HOUR)
    began = clock.now
    assert limit.hit("key") == Quota(True, 1, 0, ceil(began + 3600), 0)
    clock.now += 3599
    assert limit.hit("key") == Quota(False, 1, 0, ceil(began + 3600), 1)
    clock.now += 1
    assert limit.hit("key").allowed


def test_clients_of_the_past_are_forgotten() -> None:
    clock = Clock()
    limit = RequestLimit(1, clock)
    for number in range(1000):
        clock.now += 1
        limit.hit(str(number))
    assert len(limit.windows) == 60


@given(st.integers(1, 5), st.lists(st.tuples(st.sampled_from("ab"), st.floats(0, 40)), max_size=60))
def test_no_client_gets_more_than_its_limit_in_its_window(most: int, hits: list[tuple[str, float]]) -> None:
    clock = Clock()
    limit = RequestLimit(most, clock)
    opened: dict[str, float] = {}
    count: dict[str, int] = {}
    for who, pause in hits:
        clock.now += pause
        if who not in opened or clock.now >= opened[who] + 60:
            opened[who], count[who] = clock.now, 0
        count[who] += 1
        quota = limit.hit(who)
        assert quota.allowed == (count[who] <= most)
        assert quota.remaining == max(0, most - count[who])


def test_a_socket_may_send_a_seconds_worth_at_once_and_then_as_time_goes_by() -> None:
    limit = EventLimit(4, now=10.0)
    assert [limit.allows(10.0) for _ in range(5)] == [True] * 4 + [False]
    assert not limit.allows(10.125)
    assert limit.allows(10.25)
    assert not limit.allows(10.25)
    assert [limit.allows(99.0) for _ in range(5)] == [True] * 4 + [False]


@given(st.integers(1, 50), st.lists(st.integers(0, 64), min_size=1, max_size=300))
def test_accepted_events_never_exceed_the_rate(rate: int, pauses: list[int]) -> None:
    limit = EventLimit(rate, now=0.0)
    now, let_in = 0.0, 0
    for pause in pauses:
        now += pause / 64
        let_in += limit.allows(now)
        assert let_in <= rate + now * rate + 1e-6


def test_a_socket_too_many_is_refused_until_another_leaves() -> None:
    count = SocketCount(2)
    assert [count.enter("a"), count.enter("a"), count.enter("a"), count.enter("b")] == [True, True, False, True]
    count.leave("a")
    assert [count.enter("a"), count.enter("a")] == [True, False]


def test_an_address_without_sockets_is_forgotten() -> None:
    count = SocketCount(2)
    for number in range(100):
        count.enter(str(number))
        count.leave(str(number))
    assert not count.open
    with pytest.raises(KeyError):
        count.leave("0")
