"""Moves and positions as players write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.core.errors import AmbiguousMove, IllegalMove, LudusError, MalformedMove, MalformedPosition
from ludus.core.rules import Player
from ludus.games.checkers.position import STANDARD, Move, Position
from ludus.games.checkers.rules import Checkers

RULES = Checkers()
NOTATION = RULES.notation
CIRCLE = "W:WK7:B10,11,18,19"
DETOUR = "W:WK15:BK10,K18,K19,K26,K27"


def read(fen: str, text: str) -> Move:
    return NOTATION.read_move(NOTATION.read_position(fen), text)


def written(fen: str) -> set[str]:
    position = NOTATION.read_position(fen)
    return {NOTATION.write_move(position, move) for move in RULES.moves(position)}


def test_a_step_is_written_with_a_hyphen_and_a_jump_with_an_x() -> None:
    assert NOTATION.write_move(STANDARD, Move((11, 15))) == "11-15"
    assert written("B:W18,32:B15,1") == {"15x22"}


def test_a_chain_is_written_by_its_ends() -> None:
    assert written("B:W6,15,31:B1,9") == {"1x19"}


def test_a_chain_is_read_in_short_and_in_full() -> None:
    chain = Move((1, 10, 19), (6, 15))
    assert read("B:W6,15,31:B1,9", "1x19") == read("B:W6,15,31:B1,9", "1x10x19") == chain


def test_a_colon_means_a_jump_as_well() -> None:
    assert read("B:W18,32:B15,1", " 15:22 ") == Move((15, 22), (18,))


@pytest.mark.parametrize("text", ["15X22", "15×22"])
def test_the_sign_of_a_jump_has_other_spellings(text: str) -> None:
    assert read("B:W18,32:B15,1", text) == Move((15, 22), (18,))


def test_a_dash_may_be_long() -> None:
    assert NOTATION.read_move(STANDARD, "11–15") == Move((11, 15))


def test_a_step_may_be_written_like_a_jump_and_a_jump_like_a_step() -> None:
    assert NOTATION.read_move(STANDARD, "11x15") == Move((11, 15))
    assert read("B:W18,32:B15,1", "15-22") == Move((15, 22), (18,))


def test_leading_zeros_do_not_matter() -> None:
    assert NOTATION.read_move(STANDARD, "09-13") == Move((9, 13))


def test_chains_with_the_same_ends_are_written_in_full() -> None:
    assert written(CIRCLE) == {"7x14x23x16x7", "7x16x23x14x7"}


def test_a_chain_that_could_be_two_is_ambiguous() -> None:
    with pytest.raises(AmbiguousMove, match="7x7 can be 7x14x23x16x7 or 7x16x23x14x7"):
        read(CIRCLE, "7x7")


def test_one_square_between_can_be_enough() -> None:
    assert read(CIRCLE, "7x14x23x7").path == (7, 14, 23, 16, 7)


def test_a_jump_in_full_is_not_taken_for_a_longer_one() -> None:
    assert read(DETOUR, "15x6").path == (15, 6)
    assert read("W:WK9:BK6,K7,K14,K15,K23", "9x18x27").path == (9, 18, 27)


@pytest.mark.parametrize(
    "text", ["", "11", "11-", "11-15-18", "11x15-18", "a3-b4", "111-15", "11 15", "११-15", "1x" * 999]
)
def test_what_is_no_move_is_malformed(text: str) -> None:
    with pytest.raises(MalformedMove, match="is not a move"):
        NOTATION.read_move(STANDARD, text)


@pytest.mark.parametrize("text", ["0-1", "1-0", "11-33", "33x24"])
def test_there_are_32_squares(text: str) -> None:
    with pytest.raises(MalformedMove, match="squares are numbered 1 to 32"):
        NOTATION.read_move(STANDARD, text)


@pytest.mark.parametrize(
    ("fen", "text", "why"),
    [
        ("B:W21-32:B1-12", "11-20", "square 20 is not next to 11"),
        ("B:W21-32:B1-12", "4-5", "square 5 is occupied"),
        ("B:W21-32:B1-12", "9-16", "square 16 is not next to 9"),
        ("B:W32:B15", "15-11", "men move only forward"),
        ("W:W15:B1", "15-18", "men move only forward"),
        ("B:W32:BK15", "15-8", "square 8 is not next to 15"),
        ("B:W21-32:B1-12", "11x18", "there is nothing to jump"),
        ("B:WK32:BK1:H80", "1-5", "the game is over"),
        ("B:W21-32:B1-12", "15-18", "square 15 is empty"),
        ("B:W21-32:B1-12", "23-19", "the piece on 23 is white's"),
        ("B:W18,32:B15,1", "1-5", "a jump is available"),
        ("B:W6,15,31:B1,9", "1x10", "a jump is available and must be completed"),
    ],
)
def test_an_illegal_move_is_refused_with_the_reason(fen: str, text: str, why: str) -> None:
    with pytest.raises(IllegalMove, match=why):
        read(fen, text)


def test_the_start_is_written_as_fen() -> None:
    pieces = ":W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12"
    assert NOTATION.write_position(STANDARD) == f"B{pieces}"


@pytest.mark.parametrize(
    "text", ["B:W21-32:B1-12", "B:B1-12:W21-32.", " B : W 21 - 32 : B 1-12 ", "B:W21-32:B1-12:H0:F1 "]
)
def test_a_position_has_several_spellings(text: str) -> None:
    assert NOTATION.read_position(text) == STANDARD


def test_quiet_moves_are_part_of_a_position() -> None:
    position = NOTATION.read_position("W:WK30:BK1:H12:F40")
    assert position.quiet == 12
    assert NOTATION.write_position(position) == "W:WK30:BK1:H12"


@pytest.mark.parametrize("text", ["w:wk30:bk1:h12", "W:WK30:BK1:H12:", "W:WK30:BK1:H12:."])
def test_a_fen_may_have_small_letters_and_a_colon_at_the_end(text: str) -> None:
    assert NOTATION.read_position(text) == NOTATION.read_position("W:WK30:BK1:H12")


def test_a_side_may_have_no_pieces() -> None:
    assert NOTATION.read_position("W:W5:B").first == 0


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is not a FEN"),
        ("B:W21", "is not a FEN"),
        ("B:W21:W1", "is not a FEN"),
        ("X:W21:B1", "is not a FEN"),
        ("B:W2 1:B1", "is not a FEN"),
        ("B:W2  1:B1", "is not a FEN"),
        ("B:W२१:B1", "is not a FEN"),
        ("B:W33:B1", "'33' is not a piece"),
        ("B:W0:B1", "'0' is not a piece"),
        ("B:W32-21:B1", "'32-21' is not a piece"),
        ("B:WKK3:B1", "'KK3' is not a piece"),
        ("B:W21:B21", "square 21 has two pieces"),
        ("B:W21,21:B1", "square 21 has two pieces"),
        ("B:W20-32:B1", "13 pieces"),
        ("B:W4:B1", "the man on 4 has reached the far row"),
        ("B:W21:B29", "the man on 29 has reached the far row"),
        ("B:W21:B1" + "," * 400, "more than 400 characters"),
    ],
)
def test_a_malformed_position_is_refused_with_the_reason(text: str, why: str) -> None:
    with pytest.raises(MalformedPosition, match=why):
        NOTATION.read_position(text)


@given(st.lists(st.integers(0, 99), max_size=150))
def test_reading_undoes_writing_all_through_a_game(choices: list[int]) -> None:
    position: Position = STANDARD
    for choice in choices:
        assert NOTATION.read_position(NOTATION.write_position(position)) == position
        moves = RULES.moves(position)
        if not moves:
            break
        for move in moves:
            assert NOTATION.read_move(position, NOTATION.write_move(position, move)) == move
        position = RULES.play(position, moves[choice % len(moves)])


@given(st.integers(1, 32), st.sets(st.integers(1, 32), min_size=3, max_size=12))
def test_reading_undoes_writing_among_kings(king: int, others: set[int]) -> None:
    black = ",".join(f"K{square}" for square in sorted(others - {king}))
    position = NOTATION.read_position(f"W:WK{king}:B{black}")
    for move in RULES.moves(position):
        assert NOTATION.read_move(position, NOTATION.write_move(position, move)) == move


@given(st.text() | st.text("0123456789-x: KBW,.HF"))
def test_any_text_is_a_move_or_a_known_error(text: str) -> None:
    for read_text in (NOTATION.read_position, lambda text: NOTATION.read_move(STANDARD, text)):
        try:
            read_text(text)
        except LudusError as error:
            assert len(str(error)) < 300


def test_white_is_the_second_player() -> None:
    assert NOTATION.read_position("W:W21:B1").mover is Player.SECOND
