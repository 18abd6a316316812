"""The rules of English draughts, one sentence each."""

from __future__ import annotations

from typing import Any

import pytest

from ludus import Game, Outcome, Player, Turn
from ludus.core.errors import GameIsOver, IllegalMove, MalformedPosition
from ludus.games.checkers import kernel
from ludus.games.checkers.position import SQUARES, STANDARD, Move, Position, bit_of, square_of
from ludus.games.checkers.rules import Checkers

RULES = Checkers()


def moves(fen: str) -> list[str]:
    position = RULES.notation.read_position(fen)
    return sorted("x".join(map(str, move.path)) for move in RULES.moves(position))


def after(fen: str, *played: str) -> Game[Any, Any]:
    game = Game(RULES, start=RULES.notation.read_position(fen))
    for text in played:
        game.play(text)
    return game


def test_squares_and_bits_are_two_names_for_one_thing() -> None:
    assert [square_of(bit_of(square)) for square in SQUARES] == list(SQUARES)
    assert bit_of(1) == 1 << 1
    assert bit_of(5) == 1 << 8
    assert bit_of(32) == 1 << 62


def test_black_moves_first_and_down() -> None:
    assert moves("B:W21-32:B1-12") == ["10x14", "10x15", "11x15", "11x16", "12x16", "9x13", "9x14"]


def test_a_jump_is_forced() -> None:
    assert moves("B:W18,32:B15,1") == ["15x22"]


def test_a_kings_backward_jump_is_forced_too() -> None:
    assert moves("B:W18:BK22,1") == ["22x15"]


def test_a_man_does_not_jump_backwards() -> None:
    assert moves("B:W18:B22") == ["22x25", "22x26"]


def test_a_chain_is_finished_by_the_piece_that_began_it() -> None:
    assert moves("B:W6,15,31:B1,9") == ["1x10x19"]


def test_the_shorter_capture_may_be_chosen() -> None:
    assert moves("W:W22:B9,17,18") == ["22x13x6", "22x15"]


def test_crowning_by_a_jump_ends_the_move() -> None:
    game = after("W:W11:B7,6", "11x2")
    assert game.rules.notation.write_position(game.position) == "B:WK2:B6"


def test_crowning_by_a_step_ends_the_move() -> None:
    game = after("W:W5:B2,24", "5-1")
    assert game.rules.notation.write_position(game.position) == "B:WK1:B2,24"


def test_a_king_may_end_a_circle_where_it_began() -> None:
    assert moves("W:WK7:B10,11,18,19") == ["7x14x23x16x7", "7x16x23x14x7"]
    game = after("W:WK7:B10,11,18,19", "7x14x23x16x7")
    assert game.outcome == Outcome(Player.SECOND, "no_pieces")


def test_no_piece_is_jumped_twice() -> None:
    position = RULES.notation.read_position("W:WK26:B6,7,14,15,22,23")
    assert max(len(move.captures) for move in RULES.moves(position)) == 4
    assert all(len(set(move.captures)) == len(move.captures) for move in RULES.moves(position))


def test_who_cannot_move_has_lost() -> None:
    assert RULES.outcome(RULES.notation.read_position("W:W5:B1")) == Outcome(Player.FIRST, "no_moves")


def test_who_has_no_pieces_has_lost() -> None:
    assert RULES.outcome(RULES.notation.read_position("W:W:B1")) == Outcome(Player.FIRST, "no_pieces")


def test_a_position_for_the_third_time_is_a_draw() -> None:
    game = after("B:WK32:BK1")
    for _ in range(2):
        for text in ("1-6", "32-27", "6-1"):
            game.play(text)
        assert game.outcome is None
        game.play("27-32")
    assert game.outcome == Outcome(None, "repetition")
    assert game.turn is Turn.OVER
    assert game.legal_moves() == ()
    with pytest.raises(GameIsOver):
        game.play("1-6")


def test_the_same_pieces_with_the_other_side_to_move_are_no_repetition() -> None:
    assert RULES.repeats(RULES.notation.read_position("B:WK32:BK1")) != RULES.repeats(
        RULES.notation.read_position("W:WK32:BK1")
    )


def test_forty_moves_each_without_capture_or_mans_move_draw() -> None:
    position = RULES.notation.read_position("B:WK32:BK1")._replace(quiet=79)
    game = Game(RULES, start=position)
    game.play("1-6")
    assert game.outcome == Outcome(None, "forty_moves")


@pytest.mark.parametrize(("fen", "move", "quiet"), [
    ("B:WK32:BK1,12", "12-16", 0),
    ("B:WK32,6:BK1", "1x10", 0),
    ("B:WK32:BK1,12", "1-5", 42),
])  # fmt: skip
def test_only_kings_moves_without_capture_are_quiet(fen: str, move: str, quiet: int) -> None:
    position = RULES.notation.read_position(fen)._replace(quiet=41)
    assert RULES.play(position, RULES.notation.read_move(position, move)).quiet == quiet


def test_a_win_on_the_last_quiet_move_counts() -> None:
    position = RULES.notation.read_position("B:W5:BK6")._replace(quiet=79)
    after = RULES.play(position, RULES.notation.read_move(position, "6-1"))
    assert after.quiet == 80
    assert RULES.outcome(after) == Outcome(Player.FIRST, "no_moves")


def test_a_move_that_is_not_legal_is_refused_and_changes_nothing() -> None:
    game = Game(RULES)
    with pytest.raises(IllegalMove):
        game.play(Move((9, 18)))
    assert game.moves == ()


@pytest.mark.parametrize("rules", [RULES, RULES.compiled()], ids=["interpreted", "compiled"])
@pytest.mark.parametrize("position", [
    STANDARD._replace(first=kernel.DARK & 0xFFFFFFFF, second=0, kings=kernel.DARK & 0xFFFFFFFF),
    STANDARD._replace(second=STANDARD.second | bit_of(1)),
    STANDARD._replace(first=1),
    STANDARD._replace(first=-2),
    STANDARD._replace(second=1 << 64),
    STANDARD._replace(kings=bit_of(16)),
])  # fmt: skip
def test_positions_for_which_no_list_has_room_are_refused(rules: Checkers, position: Position) -> None:
    for ask in (lambda: rules.moves(position), lambda: rules.perft(position, 2)):
        with pytest.raises(MalformedPosition):
            ask()


@pytest.mark.parametrize("rules", [RULES, RULES.compiled()], ids=["interpreted", "compiled"])
def test_whose_turn_it_is_can_be_asked_of_any_position(rules: Checkers) -> None:
    odd, blocked = STANDARD._replace(kings=bit_of(16)), Position(bit_of(1), kernel.DARK ^ bit_of(1), 0, Player.FIRST)
    assert rules.turn(odd) is Turn.FIRST
    assert rules.outcome(blocked) == Outcome(Player.SECOND, "no_moves")


def test_the_squares_of_a_move_are_those_it_stands_on() -> None:
    assert RULES.touched(STANDARD, Move((1, 10, 19), (6, 15))) == (1, 10, 19)


def test_white_sees_what_black_sees_from_the_other_side() -> None:
    turned = {"x".join(str(33 - int(square)) for square in move.split("x")) for move in moves("B:W21-32:B1-12")}
    assert turned == set(moves("W:W21-32:B1-12"))
