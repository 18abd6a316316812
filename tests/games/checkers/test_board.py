from __future__ import annotations

import re
import unicodedata
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ludus import Game, Outcome, Player
from ludus.core.picture import Circle, Picture, Polygon, Rect, Text
from ludus.games.checkers.board import RADIUS, CheckersBoard
from ludus.games.checkers.position import STANDARD
from ludus.games.checkers.rules import Checkers

README_PICTURE = Path(__file__).parents[3] / "docs" / "images" / "checkers.svg"
MIDDLE_GAME = "W:WK1,5,9,21,27,28,32:B2,7,11,16,18,19,K31"
FENS = ("B:W21-32:B1-12", MIDDLE_GAME, "B:WK3,K10:BK30,12", "W:W:BK1")


def board(fen: str) -> CheckersBoard:
    rules = Checkers()
    return rules.board(rules.notation.read_position(fen))


def pieces(picture: Picture) -> list[Circle]:
    return [shape for shape in picture.shapes if isinstance(shape, Circle) and shape.radius == RADIUS]


def test_the_start_in_a_terminal() -> None:
    assert CheckersBoard(STANDARD).text() == (
        """\
┌─ ● black ──────────── to move ─┐
│░░░░ 1  ░░░░ 2  ░░░░ 3  ░░░░ 4  │
│░░░░ ●  ░░░░ ●  ░░░░ ●  ░░░░ ●  │
│ 5  ░░░░ 6  ░░░░ 7  ░░░░ 8  ░░░░│
│ ●  ░░░░ ●  ░░░░ ●  ░░░░ ●  ░░░░│
│░░░░ 9  ░░░░ 10 ░░░░ 11 ░░░░ 12 │
│░░░░ ●  ░░░░ ●  ░░░░ ●  ░░░░ ●  │
│ 13 ░░░░ 14 ░░░░ 15 ░░░░ 16 ░░░░│
│    ░░░░    ░░░░    ░░░░    ░░░░│
│░░░░ 17 ░░░░ 18 ░░░░ 19 ░░░░ 20 │
│░░░░    ░░░░    ░░░░    ░░░░    │
│ 21 ░░░░ 22 ░░░░ 23 ░░░░ 24 ░░░░│
│ ○  ░░░░ ○  ░░░░ ○  ░░░░ ○  ░░░░│
│░░░░ 25 ░░░░ 26 ░░░░ 27 ░░░░ 28 │
│░░░░ ○  ░░░░ ○  ░░░░ ○  ░░░░ ○  │
│ 29 ░░░░ 30 ░░░░ 31 ░░░░ 32 ░░░░│
│ ○  ░░░░ ○  ░░░░ ○  ░░░░ ○  ░░░░│
└─ ○ white ──────────────────────┘"""
    )


def test_flipped_with_kings_and_the_last_move_pointed_out() -> None:
    assert board(MIDDLE_GAME).text(flipped=True, highlight=[26, 31]) == (
        """\
┌─ ○ white ──────────── to move ─┐
│░░░░ 32 ░░░░[31]░░░░ 30 ░░░░ 29 │
│░░░░ ○  ░░░░(◉) ░░░░    ░░░░    │
│ 28 ░░░░ 27 ░░░░[26]░░░░ 25 ░░░░│
│ ○  ░░░░ ○  ░░░░    ░░░░    ░░░░│
│░░░░ 24 ░░░░ 23 ░░░░ 22 ░░░░ 21 │
│░░░░    ░░░░    ░░░░    ░░░░ ○  │
│ 20 ░░░░ 19 ░░░░ 18 ░░░░ 17 ░░░░│
│    ░░░░ ●  ░░░░ ●  ░░░░    ░░░░│
│░░░░ 16 ░░░░ 15 ░░░░ 14 ░░░░ 13 │
│░░░░ ●  ░░░░    ░░░░    ░░░░    │
│ 12 ░░░░ 11 ░░░░ 10 ░░░░ 9  ░░░░│
│    ░░░░ ●  ░░░░    ░░░░ ○  ░░░░│
│░░░░ 8  ░░░░ 7  ░░░░ 6  ░░░░ 5  │
│░░░░    ░░░░ ●  ░░░░    ░░░░ ○  │
│ 4  ░░░░ 3  ░░░░ 2  ░░░░ 1  ░░░░│
│    ░░░░    ░░░░ ●  ░░░░(◎) ░░░░│
└─ ● black ──────────────────────┘"""
    )


@pytest.mark.parametrize("fen", FENS)
@pytest.mark.parametrize("flipped", [False, True])
def test_every_line_has_one_width_with_colour_or_without(fen: str, flipped: bool) -> None:
    for colour in (False, True):
        text = re.sub(r"\x1b\[[0-9;]*m", "", board(fen).text(colour=colour, flipped=flipped, highlight=[1, 32]))
        assert {len(line) for line in text.split("\n")} == {34}
        assert not any(unicodedata.east_asian_width(character) in "WF" for character in text)


@pytest.mark.parametrize("fen", FENS)
def test_the_svg_is_well_formed_and_always_the_same(fen: str) -> None:
    svg = board(fen).svg(highlight=[14])
    ElementTree.fromstring(svg)
    assert svg == board(fen).svg(highlight={14})
    assert all(re.fullmatch("#[0-9a-f]{6}", shape.fill) for shape in board(fen).picture().shapes)


@pytest.mark.parametrize("fen", FENS)
def test_every_piece_is_a_disc_and_every_king_has_a_crown(fen: str) -> None:
    position, picture = board(fen).position, board(fen).picture()
    crowns = [shape for shape in picture.shapes if isinstance(shape, Polygon) and len(shape.points) > 3]
    assert len(pieces(picture)) == (position.first | position.second).bit_count()
    assert len(crowns) == position.kings.bit_count()


def test_square_1_is_in_the_top_row_and_when_flipped_in_the_bottom_row() -> None:
    lone = board("W:W:B1")
    straight, flipped = pieces(lone.picture()), pieces(lone.picture(flipped=True))
    assert [(disc.x, disc.y) for disc in straight] == [(95, 45)]
    assert [(disc.x, disc.y) for disc in flipped] == [(345, 395)]


def test_the_dark_squares_are_numbered_and_highlighted_ones_differ() -> None:
    plain, marked = board(MIDDLE_GAME).picture(), board(MIDDLE_GAME).picture(highlight=[26, 31])
    assert {shape.text for shape in plain.shapes if isinstance(shape, Text)} == {str(n) for n in range(1, 33)}
    changed = [new for old, new in zip(plain.shapes, marked.shapes, strict=True) if old != new]
    assert len(changed) == 2 and all(isinstance(shape, Rect) for shape in changed)


def test_the_marker_is_beside_the_player_to_move() -> None:
    def tip(fen: str, flipped: bool) -> float:
        marker = board(fen).picture(flipped=flipped).shapes[-1]
        assert isinstance(marker, Polygon)
        return marker.points[-1][1]

    assert tip("B:W32:B1", False) == tip("W:W32:B1", True) == 15
    assert tip("W:W32:B1", False) == tip("B:W32:B1", True) == 425


def test_words_for_those_who_cannot_see_it() -> None:
    picture = board("W:WK3,21:B1").picture()
    assert picture.title == "Checkers: white to move"
    assert picture.description == "Black: 1. White: king 3, 21."


@pytest.mark.parametrize(("outcome", "title"), [
    (None, "Checkers: black has won"),
    (Outcome(Player.SECOND, "a clock"), "Checkers: white has won"),
    (Outcome(None, "agreement"), "Checkers: nobody has won"),
])  # fmt: skip
def test_no_one_is_to_move_when_the_game_is_over(outcome: Outcome | None, title: str) -> None:
    rules = Checkers()
    over = rules.board(rules.notation.read_position("W:W5:B1"), outcome)
    assert over.picture().title == title
    assert not any(isinstance(shape, Polygon) for shape in over.picture().shapes)
    assert "to move" not in over.text()
    assert over.text().count(" has won ─") == (outcome is None or outcome.winner is not None)


def test_the_board_of_a_game_knows_how_it_ended() -> None:
    game = Game(Checkers())
    game.resign(Player.FIRST)
    assert game.board().text().splitlines()[-1] == "└─ ○ white ──────────── has won ─┘"


def test_the_picture_in_the_readme_is_up_to_date() -> None:
    assert README_PICTURE.read_text("utf-8") == board(MIDDLE_GAME).svg(320, highlight=[26, 31])
