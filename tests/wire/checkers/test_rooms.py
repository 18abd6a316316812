"""Checkers in a room."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from tests.wire.random_games import choices, to_play

from ludus.core.errors import AmbiguousMove, IllegalMove, MalformedMove
from ludus.games.checkers.position import STANDARD, Position
from ludus.games.checkers.rules import Checkers
from ludus.wire.checkers.rooms import CheckersRoomCodec

RULES = Checkers()
CODEC = CheckersRoomCodec(RULES)

TWO_WAYS = "B:W10,11,18,19:B7"
"""A red man jumps 44 and 28, or 42 and 26, and either way comes from 51 to 19."""
CIRCLE = "B:W10,11,18,19:BK7"
"""A king goes round, either way, and ends where it began."""
CHAIN = "B:W6,15,31:B1,9"
"""A red man on 62 jumps 53 and 35 and comes to 26."""


def at(fen: str) -> Position:
    return RULES.notation.read_position(fen)


def squares(player: str, position: Position = STANDARD) -> list[int]:
    board = CODEC.board(position)["board"]
    return [index for index, piece in enumerate(board) if piece and piece["player"] == player]


def refusal(fen: str, payload: Any) -> str:
    with pytest.raises(IllegalMove) as refused:
        CODEC.parse_move(at(fen), payload)
    return str(refused.value)


def rows(indices: list[int]) -> set[int]:
    return {index // 8 for index in indices}


def test_black_stands_on_top_and_red_at_the_bottom() -> None:
    assert len(squares("black")) == len(squares("red")) == 12
    assert rows(squares("black")) == {0, 1, 2}
    assert rows(squares("red")) == {5, 6, 7}


@given(chosen=choices)
def test_pieces_stand_on_dark_squares_only(chosen: list[int]) -> None:
    position = to_play(RULES, "standard", chosen)
    board = CODEC.board(position)["board"]
    assert len(board) == 64
    assert not any(piece for index, piece in enumerate(board) if (index // 8 + index % 8) % 2 == 0)
    assert sum(piece is not None for piece in board) == (position.first | position.second).bit_count()


def test_red_moves_first_and_upward() -> None:
    assert CODEC.colors[STANDARD.mover] == "red"
    moves = [CODEC.move(STANDARD, move) for move in RULES.moves(STANDARD)]
    assert {(move["from"] // 8, move["to"] // 8) for move in moves} == {(5, 4)}
    assert {move["to"] - move["from"] for move in moves} == {-7, -9}


def test_a_piece_has_a_player_and_a_type() -> None:
    board = CODEC.board(at("B:W21,K32:B12,K1"))["board"]
    assert {index: piece for index, piece in enumerate(board) if piece} == {
        1: {"player": "black", "type": "king"},
        23: {"player": "black", "type": "man"},
        40: {"player": "red", "type": "man"},
        62: {"player": "red", "type": "king"},
    }


@given(chosen=choices)
def test_a_move_shows_what_happens_on_the_board(chosen: list[int]) -> None:
    position = to_play(RULES, "standard", chosen)
    for move in RULES.moves(position):
        then = RULES.play(position, move)
        before, after = CODEC.board(position)["board"], CODEC.board(then)["board"]
        shown = CODEC.move(position, move)
        piece = before[shown["from"]]
        assert all(before[index]["player"] != piece["player"] for index in shown["captures"])
        expected = {shown["from"]: None, **dict.fromkeys(shown["captures"])}
        expected[shown["to"]] = (
            {**piece, "type": "king"} if CODEC.move_fields(position, move, then)["becameKing"] else piece
        )
        assert after == [expected.get(index, piece) for index, piece in enumerate(before)]


def test_captures_may_be_left_out_if_the_ends_identify_one_move() -> None:
    whole = {"from": 62, "to": 26, "captures": [53, 35]}
    assert CODEC.parse_move(at(CHAIN), {"from": 62, "to": 26}) == CODEC.parse_move(at(CHAIN), whole)
    assert CODEC.parse_move(at(CHAIN), {"from": 62, "to": 26, "captures": None}) == CODEC.parse_move(at(CHAIN), whole)
    assert CODEC.parse_move(STANDARD, {"from": 40, "to": 33}) == CODEC.parse_move(
        STANDARD, {"from": 40, "to": 33, "captures": []}
    )


def test_captures_decide_between_chains_with_the_same_ends() -> None:
    ways = [CODEC.parse_move(at(TWO_WAYS), {"from": 51, "to": 19, "captures": c}) for c in ([44, 28], [42, 26])]
    assert [move.path for move in ways] == [(7, 14, 23), (7, 16, 23)]
    with pytest.raises(AmbiguousMove, match="captures must say which"):
        CODEC.parse_move(at(TWO_WAYS), {"from": 51, "to": 19})


def test_captures_say_which_way_a_king_goes_round() -> None:
    moves = CODEC.moves_from(at(CIRCLE), 51)
    assert [(move["from"], move["to"]) for move in moves] == [(51, 51)] * 2
    assert moves[0]["captures"] == moves[1]["captures"][::-1]
    assert {CODEC.parse_move(at(CIRCLE), move) for move in moves} == set(RULES.moves(at(CIRCLE)))
    with pytest.raises(AmbiguousMove):
        CODEC.parse_move(at(CIRCLE), {"from": 51, "to": 51})


@pytest.mark.parametrize("captures", [[35, 53], [53], [], [53, 35, 35], [53, 37]])
def test_captures_must_be_the_jumped_pieces_in_jumping_order(captures: list[int]) -> None:
    text = refusal(CHAIN, {"from": 62, "to": 26, "captures": captures})
    assert text == "captures must be the pieces jumped from 62 to 26, in jumping order"


@pytest.mark.parametrize("payload", [{"from": 62, "to": 44}, {"from": 62, "to": 44, "captures": [53]}])
def test_a_chain_must_be_completed(payload: dict[str, Any]) -> None:
    assert refusal(CHAIN, payload) == "the chain of captures must be completed"


@pytest.mark.parametrize(
    ("payload", "text"),
    [
        ({"from": 46, "to": 37}, "a capture is available and must be made"),
        ({"from": 17, "to": 10}, "there is no piece on 17"),
        ({"from": 0, "to": 9}, "there is no piece on 0"),
        ({"from": 35, "to": 44}, "the piece on 35 is not yours"),
    ],
)
def test_an_illegal_move_is_refused_with_the_reason(payload: dict[str, Any], text: str) -> None:
    assert refusal(CHAIN, payload) == text


def test_a_piece_goes_only_where_the_rules_let_it() -> None:
    assert refusal("B:W21-32:B1-12", {"from": 40, "to": 24}) == "the piece on 40 cannot move to 24"


@pytest.mark.parametrize(
    "payload",
    [
        None,
        [40, 33],
        {},
        {"from": 40},
        {"from": "40", "to": 33},
        {"from": 40.0, "to": 33},
        {"from": True, "to": 33},
        {"from": 64, "to": 33},
        {"from": -1, "to": 33},
        {"from": 40, "to": 33, "captures": {}},
        {"from": 40, "to": 33, "captures": [False]},
        {"from": 40, "to": 33, "captures": [64]},
        {"from": 40, "to": 33, "captures": [1] * 13},
    ],
)
def test_anything_else_is_malformed(payload: Any) -> None:
    with pytest.raises(MalformedMove):
        CODEC.parse_move(STANDARD, payload)


@given(chosen=choices)
def test_the_moves_of_all_places_are_all_moves(chosen: list[int]) -> None:
    position = to_play(RULES, "standard", chosen)
    listed = [move for place in range(64) for move in CODEC.moves_from(position, place)]
    assert all(move["from"] in squares(CODEC.colors[position.mover], position) for move in listed)
    assert {CODEC.parse_move(position, move) for move in listed} == set(RULES.moves(position))
    assert len(listed) == len(RULES.moves(position))
    assert CODEC.moves_from(position) == [CODEC.move(position, move) for move in RULES.moves(position)]


@pytest.mark.parametrize("place", [1, 33, 32, 62])
def test_an_empty_square_another_players_piece_and_a_hemmed_in_one_have_no_moves(place: int) -> None:
    assert CODEC.moves_from(STANDARD, place) == []


def test_only_captures_are_listed_where_there_is_one() -> None:
    assert CODEC.moves_from(at(CHAIN), 62) == [{"from": 62, "to": 26, "captures": [53, 35]}]
    assert CODEC.moves_from(at(CHAIN), 46) == []


@pytest.mark.parametrize("place", [True, "40", 64, -1, 1.0])
def test_a_place_is_an_index(place: object) -> None:
    with pytest.raises(MalformedMove, match="position must be a whole number from 0 to 63"):
        CODEC.moves_from(STANDARD, place)


@pytest.mark.parametrize(
    ("fen", "payload", "is_crowned"),
    [
        ("B:W21:B28", {"from": 8, "to": 1}, True),
        ("B:W21:BK28", {"from": 8, "to": 1}, False),
        ("B:W21:B24", {"from": 17, "to": 10}, False),
        ("W:W11:B7,6", {"from": 42, "to": 60}, True),
    ],
)
def test_a_man_that_reaches_the_far_row_is_crowned_and_a_king_is_not_again(
    fen: str, payload: dict[str, Any], is_crowned: bool
) -> None:
    move = CODEC.parse_move(at(fen), payload)
    after = RULES.play(at(fen), move)
    assert CODEC.move_fields(at(fen), move, after) == {"becameKing": is_crowned}
    kings = [data for event, data in CODEC.events(at(fen), move, after) if event == "king"]
    assert kings == [{"square": payload["to"]}] * is_crowned


def test_a_chain_is_one_capture() -> None:
    move = CODEC.parse_move(at(CHAIN), {"from": 62, "to": 26})
    events = list(CODEC.events(at(CHAIN), move, RULES.play(at(CHAIN), move)))
    assert events == [("capture", {"from": 62, "to": 26, "captures": [53, 35]})]


def test_a_packed_board_has_a_letter_for_each_square() -> None:
    packed = CODEC.packed_board(at("B:W21,K32:B12,K1"))
    assert len(packed) == 64
    assert {index: letter for index, letter in enumerate(packed) if letter != "."} == {
        1: "B",
        23: "b",
        40: "r",
        62: "R",
    }


def why(fen: str, place: int, target: int | None = None) -> tuple[str, tuple[Any, ...]] | None:
    return CODEC.refusal(at(fen), place, target)


def test_a_piece_that_stands_idle_while_a_jump_is_due_is_refused_with_the_pieces_that_jump() -> None:
    fen = "B:W15:B10,11,1"
    jumpers = {move["from"] for move in CODEC.moves_from(at(fen))}
    [idle] = set(squares("red", at(fen))) - jumpers
    assert why(fen, idle) == ("jump_due", tuple(sorted(jumpers)))


def test_a_piece_that_must_jump_does_not_slide() -> None:
    fen = "B:W15:B11"
    [jump] = CODEC.moves_from(at(fen))
    slide = jump["from"] - 7 if jump["to"] == jump["from"] - 18 else jump["from"] - 9
    assert why(fen, jump["from"], jump["to"]) is None
    assert why(fen, jump["from"], slide) == ("jump_due", (jump["from"],))


def test_a_piece_that_is_hemmed_in_or_somebody_elses_or_not_there_is_refused() -> None:
    red, black = squares("red"), squares("black")
    movable = tuple(sorted({move["from"] for move in CODEC.moves_from(STANDARD)}))
    assert CODEC.refusal(STANDARD, red[-1]) == ("blocked", movable)
    assert CODEC.refusal(STANDARD, black[0]) == ("not_yours", ())
    assert CODEC.refusal(STANDARD, 26) == ("empty", ())


def test_a_square_out_of_reach_is_refused_with_those_within_reach() -> None:
    source = CODEC.moves_from(STANDARD)[0]["from"]
    reach = tuple(sorted({move["to"] for move in CODEC.moves_from(STANDARD, source)}))
    assert CODEC.refusal(STANDARD, source, 26 if 26 not in reach else 28) == ("unreachable", reach)


def test_a_stop_on_a_chain_of_jumps_is_within_reach() -> None:
    assert why(CHAIN, 62, 44) is None
    assert why(CHAIN, 62, 26) is None


@given(chosen=choices)
def test_every_legal_move_and_no_other_piece_is_free(chosen: list[int]) -> None:
    position = to_play(RULES, "standard", chosen)
    moves = CODEC.moves_from(position)
    free = {place for place in range(64) if CODEC.refusal(position, place) is None}
    assert free == {move["from"] for move in moves}
    assert all(CODEC.refusal(position, move["from"], move["to"]) is None for move in moves)
