"""Tables with a doubling cube and matches: who decides, what it is worth, and whose clock runs."""

from __future__ import annotations

import json
from contextlib import suppress
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.service.games import finished_game
from tests.service.parts import LIMITS, first_play, opening, random_play

from ludus.core.errors import IllegalMove
from ludus.core.rules import Player, Reason, Turn
from ludus.games.backgammon.match import match_games
from ludus.games.backgammon.position import CubeAction, Position
from ludus.service import proof
from ludus.service.clock import Moment
from ludus.service.commands import (
    AcceptResignation,
    Command,
    DeclineResignation,
    OfferResignation,
    Play,
    Resign,
    TakeBack,
    Tick,
)
from ludus.service.decisions import NoOffer, NotYourTurn, TooManyOffers, decide, open_table, rematch_opening
from ludus.service.options import option_fields, variant_with
from ludus.service.public import record_file
from ludus.service.records import Event
from ludus.service.table import EventKind, Opening, SeatKind, Table, folded
from ludus.service.time_control import Kind, TimeControl

CUBE = "standard+cube"
MATCH = "standard+match3"
MONEY = "standard+cube+jacoby+beavers"


class Line:
    """A table and its events; time passes between commands."""

    def __init__(self, variant: str = CUBE, **changes: Any) -> None:
        decision = open_table(opening("backgammon")._replace(variant=variant, **changes), Moment(0, 0))
        self.table: Table = decision.after
        self.events: list[Event] = [decision.event]
        self.now = 0

    @property
    def mover(self) -> int:
        assert self.table.mover is not None
        return self.table.mover

    @property
    def position(self) -> Position:
        position: Position = self.table.game.position
        return position

    def do(self, command: Command, seconds: float = 0) -> Table:
        self.now += round(seconds * 1000)
        decision = decide(self.table, command, Moment(self.now, self.now))
        assert decision is not None
        self.table = decision.after
        self.events.append(decision.event)
        return self.table

    def play(self, text: str = "", seconds: float = 0) -> Table:
        """What the player to move does: a decision about the cube or, by default, the first legal move."""
        return self.do(Play(self.mover, text) if text else first_play(self.table), seconds)

    def until_cube(self) -> int:
        """Plays until a player may double; returns the player's seat."""
        while CubeAction.DOUBLE not in self.table.game.legal_moves():
            self.play()
        return self.mover


def with_double(variant: str = CUBE, **changes: Any) -> tuple[Line, int]:
    line = Line(variant, **changes)
    doubler = line.until_cube()
    line.play("double")
    return line, doubler


def test_after_a_double_the_other_side_decides_and_after_a_take_the_doubler_plays() -> None:
    line, doubler = with_double()
    assert line.mover == 1 - doubler
    with pytest.raises(NotYourTurn):
        line.do(Play(doubler, "roll"))
    line.play("take")
    assert line.mover == doubler
    assert line.position.dice and line.events[-1].data["moves"][0] == "take"
    assert line.position.cube and (line.position.cube.value, line.position.cube.owner) == (2, 1 - doubler)


def test_a_player_without_access_to_the_cube_gets_the_dice_at_once() -> None:
    line, doubler = with_double()
    line.play("take")
    line.play()  # the doubler plays; the taker owns the cube
    assert line.mover == 1 - doubler and not line.position.dice
    line.play("roll")
    line.play()
    assert line.mover == doubler and line.position.dice


def test_a_drop_ends_a_single_game_and_the_stake_is_what_it_was_before() -> None:
    line, doubler = with_double()
    line.play("drop")
    outcome = line.table.outcome
    assert outcome is not None
    assert (outcome.winner, outcome.reason, outcome.points, outcome.stake) == (doubler, Reason.DROPPED, 1, 1)


def test_who_resigns_or_runs_out_of_time_loses_what_the_cube_says() -> None:
    line, doubler = with_double()
    line.play("take")
    late = Line()
    late.table, late.events, late.now = line.table, line.events[:], line.now
    for each, command in ((line, Resign(doubler)), (late, Tick())):
        outcome = each.do(command, 100).outcome
        assert outcome is not None
        assert (outcome.winner, outcome.points, outcome.stake, outcome.win) == (1 - doubler, 2, 2, 1)
        assert folded(each.events).outcome == outcome
        assert each.table.row().result == {
            "winner": 1 - doubler, "reason": outcome.reason, "points": 2, "stake": 2,
        }  # fmt: skip


def test_a_player_who_does_not_answer_a_double_in_time_loses_at_the_old_stake() -> None:
    line, doubler = with_double()
    outcome = line.do(Tick(), 100).outcome
    assert outcome is not None
    assert (outcome.winner, outcome.reason, outcome.points) == (doubler, "afk_timeout", 1)


def test_a_resignation_of_the_match_is_worth_a_point() -> None:
    line, doubler = with_double("standard+match7")
    line.play("take")
    outcome = line.do(Resign(doubler)).outcome
    assert outcome is not None and (outcome.winner, outcome.points, outcome.stake) == (1 - doubler, 1, 1)


def test_a_beaver_is_answered_by_the_doubler() -> None:
    line, doubler = with_double(MONEY)
    line.play("beaver")
    assert line.mover == doubler
    line.play("take")
    assert line.position.cube and (line.position.cube.value, line.position.cube.owner) == (4, 1 - doubler)


@pytest.mark.parametrize(
    "variant", [CUBE, MATCH, MONEY, "standard+match5", "nackgammon+match3", "standard+match2+nocube"]
)
def test_a_whole_game_follows_from_its_events_and_its_dice_from_their_seed(variant: str) -> None:
    for number in range(3):
        game, row, events = finished_game("backgammon", f"table-{number}", variant)
        assert folded(events).game == game
        document = json.loads(json.dumps(proof.document(row, events)))
        checked = proof.prove(document)
        assert checked.is_good, [check.text for check in checked.checks]
        first = next(at for at, text in enumerate(document["moves"]) if text.isdigit())
        document["moves"][first] = document["moves"][first][::-1]
        assert not proof.prove(document).is_good


def test_a_match_is_one_table_with_one_result() -> None:
    game, row, events = finished_game("backgammon", variant=MATCH)
    parts = match_games(game)
    assert len(parts) > 1 and all(part.outcome for part in parts)
    assert row.status == "over" and row.result is not None
    assert [event.kind for event in events if event.kind != EventKind.PLAYED] == ["opened", "left", "returned"]
    assert max(game.position.match.white, game.position.match.black) >= 3


def test_the_seats_change_in_a_rematch_and_the_options_stay() -> None:
    line = Line(MATCH)
    line.do(Resign(0))
    again = rematch_opening(line.table, "next", b"\1" * 32)
    assert again.variant == MATCH and Opening.from_data(again.to_data()) == again


def test_a_resignation_that_is_accepted_ends_a_game_of_a_match() -> None:
    line = Line(MATCH)
    loser = line.mover
    line.do(OfferResignation(loser, 2))
    assert line.table.resignation is not None and line.mover == loser
    line.do(AcceptResignation(1 - loser))
    assert line.table.outcome is None and line.table.resignation is None
    match = line.position.match
    assert match and (match.score(Player(1 - loser)), match.score(Player(loser)), match.is_crawford) == (2, 0, True)
    assert line.events[-1].data["moves"][0] == f"{('white', 'black')[loser]} resigns 2"
    assert line.position.dice, "the next game has begun"
    assert folded(line.events) == line.table
    line.do(OfferResignation(loser, 1))
    outcome = line.do(AcceptResignation(1 - loser)).outcome
    assert outcome is not None and (outcome.winner, outcome.reason) == (1 - loser, Reason.RESIGNATION)
    assert folded(line.events).outcome == outcome


def test_a_resignation_ends_a_plain_game_as_what_it_was_offered() -> None:
    line = Line("standard")
    line.do(OfferResignation(1, 3))
    outcome = line.do(AcceptResignation(0)).outcome
    assert outcome is not None
    assert (outcome.winner, outcome.reason, outcome.points, outcome.stake) == (0, Reason.RESIGNATION, 3, 1)
    assert line.events[-1].kind == EventKind.RESIGNATION_ACCEPTED
    checked = proof.prove(proof.document(line.table.row(), line.events))
    assert checked.is_good


def test_more_can_be_offered_after_a_refusal_and_as_much_after_a_move() -> None:
    line = Line("standard")
    seat = 1 - line.mover
    line.do(OfferResignation(seat, 1))
    with pytest.raises(TooManyOffers):
        line.do(OfferResignation(1 - seat, 1))
    line.do(DeclineResignation(1 - seat))
    with pytest.raises(NoOffer):
        line.do(AcceptResignation(1 - seat))
    with pytest.raises(TooManyOffers):
        line.do(OfferResignation(seat, 1))
    line.do(OfferResignation(seat, 2))
    with pytest.raises(NoOffer):
        line.do(AcceptResignation(seat))
    line.play()  # the other side plays on
    assert line.table.resignation is None
    line.do(OfferResignation(seat, 1))
    line.play()
    assert line.table.resignation == (seat, 1), "a player's own move withdraws nothing"


def test_a_gammon_cannot_be_resigned_where_none_counts() -> None:
    line = Line("standard+cube+jacoby")
    with pytest.raises(IllegalMove):
        line.do(OfferResignation(0, 2))
    checkers = open_table(opening("checkers"), Moment(0, 0)).after
    with pytest.raises(IllegalMove, match="one way to resign"):
        decide(checkers, OfferResignation(0, 1), Moment(0, 0))


def test_an_offer_ends_with_the_game_it_was_made_in() -> None:
    line = Line(MATCH)
    doubler = line.until_cube()
    line.do(OfferResignation(1 - doubler, 1))
    line.play("double")
    line.do(OfferResignation(1 - doubler, 1))
    line.play("drop")
    assert line.table.resignation is None


@given(st.integers(0, 1_000_000), st.sampled_from(["standard", MONEY, MATCH]))
@settings(max_examples=25)
def test_whatever_is_played_and_offered_the_table_follows_from_its_events(seed: int, variant: str) -> None:
    rng, line = Random(seed), Line(variant)
    for _ in range(60):
        if line.table.outcome:
            break
        seat = rng.randrange(2)
        offers: list[Command] = [
            OfferResignation(seat, rng.randint(1, 3)),
            AcceptResignation(seat),
            DeclineResignation(seat),
        ]
        with suppress(IllegalMove, NoOffer, TooManyOffers):
            line.do(random_play(line.table, rng) if rng.random() < 0.7 else rng.choice(offers), rng.random())
    again, game = folded(line.events), line.table.game
    assert again == line.table
    turns = [game.rules.turn(game.position_at(number)) for number in range(game.length)]
    assert game.length - again.moves == turns.count(Turn.DICE)


@pytest.mark.parametrize("variant", [MONEY, MATCH])
def test_a_file_of_a_finished_match_can_be_verified(variant: str) -> None:
    table = folded(finished_game("backgammon", variant=variant).events)
    (read,) = table.game.rules.notation.read_games(record_file(table))
    assert (read.variant, read.moves) == (variant, table.game.moves)
    assert proof.prove_record(read).is_good


def timed(kind: Kind, increment: int = 0) -> Line:
    control = TimeControl(kind, 300, increment)
    return Line(CUBE, time_control=control, limits=LIMITS.under(control))


def test_to_roll_is_part_of_a_turn_and_brings_no_increment() -> None:
    line = timed(Kind.FISCHER, 3)
    seat = line.until_cube()
    before = line.table.remaining(line.now)[seat]
    line.play("roll", 5)
    assert line.table.remaining(line.now)[seat] == before - 5_000
    line.play(seconds=4)
    assert line.table.remaining(line.now)[seat] == before - 9_000 + 3_000


def test_a_delay_is_given_once_a_turn() -> None:
    line = timed(Kind.BRONSTEIN, 12)
    seat = line.until_cube()
    before = line.table.remaining(line.now)[seat]
    line.play("roll", 10)
    assert (line.table.remaining(line.now)[seat], line.table.delay_left(line.now)) == (before, 2_000)
    assert line.table.flag_due() == line.now + 2_000 + before
    line.play(seconds=10)
    assert line.table.remaining(line.now)[seat] == before - 8_000


def test_the_clock_of_the_one_who_answers_a_double_runs() -> None:
    line = timed(Kind.FISCHER, 3)
    doubler = line.until_cube()
    line.play("double", 2)
    before = line.table.remaining(line.now)
    line.play("take", 7)
    after = line.table.remaining(line.now)
    assert after[1 - doubler] == before[1 - doubler] - 7_000 + 3_000
    assert after[doubler] == before[doubler]


def test_decisions_about_the_cube_can_be_taken_back_in_practice() -> None:
    line = Line(CUBE)
    line.until_cube()
    seat = line.mover
    seats = [
        each._replace(kind=SeatKind.PERSON if number == seat else SeatKind.BOT)
        for number, each in enumerate(line.table.seats)
    ]
    line.table = line.table._replace(opening=line.table.opening._replace(seats=(seats[0], seats[1])))
    length, moves = line.table.game.length, line.table.moves
    line.play("roll")
    rolled = line.position.dice
    line.do(TakeBack(seat))
    assert (line.table.game.length, line.table.moves, line.mover) == (length, moves, seat)
    line.play("double")
    line.play("take")
    assert line.position.dice == rolled, "the dice follow from their number"


def test_options_become_part_of_the_variant_and_come_back() -> None:
    for options in (
        {},
        {"cube": True},
        {"match_length": 7},
        {"match_length": 3, "cube": False},
        {"cube": True, "jacoby": True},
    ):
        variant = variant_with("backgammon", options)
        again = {
            "match_length" if name == "matchLength" else name: value
            for name, value in option_fields("backgammon", variant).items()
        }
        assert variant_with("backgammon", again) == variant and again.items() >= options.items()
    assert option_fields("backgammon", "standard") == {} == option_fields("checkers", "standard")
