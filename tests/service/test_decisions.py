"""What may happen at a table, command by command; the random machine beside this tries them in all orders."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from tests.service.parts import LIMITS, first_play, opening, person

from ludus.core.errors import GameIsOver, IllegalMove
from ludus.core.rules import Turn
from ludus.games import GAMES
from ludus.service import dice
from ludus.service.clock import Moment
from ludus.service.commands import (
    AcceptDraw,
    AskRematch,
    Command,
    DeclineDraw,
    Leave,
    OfferDraw,
    Payload,
    Play,
    Refuse,
    Resign,
    Return,
    Tick,
)
from ludus.service.decisions import (
    Decision,
    NoOffer,
    NotOver,
    NotYourTurn,
    StaleSequence,
    TooManyOffers,
    decide,
    open_table,
    rematch_opening,
    rematch_session,
)
from ludus.service.table import EventKind, Limits, Opening, Seat, SeatKind, Table

NOW = Moment(1_000_000, 500_000)
BOT = Seat("bot/easy", "bot-easy", "Easy bot", SeatKind.BOT, "easy")
FIRST = Play(0, "11-15")
NEW = "11111111-1111-4111-8111-111111111111"


def after(seconds: float) -> Moment:
    return Moment(NOW.at + round(seconds * 1000), NOW.clock + round(seconds * 1000))


def new(game: str = "checkers", **changes: Any) -> Table:
    return open_table(opening(game)._replace(**changes), NOW).after


def done(table: Table, command: Command, now: Moment = NOW) -> Decision:
    decision = decide(table, command, now)
    assert decision is not None
    return decision


def then(table: Table, *commands: Command, now: Moment = NOW) -> Table:
    for command in commands:
        table = done(table, command, now).after
    return table


def test_a_table_of_checkers_opens_with_nothing_played() -> None:
    event, table = open_table(opening(), NOW)
    assert (event.version, event.kind, event.seat, event.at, event.clock) == (1, EventKind.OPENED, None, *NOW)
    assert event.data["moves"] == []
    assert (table.mover, table.moves, table.turn_since) == (0, 0, NOW.clock)


def test_a_table_of_backgammon_opens_with_the_first_roll() -> None:
    wanted = opening("backgammon")
    event, table = open_table(wanted, NOW)
    start = GAMES["backgammon"].variants["standard"]
    assert wanted.seed is not None
    assert table.game.move_at(0) == dice.roll(GAMES["backgammon"], start, wanted.seed, wanted.table, 0)
    assert table.game.length == len(event.data["moves"]) >= 1
    assert table.mover is not None


def test_only_the_player_to_move_may_move() -> None:
    with pytest.raises(NotYourTurn):
        decide(new(), Play(1, "11-15"), NOW)


ELEVEN_FIFTEEN = [
    "11-15",
    Payload("rooms", {"from": 42, "to": 35}),
    Payload("arena", {"type": "move", "from": 11, "to": 15}),
]


@pytest.mark.parametrize("move", ELEVEN_FIFTEEN, ids=["notation", "rooms", "arena"])
def test_a_move_is_resolved_in_the_position_and_played(move: str | Payload) -> None:
    table = new()
    event, moved = done(table, Play(0, move), after(5))
    assert (event.kind, event.seat, event.version) == (EventKind.PLAYED, 0, 2)
    assert event.data["moves"] == ["11-15"]
    assert (moved.mover, moved.moves, moved.turn_since) == (1, 1, after(5).clock)
    assert table.game.length == 0  # the table before is a value, and still as it was


def test_a_refused_move_leaves_the_table_as_it_was() -> None:
    table = new()
    with pytest.raises(IllegalMove):
        decide(table, Play(0, "11-20"), NOW)
    assert (table.game.length, table.version) == (0, 1)


LATE = (Play(0, "11-15", turn=7), Resign(1, turn=7), Refuse(0, 9, turn=7))


@pytest.mark.parametrize("command", LATE)
def test_the_answer_to_another_turn_is_stale_whatever_it_says(command: Command) -> None:
    with pytest.raises(StaleSequence) as refusal:
        decide(new(), command, NOW)
    assert refusal.value.current == 1


@pytest.mark.parametrize("command", [Play(1, "no move", turn=1), Refuse(1, 9, turn=1)])
def test_out_of_turn_nothing_is_resolved_or_counted(command: Command) -> None:
    with pytest.raises(NotYourTurn):
        decide(new(), command, NOW)


@pytest.mark.parametrize("command", [Play(1, "no move", turn=7), Resign(0, turn=7), Refuse(1, 9, turn=7)])
def test_after_the_end_no_turn_is_looked_at(command: Command) -> None:
    with pytest.raises(GameIsOver):
        decide(then(new(), Resign(0)), command, NOW)


def test_the_dice_are_rolled_for_the_next_player_in_the_same_event() -> None:
    table = new("backgammon")
    seat = table.mover
    assert seat is not None
    event, moved = done(table, first_play(table))
    assert len(event.data["moves"]) >= 2
    assert moved.game.turn not in (Turn.DICE, Turn.OVER)
    assert moved.opening.seed is not None
    roll = moved.game.move_at(table.game.length + 1)
    position = moved.game.position_at(table.game.length + 1)
    rolls = (table.game.length + 1) // 2
    assert roll == dice.roll(GAMES["backgammon"], position, moved.opening.seed, moved.id, rolls)


def test_a_turn_without_a_legal_play_passes_by_itself_and_counts_as_a_move() -> None:
    rules = GAMES["backgammon"]
    table, passed = new("backgammon", table="t0"), 0  # the dice follow from the table's name
    while table.mover is not None:
        last = rules.notation.write_move(table.game.position, table.game.legal_moves()[-1])
        event, table = done(table, Play(table.mover, last))
        own, *follow = table.game.recent(len(event.data["moves"]))
        assert own != rules.pass_move
        passed += sum(move == rules.pass_move for move in follow)
    plays = sum(not rules.chances(position) for position in table.game.positions[:-1])
    assert passed > 0
    assert table.moves == plays


def test_who_resigns_has_lost_one_point() -> None:
    table = then(new("backgammon"), Resign(0))
    assert table.outcome is not None
    assert (table.outcome.winner, table.outcome.reason, table.outcome.points) == (1, "resignation", 1)


def test_the_last_of_so_many_refusals_ends_the_game_against_the_player() -> None:
    event, table = done(then(new(), Refuse(0, 3), Refuse(1, 3)), Refuse(0, 3))
    assert (event.kind, table.refusals, table.outcome) == (EventKind.REFUSED, (2, 1), None)
    event, table = done(table, Refuse(0, 3))
    assert (event.kind, event.seat) == (EventKind.FORFEITED, 0)
    assert table.outcome is not None
    assert (table.outcome.winner, table.outcome.reason) == (1, "invalid_actions")


@pytest.mark.parametrize("command", [FIRST, Resign(1), Refuse(0, 9), OfferDraw(0), AcceptDraw(0), DeclineDraw(1)])
def test_nothing_can_be_done_after_the_end(command: Command) -> None:
    with pytest.raises(GameIsOver):
        decide(then(new(), Resign(0)), command, NOW)


@pytest.mark.parametrize("command", [Leave(0), Return(0), Tick()])
def test_what_happens_after_the_end_without_anybody_s_will_changes_nothing(command: Command) -> None:
    assert decide(then(new(), Leave(0), Resign(0)), command, after(1000)) is None


def test_a_draw_needs_an_offer_and_the_other_one_s_yes() -> None:
    table = then(new(), OfferDraw(1))
    with pytest.raises(NoOffer):
        decide(table, AcceptDraw(1), NOW)
    decision = done(table, AcceptDraw(0))
    assert decision.is_end
    assert decision.after.outcome is not None
    assert (decision.after.outcome.winner, decision.after.outcome.reason) == (None, "agreement")


@pytest.mark.parametrize("command", [AcceptDraw(0), DeclineDraw(0)])
def test_an_answer_without_an_offer_is_refused(command: Command) -> None:
    with pytest.raises(NoOffer):
        decide(new(), command, NOW)


def test_one_offer_stands_at_a_time() -> None:
    table = then(new(), OfferDraw(0))
    for seat in (0, 1):
        with pytest.raises(TooManyOffers):
            decide(table, OfferDraw(seat), NOW)


def test_a_declined_offer_may_be_repeated_after_a_move_only() -> None:
    table = then(new(), OfferDraw(0), DeclineDraw(1))
    with pytest.raises(TooManyOffers):
        decide(table, OfferDraw(0), NOW)
    assert then(table, OfferDraw(1)).offer == 1
    assert then(table, FIRST, OfferDraw(0)).offer == 0


def test_a_move_declines_the_other_one_s_offer_and_keeps_the_own_one() -> None:
    assert then(new(), OfferDraw(1), FIRST).offer is None
    assert then(new(), OfferDraw(0), FIRST).offer == 0


def test_backgammon_knows_no_draws() -> None:
    with pytest.raises(IllegalMove):
        decide(new("backgammon"), OfferDraw(0), NOW)


def test_leaving_and_returning_are_noted_once() -> None:
    table = new()
    assert decide(table, Return(0), NOW) is None
    event, left = done(table, Leave(0, "socket-1"), after(3))
    assert (event.kind, event.seat, event.data) == (EventKind.LEFT, 0, {"socket": "socket-1"})
    assert left.away == (after(3).clock, None)
    assert decide(left, Leave(0), after(9)) is None
    assert then(left, Return(0)).away == (None, None)


def test_a_rematch_is_asked_for_when_the_game_is_over() -> None:
    with pytest.raises(NotOver):
        decide(new(), AskRematch(0, NEW), NOW)


def test_a_rematch_needs_both_and_is_agreed_once() -> None:
    over = then(new(), Resign(0))
    asked = done(over, AskRematch(1, NEW))
    assert asked.event.kind == EventKind.REMATCH_ASKED
    assert decide(asked.after, AskRematch(1, NEW), NOW) is None
    agreed = done(asked.after, AskRematch(0, NEW))
    assert (agreed.event.kind, agreed.after.rematch) == (EventKind.REMATCHED, NEW)
    assert decide(agreed.after, AskRematch(1, "another"), NOW) is None
    assert not asked.is_end
    assert not agreed.is_end


def test_a_bot_is_always_ready_for_a_rematch() -> None:
    over = then(new(seats=(person("ann"), BOT)), Resign(0))
    assert done(over, AskRematch(0, NEW)).event.kind == EventKind.REMATCHED


def test_a_rematch_changes_the_seats_and_has_sessions_of_its_own() -> None:
    session = str(uuid.uuid4())
    table = then(new("backgammon", seats=(person("ann")._replace(session=session), person("ben"))), Resign(0))
    again = rematch_opening(table, NEW, b"\1" * 32)
    assert [seat.id for seat in again.seats] == ["ben", "ann"]
    assert [seat.session for seat in again.seats] == [None, rematch_session(NEW, session)]
    assert again.seats[1].session not in (None, session)
    assert (again.table, again.rematch_of, again.seed) == (NEW, table.id, b"\1" * 32)
    same = ("game", "mode", "channel", "limits", "is_rated", "variant")
    assert all(getattr(again, name) == getattr(table.opening, name) for name in same)


def test_a_tick_that_comes_late_leaves_alone_what_was_not_due_by_then() -> None:
    table = then(new(), FIRST)
    assert decide(table, Tick(NOW.clock + 59_999), after(600)) is None
    event, warned = done(table, Tick(NOW.clock + 60_000), after(600))
    assert (event.kind, event.data) == (EventKind.WARNED, {"left": 30_000})
    assert decide(warned, Tick(NOW.clock + 89_999), after(600)) is None
    assert done(warned, Tick(NOW.clock + 90_000), after(600)).event.kind == EventKind.TIMED_OUT


def test_an_abandoned_game_is_cancelled_and_nobody_loses() -> None:
    table = new(limits=Limits(None, None, None, abandon=60_000))
    assert decide(table, Tick(), after(59)) is None
    table = then(table, Leave(0), FIRST, now=after(50))
    assert decide(table, Tick(), after(100)) is None
    decision = done(table, Tick(), after(110))
    assert (decision.event.kind, decision.event.seat) == (EventKind.ABORTED, None)
    assert decision.after.outcome is not None
    assert (decision.after.outcome.winner, decision.after.outcome.reason) == (None, "cancelled")


def test_a_tick_cannot_come_before_its_time() -> None:
    assert decide(then(new(), FIRST), Tick(NOW.clock + 600_000), after(59)) is None


def test_the_warning_comes_once_and_says_how_long_is_left() -> None:
    table = new()
    assert decide(table, Tick(), after(59.999)) is None
    event, warned = done(table, Tick(), after(60.5))
    assert (event.kind, event.seat, event.data) == (EventKind.WARNED, 0, {"left": 29_500})
    assert decide(warned, Tick(), after(89.999)) is None


def test_a_player_who_does_not_move_in_time_loses() -> None:
    event, table = done(then(new(), FIRST), Tick(), after(90))
    assert (event.kind, event.seat) == (EventKind.TIMED_OUT, 1)
    assert table.outcome is not None
    assert (table.outcome.winner, table.outcome.reason) == (0, "afk_timeout")


def test_a_move_starts_the_clock_again() -> None:
    table = then(new(), FIRST, now=after(80))
    assert decide(table, Tick(), after(139)) is None
    assert done(table, Tick(), after(141)).event.kind == EventKind.WARNED


def test_a_player_who_stays_away_too_long_loses_even_out_of_turn() -> None:
    table = then(new(), Leave(1), now=after(10))
    assert decide(table, Tick(), after(59)) is None
    late = then(done(table, Tick(), after(61)).after, Tick(), now=after(70))
    assert late.outcome is not None
    assert (late.outcome.winner, late.outcome.reason) == (0, "disconnect")


def test_of_two_who_are_away_the_first_to_leave_loses() -> None:
    table = then(then(new(), Leave(1), now=after(1)), Leave(0), now=after(2))
    outcome = then(table, Tick(), now=after(600)).outcome
    assert outcome is not None
    assert outcome.winner == 0


@pytest.mark.parametrize(
    ("left", "reason", "winner"),
    [(29, "disconnect", 0), (30, "disconnect", 0), (31, "afk_timeout", 1)],
    ids=["away first", "both at once", "idle first"],
)
def test_the_deadline_that_came_first_decides_however_late_it_is_looked_at(left: int, reason: str, winner: int) -> None:
    """Seat 0 is to move from second 0 and loses at 90; seat 1 loses a minute after leaving."""
    outcome = then(then(new(), Leave(1), now=after(left)), Tick(), now=after(600)).outcome
    assert outcome is not None
    assert (outcome.reason, outcome.winner) == (reason, winner)


def test_a_bot_may_take_its_time() -> None:
    table = then(new(seats=(person("ann"), BOT)), FIRST)
    assert decide(table, Tick(), after(10_000)) is None


def test_without_limits_time_changes_nothing() -> None:
    free = LIMITS._replace(warn=None, idle=None, reconnect=None)
    table = then(new(limits=free), Leave(0), Leave(1))
    assert decide(table, Tick(), after(10**6)) is None


def test_the_name_of_a_command_is_kept_with_its_event() -> None:
    decision = decide(new(), Resign(0), NOW, "0/command-1")
    assert decision is not None
    assert decision.event.command == "0/command-1"
    assert decision.after.commands == {"0/command-1": 2}


def test_only_what_ends_a_game_is_an_end() -> None:
    over = then(new(), Resign(0))
    assert not open_table(opening(), NOW).is_end
    assert not done(new(), Leave(0)).is_end
    assert not done(over, AskRematch(0, NEW)).is_end
    assert done(new(), Resign(0)).is_end


def test_an_opening_without_dice_needs_no_seed() -> None:
    wanted: Opening = opening()
    assert wanted.seed is None
    assert open_table(wanted, NOW).after.commitment is None
