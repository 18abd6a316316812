import random
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.core.errors import AmbiguousMove, BadMove, IllegalMove, MalformedMove
from ludus.core.rules import Player
from ludus.games.backgammon.notation import BackgammonNotation
from ludus.games.backgammon.plays import write_steps
from ludus.games.backgammon.position import VARIANTS, Play, Position, Roll, Step, men
from ludus.games.backgammon.rules import Backgammon

RULES = Backgammon()
NOTATION: BackgammonNotation = RULES.notation
OPENING = VARIANTS["standard"]


def board(white: Mapping[int, int], black: Mapping[int, int], dice: tuple[int, int] | tuple[()] = ()) -> Position:
    """White to play; both sides' points as white counts them, the other men off."""
    theirs = {25 - point: number for point, number in black.items()}
    off = [15 - sum(side.values()) for side in (white, black)]
    return Position(men({**white, 0: off[0]}), men({**theirs, 0: off[1]}), Player.FIRST, dice)


def rolled(dice: tuple[int, int], position: Position = OPENING) -> Position:
    return position._replace(mover=Player.FIRST, dice=dice)


def reread(position: Position, text: str) -> str:
    """A play as we write it."""
    return NOTATION.write_move(position, NOTATION.read_move(position, text))


def test_the_first_die_of_the_opening_roll_is_whites() -> None:
    assert NOTATION.read_move(OPENING, "13") == Roll(1, 3)
    assert NOTATION.write_move(OPENING, Roll(1, 3)) == "13"
    assert RULES.play(OPENING, Roll(1, 3)).mover is Player.SECOND


def test_a_later_roll_has_its_higher_die_first() -> None:
    assert NOTATION.read_move(OPENING._replace(mover=Player.SECOND), "1-3") == Roll(3, 1)


@pytest.mark.parametrize(
    "text", ["8/5 6/5", "6/5 8/5", " 8/5\t6/5 ", "8/5, 6/5", "08/05 6/5"], ids=lambda text: text.strip()
)
def test_steps_are_read_in_any_order(text: str) -> None:
    assert reread(rolled((3, 1)), text) == "8/5 6/5"


def test_a_man_that_uses_both_dice_is_written_once() -> None:
    position = rolled((6, 4))
    assert reread(position, "24/18 18/14") == "24/14"
    assert reread(position, "24/20/14") == "24/14"
    assert NOTATION.read_move(position, "24/14") == Play((Step(24, 18), Step(18, 14)))


def test_equal_steps_are_written_once() -> None:
    assert reread(rolled((3, 3)), "8/5 8/5 6/3 6/3") == "8/5(2) 6/3(2)"
    assert reread(rolled((3, 3)), "13/10/7(2)") == "13/7(2)"


def test_a_hit_is_marked_once_for_two_men() -> None:
    position = board({8: 2, 6: 2}, {4: 1, 24: 2}, (4, 4))
    assert reread(position, "8/4*(2) 6/2(2)") == "8/4*(2) 6/2(2)"
    assert reread(position, "8/4 8/4 6/2 6/2") == "8/4*(2) 6/2(2)"


def test_a_chain_names_the_points_where_it_hits() -> None:
    position = board({24: 1, 6: 2}, {18: 1, 1: 2}, (6, 4))
    assert reread(position, "24/18*/14") == "24/18*/14"
    assert reread(position, "24/18 18/14") == "24/18*/14"


def test_without_a_mark_the_way_that_hits_nothing_is_meant() -> None:
    position = board({24: 1, 6: 2}, {18: 1, 1: 2}, (6, 4))
    assert RULES.play(position, NOTATION.read_move(position, "24/14")).black.on(25) == 0


def test_two_ways_that_hit_are_ambiguous() -> None:
    position = board({24: 1, 6: 2}, {18: 1, 20: 1, 1: 2}, (6, 4))
    with pytest.raises(AmbiguousMove, match=r"24/14 can be 24/18\*/14 or 24/20\*/14"):
        NOTATION.read_move(position, "24/14")


def test_the_bar_and_off_have_numbers_too() -> None:
    assert reread(board({25: 1, 6: 2}, {1: 2}, (5, 1)), "25/20 6/5") == "bar/20 6/5"
    assert reread(board({6: 2, 5: 1}, {24: 2}, (6, 5)), "6/0 5/0") == "6/off 5/off"
    assert reread(board({6: 2, 5: 1}, {24: 2}, (6, 6)), "6/OFF(2) 5/Off") == "6/off(2) 5/off"


def test_two_men_may_come_home_before_either_is_borne_off() -> None:
    position = board({8: 1, 7: 1, 1: 3}, {24: 2}, (4, 4))
    assert reread(position, "8/off 7/off") == "8/off 7/off"
    assert reread(position, "7/3 8/4 3/off 4/off") == "8/off 7/off"


@pytest.mark.parametrize("text", ["pass", "Pass", "Cannot Move", "-"])
def test_a_player_who_cannot_move_passes(text: str) -> None:
    position = board({25: 1}, dict.fromkeys(range(19, 25), 2), (6, 5))
    assert NOTATION.read_move(position, text) == Play(())
    assert NOTATION.write_move(position, Play(())) == "pass"


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "x", "2", "24/", "/18", "24-18", "24/18*(5)", "off/3", "24/18 13", "bar", "123", "passs", "--"),
        *("24/26 13/11", "99/98", "70", "3-9", "٢٤/18", "³1", "３１", "\ud800"),
        *("24/18" * 30, "1" * 100_000, "24/18 " * 50_000),
    ],
    ids=lambda text: ascii(text[:12]),
)
def test_what_is_not_written_as_a_move_is_malformed(text: str) -> None:
    for position in (OPENING, rolled((6, 2))):
        with pytest.raises(MalformedMove) as caught:
            NOTATION.read_move(position, text)
        assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("position", "text", "reason"),
    [
        (OPENING, "24/18", "the dice have to be rolled first"),
        (OPENING, "pass", "the dice have to be rolled first"),
        (OPENING, "33", "the opening roll has two different dice"),
        (rolled((3, 1)), "31", "the dice are already rolled, 31"),
        (board({}, {24: 1}), "31", "the game is over"),
        (board({}, {24: 1}), "24/18", "the game is over"),
        (rolled((3, 1)), "23/20 6/5", "no man is on 23"),
        (rolled((3, 1)), "bar/22 6/5", "no man is on the bar"),
        (rolled((5, 1)), "24/19 6/5", "the other side holds 19"),
        (rolled((3, 1)), "8/5", "both dice must be played"),
        (rolled((3, 3)), "8/5(2)", "4 steps must be played"),
        (rolled((3, 1)), "pass", "there is a play, such as"),
        (rolled((3, 1)), "8/4 6/5", "the dice are 31"),
        (rolled((3, 1)), "6/8", "men move down"),
        (rolled((3, 3)), "6/6", "men move down"),
        (rolled((3, 1)), "6/25", "men move down"),
        (rolled((3, 1)), "8/5(4) 6/5(4)", "the dice are 31"),
        (rolled((3, 1)), "8/5* 6/5", "it hits less than is marked"),
        (rolled((6, 5)), "13/off", "borne off only when all are home"),
        (rolled((6, 5)), "13/8 6/off", "borne off only when all are home"),
        (board({25: 1, 6: 2}, {1: 2}, (5, 1)), "6/5 6/1", "the man on the bar must enter first"),
        (board({25: 1}, dict.fromkeys(range(19, 25), 2), (6, 5)), "bar/20", "the other side holds 20"),
        (board({24: 1}, {18: 2, 23: 2}, (6, 1)), "24/17", "no man can move; pass"),
        (board({24: 1}, {17: 2}, (6, 1)), "24/23", "the higher die must be played"),
    ],
)
def test_an_illegal_move_is_refused_with_the_reason(position: Position, text: str, reason: str) -> None:
    with pytest.raises(IllegalMove, match=reason):
        NOTATION.read_move(position, text)


@st.composite
def positions(draw: st.DrawFn) -> Position:
    """A position of a game with random moves, in any variant."""
    dice = random.Random(draw(st.integers(0, 2**32)))
    position = VARIANTS[draw(st.sampled_from(sorted(VARIANTS)))]
    for _ in range(draw(st.integers(0, 60))):
        moves = RULES.moves(position)
        position = RULES.play(position, dice.choice(moves)) if moves else position
    return position


@given(positions())
def test_every_legal_move_is_read_back(position: Position) -> None:
    for move in RULES.moves(position):
        assert NOTATION.read_move(position, NOTATION.write_move(position, move)) == move


@given(positions(), st.randoms(use_true_random=False))
def test_every_legal_play_is_read_from_its_steps_in_any_order(position: Position, order: random.Random) -> None:
    for play in RULES.moves(position):
        if isinstance(play, Play) and play.steps:
            steps = write_steps(position, play).split()
            order.shuffle(steps)
            assert NOTATION.read_move(position, " ".join(steps)) == play


@given(positions())
def test_every_position_is_read_back(position: Position) -> None:
    assert NOTATION.read_position(NOTATION.write_position(position)) == position


def check_text(position: Position, text: str) -> None:
    try:
        move = NOTATION.read_move(position, text)
    except BadMove:
        return
    assert move in RULES.moves(position)


@given(positions(), st.text() | st.text("0123456789/*()barof -", max_size=30))
def test_any_text_is_a_legal_move_or_refused(position: Position, text: str) -> None:
    check_text(position, text)


@given(positions(), st.integers(0, 2), st.integers(0, 30), st.characters() | st.sampled_from("0123456789/*() "))
def test_text_with_a_changed_character_is_a_legal_move_or_refused(
    position: Position, choice: int, place: int, character: str
) -> None:
    for move in RULES.moves(position)[choice::3]:
        text = NOTATION.write_move(position, move)
        check_text(position, f"{text[:place]}{character}{text[place + 1 :]}")
