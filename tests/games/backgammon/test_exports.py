import pytest

from ludus.core.errors import MalformedRecord
from ludus.core.rules import Player
from ludus.games.backgammon.position import CubeAction, Match, Play, Roll
from ludus.games.backgammon.position_text import read_xgid, write_xgid
from ludus.games.backgammon.rules import Backgammon

RULES = Backgammon()
read = RULES.notation.read_games

CHECKER_PLAY = """XGID=-b----E-C--AeD---bAdb---A-:0:0:1:52:2:1:0:5:10

X:Ann Lee   O:Bob
Score is X:2 O:1 5 pt.(s) match.
 +13-14-15-16-17-18------19-20-21-22-23-24-+
 | X           O    |   | O              X |
 +12-11-10--9--8--7-------6--5--4--3--2--1-+
Pip count  X: 159  O: 163 X-O: 2-1/5
Cube: 1
X to play 52

    1. XG Roller++ 18/11                        eq:-0.0026
      Player:   50.64% (G:11.55% B:0.54%)
      Opponent: 49.36% (G:13.95% B:0.42%)

    2. XG Roller++ 24/22 18/13                  eq:-0.1141 (-0.1114)

Keep the builder

eXtreme Gammon Version: 2.10, MET: Kazaross XG2
"""
"""Laid out as eXtreme Gammon does; the figures are made up."""


def test_a_position_with_its_table_is_a_record_without_moves() -> None:
    (game,) = read(CHECKER_PLAY)
    assert game.tags == {"White": "Ann Lee", "Black": "Bob"}
    assert game.start.match == Match(5, 2, 1)
    assert (game.start.mover, game.start.dice, game.moves) == (Player.FIRST, (5, 2), ())
    lines = game.comments[0].splitlines()
    assert lines[0] == "1. XG Roller++ 18/11                        eq:-0.0026"
    assert lines[-1] == "Keep the builder"


def test_x_is_the_player_on_roll() -> None:
    (game,) = read(CHECKER_PLAY.replace(":1:52:2:1:", ":-1:52:1:2:"))
    assert game.tags == {"White": "Bob", "Black": "Ann Lee"}


def section(moves: int, *texts: str) -> str:
    """An export of the position after so many of these moves."""
    position = RULES.start("standard+match5")
    for text in texts[:moves]:
        position = RULES.play(position, RULES.notation.read_move(position, text))
    return f"{write_xgid(position).removesuffix(' rolling')}\n\nX:Ann   O:Bob\nCube: 1\n\n\n"


def test_positions_of_a_game_are_one_record() -> None:
    played = "31", "8/5 6/5", "roll", "62", "24/18 13/11", "double", "take", "44", "24/20(2) 13/9(2)", "double"
    decisions = "".join(section(moves, *played) for moves in (1, 2, 4, 5, 6, 8, 9))
    (game,) = read(f"{decisions}XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:5:10\n")[:1]
    write = RULES.notation.write_move
    assert tuple(write(*each) for each in zip(game.positions, game.moves, strict=False)) == played[1:9]
    assert game.moves[0].__class__ is Play
    assert game.moves[1] is CubeAction.NO_DOUBLE
    assert game.moves[2] == Roll(6, 2)


def test_positions_that_do_not_follow_from_each_other_are_records_of_their_own() -> None:
    games = read(CHECKER_PLAY + CHECKER_PLAY.replace("52", "61").replace("aeD", "bdD"))
    assert [game.start.dice for game in games] == [(5, 2), (6, 1)]


def test_a_cube_anywhere_means_that_all_positions_have_one() -> None:
    first = "XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:0:10\n"
    assert read(first)[0].start.cube is None
    assert all(game.start.cube for game in read(f"{first}{first.replace(':0:0:1:52', ':1:1:1:31')}"))


def test_a_position_that_cannot_be_read_is_named_by_its_line() -> None:
    text = CHECKER_PLAY + "XGID=-b----E-C---eE---c-e----B-:0:0:1:70:0:0:0:0:10\n"
    with pytest.raises(MalformedRecord, match="the dice '70'") as caught:
        read(text)
    assert caught.value.line == text.count("\n")
    skipped: list[MalformedRecord] = []
    assert len(read(text, errors="skip", skipped=skipped)) == 1
    assert [problem.line for problem in skipped] == [text.count("\n")]


def test_a_file_of_snowies_lines_is_read() -> None:
    line = "5;0;0;0;1;Ann;Bob;0;2;4;1;0;0;-2;0;0;0;0;5;0;3;0;0;0;-5;5;0;0;0;-3;0;-5;0;0;0;0;2;0;5;2;"
    (game,) = read(f"{line}\r\n")
    assert game.tags == {"White": "Ann", "Black": "Bob"}
    assert game.start == read_xgid("XGID=-b----E-C---eE---c-e----B-:0:0:1:52:2:4:0:5:10")


@pytest.mark.parametrize(("text", "is_game"), [
    (CHECKER_PLAY, True), ("XGID=hello", False), ("1;2;3", False), ("\ufeffXGID=-b----E-C---eE---c-e----B-:0", True),
])  # fmt: skip
def test_exports_are_recognized(text: str, is_game: bool) -> None:
    assert RULES.notation.recognizes(text) is is_game
