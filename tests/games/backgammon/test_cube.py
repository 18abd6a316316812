"""The laws of the doubling cube and of matches, one sentence each."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus import Game, Outcome, Player, Turn
from ludus.core.errors import IllegalMove, UnknownOption, UnknownVariant
from ludus.core.rules import Reason
from ludus.games.backgammon.match import match_games
from ludus.games.backgammon.position import OFF, Cube, CubeAction, Match, Play, Position, Resignation, Roll, Stage, men
from ludus.games.backgammon.rules import HIGHEST_CUBE, Backgammon, Move

RULES = Backgammon()
WHITE, BLACK = Player
NO_DOUBLE, DOUBLE, TAKE, DROP, BEAVER = CubeAction
RACE = men({6: 7, 5: 8}), men({6: 7, 5: 8})
LAST_MAN = men({1: 1, OFF: 14})
CENTRED = Cube()


def on_roll(cube: Cube | None = CENTRED, match: Match | None = None, mover: Player = WHITE) -> Position:
    return Position(*RACE, mover, (), cube, match)


def after(position: Position, *moves: Move | str) -> Position:
    game = Game(RULES, start=position)
    for move in moves:
        game.play(move)
    return game.position


def bearing_off(cube: Cube | None, match: Match | None = None, loser: dict[int, int] | None = None) -> Position:
    """White takes the last man off; black has nobody off unless said otherwise."""
    black = men(loser or {6: 15})
    return after(Position(LAST_MAN, black, WHITE, (2, 1), cube, match), "1/off")


def test_without_a_cube_the_dice_come_after_a_play() -> None:
    assert RULES.turn(on_roll(cube=None)) is Turn.DICE


def test_the_player_on_roll_may_double_or_roll() -> None:
    assert RULES.turn(on_roll()) is Turn.FIRST
    assert RULES.moves(on_roll()) == (NO_DOUBLE, DOUBLE)


def test_nobody_doubles_before_the_opening_roll_or_with_it() -> None:
    start = RULES.start("standard+cube")
    assert RULES.turn(start) is Turn.DICE
    opened = RULES.play(start, Roll(3, 1))
    assert all(isinstance(move, Play) for move in RULES.moves(opened))


def test_who_does_not_double_rolls() -> None:
    position = after(on_roll(), NO_DOUBLE)
    assert RULES.turn(position) is Turn.DICE
    assert after(position, Roll(3, 1)).dice == (3, 1)


def test_no_double_comes_after_the_roll() -> None:
    with pytest.raises(IllegalMove, match="the dice are already rolled"):
        after(on_roll(), "roll", "31", "double")


def test_the_other_side_answers_a_double_before_anything_else() -> None:
    position = after(on_roll(), DOUBLE)
    assert RULES.turn(position) is Turn.SECOND
    assert RULES.moves(position) == (TAKE, DROP)
    with pytest.raises(IllegalMove, match="the double has to be answered first"):
        after(position, "31")


def test_a_taken_double_is_worth_twice_as_much_and_belongs_to_the_taker() -> None:
    position = after(on_roll(), DOUBLE, TAKE)
    assert (position.stake, position.cube and position.cube.owner) == (2, BLACK)
    assert RULES.turn(position) is Turn.DICE
    assert position.mover is WHITE


def test_only_the_owner_redoubles() -> None:
    assert RULES.turn(on_roll(Cube(2, BLACK))) is Turn.DICE
    assert RULES.moves(on_roll(Cube(2, WHITE))) == (NO_DOUBLE, DOUBLE)
    assert after(on_roll(Cube(2, WHITE)), DOUBLE, TAKE).cube == Cube(4, BLACK, Stage.ROLLING)


@pytest.mark.parametrize("value", [1, 2, 8])
def test_a_dropped_double_loses_what_the_game_was_worth(value: int) -> None:
    owner = None if value == 1 else WHITE
    position = after(on_roll(Cube(value, owner)), DOUBLE, DROP)
    assert RULES.outcome(position) == Outcome(WHITE, Reason.DROPPED, value, value)
    assert RULES.turn(position) is Turn.OVER


def test_beavers_are_for_games_that_have_them() -> None:
    assert BEAVER not in RULES.moves(after(on_roll(), DOUBLE))
    assert BEAVER in RULES.moves(after(on_roll(Cube(has_beavers=True)), DOUBLE))


def test_a_beaver_doubles_again_and_keeps_the_cube() -> None:
    position = after(on_roll(Cube(has_beavers=True)), DOUBLE, BEAVER)
    assert RULES.turn(position) is Turn.FIRST
    assert RULES.moves(position) == (TAKE, DROP)
    assert after(position, TAKE).cube == Cube(4, BLACK, Stage.ROLLING, has_beavers=True)


@pytest.mark.parametrize("cube", [Cube(has_beavers=True), Cube(has_beavers=True, has_jacoby=True)])
def test_a_resignation_after_a_beaver_loses_the_double_too(cube: Cube) -> None:
    """Otherwise nobody would drop a beaver."""
    beavered = after(on_roll(cube), DOUBLE, BEAVER)
    assert RULES.stake(beavered) == 2
    assert after(beavered, Resignation(WHITE, 1)).ended == Outcome(BLACK, Reason.RESIGNATION, 2, 2)
    assert after(beavered, Resignation(WHITE, 2)).ended == Outcome(BLACK, Reason.RESIGNATION, 4, 2)


def test_a_dropped_beaver_loses_the_double() -> None:
    position = after(on_roll(Cube(has_beavers=True)), DOUBLE, BEAVER, DROP)
    assert RULES.outcome(position) == Outcome(BLACK, Reason.DROPPED, 2, 2)


def test_the_highest_cube_is_not_turned() -> None:
    assert RULES.turn(on_roll(Cube(HIGHEST_CUBE, WHITE))) is Turn.DICE
    half = on_roll(Cube(HIGHEST_CUBE // 2, WHITE, has_beavers=True))
    assert RULES.moves(after(half, DOUBLE)) == (TAKE, DROP)


@pytest.mark.parametrize(("loser", "win"), [({6: 14, OFF: 1}, 1), ({6: 15}, 2), ({24: 1, 6: 14}, 3)])
def test_gammons_and_backgammons_multiply_the_cube(loser: dict[int, int], win: int) -> None:
    outcome = RULES.outcome(bearing_off(Cube(4, BLACK), loser=loser))
    assert outcome == Outcome(WHITE, Reason.BORNE_OFF, 4 * win, 4)
    assert outcome is not None and outcome.win == win


def test_by_the_jacoby_rule_gammons_count_only_after_a_double() -> None:
    assert RULES.outcome(bearing_off(Cube(has_jacoby=True))) == Outcome(WHITE, Reason.BORNE_OFF, 1, 1)
    assert RULES.outcome(bearing_off(Cube(2, BLACK, has_jacoby=True))) == Outcome(WHITE, Reason.BORNE_OFF, 4, 2)
    with pytest.raises(IllegalMove, match=r"you can't resign for that much here: by the Jacoby rule, gammons don't"):
        after(on_roll(Cube(has_jacoby=True)), Resignation(WHITE, 2))
    with pytest.raises(IllegalMove, match=r"here$"):
        after(on_roll(Cube()), Resignation(WHITE, 4))


@pytest.mark.parametrize("player", Player)
@pytest.mark.parametrize("moves", [(), (NO_DOUBLE,), (DOUBLE,), (NO_DOUBLE, Roll(3, 1))])
def test_either_player_can_resign_at_any_time(player: Player, moves: tuple[Move, ...]) -> None:
    position = after(on_roll(Cube(2, WHITE)), *moves, Resignation(player, 2))
    assert RULES.outcome(position) == Outcome(player.other, Reason.RESIGNATION, 4, 2)


@pytest.mark.parametrize(("points", "match", "outcome"), [
    (1, None, Outcome(BLACK, Reason.RESIGNATION, 4, 4)),
    (2, None, Outcome(BLACK, Reason.RESIGNATION, 8, 4)),
    (1, Match(7), Outcome(BLACK, Reason.RESIGNATION, 1, 1)),
])  # fmt: skip
def test_a_record_that_is_resigned_counts_the_cube_but_not_in_a_match(
    points: int, match: Match | None, outcome: Outcome
) -> None:
    game = Game(RULES, start=on_roll(Cube(4, WHITE), match))
    game.resign(WHITE, points)
    assert game.outcome == outcome
    assert RULES.notation.read_games(RULES.notation.write_games([game])) == [game]


def test_a_resignation_is_never_equal_to_a_roll() -> None:
    moves: list[Move] = [Resignation(BLACK, 2), Resignation(BLACK, 2), Roll(1, 2)]
    assert moves[0] == moves[1] != moves[2]
    assert len(set(moves)) == 2


def test_resignations_are_read_and_written() -> None:
    assert RULES.notation.write_move(on_roll(), Resignation(BLACK, 3)) == "black resigns 3"
    assert RULES.notation.read_move(on_roll(), "Black resigns 3") == Resignation(BLACK, 3)


@pytest.mark.parametrize(
    ("match", "may_double"),
    [
        (Match(7, 0, 0), True),
        (Match(7, 6, 3, is_crawford=True), False),
        (Match(7, 3, 6, is_crawford=True), False),
        (Match(7, 3, 6), True),
        (Match(7, 6, 3), False),
    ],
    ids=["early", "own Crawford", "other's Crawford", "post-Crawford, behind", "post-Crawford, ahead"],
)
def test_a_player_doubles_in_a_match_where_it_can_be_of_use(match: Match, may_double: bool) -> None:
    assert (RULES.turn(on_roll(match=match)) is Turn.FIRST) == may_double


def test_a_cube_that_wins_the_match_is_not_turned_any_further() -> None:
    assert RULES.turn(on_roll(Cube(2, WHITE), Match(5, 3, 0))) is Turn.DICE
    assert RULES.turn(on_roll(Cube(2, WHITE), Match(5, 2, 0))) is Turn.FIRST


def test_a_game_of_a_match_leads_to_the_next_one() -> None:
    position = after(on_roll(Cube(2, WHITE), Match(7, 1, 2)), DOUBLE, DROP)
    assert position == RULES.start("standard+match7")._replace(match=Match(7, 3, 2))
    assert RULES.turn(position) is Turn.DICE
    assert RULES.outcome(position) is None


def test_men_borne_off_score_too() -> None:
    assert bearing_off(Cube(2, BLACK), Match(9)).match == Match(9, 4, 0)


def test_the_first_game_in_which_a_side_needs_one_point_is_the_crawford_game() -> None:
    first = after(on_roll(match=Match(3, 1, 0)), DOUBLE, DROP)
    assert first.match == Match(3, 2, 0, is_crawford=True)
    second = after(first, Resignation(WHITE, 1))
    assert second.match == Match(3, 2, 1)
    third = after(second._replace(mover=BLACK), DOUBLE, TAKE, Resignation(BLACK, 1))
    assert RULES.outcome(third) == Outcome(WHITE, Reason.RESIGNATION, 2, 2)
    assert third.match == Match(3, 4, 1)


def test_a_match_to_one_point_is_a_crawford_game() -> None:
    start = RULES.start("standard+match1")
    assert start.match == Match(1, is_crawford=True)
    assert RULES.turn(start._replace(mover=WHITE)) is Turn.DICE


def test_every_game_of_a_match_has_the_same_start() -> None:
    start = RULES.start("hypergammon+match3+nocube")
    assert after(start, Resignation(BLACK, 1)) == start._replace(match=Match(3, 1, 0, layout="hypergammon"))


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({}, "standard"),
        ({"cube": False}, "standard"),
        ({"cube": True}, "standard+cube"),
        ({"cube": True, "jacoby": True, "beavers": True}, "standard+cube+jacoby+beavers"),
        ({"match_length": 7}, "standard+match7"),
        ({"match_length": 7, "cube": False}, "standard+match7+nocube"),
        ({"variant": "nackgammon", "match_length": 25}, "nackgammon+match25"),
        ({"match_length": np.int64(3), "cube": np.False_}, "standard+match3+nocube"),
        ({"variant": "nackgammon+match5", "cube": False}, "nackgammon+match5+nocube"),
        ({"variant": "nackgammon+match5+nocube"}, "nackgammon+match5+nocube"),
        ({"variant": "nackgammon+match5+nocube", "match_length": 3}, "nackgammon+match3+nocube"),
        ({"variant": "standard+cube+jacoby+beavers", "jacoby": False, "beavers": False}, "standard+cube"),
    ],
)
def test_options_make_a_variants_name(options: dict[str, Any], name: str) -> None:
    assert RULES.variant_name(**options) == name
    assert Game(RULES, name).variant == name


@pytest.mark.parametrize(
    "options",
    [
        {"match_length": 0},
        {"match_length": 26},
        {"match_length": True},
        {"cube": 2},
        {"jacoby": True},
        {"match_length": 3, "beavers": True},
        {"stakes": 1},
    ],
)
def test_options_without_sense_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UnknownOption):
        RULES.variant_name(**options)


@pytest.mark.parametrize("name", ["standard+", "standard+match07", "standard+cube+match3", "standard+nocube", "+cube"])
def test_names_that_no_options_make_are_refused(name: str) -> None:
    with pytest.raises(UnknownVariant):
        RULES.start(name)


VARIANTS = ("hypergammon+cube+jacoby+beavers", "hypergammon+match5", "hypergammon+match9+nocube", "hypergammon")


@given(st.sampled_from(VARIANTS), st.integers(0, 2**32), st.booleans())
def test_random_games_keep_the_laws(variant: str, seed: int, resigns: bool) -> None:
    rng, game = random.Random(seed), Game(RULES, variant)
    while not game.outcome:
        before = game.position
        move = rng.choice(game.legal_moves())
        if resigns and rng.random() < 0.02:
            move = Resignation(rng.choice(list(Player)), 1)
        assert RULES.notation.read_move(before, RULES.notation.write_move(before, move)) == move
        game.play(move)
        if before.match and before.match.is_crawford and game.position.match == before.match:
            assert game.position.cube in (None, Cube()), "nobody doubles in the Crawford game"
    score, parts = [0, 0], match_games(game)
    for part in parts:
        assert part.outcome is not None and part.outcome.winner is not None
        assert part.outcome.win in (1, 2, 3)
        score[part.outcome.winner] += part.outcome.points
    assert [parts[0].first, *(part.end for part in parts)] == [*(part.first for part in parts), game.length]
    match = game.position.match
    if match is None:
        assert len(parts) == 1 and parts[0].outcome == game.outcome
    else:
        assert score == [match.white, match.black]
        assert max(score) >= match.length > min(score)
        scores = [game.position_at(part.first).match for part in parts]
        assert sum(each is not None and each.is_crawford for each in scores) <= 1
