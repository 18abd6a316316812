from __future__ import annotations

import re
import unicodedata
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ludus.core.picture import Circle, Picture, Polygon, Rect, Text
from ludus.core.rules import Outcome, Player
from ludus.games.backgammon.board import RADIUS, BackgammonBoard
from ludus.games.backgammon.position import VARIANTS, Cube, Match, Position, Stage, men

README_PICTURE = Path(__file__).parents[3] / "docs" / "images" / "backgammon.svg"
START = VARIANTS["standard"]
HIT = Position(
    men({20: 2, 13: 5, 8: 2, 6: 4, 5: 2}), men({25: 1, 24: 1, 13: 4, 11: 1, 8: 3, 6: 5}), Player.SECOND, (6, 4)
)
BEARING_OFF = Position(men({25: 1, 6: 7, 1: 2, 0: 5}), men({4: 11, 2: 2, 0: 2}), Player.FIRST, (5, 5))
ON_THE_BAR = Position(men({25: 7, 24: 8}), men({6: 3, 0: 12}), Player.FIRST)
OVER = Position(men({0: 15}), men({1: 6, 0: 9}), Player.SECOND)
CRAWFORD = START._replace(mover=Player.FIRST, cube=Cube(), match=Match(7, 6, 3, is_crawford=True))
OWNED = START._replace(mover=Player.FIRST, cube=Cube(2, Player.FIRST), match=Match(25, 14, 13))
DOUBLED = OWNED._replace(cube=Cube(64, Player.FIRST, Stage.DOUBLED))
BEAVERED = START._replace(mover=Player.SECOND, cube=Cube(1, None, Stage.BEAVERED, has_beavers=True))
WITH_A_CUBE = (CRAWFORD, OWNED, DOUBLED, BEAVERED)
POSITIONS = (*VARIANTS.values(), HIT, BEARING_OFF, ON_THE_BAR, OVER, *WITH_A_CUBE)


def discs(picture: Picture) -> list[Circle]:
    return [shape for shape in picture.shapes if isinstance(shape, Circle) and shape.radius == RADIUS]


def texts(picture: Picture) -> list[str]:
    return [shape.text for shape in picture.shapes if isinstance(shape, Text)]


def test_the_start_in_a_terminal() -> None:
    assert BackgammonBoard(START).text() == (
        """\
┌─ ● black ──────────────────────────────── 167 pips ─┐
├──13─14─15─16─17─18─┬─bar─┬──19─20─21─22─23─24─┬─off─┤
│  ○  ·  ·  ·  ●  ·  │     │  ●  ·  ·  ·  ·  ○  │     │
│  ○  ·  ·  ·  ●  ·  │     │  ●  ·  ·  ·  ·  ○  │     │
│  ○  ·  ·  ·  ●  ·  │     │  ●  ·  ·  ·  ·  ·  │     │
│  ○  ·  ·  ·  ·  ·  │     │  ●  ·  ·  ·  ·  ·  │     │
│  ○  ·  ·  ·  ·  ·  │     │  ●  ·  ·  ·  ·  ·  │     │
│                    │     │                    │     │
│  ●  ·  ·  ·  ·  ·  │     │  ○  ·  ·  ·  ·  ·  │     │
│  ●  ·  ·  ·  ·  ·  │     │  ○  ·  ·  ·  ·  ·  │     │
│  ●  ·  ·  ·  ○  ·  │     │  ○  ·  ·  ·  ·  ·  │     │
│  ●  ·  ·  ·  ○  ·  │     │  ○  ·  ·  ·  ·  ●  │     │
│  ●  ·  ·  ·  ○  ·  │     │  ○  ·  ·  ·  ·  ●  │     │
├──12─11─10─9──8──7──┴─bar─┴──6──5──4──3──2──1──┴─off─┤
└─ ○ white ──────────────────────────────── 167 pips ─┘"""
    )


def test_tall_stacks_a_man_on_the_bar_men_off_and_a_double() -> None:
    assert BackgammonBoard(BEARING_OFF).text() == (
        """\
┌─ ● black ───────────────────────────────── 48 pips ─┐
├──13─14─15─16─17─18─┬─bar─┬──19─20─21─22─23─24─┬─off─┤
│  ·  ·  ·  ·  ·  ·  │     │  ·  ·  ●  ·  ●  ·  │ ●●  │
│  ·  ·  ·  ·  ·  ·  │     │  ·  ·  ●  ·  ●  ·  │     │
│  ·  ·  ·  ·  ·  ·  │     │  ·  ·  ●  ·  ·  ·  │     │
│  ·  ·  ·  ·  ·  ·  │     │  ·  ·  ●  ·  ·  ·  │     │
│  ·  ·  ·  ·  ·  ·  │  ○  │  ·  ·  11 ·  ·  ·  │     │
│                    │     │      ⚄⚄⚄⚄ 5-5      │     │
│  ·  ·  ·  ·  ·  ·  │     │  7  ·  ·  ·  ·  ·  │     │
│  ·  ·  ·  ·  ·  ·  │     │  ○  ·  ·  ·  ·  ·  │     │
│  ·  ·  ·  ·  ·  ·  │     │  ○  ·  ·  ·  ·  ·  │     │
│  ·  ·  ·  ·  ·  ·  │     │  ○  ·  ·  ·  ·  ○  │ ○○  │
│  ·  ·  ·  ·  ·  ·  │     │  ○  ·  ·  ·  ·  ○  │ ○○○ │
├──12─11─10─9──8──7──┴─bar─┴──6──5──4──3──2──1──┴─off─┤
└─ ○ white to play ───────────────────────── 69 pips ─┘"""
    )


def test_flipped_it_is_black_who_counts_the_points() -> None:
    assert BackgammonBoard(HIT).text(flipped=True, highlight=[8, 6, 5]) == (
        """\
┌─ ○ white ──────────────────────────────── 155 pips ─┐
├─off─┬──24─23─22─21▸20▸19─┬─bar─┬──18▸17─16─15─14─13─┤
│     │  ●  ·  ·  ·  ○  ○  │     │  ·  ○  ·  ·  ·  ●  │
│     │  ·  ·  ·  ·  ○  ○  │     │  ·  ○  ·  ·  ·  ●  │
│     │  ·  ·  ·  ·  ·  ○  │     │  ·  ·  ·  ·  ·  ●  │
│     │  ·  ·  ·  ·  ·  ○  │     │  ·  ·  ·  ·  ·  ●  │
│     │  ·  ·  ·  ·  ·  ·  │  ●  │  ·  ·  ·  ·  ·  ·  │
│     │                    │     │       ⚅⚃ 6-4       │
│     │  ·  ·  ·  ·  ·  ●  │     │  ·  ·  ·  ·  ·  ○  │
│     │  ·  ·  ·  ·  ·  ●  │     │  ·  ·  ·  ·  ·  ○  │
│     │  ·  ·  ·  ·  ·  ●  │     │  ·  ●  ·  ·  ·  ○  │
│     │  ·  ·  ·  ·  ○  ●  │     │  ·  ●  ·  ·  ·  ○  │
│     │  ·  ·  ·  ·  ○  ●  │     │  ·  ●  ·  ·  ●  ○  │
├─off─┴──1──2──3──4──5──6──┴─bar─┴──7──8──9──10─11─12─┤
└─ ● black to play ──────────────────────── 166 pips ─┘"""
    )


def test_many_men_on_the_bar_are_counted() -> None:
    bar = [line[24] for line in BackgammonBoard(ON_THE_BAR).text().split("\n")[2:7]]
    assert bar == ["7", "○", "○", "○", "○"]


@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize("flipped", [False, True])
def test_every_line_has_one_width_with_colour_or_without(position: Position, flipped: bool) -> None:
    board = BackgammonBoard(position)
    for colour in (False, True):
        text = re.sub(r"\x1b\[[0-9;]*m", "", board.text(colour=colour, flipped=flipped, highlight=[1, 13, 24]))
        assert {len(line) for line in text.split("\n")} == {55}
        assert not any(unicodedata.east_asian_width(character) in "WF" for character in text)


@pytest.mark.parametrize("position", POSITIONS)
def test_the_svg_is_well_formed_and_always_the_same(position: Position) -> None:
    board = BackgammonBoard(position)
    ElementTree.fromstring(board.svg(flipped=True))
    assert board.svg(highlight=[5, 6]) == BackgammonBoard(position).svg(highlight={6, 5})
    assert all(re.fullmatch("#[0-9a-f]{6}", shape.fill) for shape in board.picture().shapes)


@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize("flipped", [False, True])
def test_every_man_is_a_disc_up_to_five_on_a_point_and_taller_stacks_are_numbered(
    position: Position, flipped: bool
) -> None:
    counts = [count for side in (position.white, position.black) for count in side.counts[1:]]
    picture = BackgammonBoard(position).picture(flipped=flipped)
    assert len(discs(picture)) == sum(min(count, 5) for count in counts)
    stakes = (position.cube is not None) + 2 * (position.match is not None)
    assert len(texts(picture)) == 24 + 4 + stakes + sum(count > 5 for count in counts)


@pytest.mark.parametrize("position", POSITIONS)
def test_every_man_borne_off_is_a_slab_in_the_tray(position: Position) -> None:
    slabs = [shape for shape in BackgammonBoard(position).picture().shapes if isinstance(shape, Rect)]
    off = position.white.on(0) + position.black.on(0)
    assert sum(slab.height == 10 for slab in slabs) == off


def test_white_bears_off_at_the_bottom_right_and_when_flipped_at_the_top_left() -> None:
    lone = BackgammonBoard(Position(men({1: 1}), men({})))
    (straight,), (flipped,) = discs(lone.picture()), discs(lone.picture(flipped=True))
    picture = lone.picture()
    assert straight.x > picture.width * 0.8 and straight.y > picture.height * 0.9
    assert flipped.x < picture.width * 0.2 and flipped.y < picture.height * 0.1


def test_the_dice_are_on_the_throwers_right_and_a_double_shows_four() -> None:
    def dice(position: Position) -> list[float]:
        picture = BackgammonBoard(position).picture()
        return [shape.x / picture.width for shape in picture.shapes if isinstance(shape, Rect) and shape.height == 34]

    assert len(dice(HIT)) == 2 and max(dice(HIT)) < 0.5
    assert len(dice(BEARING_OFF)) == 4 and min(dice(BEARING_OFF)) > 0.5
    assert dice(START) == []


def test_the_marker_points_to_who_is_on_roll() -> None:
    def markers(position: Position) -> int:
        return sum(isinstance(shape, Polygon) for shape in BackgammonBoard(position).picture().shapes) - 24

    assert [markers(position) for position in (START, HIT, ON_THE_BAR, OVER)] == [0, 1, 1, 0]


def test_highlighted_points_change_their_colour_only() -> None:
    plain, marked = (BackgammonBoard(HIT).picture(highlight=points) for points in ((), (8, 6, 5)))
    changed = [new for old, new in zip(plain.shapes, marked.shapes, strict=True) if old != new]
    assert len(changed) == 3 and all(isinstance(shape, Polygon) for shape in changed)


@pytest.mark.parametrize(
    ("position", "title"),
    [
        (START, "Backgammon: the first roll"),
        (HIT, "Backgammon: black to play 6-4"),
        (ON_THE_BAR, "Backgammon: white to roll"),
        (OVER, "Backgammon: white has won"),
    ],
)
def test_words_for_those_who_cannot_see_it(position: Position, title: str) -> None:
    assert BackgammonBoard(position).picture().title == title


@pytest.mark.parametrize(("winner", "word", "title"), [
    (Player.FIRST, "white has won", "Backgammon: white has won"),
    (None, "", "Backgammon: nobody has won"),
])  # fmt: skip
def test_no_one_is_to_play_when_the_game_is_over(winner: Player | None, word: str, title: str) -> None:
    over = BackgammonBoard(HIT, outcome=Outcome(winner, "a clock"))
    assert over.picture().title == title
    assert word in over.text()
    assert "to play" not in over.text() and "6-4" not in over.text()


def test_all_men_are_told() -> None:
    description = BackgammonBoard(BEARING_OFF).picture().description
    assert description == "White: 1 on the bar, 7 on 6, 2 on 1, 5 off; 69 pips. Black: 11 on 4, 2 on 2, 2 off; 48 pips."


def test_the_picture_in_the_readme_is_up_to_date() -> None:
    assert README_PICTURE.read_text("utf-8") == BackgammonBoard(HIT).svg(402, highlight=[8, 6, 5])


@pytest.mark.parametrize(
    ("position", "black", "middle", "white"),
    [
        (CRAWFORD, "black (3/7)", "[1]", "white to roll (6/7, Crawford)"),
        (OWNED, "black (13/25)", "", "white to roll (cube 2) (14/25)"),
        (DOUBLED, "black to answer (13/25)", "", "white doubles to 128 (14/25)"),
        (BEAVERED, "black to answer", "", "white beavers to 4"),
    ],
)
def test_the_cube_and_the_score_in_a_terminal(position: Position, black: str, middle: str, white: str) -> None:
    lines = BackgammonBoard(position).text().split("\n")
    assert lines[0].startswith(f"┌─ ● {black} ──")
    assert lines[7] == f"│{'':20}│{middle:^5}│{'':20}│     │"
    assert lines[-1].startswith(f"└─ ○ {white} ──")


@pytest.mark.parametrize(
    ("position", "line"),
    [
        (CRAWFORD, "cube 1, 6-3 to 7 Cr."),
        (OWNED, "cube 2 white, 14-13 to 25"),
        (DOUBLED, "black to answer a double to 128"),
        (BEAVERED, "black to answer a beaver to 4"),
    ],
)
def test_the_cube_and_the_score_in_a_narrow_terminal(position: Position, line: str) -> None:
    lines = BackgammonBoard(position).text(width=39).split("\n")
    assert lines[3].strip("│ ") == line
    assert {len(each) for each in lines} == {39}


def test_the_cube_is_drawn_with_its_value_and_the_score_with_the_length() -> None:
    assert {"1", "6/7", "3/7"} <= set(texts(BackgammonBoard(CRAWFORD).picture()))
    assert {"128", "14/25"} <= set(texts(BackgammonBoard(DOUBLED).picture()))
    assert "14 of 25 points" in BackgammonBoard(OWNED).picture().description
    assert BackgammonBoard(DOUBLED).picture().title == "Backgammon: black to answer a double to 128"
