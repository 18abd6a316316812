"""Takebacks: the record has only the moves that stand, the events have all that happened."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.service.parts import opening, person, random_play

from ludus.core.errors import GameIsOver
from ludus.core.rules import Outcome
from ludus.games import GAMES
from ludus.service import proof
from ludus.service.clock import Moment
from ludus.service.commands import AskRematch, Command, Play, Resign, TakeBack
from ludus.service.decisions import (
    MAX_TAKEBACKS,
    NothingToTakeBack,
    OnlyInPractice,
    decide,
    open_table,
    rematch_opening,
)
from ludus.service.records import Event
from ludus.service.table import EventKind, Opening, Seat, SeatKind, Series, Table, folded, standing_moves, with_result
from ludus.service.time_control import Kind, TimeControl

every_game = pytest.mark.parametrize("game", GAMES)
NOW = Moment(1_000_000, 500_000)
BOT = Seat("bot/easy", "bot-easy", "Easy bot", SeatKind.BOT, "easy")


def practice(game: str, person_at: int = 0) -> Opening:
    seats = (person("ann"), BOT) if person_at == 0 else (BOT, person("ann"))
    return opening(game)._replace(seats=seats)


class Line:
    """A table with its events."""

    def __init__(self, wanted: Opening) -> None:
        decision = open_table(wanted, NOW)
        self.events: list[Event] = [decision.event]
        self.table = decision.after

    def do(self, command: Command, seconds: int = 0) -> Table:
        """`seconds` after the start."""
        decision = decide(self.table, command, Moment(NOW.at + seconds * 1000, NOW.clock + seconds * 1000))
        assert decision is not None
        self.events.append(decision.event)
        self.table = decision.after
        return self.table

    def play_on(self, rng: Random, moves: int) -> None:
        for _ in range(moves):
            if self.table.outcome is None:
                self.do(random_play(self.table, rng))


def facts(table: Table) -> tuple[Any, ...]:
    """What players can see of a table."""
    return table.game, table.moves, table.mover, table.offer, table.outcome


@every_game
@given(st.integers(0, 1), st.integers(0, 12), st.integers(1, 4), st.integers(0, 1_000_000))
def test_to_play_take_back_and_play_again_is_the_direct_line(
    game: str, seat: int, start: int, more: int, n: int
) -> None:
    rng, wanted = Random(n), practice(game, seat)
    line, direct = Line(wanted), Line(wanted)
    line.play_on(rng, start)
    while line.table.outcome is None and line.table.mover != seat:
        line.play_on(rng, 1)
    for _, event in standing_moves(line.events):
        if event.kind == EventKind.PLAYED and direct.table.version < event.version:
            direct.do(Play(event.seat or 0, event.data["moves"][0]))
    before = facts(line.table)
    assert facts(direct.table) == before
    if line.table.outcome is not None:
        return
    line.play_on(rng, 1)
    if line.table.outcome is None:
        assert facts(line.do(TakeBack(seat))) == before
        line.play_on(Random(n), more)
        direct.play_on(Random(n), more)
        assert facts(line.table) == facts(direct.table)
        assert proof.moves(line.events) == proof.moves(direct.events)
    assert folded(line.events) == line.table


@every_game
def test_the_players_move_and_the_reply_are_taken_back(game: str) -> None:
    line = Line(practice(game, 0))
    while line.table.mover != 0:
        line.play_on(Random(1), 1)
    before = facts(line.table)
    line.play_on(Random(1), 1)
    while line.table.mover != 0:
        line.play_on(Random(1), 1)
    assert facts(line.do(TakeBack(0))) == before
    assert line.events[-1].kind == EventKind.TAKEN_BACK
    assert line.table.turn_version == line.table.version


def test_the_next_roll_is_the_one_that_was_taken_back() -> None:
    line = Line(practice("backgammon", 0))
    while line.table.mover != 0:
        line.play_on(Random(2), 1)
    line.do(random_play(line.table, Random(3)))
    rolled = line.events[-1].data["moves"][1]
    line.do(TakeBack(0))
    assert line.do(random_play(line.table, Random(4))) and line.events[-1].data["moves"][1] == rolled


def test_a_game_with_takebacks_can_be_proved() -> None:
    line = Line(practice("backgammon", 0))
    rng = Random(5)
    while line.table.outcome is None:
        if line.table.mover == 0 and rng.random() < 0.2 and line.table.moves > 2 and len(line.table.takebacks) < 20:
            line.do(TakeBack(0))
        else:
            line.play_on(rng, 1)
    assert line.table.takebacks
    assert proof.prove(proof.document(line.table.row(), line.events)).is_good


@every_game
def test_a_player_who_has_not_moved_takes_nothing_back(game: str) -> None:
    line = Line(practice(game, 0))
    while line.table.mover != 0:
        line.play_on(Random(1), 1)
    with pytest.raises(NothingToTakeBack):
        decide(line.table, TakeBack(0), NOW)


@pytest.mark.parametrize(
    ("changes", "seat"),
    [
        ({"seats": (person("ann"), person("ben"))}, 0),
        ({"seats": (person("ann"), Seat("agent/x", "x", "X", SeatKind.AGENT))}, 0),
        ({"is_rated": True}, 0),
        ({}, 1),
    ],
    ids=["against a person", "against an agent", "rated", "the bot itself"],
)
def test_takebacks_are_for_people_in_unrated_games_against_bots(changes: dict[str, Any], seat: int) -> None:
    line = Line(practice("checkers")._replace(**changes))
    line.play_on(Random(1), 4)
    with pytest.raises(OnlyInPractice):
        decide(line.table, TakeBack(seat), NOW)


def test_nothing_is_taken_back_after_the_end() -> None:
    line = Line(practice("checkers"))
    line.play_on(Random(1), 2)
    line.do(Resign(0))
    with pytest.raises(GameIsOver):
        decide(line.table, TakeBack(0), NOW)


def test_there_is_an_end_to_takebacks() -> None:
    line = Line(practice("checkers"))
    for _ in range(MAX_TAKEBACKS):
        line.play_on(Random(1), 1)
        line.do(TakeBack(0))
    line.play_on(Random(1), 1)
    with pytest.raises(NothingToTakeBack):
        decide(line.table, TakeBack(0), NOW)


def test_a_record_of_any_version_is_still_known() -> None:
    line = Line(practice("checkers"))
    line.play_on(Random(1), 2)
    records = {line.table.version: line.table.game}
    line.do(TakeBack(0))
    line.play_on(Random(2), 3)
    records[line.table.version] = line.table.game
    line.do(TakeBack(0))
    assert all(line.table.game_at(version) == game for version, game in records.items())
    assert line.table.game_at(line.table.version) is line.table.game


def test_the_results_of_rematches_are_counted_from_the_seats_of_the_latest() -> None:
    line = Line(practice("checkers"))
    assert line.table.series() is None
    for number, loser in enumerate((0, 0, 1)):
        line.do(Resign(loser))
        line.do(AskRematch(0 if line.table.seats[0].key == person("ann").key else 1, f"table {number}"))
        line = Line(rematch_opening(line.table, f"{number}" * 8 + "-1111-4111-8111-111111111111", None))
    first, second = line.table.seats
    assert (first.kind, second.kind) == (SeatKind.BOT, SeatKind.PERSON)
    assert line.table.series() == Series(first=1, second=2)  # the bot won the first game only
    assert line.do(Resign(1)).series() == Series(first=2, second=2)
    assert Opening.from_data(line.events[0].data) == line.table.opening


def test_a_draw_counts_for_both_and_a_cancelled_game_for_nobody() -> None:
    assert with_result(Series(1, 2, 3), Outcome(None, "agreement")) == Series(1, 2, 4)
    assert with_result(Series(1, 2, 3), Outcome(None, "cancelled")) == Series(1, 2, 3)


@every_game
def test_the_clocks_go_back_with_the_moves(game: str) -> None:
    line = Line(practice(game)._replace(time_control=TimeControl(Kind.FISCHER, 300, 3)))
    seconds = 0
    while line.table.mover != 0 or line.table.moves < 4:
        seconds += 7
        line.do(random_play(line.table, Random(1)), seconds)
    before, seconds = line.table.remaining(NOW.clock + seconds * 1000), seconds + 20
    line.do(random_play(line.table, Random(1)), seconds)
    while line.table.mover != 0:
        seconds += 7
        line.do(random_play(line.table, Random(1)), seconds)
    assert line.table.remaining(NOW.clock + seconds * 1000) != before
    line.do(TakeBack(0), seconds)
    assert line.table.remaining(NOW.clock + seconds * 1000) == before
    assert line.table.remaining_at(line.table.turn_version) == before
    line.do(random_play(line.table, Random(2)), seconds + 5)
    assert line.table.remaining(NOW.clock + (seconds + 5) * 1000)[0] == before[0] - 5000 + 3000
    assert folded(line.events) == line.table
