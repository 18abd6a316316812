"""The players' clocks: folded from events, stopped by moves, and the flag that falls when one runs out."""

from __future__ import annotations

import json
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.service.parts import LIMITS, first_play, opening, random_play
from tests.service.test_time_control import CLOCKED

from ludus.games import GAMES
from ludus.service.clock import Moment
from ludus.service.commands import Leave, Resign, TakeBack, Tick
from ludus.service.decisions import Decision, decide, open_table, rematch_opening
from ludus.service.game_clock import clock_after, clock_now, time_control_of
from ludus.service.records import Event
from ludus.service.table import EventKind, Limits, SeatKind, Table, folded
from ludus.service.time_control import DAY, NO_LIMIT, Kind, TimeControl

NOW = Moment(1_000_000, 500_000)
FISCHER = TimeControl(Kind.FISCHER, 300, 3)
BRONSTEIN = TimeControl(Kind.BRONSTEIN, 120, 12)
PER_MOVE = TimeControl(Kind.MOVE, 15)
CORRESPONDENCE = TimeControl(Kind.CORRESPONDENCE, 2 * DAY)


def after(milliseconds: int) -> Moment:
    return Moment(NOW.at + milliseconds, NOW.clock + milliseconds)


def start(time_control: TimeControl, game: str = "checkers", limits: Limits = LIMITS) -> Decision:
    return open_table(opening(game)._replace(time_control=time_control, limits=limits.under(time_control)), NOW)


def new(time_control: TimeControl, game: str = "checkers") -> Table:
    return start(time_control, game).after


def played(table: Table, at: int) -> Table:
    decision = decide(table, first_play(table), after(at))
    assert decision is not None
    return decision.after


def ticked(table: Table, at: int) -> Decision | None:
    return decide(table, Tick(), after(at))


@pytest.mark.parametrize("game", GAMES)
def test_only_the_mover_s_time_runs(game: str) -> None:
    table = new(FISCHER, game)
    mover = int(table.mover or 0)
    left = table.remaining(NOW.clock + 10_000)
    assert (left[mover], left[1 - mover]) == (290_000, 300_000)
    moved = played(table, 10_000)
    assert moved.remaining(NOW.clock + 10_000)[mover] == 293_000


def test_the_flag_falls_when_the_time_is_used_and_not_before() -> None:
    table = played(new(FISCHER), 10_000)
    assert table.due() == table.flag_due() == NOW.clock + 310_000
    assert ticked(table, 309_999) is None
    decision = ticked(table, 310_000)
    assert decision is not None and decision.is_end
    assert (decision.event.kind, decision.event.seat) == (EventKind.TIMED_OUT, 1)
    assert decision.after.outcome is not None
    assert (decision.after.outcome.winner, decision.after.outcome.reason) == (0, "timeout")
    assert decision.after.remaining(NOW.clock + 999_999) == (293_000, 0)
    assert ticked(decision.after, 999_999) is None


def test_a_delay_comes_before_the_time() -> None:
    table = new(BRONSTEIN)
    assert table.flag_due() == NOW.clock + 132_000
    assert table.remaining(NOW.clock + 12_000) == (120_000, 120_000)
    assert (table.delay_left(NOW.clock), table.delay_left(NOW.clock + 5_000), table.delay_left(NOW.clock + 13_000)) == (
        12_000, 7_000, 0,
    )  # fmt: skip
    assert played(table, 20_000).remaining(NOW.clock + 20_000) == (112_000, 120_000)


def test_each_move_has_its_own_time() -> None:
    table = played(new(PER_MOVE), 14_000)
    assert table.flag_due() == NOW.clock + 29_000
    assert table.remaining(NOW.clock + 20_000) == (15_000, 9_000)


def test_a_bot_s_clock_runs_too() -> None:
    wanted = opening()
    bot = wanted.seats[0]._replace(kind=SeatKind.BOT)
    table = open_table(wanted._replace(seats=(bot, wanted.seats[1]), time_control=PER_MOVE), NOW).after
    assert table.flag_due() == NOW.clock + 15_000
    assert ticked(table, 15_000) is not None


def test_a_move_that_comes_late_but_before_the_flag_is_noticed_counts() -> None:
    table = played(new(TimeControl(Kind.GAME, 60)), 60_150)
    assert table.remaining(NOW.clock + 60_150) == (0, 60_000)
    assert table.outcome is None


def test_uptime_that_goes_back_a_little_adds_no_time() -> None:
    """Processes of a cluster agree on uptime only to a few milliseconds."""
    table = played(played(new(FISCHER), 10_000), 9_990)
    assert table.remaining(NOW.clock + 9_990) == (293_000, 303_000)


def test_a_time_control_replaces_the_other_limits() -> None:
    assert LIMITS.under(None) == LIMITS
    assert LIMITS.under(FISCHER) == Limits(None, None, LIMITS.reconnect)
    for patient in (CORRESPONDENCE, NO_LIMIT):
        assert LIMITS.under(patient) == Limits(None, None, None)


def test_a_player_of_a_correspondence_game_may_leave() -> None:
    decision = decide(new(CORRESPONDENCE), Leave(0), after(1_000))
    assert decision is not None
    assert decision.after.due() == NOW.clock + 2 * DAY * 1000


def test_without_a_limit_nothing_is_ever_due() -> None:
    table = new(NO_LIMIT)
    left = decide(table, Leave(0), after(1_000))
    assert left is not None
    assert (left.after.due(), left.after.is_clocked, clock_now(table, NOW.clock)) == (None, False, {})
    assert time_control_of(table) == {"timeControl": {"type": "none"}}


def test_a_player_who_is_away_loses_by_whichever_limit_comes_first() -> None:
    table = played(new(PER_MOVE), 1_000)
    left = decide(table, Leave(0), after(2_000))
    assert left is not None and left.after.due() == NOW.clock + 16_000
    ended = decide(left.after, Tick(), after(16_000))
    assert ended is not None and (ended.event.seat, ended.event.data["reason"]) == (1, "timeout")


def test_a_rematch_has_the_same_time_control() -> None:
    over = decide(new(FISCHER), Resign(0), after(1_000))
    assert over is not None
    assert rematch_opening(over.after, "next", None).time_control == FISCHER


def test_clocks_stop_with_the_game() -> None:
    over = decide(new(FISCHER), Resign(1), after(5_000))
    assert over is not None
    assert clock_now(over.after, NOW.clock + 60_000) == {"clock": {"remainingMs": [295_000, 300_000], "running": None}}


def test_the_time_left_at_the_start_of_each_turn_stays_known() -> None:
    """A takeback can restore it."""
    table = new(FISCHER)
    for at in (10_000, 30_000, 35_000):
        table = played(table, at)
    assert [table.remaining_at(version) for version in (1, 2, 3, 4)] == [
        (300_000, 300_000), (293_000, 300_000), (293_000, 283_000), (291_000, 283_000),
    ]  # fmt: skip


def test_a_takeback_restores_the_time_and_what_was_shown_before_stays_known() -> None:
    wanted = opening()
    bot = wanted.seats[1]._replace(kind=SeatKind.BOT)
    table = open_table(wanted._replace(seats=(wanted.seats[0], bot), time_control=FISCHER), NOW).after
    for at in (10_000, 11_000, 31_000, 32_000):
        table = played(table, at)
    for at, left in ((40_000, (293_000, 302_000)), (50_000, (300_000, 300_000))):
        taken = decide(table, TakeBack(0), after(at))
        assert taken is not None
        table = taken.after
        assert (table.mover, table.remaining(NOW.clock + at)) == (0, left)
        assert table.flag_due() == NOW.clock + at + left[0]
    versions = [table.remaining_at(version) for version in range(1, 8)]
    assert versions[3:] == [(276_000, 302_000), (276_000, 304_000), (293_000, 302_000), (300_000, 300_000)]


def test_what_clients_get_is_what_was_left_when_it_was_sent() -> None:
    table = played(new(BRONSTEIN), 22_000)
    shown = {"remainingMs": [110_000, 120_000], "running": 1, "delayMs": 12_000}
    assert clock_after(table, table.version, 1) == {"clock": shown}
    later = {"remainingMs": [110_000, 117_000], "running": 1, "delayMs": 0}
    assert clock_now(table, NOW.clock + 37_000) == {"clock": later}


@settings(max_examples=30)
@given(CLOCKED, st.sampled_from(list(GAMES)), st.lists(st.integers(0, 40_000), max_size=30), st.integers(0, 99))
def test_clocks_are_what_the_events_say(time_control: TimeControl, game: str, thoughts: list[int], seed: int) -> None:
    """Only a player's own thinking uses their time, and folding the events again gives the same clocks."""
    decision, rng, at = start(time_control, game), Random(seed), 0
    events, left = [decision.event], [time_control.initial, time_control.initial]
    for thought in thoughts:
        table, at = decision.after, at + thought
        if table.outcome or (table.flag_due() or 0) <= NOW.clock + at:
            break
        mover = int(table.mover or 0)
        left[mover] = time_control.after_move(left[mover], thought)
        made = decide(table, random_play(table, rng), after(at))
        assert made is not None
        decision = made
        events.append(decision.event)
        assert list(decision.after.turn_starts[-1].remaining) == left
    read = folded([Event(*json.loads(json.dumps(event))) for event in events])
    assert read == decision.after
    assert min(read.remaining(NOW.clock + 10**10)) >= 0
