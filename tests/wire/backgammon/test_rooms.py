"""Backgammon in a room, in white's numbers."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from tests.wire.random_games import all_to_play, choices, played, to_play

from ludus import Player
from ludus.core.errors import AmbiguousMove, IllegalMove, MalformedMove
from ludus.games.backgammon.position import VARIANTS, Play, Position, Step, men
from ludus.games.backgammon.rules import Backgammon
from ludus.wire.backgammon.rooms import BackgammonRoomCodec

RULES = Backgammon()
CODEC = BackgammonRoomCodec(RULES)
STANDARD = VARIANTS["standard"]

WALL = dict.fromkeys(range(1, 7), 2)
"""No man can enter against it."""

Layout = dict[int, int]


def white(layout: Layout, other: Layout, *dice: int) -> Position:
    """White to play; both sides in their own numbers."""
    return Position(men(layout), men(other), Player.FIRST, dice)  # type: ignore[arg-type]  # there are two dice


def black(layout: Layout, other: Layout, *dice: int) -> Position:
    return Position(men(other), men(layout), Player.SECOND, dice)  # type: ignore[arg-type]  # there are two dice


def start(mover: Player, *dice: int) -> Position:
    return STANDARD._replace(mover=mover, dice=dice)  # type: ignore[arg-type]  # there are two dice


def steps(*pairs: tuple[int | str, int | str]) -> list[dict[str, int | str]]:
    return [{"from": source, "to": target} for source, target in pairs]


def read(position: Position, *pairs: tuple[int | str, int | str]) -> Play:
    play = CODEC.parse_move(position, {"moves": steps(*pairs)})
    assert isinstance(play, Play)
    return play


def refusal(position: Position, *pairs: tuple[int | str, int | str]) -> str:
    with pytest.raises(IllegalMove) as refused:
        read(position, *pairs)
    return str(refused.value)


def test_the_board_has_whites_points_with_blacks_men_negative() -> None:
    shown = CODEC.board(STANDARD)
    points = {point: count for point, count in enumerate(shown["board"]) if count}
    assert len(shown["board"]) == 25
    assert points == {24: 2, 13: 5, 8: 3, 6: 5, 1: -2, 12: -5, 17: -3, 19: -5}
    assert shown["bar"] == shown["off"] == {"white": 0, "black": 0}
    assert shown["pipCounts"] == {"white": 167, "black": 167}
    assert shown["dice"] == []


def test_the_bar_and_the_men_off_stand_beside_the_board() -> None:
    shown = CODEC.board(white({25: 2, 3: 1, 0: 12}, {25: 1, 24: 1, 0: 13}, 2, 1))
    assert shown["bar"] == {"white": 2, "black": 1}
    assert shown["off"] == {"white": 12, "black": 13}
    assert shown["pipCounts"] == {"white": 53, "black": 49}
    assert {point: count for point, count in enumerate(shown["board"]) if count} == {3: 1, 1: -1}


def test_dice_are_shown_as_often_as_they_are_played() -> None:
    assert CODEC.board(start(Player.FIRST, 6, 5))["dice"] == [6, 5]
    assert CODEC.board(start(Player.SECOND, 4, 4))["dice"] == [4, 4, 4, 4]


@given(chosen=choices)
def test_every_man_is_on_the_board_the_bar_or_off(chosen: list[int]) -> None:
    game = played(RULES, "standard", chosen)
    for position in game.positions[-4:]:
        shown = CODEC.board(position)
        for sign, name, side in ((1, "white", position.white), (-1, "black", position.black)):
            on_points = [max(sign * count, 0) for count in shown["board"]]
            assert sum(on_points) + shown["bar"][name] + shown["off"][name] == 15
            assert shown["pipCounts"][name] == side.pips


def test_white_moves_down_and_black_moves_up() -> None:
    assert CODEC.move(start(Player.FIRST, 3, 1), Play((Step(8, 5), Step(6, 5)))) == {"moves": steps((8, 5), (6, 5))}
    assert CODEC.move(start(Player.SECOND, 3, 1), Play((Step(8, 5), Step(6, 5)))) == {
        "moves": steps((17, 20), (19, 20))
    }


def test_a_man_enters_from_the_bar_and_leaves_to_off() -> None:
    entering = black({25: 1, 6: 2}, {}, 6, 5)
    assert CODEC.move(entering, Play((Step(25, 19), Step(6, 1)))) == {"moves": steps(("bar", 6), (19, 24))}
    leaving = white({6: 1, 5: 1}, {1: 1}, 6, 5)
    assert CODEC.move(leaving, Play((Step(6, 0), Step(5, 0)))) == {"moves": steps((6, "off"), (5, "off"))}


@given(chosen=choices)
def test_a_move_shows_what_happens_on_the_board(chosen: list[int]) -> None:
    position = to_play(RULES, "standard", chosen)
    sign = -1 if position.mover is Player.SECOND else 1
    for play in RULES.moves(position):
        board = CODEC.board(position)["board"]
        for step in CODEC.move(position, play)["moves"]:  # type: ignore[arg-type]  # there are two dice
            if step["from"] != "bar":
                board[step["from"]] -= sign
            if step["to"] != "off":
                board[step["to"]] = sign if board[step["to"]] == -sign else board[step["to"]] + sign
        assert board == CODEC.board(RULES.play(position, play))["board"]


def test_steps_may_come_in_any_order_that_can_be_made() -> None:
    position = start(Player.SECOND, 3, 1)
    assert read(position, (17, 20), (19, 20)) == read(position, (19, 20), (17, 20))
    assert read(start(Player.FIRST, 6, 5), (24, 18), (18, 13))
    assert refusal(start(Player.FIRST, 6, 5), (18, 13), (24, 18)) == "you have no man on 18"


def test_one_man_may_use_several_dice_in_one_step() -> None:
    assert read(start(Player.FIRST, 6, 5), (24, 13)) == read(start(Player.FIRST, 6, 5), (24, 18), (18, 13))
    assert read(start(Player.SECOND, 3, 3), (1, 7), (12, 18)) == read(
        start(Player.SECOND, 3, 3), (1, 4), (4, 7), (12, 15), (15, 18)
    )


def test_a_step_over_several_dice_that_may_hit_or_not_is_ambiguous() -> None:
    position = white({24: 1}, {7: 1, 1: 2}, 6, 5)
    with pytest.raises(AmbiguousMove, match="give one for each die"):
        read(position, (24, 13))
    assert read(position, (24, 18), (18, 13)) != read(position, (24, 19), (19, 13))


def test_the_empty_play_is_legal_only_where_no_man_can_move() -> None:
    shut_out = white({25: 1, 6: 3}, WALL, 6, 5)
    assert read(shut_out) == Play(())
    assert CODEC.moves_from(shut_out) == []
    assert CODEC.moves_from(shut_out, so_far=[]) == []
    assert refusal(shut_out, ("bar", 20)) == "no man can move"
    assert refusal(start(Player.FIRST, 6, 5)) == "2 steps must be played"


@pytest.mark.parametrize(
    ("position", "pairs", "text"),
    [
        (start(Player.FIRST, 6, 5), [(7, 1), (13, 8)], "you have no man on 7"),
        (start(Player.FIRST, 6, 5), [("bar", 20), (13, 7)], "you have no man on the bar"),
        (start(Player.FIRST, 6, 5), [(13, 18), (13, 19)], "your men move from 24 to 1"),
        (start(Player.SECOND, 6, 5), [(12, 7), (12, 6)], "your men move from 1 to 24"),
        (start(Player.FIRST, 6, 5), [(24, 19), (13, 7)], "the other side holds 19"),
        (start(Player.SECOND, 6, 5), [(1, 6), (12, 18)], "the other side holds 6"),
        (start(Player.FIRST, 6, 5), [(6, "off"), (13, 8)], "men can be borne off only when all are home"),
        (start(Player.FIRST, 6, 5), [(13, 7)], "2 steps must be played"),
        (start(Player.FIRST, 3, 3), [(13, 10), (13, 10), (8, 5)], "4 steps must be played"),
        (start(Player.FIRST, 6, 5), [(13, 9), (13, 8)], "this does not use the dice 6 and 5 as required"),
        (start(Player.FIRST, 6, 5), [(13, 7), (13, 7)], "this does not use the dice 6 and 5 as required"),
        (white({25: 1, 13: 2}, {}, 6, 5), [(13, 7), ("bar", 20)], "men on the bar must enter first"),
        (white({24: 1}, {12: 2}, 6, 5), [(24, 19)], "the higher die must be played"),
        (STANDARD, [(13, 7)], "the dice must be rolled first"),
    ],
)
def test_an_illegal_move_is_refused_with_the_reason(position: Position, pairs: list[Any], text: str) -> None:
    assert refusal(position, *pairs) == text


@pytest.mark.parametrize(
    "payload",
    [
        None,
        [],
        {},
        {"moves": None},
        {"moves": {}},
        {"moves": "24/18"},
        {"moves": [[13, 7]]},
        {"moves": [{"from": 13}]},
        {"moves": steps((13, 7)) * 5},
        {"moves": [{"from": 13.0, "to": 7}]},
        {"moves": steps((True, 7))},
        {"moves": steps(("13", 7))},
        {"moves": steps((25, 20))},
        {"moves": steps((6, 0))},
        {"moves": steps(("off", 6))},
        {"moves": steps((13, "bar"))},
    ],
)
def test_anything_else_is_malformed(payload: Any) -> None:
    with pytest.raises(MalformedMove):
        CODEC.parse_move(start(Player.FIRST, 6, 5), payload)


def test_a_decision_about_the_cube_has_no_steps() -> None:
    with pytest.raises(MalformedMove, match="send moves or cube"):
        CODEC.parse_move(start(Player.FIRST, 6, 5), {"cube": "double", "moves": [{"from": 24, "to": 18}]})


@given(chosen=choices)
def test_without_a_place_whole_plays_are_listed(chosen: list[int]) -> None:
    position = to_play(RULES, "standard", chosen)
    listed = [CODEC.parse_move(position, {"moves": play}) for play in CODEC.moves_from(position)]
    assert listed == [play for play in RULES.moves(position) if play != RULES.pass_move]


@pytest.mark.parametrize("variant", VARIANTS)
@given(chosen=choices)
def test_going_step_by_step_leads_to_exactly_the_legal_plays(variant: str, chosen: list[int]) -> None:
    position = to_play(RULES, variant, chosen)
    plays = {CODEC.parse_move(position, {"moves": walk}) for walk in walks(position)} if position.dice else set()
    assert plays == set(RULES.moves(position))


@pytest.mark.parametrize("seed", [1, 2])
def test_bearing_off_step_by_step_leads_to_exactly_the_legal_plays(seed: int) -> None:
    for position in all_to_play(RULES, "standard", seed)[-24:]:
        assert {CODEC.parse_move(position, {"moves": walk}) for walk in walks(position)} == set(RULES.moves(position))


def walks(position: Position) -> list[list[dict[str, Any]]]:
    """Plays made step by step, without those that differ only in order."""
    ends: list[list[dict[str, Any]]] = []
    seen, waiting = set(), [list[dict[str, Any]]()]
    while waiting:
        so_far = waiting.pop()
        nexts = CODEC.moves_from(position, None, so_far)
        by_place = [step for place in (*range(1, 25), "bar") for step in CODEC.moves_from(position, place, so_far)]
        assert sorted(map(repr, by_place)) == sorted(map(repr, nexts))
        if not nexts:
            ends.append(so_far)
        for step in nexts:
            if (key := tuple(sorted(repr(made) for made in (*so_far, step)))) not in seen:
                seen.add(key)
                waiting.append([*so_far, step])
    return ends


def test_a_step_is_listed_only_if_both_dice_can_still_be_played() -> None:
    position = white({24: 1, 9: 1}, {4: 2, 10: 2}, 6, 3)
    assert CODEC.moves_from(position, None, []) == steps((24, 18), (9, 6))
    assert CODEC.moves_from(position, 9) == steps((9, 6))
    assert CODEC.moves_from(position, 18, steps((24, 18))) == []
    assert CODEC.moves_from(position, None, steps((24, 18))) == steps((9, 6))
    with pytest.raises(IllegalMove, match="soFar"):
        CODEC.moves_from(position, None, steps((9, 3)))


def test_black_taps_in_whites_numbers_too() -> None:
    assert CODEC.moves_from(start(Player.SECOND, 6, 5), 12) == steps((12, 18), (12, 17))
    assert CODEC.moves_from(start(Player.SECOND, 6, 5), 12, steps((12, 18))) == steps((12, 17))
    assert CODEC.moves_from(start(Player.SECOND, 6, 5), 13) == []


def test_a_man_that_either_die_bears_off_is_listed_once() -> None:
    position = white({4: 2, 3: 1}, {1: 1}, 5, 4)
    assert CODEC.moves_from(position, None, []) == steps((4, "off"))
    assert CODEC.moves_from(position, None, steps((4, "off"))) == steps((4, "off"))


def test_nothing_comes_after_a_whole_play() -> None:
    assert CODEC.moves_from(start(Player.FIRST, 6, 5), None, steps((24, 18), (18, 13))) == []


def test_steps_that_start_no_legal_play_are_illegal() -> None:
    with pytest.raises(IllegalMove, match="soFar does not begin a legal play"):
        CODEC.moves_from(start(Player.FIRST, 6, 5), None, steps((24, 13)))


def test_before_the_dice_are_rolled_there_is_nothing_to_play() -> None:
    assert CODEC.moves_from(STANDARD) == []
    assert CODEC.moves_from(STANDARD, 13, []) == []


@pytest.mark.parametrize(("place", "so_far"), [(True, []), (0, []), ("off", []), ("13", []), (13, {}), (13, [13])])
def test_a_place_is_a_point_or_the_bar_and_steps_are_a_list(place: object, so_far: object) -> None:
    with pytest.raises(MalformedMove):
        CODEC.moves_from(start(Player.FIRST, 6, 5), place, so_far)


def test_no_man_is_crowned_in_backgammon() -> None:
    position = start(Player.FIRST, 6, 5)
    play = read(position, (24, 18), (18, 13))
    after = RULES.play(position, play)
    assert CODEC.move_fields(position, play, after) == {"becameKing": False}
    assert list(CODEC.events(position, play, after)) == []
    assert CODEC.colors == ("white", "black")


def why(
    position: Position, place: int | str, target: int | str | None = None, *made: tuple[int | str, int | str]
) -> Any:
    found = CODEC.refusal(position, place, target, steps(*made))
    return found and found.reason


def test_a_man_on_the_board_waits_for_those_on_the_bar() -> None:
    position = white({25: 1, 13: 1}, {1: 2}, 6, 5)
    assert CODEC.refusal(position, 13) == ("enter_first", ("bar",))
    assert why(position, "bar") is None


def test_a_point_that_the_other_side_holds_is_blocked() -> None:
    position = white({24: 2, 13: 2}, {25 - 18: 2, 25 - 19: 2}, 6, 5)
    assert why(position, 24) == "blocked"
    assert why(position, 24, 18) == "blocked"
    assert why(position, 13) is None


def test_the_higher_die_is_played_where_only_one_can_be() -> None:
    position = white({24: 1}, {25 - 13: 2}, 6, 5)
    assert CODEC.moves_from(position) == [steps((24, 18))]
    assert why(position, 24, 19) == "higher_die"
    assert why(position, 24, 18) is None


def test_both_dice_have_to_be_used_if_they_can_be() -> None:
    position = white({9: 1, 24: 1}, {25 - 3: 2, 25 - 15: 2}, 6, 3)
    assert CODEC.moves_from(position, None, []) == steps((24, 18), (9, 6))
    assert why(position, 24, 21) == "both_dice"


def test_men_are_borne_off_when_all_are_home_and_from_the_back() -> None:
    assert why(white({6: 1, 7: 1, 1: 1}, {1: 2}, 2, 1), 1, "off") == "not_home"
    assert why(white({6: 1, 3: 2}, {1: 2}, 5, 4), 3, "off") == "farther_back"


def test_nothing_follows_a_complete_play() -> None:
    position = start(Player.FIRST, 6, 5)
    assert why(position, 13, None, (24, 18), (18, 13)) == "complete"


def test_other_mens_points_and_empty_ones_are_refused() -> None:
    assert why(start(Player.FIRST, 6, 5), 12) == "not_yours"
    assert why(start(Player.SECOND, 6, 5), 13) == "not_yours"
    assert why(start(Player.FIRST, 6, 5), 2) == "empty"
    assert why(start(Player.FIRST, 6, 5), "bar") == "empty"


def test_a_point_that_no_die_reaches_is_refused_with_those_within_reach() -> None:
    assert CODEC.refusal(start(Player.FIRST, 6, 5), 13, 11) == ("unreachable", (7, 8))


@pytest.mark.parametrize("seed", range(3))
def test_exactly_the_points_from_which_a_play_can_begin_are_free(seed: int) -> None:
    for position in all_to_play(RULES, "standard", seed):
        nexts = CODEC.moves_from(position, None, [])
        free = {place for place in (*range(1, 25), "bar") if CODEC.refusal(position, place) is None}
        assert free == {step["from"] for step in nexts}
        assert all(CODEC.refusal(position, step["from"], step["to"]) is None for step in nexts)
