from pathlib import Path

import pytest

from ludus.core.errors import MalformedRecord
from ludus.core.game import Game
from ludus.core.rules import Outcome, Player, Reason
from ludus.games.backgammon.position import CubeAction, Match, Play, Position, Resignation, Roll
from ludus.games.backgammon.position_text import read_xgid, write_gnu_id, write_xgid
from ludus.games.backgammon.rules import Backgammon, Move

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


def written(game: Game[Position, Move]) -> list[str]:
    write = RULES.notation.write_move
    return [write(*each) for each in zip(game.positions, game.moves, strict=False)]


def test_positions_of_a_game_are_one_record() -> None:
    played = "31", "8/5 6/5", "roll", "62", "24/18 13/11", "double", "take", "44", "24/20(2) 13/9(2)", "double"
    decisions = "".join(section(moves, *played) for moves in (1, 2, 4, 5, 6, 8, 9))
    (game,) = read(f"{decisions}XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:5:10\n")[:1]
    assert tuple(written(game)) == played[1:9]
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
    (CHECKER_PLAY, True), (" GNU Backgammon  Position ID: 4HPwATDgc/ABMA\n", True), ("XGID=hello", False),
    ("1;2;3", False), ("\ufeffXGID=-b----E-C---eE---c-e----B-:0", True),
])  # fmt: skip
def test_exports_are_recognized(text: str, is_game: bool) -> None:
    assert RULES.notation.recognizes(text) is is_game


GNU_NAMES = """ +13-14-15-16-17-18------19-20-21-22-23-24-+     O: Bob
 | X           O    |   | O              X |     0 points
 +12-11-10--9--8--7-------6--5--4--3--2--1-+     X: Ann Lee (Cube: 2)
Pip counts: O 167, X 167
"""


def gnu(number: int, title: str, texts: tuple[str, ...], done: str, variant: str = "standard+match5") -> str:
    """A position as GNU Backgammon exports it, after these moves, and what was done there."""
    position = RULES.start(variant)
    for text in texts:
        position = RULES.play(position, RULES.notation.read_move(position, text))
    if position.cube and position.cube.has_beavers:  # its match IDs don't tell
        position = position._replace(cube=position.cube._replace(has_beavers=False))
    ids = write_gnu_id(position).split(":")
    return (
        f"Move number {number}:  {title}\n\n GNU Backgammon  Position ID: {ids[0]}\n"
        f"                 Match ID   : {ids[1]}\n{GNU_NAMES}\n* {done}\n\nCube analysis\n1. No double  +0.1\n\n\n"
    )


GNU_MOVES = "31", "8/5 6/5", "roll", "62", "24/18 13/11", "double", "take", "44", "24/20(2) 13/9(2)", "double", "drop"
GNU_GAME = (
    "The score (after 0 games) is: Bob 0, Ann Lee 0 (match to 5 points)\n\nMatch Information:\nPlace: here\n\n"
    + gnu(1, "Ann Lee to play 31", GNU_MOVES[:1], "Ann Lee moves 8/5 6/5")
    + gnu(2, "Bob to play 62", GNU_MOVES[:4], "Bob moves 24/18 13/11")
    + gnu(3, "Ann Lee on roll, cube decision?", GNU_MOVES[:5], "Ann Lee doubles")
    + gnu(4, "Ann Lee doubles to 2", GNU_MOVES[:6], "Bob accepts")
    + gnu(5, "Ann Lee to play 44", GNU_MOVES[:8], "Ann Lee moves 24/20(2) 13/9(2)")
)
"""Laid out as GNU Backgammon does; a game each."""


def test_a_game_of_gnu_backgammon_is_read_with_its_last_move() -> None:
    (game,) = read(GNU_GAME)
    assert game.tags == {"White": "Ann Lee", "Black": "Bob"}
    assert written(game) == list(GNU_MOVES[1:9])
    assert game.comments[0] == "* Ann Lee moves 8/5 6/5\nCube analysis\n1. No double  +0.1"


def test_a_shortened_file_of_gnu_backgammons_own_is_read() -> None:
    (game,) = read((Path(__file__).parent / "data" / "gnu_export.txt").read_text(encoding="utf-8"))
    assert game.tags == {"White": "Ann", "Black": "Bob"}
    assert game.start.match == Match(5, 3, 0)
    assert written(game) == ["13/7 8/7", "roll", "63", "24/15", "white resigns 1"]


@pytest.mark.parametrize(("done", "move"), [("rejects", "drop"), ("accepts", "take")])
def test_the_answer_to_a_double_may_end_an_export(done: str, move: str) -> None:
    (game,) = read(GNU_GAME + gnu(6, "Bob doubles to 4", GNU_MOVES[:10], f"Ann Lee {done}"))
    assert written(game)[-2:] == ["double", move]


def test_a_beaver_in_an_export_of_gnu_backgammon_does_not_split_the_game() -> None:
    moves = "31", "8/5 6/5", "double", "beaver", "take", "62", "24/18 13/11", "double", "beaver"
    done = "moves 8/5 6/5", "doubles", "beavers", "accepts", "moves 24/18 13/11", "redoubles", "beavers", "rejects"
    plies = 1, 2, 3, 4, 6, 7, 8, 9
    sections = (
        gnu(n, "", moves[:n], f"Bob {what}", "standard+cube+beavers") for n, what in zip(plies, done, strict=True)
    )
    (game,) = read("".join(sections))
    assert written(game) == [*moves[1:], "drop"]
    assert game.outcome == Outcome(Player.SECOND, Reason.DROPPED, 8, 8)


def test_a_win_that_the_board_does_not_show_is_a_resignation() -> None:
    (game,) = read(f"{GNU_GAME}Ann Lee wins 4 points\n\nGame statistics for game 1\n")
    assert game.moves[-1] == Resignation(Player.SECOND, 2)
    assert game.position.match == Match(5, 4, 0, is_crawford=True)


def test_an_impossible_last_move_is_refused_by_line_or_skipped() -> None:
    text = GNU_GAME.replace("24/20(2) 13/9(2)", "24/10")
    line = text[: text.rindex("Position ID")].count("\n") + 1
    with pytest.raises(MalformedRecord, match=f"line {line}: 24/10 is not legal here"):
        read(text)
    skipped: list[MalformedRecord] = []
    (other,) = read(f"{text}\n{CHECKER_PLAY}", errors="skip", skipped=skipped)
    assert other.tags == {"White": "Ann Lee", "Black": "Bob"}
    assert [problem.line for problem in skipped] == [line]
