"""The rules of backgammon, one sentence each, on positions that hold just what the sentence is about."""

from __future__ import annotations

import pytest

from ludus import Game, Outcome, Player, Turn
from ludus.core.errors import IllegalMove, MalformedPosition
from ludus.games.backgammon.position import BAR, OFF, Men, Play, Position, Roll, Step, men
from ludus.games.backgammon.rules import Backgammon

RULES = Backgammon()
FAR = {1: 2}
"""Black men that are in nobody's way: on black's own ace point."""


def at(white: dict[int, int], black: dict[int, int], dice: tuple[int, int]) -> Position:
    """White to play; the men not named are off."""
    full = [layout | {OFF: 15 - sum(layout.values())} for layout in (white, black)]
    return Position(men(full[0]), men(full[1]), Player.FIRST, dice)


def plays(position: Position) -> list[list[Step]]:
    """The legal plays, steps from the highest point first."""
    return sorted(sorted(move.steps, reverse=True) for move in RULES.moves(position) if isinstance(move, Play))


def test_the_standard_start() -> None:
    position = RULES.variants["standard"]
    assert [position.white.on(point) for point in (24, 13, 8, 6)] == [2, 5, 3, 5]
    assert position.white.pips == position.black.pips == 167


def test_every_variant_can_be_played() -> None:
    assert set(RULES.variants) == {"standard", "printed", "nackgammon", "hypergammon"}
    for position in RULES.variants.values():
        assert RULES.turn(position) is Turn.DICE


def test_the_opening_roll_is_one_die_each_and_never_a_tie() -> None:
    rolls = RULES.chances(RULES.variants["standard"])
    assert len(rolls) == 30
    assert all(roll.one != roll.two for roll, _ in rolls)


@pytest.mark.parametrize(("roll", "turn"), [(Roll(6, 2), Turn.FIRST), (Roll(2, 6), Turn.SECOND)])
def test_the_higher_die_starts_and_plays_both(roll: Roll, turn: Turn) -> None:
    position = RULES.play(RULES.variants["standard"], roll)
    assert RULES.turn(position) is turn
    assert position.dice == (6, 2)


def test_later_rolls_weigh_thirty_six_in_all() -> None:
    rolls = RULES.chances(at({6: 1}, FAR, (1, 2))._replace(dice=()))
    assert len(rolls) == 21
    assert sum(weight for _, weight in rolls) == 36


def test_both_dice_are_played_if_they_can_be() -> None:
    # 12/6 is shut (black's 19 is white's 6), so the five comes first; 2/off waits until all are home
    assert plays(at({12: 1, 2: 1}, {19: 2}, (6, 5))) == [[(12, 7), (7, 1)]]


def test_a_die_that_would_shut_out_the_other_is_not_played() -> None:
    # 8/7 would leave no six, for white's 1 is shut; 24/23 leaves 8/2
    assert plays(at({24: 1, 8: 1}, {24: 2, 7: 2, 8: 2}, (6, 1))) == [[(24, 23), (8, 2)]]


def test_if_only_one_die_can_be_played_it_is_the_higher() -> None:
    # 10/4 and 10/7 can each be played, but then the other die is shut: black holds white's 1
    position = at({10: 1}, {24: 2}, (6, 3))
    assert plays(position) == [[(10, 4)]]


def test_the_lower_is_played_when_the_higher_cannot_be() -> None:
    position = at({10: 1}, {21: 2, 24: 2}, (6, 3))
    assert plays(position) == [[(10, 7)]]


def test_a_double_is_played_four_times() -> None:
    assert plays(at({20: 1, 1: 1}, FAR, (2, 2))) == [[(20, 18), (18, 16), (16, 14), (14, 12)]]


def test_a_double_is_played_as_often_as_possible() -> None:
    # 13/11/9, then black's point on white's 7
    assert plays(at({13: 1}, {18: 2}, (2, 2))) == [[(13, 11), (11, 9)]]


def test_men_on_the_bar_enter_first() -> None:
    position = at({BAR: 1, 13: 1}, {1: 1}, (4, 3))
    assert all(play[0][0] == BAR for play in plays(position))
    assert plays(at({BAR: 2, 13: 1}, FAR, (4, 3))) == [[(25, 22), (25, 21)]]


def test_who_cannot_enter_passes() -> None:
    closed = dict.fromkeys(range(1, 7), 2)
    position = at({BAR: 1, 13: 1}, closed, (4, 3))
    assert RULES.moves(position) == (RULES.pass_move,)
    after = RULES.play(position, Play(()))
    assert RULES.turn(after) is Turn.DICE
    assert after.mover is Player.SECOND


def test_two_men_block_a_point_and_one_is_hit() -> None:
    assert plays(at({8: 1}, {19: 2, 24: 2}, (2, 1))) == [[(8, 7), (7, 5)]]
    position = at({8: 1}, {20: 1, 1: 1}, (2, 1))
    after = RULES.play(position, Play((Step(8, 6), Step(6, 5))))
    assert after.black.on(BAR) == 1
    assert after.black.on(20) == 0


def test_picking_up_a_second_blot_on_the_way_is_another_play() -> None:
    position = at({8: 1}, {18: 1, 20: 1}, (2, 1))
    assert len(RULES.moves(position)) == 2


def test_no_man_leaves_before_all_are_home() -> None:
    assert all(target != OFF for play in plays(at({8: 1, 2: 1}, FAR, (2, 1))) for _, target in play)


def test_the_last_man_may_come_home_and_then_another_leave() -> None:
    assert [(7, 6), (2, 0)] in plays(at({7: 1, 2: 1}, FAR, (2, 1)))


def test_a_man_leaves_by_the_exact_number_or_from_the_highest_point() -> None:
    assert plays(at({4: 1, 2: 1}, FAR, (6, 5))) == [[(4, 0), (2, 0)]]
    assert plays(at({5: 1, 3: 1}, FAR, (4, 4))) == [[(5, 1), (3, 0), (1, 0)]]


def test_bearing_two_men_off_either_way_round_is_one_play() -> None:
    assert len(RULES.moves(at({3: 1, 2: 1}, FAR, (6, 5)))) == 1


@pytest.mark.parametrize(("black", "points"), [
    ({1: 14}, 1),
    ({6: 15}, 2),
    ({19: 1, 6: 14}, 3),
    ({BAR: 1, 6: 14}, 3),
    ({18: 1, 6: 14}, 2),
    ({19: 1, 6: 13}, 1),
])  # fmt: skip
def test_single_gammon_and_backgammon(black: dict[int, int], points: int) -> None:
    position = at({1: 1}, black, (6, 5))
    after = RULES.play(position, RULES.moves(position)[0])
    assert RULES.outcome(after) == Outcome(Player.FIRST, "borne_off", points)
    assert RULES.turn(after) is Turn.OVER
    assert RULES.moves(after) == ()


def test_hypergammon_ends_with_three_men_off() -> None:
    position = Position(men({1: 1, OFF: 2}), men({24: 3}), Player.FIRST, (2, 1))
    after = RULES.play(position, RULES.moves(position)[0])
    assert RULES.outcome(after) == Outcome(Player.FIRST, "borne_off", 3)


def test_black_plays_like_white_from_the_other_side() -> None:
    start = RULES.variants["standard"]
    white = RULES.play(start, Roll(3, 1))
    black = RULES.play(start, Roll(1, 3))
    assert RULES.moves(white) == RULES.moves(black)
    play = RULES.moves(white)[0]
    assert RULES.play(white, play).white == RULES.play(black, play).black


def test_steps_may_be_named_in_any_order_that_can_be_played() -> None:
    position = RULES.play(RULES.variants["standard"], Roll(3, 1))
    (play,) = RULES.resolve(position, [Step(6, 5), Step(8, 5)])
    assert RULES.resolve(position, [Step(8, 5), Step(6, 5)]) == [play]
    assert RULES.resolve(position, [Step(24, 20)]) != []
    assert RULES.resolve(position, [Step(6, 5)]) == []


def test_a_roll_out_of_turn_and_a_play_out_of_turn_are_refused() -> None:
    start = RULES.variants["standard"]
    with pytest.raises(IllegalMove):
        RULES.play(start, Play(()))
    with pytest.raises(IllegalMove):
        RULES.play(start, Roll(3, 3))
    with pytest.raises(IllegalMove):
        RULES.play(RULES.play(start, Roll(3, 1)), Roll(3, 1))


def test_a_game_has_no_draws_but_can_be_resigned_for_more() -> None:
    game = Game(RULES)
    with pytest.raises(IllegalMove):
        game.agree_draw()
    with pytest.raises(IllegalMove):
        game.resign(Player.FIRST, 4)
    game.resign(Player.FIRST, 2)
    assert game.outcome == Outcome(Player.SECOND, "resignation", 2)


def test_men_are_counted_up_to_fifteen_on_a_point() -> None:
    for number in range(16):
        assert men({7: number}).on(7) == number
    assert Men(0, 0).counts == (0,) * 26


@pytest.mark.parametrize("layout", [{24: 16}, {24: 8, 23: 8}, {26: 1}, {-1: 1}, {6: -1}, {6: 16, 5: -1}])
def test_men_that_cannot_be_are_refused(layout: dict[int, int]) -> None:
    with pytest.raises(MalformedPosition):
        men(layout)


EVERYWHERE = (1 << 26) - 1
START = RULES.variants["standard"]._replace(mover=Player.FIRST)


@pytest.mark.parametrize("rules", [RULES, RULES.compiled()], ids=["interpreted", "compiled"])
@pytest.mark.parametrize("position", [
    START._replace(white=Men(EVERYWHERE | EVERYWHERE << 32, 0)),
    START._replace(white=Men(0, EVERYWHERE | EVERYWHERE << 32)),
    START._replace(white=Men(1 << 20 | 1 << 26, 0)),
    START._replace(white=Men(1 << 63, 0)),
    START._replace(white=Men(-1, -1)),
    START._replace(black=Men(EVERYWHERE, 0)),
    START._replace(dice=(7, 7)),
    START._replace(dice=(0, 0)),
    START._replace(dice=(-1, 3)),
])  # fmt: skip
def test_positions_for_which_no_list_has_room_are_refused(rules: Backgammon, position: Position) -> None:
    rolled = position if position.dice else position._replace(dice=(1, 1))
    with pytest.raises(MalformedPosition):
        rules.moves(rolled)
    with pytest.raises(MalformedPosition):
        rules.perft(position, 1)


def test_the_points_of_a_play_are_numbered_as_white_counts() -> None:
    play = Play((Step(BAR, 20), Step(20, 15), Step(3, OFF)))
    assert RULES.touched(START, play) == (3, 15, 20)
    assert RULES.touched(START._replace(mover=Player.SECOND), play) == (5, 10, 22)
    assert RULES.touched(START, Roll(3, 1)) == ()
