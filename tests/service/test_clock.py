from __future__ import annotations

import time

from tests.service.parts import START, FakeClock

from ludus.service.clock import Moment, UptimeClock, WallClock


def test_uptime_is_the_wall_clock_minus_downtime() -> None:
    wall = FakeClock()
    clock = UptimeClock(wall, downtime=5000)
    wall.wait(2)
    assert clock.moment() == Moment(START + 2000, START - 3000)


def test_uptime_goes_back_when_more_downtime_is_found() -> None:
    wall = FakeClock()
    clock = UptimeClock(wall)
    before = clock.moment().clock
    wall.wait(60)
    clock.downtime = 60_000
    assert clock.moment().clock == before


def test_a_wall_clock_that_is_set_back_stands_still_until_it_has_caught_up() -> None:
    wall = FakeClock()
    clock = UptimeClock(wall)
    wall.wait(10)
    latest = clock.moment()
    wall.wait(-7)
    assert clock.moment() == latest
    wall.wait(6)
    assert clock.moment() == latest
    wall.wait(2)
    assert clock.moment() == Moment(START + 11_000, START + 11_000)


def test_uptime_converts_to_wall_time() -> None:
    clock = UptimeClock(FakeClock(), downtime=5000)
    now = clock.moment()
    assert clock.wall(now.clock) == now.at
    assert clock.wall(now.clock + 90_000) == now.at + 90_000


def test_the_wall_clock_counts_milliseconds_since_1970() -> None:
    before = time.time_ns()
    now = WallClock().now()
    assert before // 10**6 <= now <= time.time_ns() // 10**6
