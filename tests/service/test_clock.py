from __future__ import annotations

import time

import pytest
from tests.service.parts import START, FakeClock

from ludus.service.clock import DRIFT, GRACE, JUMP, SETTLE, Heartbeat, Moment, StoreClock, UptimeClock, WallClock


def beat(clock: UptimeClock) -> Heartbeat:
    """A heartbeat that is stored at once."""
    heartbeat = clock.heartbeat()
    clock.confirm(heartbeat, heartbeat.clock)
    return heartbeat


def work(clock: UptimeClock, wall: FakeClock, seconds: int) -> None:
    """With a heartbeat a second."""
    for _ in range(seconds):
        wall.wait(1)
        beat(clock)


def test_uptime_advances_from_heartbeat_to_heartbeat() -> None:
    wall = FakeClock()
    clock = UptimeClock(wall)
    work(clock, wall, 100)
    assert clock.moment() == Moment(START + 100_000, START + 100_000)
    assert clock.confirmed == START + 100_000


def test_uptime_runs_ahead_of_the_last_heartbeat_for_as_long_as_the_next_one_may_take() -> None:
    wall = FakeClock()
    clock = UptimeClock(wall)
    wall.wait(GRACE / 1000)
    assert clock.moment().clock == START + GRACE
    assert clock.confirmed == START
    wall.wait(3600)
    assert clock.moment().clock == START + GRACE


def test_a_gap_that_is_too_long_does_not_count_at_all() -> None:
    wall = FakeClock()
    clock = UptimeClock(wall)
    work(clock, wall, 10)
    wall.wait(GRACE / 1000 + 0.001)
    heartbeat = beat(clock)
    assert heartbeat.missed == GRACE + 1 and heartbeat.moves_deadlines
    assert clock.confirmed == START + 10_000


@pytest.mark.parametrize("seconds", [-86_400, -120, 120, 86_400])
def test_setting_the_wall_clock_changes_no_uptime(seconds: int) -> None:
    wall = FakeClock()
    clock = UptimeClock(wall)
    work(clock, wall, 10)
    wall.jump(seconds)
    wall.wait(1)
    heartbeat = beat(clock)
    assert (heartbeat.missed, heartbeat.jump) == (0, seconds * 1000)
    assert heartbeat.moves_deadlines
    work(clock, wall, 10)
    assert clock.moment() == Moment(START + (21 + seconds) * 1000, START + 21_000)


def test_a_clock_that_drifts_is_not_reported() -> None:
    wall = FakeClock()
    clock = UptimeClock(wall)
    wall.jump(JUMP / 1000)
    wall.wait(1)
    assert not beat(clock).moves_deadlines


def test_the_time_around_a_fault_does_not_count() -> None:
    wall = FakeClock()
    clock = UptimeClock(wall)
    work(clock, wall, 10)
    wall.wait(1)
    clock.note_fault()
    assert beat(clock).missed == 1000
    assert clock.confirmed == START + 10_000


def test_uptime_stands_still_until_clients_had_time_to_come_back() -> None:
    wall = FakeClock()
    clock = UptimeClock(wall)
    wall.wait(60)
    beat(clock)
    due = clock.confirmed + 2000
    assert clock.wall(due) == wall.time + SETTLE + 2000
    work(clock, wall, SETTLE // 1000)
    assert clock.confirmed == START
    assert clock.wall(due) == wall.time + 2000
    work(clock, wall, 2)
    assert clock.confirmed == due


def test_a_restarted_platform_goes_on_from_the_stored_uptime() -> None:
    wall = FakeClock()
    clock = UptimeClock(wall, settle=0)
    clock.resume(START, START - 90_000)
    work(clock, wall, 2)
    assert clock.moment() == Moment(START + 2000, START - 88_000)


def test_a_new_platform_need_not_wait_for_anybody_to_come_back() -> None:
    wall = FakeClock()
    clock = UptimeClock(wall)
    clock.resume(START, START)
    work(clock, wall, 1)
    assert clock.confirmed == START + 1000


def test_uptime_that_another_process_has_advanced_is_taken_over() -> None:
    wall = FakeClock()
    clock = UptimeClock(wall)
    clock.confirm(clock.heartbeat(), START + 7000)
    assert clock.moment().clock == START + 7000


def test_uptime_converts_to_wall_time() -> None:
    wall = FakeClock()
    clock = UptimeClock(wall, settle=0)
    clock.resume(START, START - 5000)
    now = clock.moment()
    assert clock.wall(now.clock) == now.at
    assert clock.wall(now.clock + 90_000) == now.at + 90_000


class UnevenClock:
    """Its two readings do not change in the same microsecond, and each takes a while: now and then a long one."""

    def __init__(self) -> None:
        self.elapsed = 0
        self.readings = 0

    def now(self) -> int:
        return START + (self._read() + 400) // 1000

    def monotonic(self) -> int:
        return self._read() // 1000

    def _read(self) -> int:
        """In microseconds."""
        self.readings += 1
        self.elapsed += 170 if self.readings % 7 else 40_000
        return self.elapsed


def test_the_wall_time_of_a_deadline_is_the_same_in_every_reading() -> None:
    clock = UptimeClock(UnevenClock())
    due = clock.confirmed + 90_000
    readings = set()
    for number in range(2000):
        readings.add(clock.wall(due))
        if number % 20 == 0:
            beat(clock)
    assert len(readings) == 1


@pytest.mark.parametrize(("drift", "change"), [(DRIFT, 0), (-DRIFT, 0), (DRIFT + 1, DRIFT + 1), (-60_000, -60_000)])
def test_the_wall_time_of_a_deadline_follows_a_clock_that_is_set(drift: int, change: int) -> None:
    wall = FakeClock()
    clock = UptimeClock(wall)
    due = clock.confirmed + 90_000
    wall.jump(drift / 1000)
    assert clock.wall(due) == START + 90_000 + change


def test_the_wall_time_of_a_deadline_is_put_off_while_no_heartbeat_is_stored() -> None:
    wall = FakeClock()
    clock = UptimeClock(wall)
    due = clock.confirmed + 90_000
    wall.wait(GRACE / 1000)
    assert clock.wall(due) == START + 90_000
    wall.wait(7)
    assert clock.wall(due) == START + 97_000


def test_the_wall_clock_counts_milliseconds_since_1970() -> None:
    before = time.time_ns()
    now = WallClock().now()
    assert before // 10**6 <= now <= time.time_ns() // 10**6


def test_the_monotonic_clock_counts_milliseconds() -> None:
    before = time.monotonic_ns()
    now = WallClock().monotonic()
    assert before // 10**6 <= now <= time.monotonic_ns() // 10**6


def test_a_process_that_stood_still_misses_nothing_while_another_works() -> None:
    wall = FakeClock()
    clock = UptimeClock(wall)
    work(clock, wall, 10)
    wall.wait(59)
    heartbeat = clock.heartbeat()
    wall.wait(1)
    assert not clock.confirm(heartbeat, START + 69_500)  # stored by the other, half a second ago
    assert clock.moment().clock == START + 69_500
    assert clock.wall(clock.moment().clock) == wall.time
    work(clock, wall, 1)
    assert clock.confirmed == START + 70_500


def test_an_own_heartbeat_whose_answer_was_lost_is_not_another_process() -> None:
    wall = FakeClock()
    clock = UptimeClock(wall)
    wall.wait(1)
    lost = clock.heartbeat()
    clock.note_fault()
    wall.wait(60)
    assert clock.confirm(clock.heartbeat(), lost.clock)
    work(clock, wall, SETTLE // 1000)
    assert clock.confirmed == lost.clock


def test_slow_answers_do_not_make_the_uptime_of_two_processes_run_fast() -> None:
    wall = FakeClock()
    clocks, stored = [UptimeClock(wall), UptimeClock(wall)], START
    for number in range(200):
        one, two = clocks if number % 2 else reversed(clocks)
        late = one.heartbeat()
        wall.wait(0.3)
        prompt = two.heartbeat()
        stored = max(stored, prompt.clock, late.clock)
        wall.wait(0.3)
        two.confirm(prompt, stored)
        one.confirm(late, stored)
        wall.wait(0.4)
    for clock in clocks:
        assert clock.moment().clock <= wall.time
        assert clock.moment().clock >= wall.time - 1000


def test_the_database_s_clock_replaces_the_machine_s() -> None:
    wall = FakeClock()
    clock = StoreClock(wall)
    assert clock.now() == START
    clock.note(START + 3_600_000, wall.monotonic(), wall.monotonic())
    assert clock.now() == START + 3_600_000
    wall.jump(-86_400)
    wall.wait(2)
    assert clock.now() == START + 3_602_000
    clock.note(START + 3_602_000 - DRIFT, wall.monotonic(), wall.monotonic())  # within what a reading may differ
    assert clock.now() == START + 3_602_000
    clock.note(START + 3_612_000, wall.monotonic(), wall.monotonic())
    assert clock.now() == START + 3_612_000
