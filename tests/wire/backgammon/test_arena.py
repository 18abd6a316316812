"""Backgammon in the arena."""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
import pytest
from tests.wire.random_games import all_to_play
from tests.wire.views import BACKGAMMON

from ludus.core.errors import AmbiguousMove, IllegalMove, InvalidInput
from ludus.core.game import Game
from ludus.core.rules import Player
from ludus.games import GAMES
from ludus.games.backgammon.position import BAR, Position, men
from ludus.wire import codec
from ludus.wire.actions import is_pass
from ludus.wire.state import view

RULES = GAMES["backgammon"]
CODEC = codec("backgammon").arena


def at(xgid: str) -> Position:
    position: Position = RULES.notation.read_position(xgid)
    return position


def choose(position: Position, *steps: tuple[Any, Any]) -> str:
    action = {"type": "move", "moves": [{"from": source, "to": target} for source, target in steps]}
    return RULES.notation.write_move(position, CODEC.resolve(position, CODEC.parse_action(action)))


START = "XGID=-b----E-C---eE---c-e----B-:0:0:{}:{}:0:0:0:0:10"


def test_there_is_one_legal_move_for_each_resulting_position() -> None:
    position = at(START.format(1, 66))
    plays = RULES.moves(position)
    assert len({RULES.play(position, play) for play in plays}) == len(plays)


@pytest.mark.parametrize(("turn", "dice", "steps", "play"), [
    (1, 43, ((24, 20), (13, 10)), "24/20 13/10"),
    (1, 43, ((13, 10), (24, 20)), "24/20 13/10"),
    (1, 43, ((24, 20), (20, 17)), None),
    (1, 65, ((24, 18), (18, 13)), "24/13"),
    (1, 65, ((24, 13),), "24/13"),
    (-1, 43, ((1, 5), (12, 15)), "24/20 13/10"),
    (-1, 65, ((1, 7), (7, 12)), "24/13"),
    (1, 11, ((8, 7), (8, 7), (6, 5), (6, 5)), "8/7(2) 6/5(2)"),
    (1, 11, ((6, 5), (8, 7), (6, 5), (8, 7)), "8/7(2) 6/5(2)"),
])  # fmt: skip
def test_steps_are_accepted_in_any_playable_order(
    turn: int, dice: int, steps: tuple[tuple[int, int], ...], play: str | None
) -> None:
    position = at(START.format(turn, dice))
    if play is None:
        with pytest.raises(IllegalMove):
            choose(position, *steps)
    else:
        assert choose(position, *steps) == play


def test_men_enter_from_bar_and_are_borne_off_to_off() -> None:
    entering = Position(men({BAR: 1, 6: 1}), men({1: 1}), Player.FIRST, (5, 2))
    assert choose(entering, ("bar", 20), (6, 4)) == "bar/20 6/4"
    entering = Position(men({1: 1}), men({BAR: 1, 6: 1}), Player.SECOND, (5, 2))
    assert choose(entering, ("bar", 5), (19, 21)) == "bar/20 6/4"
    bearing = Position(men({1: 1, 2: 1}), men({1: 1}), Player.FIRST, (2, 1))
    assert choose(bearing, (1, "off"), (2, "off")) == "2/off 1/off"


@pytest.mark.parametrize(("steps", "why"), [
    ((), "2 steps must be played"),
    (((24, 20),), "2 steps must be played"),
    (((23, 19), (13, 10)), "you have no man on 23"),
    (((6, 10), (13, 10)), "your men move from 24 to 1"),
    (((13, 12), (13, 10)), "the other side holds 12"),
    (((6, "off"), (13, 10)), "men can be borne off only when all are home"),
    (((13, 11), (13, 10)), "this does not use the dice 4 and 3 as required"),
])  # fmt: skip
def test_a_refusal_names_the_rule(steps: tuple[tuple[Any, Any], ...], why: str) -> None:
    with pytest.raises(IllegalMove, match=why):
        choose(at(START.format(1, 43)), *steps)


def test_a_step_that_could_be_several_plays_is_ambiguous() -> None:
    position = Position(men({20: 1, 1: 1}), men({25 - 14: 1, 25 - 16: 1}), Player.FIRST, (6, 4))
    with pytest.raises(AmbiguousMove, match="give one for each die"):
        choose(position, (20, 10))
    assert choose(position, (20, 14), (14, 10)) == "20/14*/10"


def test_a_view_of_the_start_is_read_as_that_position() -> None:
    position = CODEC.position(BACKGAMMON)
    assert position == RULES.variants["standard"]._replace(mover=Player.FIRST, dice=(3, 1))


def test_black_sees_the_same_board_and_is_to_move() -> None:
    position = CODEC.position({**BACKGAMMON, "yourColor": "black", "dice": [2, 2, 2, 2]})
    assert position == RULES.variants["standard"]._replace(mover=Player.SECOND, dice=(2, 2))


def test_a_waiting_player_sees_the_other_to_move() -> None:
    position = CODEC.position({**BACKGAMMON, "isYourTurn": False, "dice": []})
    assert position == RULES.variants["standard"]._replace(mover=Player.SECOND)


def test_men_on_the_bar_and_off_are_counted() -> None:
    board = [0] * 25
    board[3], board[20] = 10, -12
    view = {**BACKGAMMON, "board": board, "whiteBar": 1, "whiteOff": 4, "blackBar": 3, "blackOff": 0}
    position = CODEC.position(view)
    assert [position.white.on(point) for point in (25, 3, 0)] == [1, 10, 4]
    assert [position.black.on(point) for point in (25, 5, 0)] == [3, 12, 0]


@pytest.mark.parametrize(("color", "first"), [("white", {"from": 8, "to": 5}), ("black", {"from": 17, "to": 20})])
def test_a_play_is_written_in_the_numbers_of_the_board(color: str, first: dict[str, int]) -> None:
    position = CODEC.position({**BACKGAMMON, "yourColor": color})
    action = CODEC.action(position, RULES.notation.read_move(position, "8/5 6/5"))
    assert action["type"] == "move"
    assert first in action["moves"]


def test_the_bar_and_off_are_words() -> None:
    position = RULES.notation.read_position("XGID=aBBBBB------------------b-:0:0:-1:61:0:0:0:0:10")
    entering = CODEC.action(position, RULES.moves(position)[0])
    assert entering["moves"][0] == {"from": "bar", "to": 6}
    home = RULES.notation.read_position("XGID=-BB--------------------b--:0:0:1:66:0:0:0:0:10")
    assert {"from": 2, "to": "off"} in CODEC.action(home, RULES.moves(home)[0])["moves"]


@pytest.mark.parametrize("variant", ["standard+cube+jacoby+beavers", "standard+match5", "standard+match3+nocube"])
def test_a_view_with_a_cube_or_a_score_shows_the_whole_position_and_every_action(variant: str) -> None:
    for seed in range(4):
        for position in all_to_play(RULES, variant, seed):
            game = Game(RULES, start=position)
            for seat in (0, 1):
                seen = view(game, seat, ("a", "b"))
                assert json.loads(json.dumps(seen)) == seen and CODEC.position(seen) == position
                moves = RULES.moves(position) if game.turn.player == seat else ()
                read = [CODEC.resolve(position, CODEC.parse_action(action)) for action in seen["legalActions"]]
                assert read == list(moves)
                assert is_pass(seen) is (moves in ((), (RULES.pass_move,)))


def test_the_number_of_the_game_and_the_last_action_are_of_the_record() -> None:
    game = Game(RULES, "standard+match3")
    assert view(game, 0, ("a", "b"))["lastAction"] is None
    game.play("31")
    game.play("white resigns 1")
    game.play("31")
    seen = view(game, 0, ("a", "b"))
    assert (seen["match"]["game"], seen["match"]["score"], seen["lastTurn"]) == (2, {"white": 0, "black": 1}, None)
    assert seen["lastAction"] == {"type": "resign", "points": 1}
    game.play("8/5 6/5")
    game.play("double")
    seen = view(game, 0, ("a", "b"))
    assert (seen["isYourTurn"], seen["lastAction"]) == (True, {"type": "double"})
    assert seen["lastTurn"] == [{"from": 8, "to": 5}, {"from": 6, "to": 5}]


@pytest.mark.parametrize(("loser", "dice"), [("white", [3, 1]), ("black", [])])
def test_the_dice_of_a_move_are_those_of_the_player_who_made_it(loser: str, dice: list[int]) -> None:
    rolled = at("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:3:0:10")
    resignation = RULES.notation.read_move(rolled, f"{loser} resigns 1")
    assert CODEC.move(rolled, resignation)["dice"] == dice


@pytest.mark.parametrize(
    "action", [{"type": "offer_resignation"}, {"type": "offer_resignation", "points": 4}, {"type": "pass"}]
)
def test_malformed_resignations_and_unknown_types_are_refused(action: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        CODEC.parse_action(action)
    assert not jsonschema_rs.validator_for(dict(CODEC.schema)).is_valid(action)
