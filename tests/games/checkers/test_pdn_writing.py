"""Game files of checkers: what is written, and that reading undoes it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.core.errors import BadInput

from .records import DETOUR, Record, games, movetext, one, played, read, write, written


def test_the_usual_tags_come_first() -> None:
    game = played("11-15")
    game.tags.update(Opening="Old Fourteenth", White="Ben", Event="Evening")
    assert written(game) == (
        '[Event "Evening"]\n[Site "?"]\n[Date "????.??.??"]\n[Round "?"]\n[Black "?"]\n'
        '[White "Ben"]\n[Result "*"]\n'
        '[GameType "21"]\n[Opening "Old Fourteenth"]\n\n1. 11-15 *\n'
    )


def test_games_are_parted_by_an_empty_line() -> None:
    assert write(played(), played()).count('\n*\n\n[Event "?"]') == 1
    assert write() == ""


def test_an_unusual_start_is_written_as_a_fen_tag() -> None:
    game = played("15x22x31x24x15x6", fen=DETOUR)
    assert f'[SetUp "1"]\n[FEN "{DETOUR}"]' in written(game)
    assert movetext(game) == "1... 15x22x31x24x15x6 0-1"


def test_moves_are_numbered_from_the_side_that_begins() -> None:
    assert movetext(played("9-14", "22-18", "5-9")) == "1. 9-14 22-18 2. 5-9 *"
    assert movetext(played("22-18", "9-14", "18x9", fen="W:W21-32:B1-12")) == "1... 22-18 2. 9-14 18x9 *"


def test_a_comment_is_followed_by_a_number() -> None:
    game = played("11-15", "23-19")
    game.comments.update({0: "before", 1: "between", 2: ""})
    assert movetext(game) == "{before} 1. 11-15 {between} 1... 23-19 {} *"


def test_lines_have_80_columns_at_most() -> None:
    game = played("11-15")
    game.comments[1] = "many words " * 50 + "x" * 100
    lines = movetext(game).splitlines()
    assert max(len(line) for line in lines if "xxx" not in line) in range(70, 81)


def test_what_cannot_stand_in_a_comment_is_escaped() -> None:
    game = played()
    game.comments[0] = " a}  b\n\\"
    assert movetext(game) == r"{\u0020a\u007d \u0020b\u000a\\} *"


def test_what_cannot_stand_in_a_tag_is_escaped() -> None:
    game = played()
    game.tags["Event"] = 'a "b"\\\n]'
    assert r'[Event "a \"b\"\\\u000a]"]' in written(game)


def test_tags_that_the_game_knows_better_are_not_copied() -> None:
    game = played()
    game.tags.update(Result="1-0", winner="black", fen="x")
    assert one(write(game)) == played()


@pytest.mark.parametrize("number", [-1, 2])
def test_a_comment_needs_a_place_in_the_game(number: int) -> None:
    game = played("11-15")
    game.comments[number] = "x"
    with pytest.raises(BadInput, match=f"a comment after {number} moves cannot be written in a game of 1"):
        write(game)


def test_a_tag_needs_a_name_that_can_be_read() -> None:
    game = played()
    game.tags["my tag"] = "x"
    with pytest.raises(BadInput, match="'my tag' cannot be the name of a tag"):
        write(game)


@settings(deadline=None)
@given(st.lists(games(), max_size=3))
def test_games_written_and_read_again_are_the_same(some: list[Record]) -> None:
    text = write(*some)
    assert read(text) == some
    assert write(*read(text)) == text


@settings(deadline=None)
@given(games(), st.sampled_from(["\r", "\r\n"]))
def test_line_ends_of_any_kind_are_understood(game: Record, end: str) -> None:
    assert read(write(game).replace("\n", end)) == [game]
