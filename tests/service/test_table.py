from __future__ import annotations

import json

import pytest
from tests.service.games import finished_game
from tests.service.parts import LIMITS, opening, person

from ludus.games import GAMES
from ludus.service import dice
from ludus.service.clock import Moment
from ludus.service.commands import Leave, Play, Resign, Return, Tick
from ludus.service.decisions import decide, open_table
from ludus.service.records import Event
from ludus.service.table import Limits, Opening, Seat, SeatKind, Table, folded, opened
from ludus.service.time_control import Kind, TimeControl

NOW = Moment(1_000_000, 500_000)
FIRST = Play(0, "11-15")
BOT = Seat("bot/easy", "bot-easy", "Easy bot", SeatKind.BOT, "easy")


def new(game: str = "checkers", *, seats: tuple[Seat, Seat] | None = None, limits: Limits = LIMITS) -> Table:
    wanted = opening(game)._replace(limits=limits)
    return open_table(wanted._replace(seats=seats or wanted.seats), NOW).after


def then(table: Table, *commands: Play | Leave | Return | Resign | Tick, at: int = 0) -> Table:
    for command in commands:
        decision = decide(table, command, Moment(NOW.at + at, NOW.clock + at))
        assert decision is not None
        table = decision.after
    return table


@pytest.mark.parametrize("game", GAMES)
def test_an_opening_survives_being_written_down(game: str) -> None:
    wanted = opening(game)._replace(limits=Limits(None, None, 5), rematch_of="before", is_rated=True)
    assert Opening.from_data(json.loads(json.dumps(wanted.to_data()))) == wanted


@pytest.mark.parametrize("game", GAMES)
def test_a_table_is_what_its_events_say_after_each_of_them(game: str) -> None:
    events = [Event(*json.loads(json.dumps(event))) for event in finished_game(game).events]
    table = opened(events[0])
    for number, event in enumerate(events[1:], start=2):
        table = table.followed_by(event)
        assert table.version == number
        if number % 25 == 0 or number == len(events):
            assert folded(events[:number]) == table
    assert table.outcome == finished_game(game).game.outcome
    assert table.row() == finished_game(game).row


def test_an_opening_of_an_earlier_version_has_no_time_control() -> None:
    assert "time_control" not in opening().to_data()
    assert Opening.from_data(opening().to_data()).time_control is None
    timed = opening()._replace(time_control=TimeControl(Kind.FISCHER, 300, 3))
    assert Opening.from_data(json.loads(json.dumps(timed.to_data()))) == timed


def test_a_table_that_is_followed_by_an_event_stays_as_it_was() -> None:
    table = new()
    before = table.row(), table.game.length
    then(table, FIRST, Leave(1), Resign(0))
    assert (table.row(), table.game.length) == before


def test_the_row_of_a_live_table_has_no_result() -> None:
    row = new().row()
    assert (row.status, row.moves, row.ended_at, row.result) == ("live", 0, None, None)
    assert row.due == NOW.clock + 60_000
    assert row.players[0] == {"key": "tenant/live/ann", "id": "ann", "name": "Ann", "kind": "person"}


def test_the_row_of_a_table_that_is_over_is_due_no_more() -> None:
    row = then(new(), FIRST, Leave(0), Resign(1), at=7_000).row()
    assert (row.status, row.due, row.moves, row.opened_at) == ("over", None, 1, NOW.at)
    assert row.ended_at == NOW.at + 7_000
    assert row.result == {"winner": 0, "reason": "resignation", "points": 1}


def test_the_next_deadline_is_the_earliest_one() -> None:
    table = new()
    assert table.due() == NOW.clock + 60_000
    warned = then(table, Tick(), at=60_000)
    assert warned.due() == NOW.clock + 90_000
    left = then(warned, Leave(1), at=61_000)
    assert left.due() == NOW.clock + 90_000
    moved = then(left, FIRST, at=70_000)
    assert moved.due() == NOW.clock + 121_000
    assert then(moved, Return(1), at=80_000).due() == NOW.clock + 130_000


def test_a_game_that_nobody_goes_on_with_is_due_in_the_end() -> None:
    table = new(limits=Limits(None, None, None, abandon=1_000_000))
    assert then(table, Leave(0)).due() == NOW.clock + 1_000_000
    assert then(table, FIRST, at=5_000).due() == NOW.clock + 1_005_000


def test_older_versions_read_the_limits_of_new_tables() -> None:
    limits = Limits(1, 2, 3, abandon=4)
    data = opening()._replace(limits=limits).to_data()
    assert data["limits"] == [1, 2, 3]
    assert Opening.from_data(data).limits == limits
    del data["abandon"]
    assert Opening.from_data(data).limits == Limits(1, 2, 3)


def test_a_table_without_limits_is_never_due() -> None:
    assert then(new(limits=Limits(None, None, None)), Leave(0)).due() is None


def test_a_table_without_an_idle_limit_is_due_when_a_player_is_away() -> None:
    table = new(limits=Limits(None, None, 60_000))
    assert table.due() is None
    assert then(table, Leave(0), at=1_000).due() == NOW.clock + 61_000


def test_a_bot_s_turn_has_no_limit() -> None:
    table = then(new(seats=(person("ann"), BOT)), FIRST)
    assert (table.idle_due(), table.warn_due()) == (None, None)
    assert table.due() is None


def test_seats_are_found_by_key() -> None:
    table = new()
    assert [table.seat_of(f"tenant/live/{name}") for name in ("ann", "ben", "cid")] == [0, 1, None]


def test_only_games_with_dice_have_a_commitment() -> None:
    table = new("backgammon")
    assert table.opening.seed is not None
    assert table.commitment == dice.commitment(table.opening.seed, table.id)
    assert new().commitment is None


def test_no_one_is_to_move_when_the_game_is_over() -> None:
    table = then(new(), Resign(0))
    assert (table.mover, table.idle_due(), table.warn_due(), table.away_due(0)) == (None, None, None, None)
