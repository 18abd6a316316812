"""The files in `data` are GNU Backgammon 1.07's own: games it played or was led through, by `export match mat`."""

import random
import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.core.errors import LudusError, MalformedRecord
from ludus.core.game import Game
from ludus.core.rules import Outcome, Player, Reason
from ludus.games.backgammon.match import match_games
from ludus.games.backgammon.position import (
    VARIANTS,
    Cube,
    CubeAction,
    Match,
    Play,
    Position,
    Resignation,
    Roll,
    Stage,
    Step,
    men,
)
from ludus.games.backgammon.rules import Backgammon, Move

RULES = Backgammon()
read, write = RULES.notation.read_games, RULES.notation.write_games
DATA = Path(__file__).parent / "data"
FILES = {path.stem: path.read_text() for path in sorted(DATA.glob("*.mat"))}
READABLE = sorted(FILES.keys() - {"raccoon"})

HEAD = " 0 point match\n\n Game 1\n Ann : 0                        Bob : 0\n"


def one(rows: str, headers: str = "") -> Game[Position, Move]:
    (game,) = read(f"{headers}{HEAD}{rows}")
    return game


def played(*moves: str, variant: str = "standard") -> Game[Position, Move]:
    game = Game(RULES, variant)
    for move in moves:
        game.play(move)
    return game


@pytest.mark.parametrize("name", READABLE)
def test_what_gnu_backgammon_wrote_is_the_same_when_written_again(name: str) -> None:
    games = read(FILES[name])
    assert read(write(games)) == games


@pytest.mark.parametrize("name", ["match", "nackgammon"])
def test_rows_are_laid_out_as_gnu_backgammon_does(name: str) -> None:
    step = re.compile(r"[0-9]+/[0-9]+\*?|Cannot Move|and the match")
    ours, theirs = (step.sub("", text).split() for text in (write(read(FILES[name])), FILES[name]))
    assert ours == theirs


def test_a_match_is_one_record_with_all_its_games() -> None:
    (match,) = read(FILES["match"])
    assert match.tags == {"White": "Ann", "Black": "Bob", "EventDate": "2026.11.15"}
    assert (match.variant, match.position.match) == ("standard+match3", Match(3, 2, 3))
    parts = match_games(match)
    assert [part.outcome for part in parts] == [
        Outcome(Player.FIRST, Reason.DROPPED, 1),
        Outcome(Player.FIRST, Reason.DROPPED, 1),
        Outcome(Player.SECOND, Reason.RESIGNATION, 1),
        Outcome(Player.SECOND, Reason.BORNE_OFF, 2, 2),
    ]
    assert [match.position_at(part.first).match for part in parts] == [
        Match(3), Match(3, 1, 0), Match(3, 2, 0, is_crawford=True), Match(3, 2, 1)
    ]  # fmt: skip


def test_a_player_who_rolls_has_decided_not_to_double() -> None:
    game = one("  1) 31: 8/5 6/5   62: 24/18 13/11\n  2)  Doubles => 2   Takes\n  3) 21: 13/11 6/5\n")
    assert [game.rules.notation.write_move(*each) for each in zip(game.positions, game.moves, strict=False)] == [
        "31", "8/5 6/5", "roll", "62", "24/18 13/11", "double", "take", "21", "13/11 6/5"
    ]  # fmt: skip


def test_a_beaver_is_taken_by_rolling() -> None:
    game, other = read(FILES["beaver"])
    assert game.variant == "standard+cube+beavers"
    assert [move.name for move in game.moves if isinstance(move, CubeAction)] == [
        *["NO_DOUBLE"] * 3, "DOUBLE", "BEAVER", "TAKE", "NO_DOUBLE"
    ]  # fmt: skip
    assert game.outcome == Outcome(Player.SECOND, Reason.RESIGNATION, 4, 4)
    assert (other.variant, other.outcome) == ("standard+cube", Outcome(Player.SECOND, Reason.RESIGNATION, 3))
    assert other.tags["Score"] == "0-4"


def test_a_double_of_a_double_is_a_beaver() -> None:
    """As older versions of GNU Backgammon write it."""
    game = one("  1) 31: 8/5 6/5                 Doubles => 2\n  2)  Doubles => 4                Takes\n")
    assert game.variant == "standard+cube+beavers"
    assert game.moves[-3:] == (CubeAction.DOUBLE, CubeAction.BEAVER, CubeAction.TAKE)


def test_a_raccoon_is_refused() -> None:
    with pytest.raises(MalformedRecord, match="line 10: a raccoon"):
        read(FILES["raccoon"])


def test_gnu_backgammon_names_a_variation() -> None:
    (match,) = read(FILES["nackgammon"])
    assert match.variant == "nackgammon+match3"
    assert match.outcome == Outcome(Player.SECOND, Reason.RESIGNATION, 2)


def test_a_file_looks_like_this() -> None:
    game = played("13", "24/23 13/10", "64", "24/14", "55", "8/3(2) 6/1*(2)", "66", "pass", "21")
    game.tags |= {"White": "Ann", "Black": "Bob", "Event": 'The "Open"', "Score": "2-0", "MatchLength": "5"}
    game.comments |= {5: "A joker"}
    game.resign(Player.FIRST, 2)
    assert write([game]).splitlines() == [
        r'; [Event "The \"Open\""]',
        '; [MatchLength "5"]',
        "; {1/5} A joker",
        "",
        " 0 point match",
        "",
        " Game 1",
        " Ann : 2                        Bob : 0",
        f"  1) {'':27} 31: 24/23 13/10",
        f"  2) {'64: 24/18 18/14':<27} 55: 8/3 8/3 6/1* 6/1",
        f"  3) {'66: Cannot Move':<27} 21:",
        "                                  Wins 2 points",
    ]
    assert read(write([game])) == [game]


def test_a_match_looks_like_this() -> None:
    game = played(
        "13", "24/23 13/10", "double", "take", "64", "24/14", "roll", "55", "8/3(2) 6/1*(2)", "white resigns 1",
        "31", "8/5 6/5", "62", "24/18 13/11", "black resigns 3",
        variant="standard+match3",
    )  # fmt: skip
    game.tags |= {"White": "Ann", "Black": "Bob"}
    assert write([game]).splitlines() == [
        " 3 point match",
        "",
        " Game 1",
        " Ann : 0                        Bob : 0",
        f"  1) {'':27} 31: 24/23 13/10",
        "  2)  Doubles => 2                Takes",
        f"  3) {'64: 24/18 18/14':<27} 55: 8/3 8/3 6/1* 6/1",
        "                                  Wins 2 points",
        "",
        " Game 2",
        " Ann : 0                        Bob : 2",
        f"  1) {'31: 8/5 6/5':<27} 62: 24/18 13/11",
        "      Wins 3 points and the match",
    ]
    assert read(write([game])) == [game]


def test_games_without_and_with_a_cube_share_a_file() -> None:
    doubled = played("31", "8/5 6/5", "double", variant="standard+cube+jacoby")
    games = [played("31"), doubled, played("13", variant="standard+match3")]
    text = write(games)
    assert text.startswith('; {1} [CubeLimit "1"]\n; {2} [Jacoby "On"]\n; {2} [Beaver "Off"]\n')
    assert read(text) == games


def test_the_column_of_the_first_roll_tells_who_starts() -> None:
    assert one("  1) 31: 8/5 6/5\n").moves[0] == Roll(3, 1)
    assert one("  1)                             31: 8/5 6/5\n").moves[0] == Roll(1, 3)


def test_a_long_cell_may_run_into_the_next_column() -> None:
    game = one("  1) 31: 8/5 6/5 33: 24/21 24/21 13/10 13/10 \n  2) 62: 24/18 13/11 Doubles => 2\n")
    assert [move for move in game.moves if isinstance(move, Roll)] == [Roll(3, 1), Roll(3, 3), Roll(6, 2)]
    assert game.moves[-1] is CubeAction.DOUBLE


def test_a_roll_at_the_end_is_not_played_yet() -> None:
    assert one("  1) 31: 8/5 6/5                 44:\n").moves[-1] == Roll(4, 4)
    assert one("  1) 31: 8/5 6/5                 44: ???\n").moves[-1] == Roll(4, 4)


def test_a_roll_that_cannot_be_played_is_passed_if_something_follows() -> None:
    start = '; [XGID "XGID=aBBBBBB-------------------:1:1:-1:00:0:0:0:0:10"]\n'
    assert one("  1)                             31:\n", start).moves == (Roll(3, 1),)
    assert one("  1)                             31:\n  2) 62: 6/0 2/0\n", start).moves[1] == Play(())
    assert one("  1)                             31:\n  2)  Doubles => 4\n", start).moves[-1] is CubeAction.DOUBLE


def test_a_win_that_the_board_does_not_show_is_a_resignation() -> None:
    assert one("  1) 31: 8/5 6/5\n      Wins 2 points\n").ending == Outcome(Player.FIRST, "resignation", 2)
    right = "                                  Wins 3 points and the match\n"
    assert one(f"  1) 31: 8/5 6/5\n{right}").ending == Outcome(Player.SECOND, "resignation", 3)


def test_a_header_gives_another_reason() -> None:
    game = one("  1) 31: 8/5 6/5\n      Wins 1 point\n", '; [Termination "time"]\n')
    assert game.ending == Outcome(Player.FIRST, "time")
    assert game.tags == {"White": "Ann", "Black": "Bob"}


def test_a_drop_ends_the_game_even_without_the_points() -> None:
    game = one("  1) 31: 8/5 6/5                  Doubles => 2\n  2)  Drops\n")
    assert game.outcome == Outcome(Player.SECOND, Reason.DROPPED, 1)


def test_a_double_that_nobody_answers_is_dropped_if_the_doubler_wins() -> None:
    rows = "  1) 31: 8/5 6/5                  Doubles => 2\n"
    assert one(f"{rows}                                  Wins 1 point\n").moves[-1] is CubeAction.DROP
    assert one(f"{rows}      Wins 1 point\n").moves[-1] == Resignation(Player.SECOND, 1)
    assert one(rows).turn.player is Player.FIRST


def test_a_resignation_counts_the_cube() -> None:
    rows = "  1) 31: 8/5 6/5                  Doubles => 2\n  2)  Takes\n"
    assert one(f"{rows}      Wins 4 points\n").outcome == Outcome(Player.FIRST, Reason.RESIGNATION, 4, 2)


FOREIGN = {
    "Backgammon Galaxy": """; [Site "BackgammonGalaxy"]
; [Crawford "On"]
; [CubeLimit "1024"]

3 point match

 Game 1
 Ann : 0                               Bob : 0
  1)                                   31: 8/5 6/5
  2) 62: 24/18 13/11                    Doubles => 2
  3)  Drops                             Wins 1 point



 Game 2
 Ann : 0                               Bob : 1
  1) 31: 8/5 6/5                       55: 13/3(2)
  2)  Losses 2 point                    Wins 2 point and the match
""",
    "OpenGammon": """3 point match

 Game 1
 Ann: 0                             Bob: 0
  1)                                          13: 8/5 6/5
  2) 26: 24/18 13/11                          Doubles => 2
  3) Drops
                                            Wins 1 points

 Game 2
 Ann: 0                             Bob: 1
  1) 31: 8/5 6/5                              55: 13/8 13/8 8/3 8/3
  2)                                          Resigned Match
                                            Wins 2 points and the match
""",
    "Backgammon Studio": """3 point match


 Game 1
 Ann : 0                            Bob : 0
  1)                                31: 8/5 6/5
  2) 62: 24/18 13/11                 Doubles => 2
  3)  Drops                          Wins 1 point


 Game 2
 Ann : 0                            Bob : 1
  1) 31: 8/5 6/5                    55: 13/3(2)
  2) 00: ????
  3)                                 Wins 2008 point
  4)
""",
    "choue.net": """+----------------+
|  The Open      |
+----------------+
3 point match

Game 1
 Ann : 0                               Bob: 0
  1)                                   31: 8/5 6/5
  2) 62: 24/18 13/11                   Doubles ==> 2
  3) Drops                             Wins 1 point

Game 2
 Ann : 0                               Bob: 1
  1) 31: 8/5 6/5                       55: 13/3(2)
  2) 63: ????                          Wins 2 point
""",
    "HedgeHog": """; [Site "HedgeHog"]
; [Cubelimit "64"]

3 point match

 Game 1
 Ann Lee: 0                          Bob: 0
  1)                                     13: 8/5 6/5
  2) 26: 24/18 13/11                     Doubles => 2
  3) Drops                               \n                                            Wins 1 point

 Game 2
 Ann Lee: 0                          Bob: 1
  1) 13: 8/5 6/5                         55: 13/8 13/8 8/3 8/3
  2) Resigns                             \n                                            Wins 2 points and the match
""",
    "typed by hand": """The final, transcribed from a film
Match to 3 points

Game 1
Ann : 0\tBob : 0
1.\t\t31: 8/5 6/5
2. 62: 24/18 13/11\t\tDoubles to 2
3. Passes\t\tWins 1 point (dropped)
A short one.
Game 2
Ann : 0\tBob : 1
1. 31: 8/5 6/5\t\t55: 13/8 (2) 8/3 (2)
2. Resigns\t\tWins 2 points
</pre>
""",
    "cut play": """3 point match
 Game 1
 Ann : 0                               Bob : 0
  1)                                   31: 8/5 6/5
  2) 62: 24/18 13/11                    Doubles => 2
  3)  Drops
 Game 2
 Ann : 0                               Bob : 1
  1) 31: 8/5 6/5                       55: 13/3(2)
  2) 63: 24/18
                                        Wins 2 point and the match
""",
}
"""The same match as various sites and programs write it."""


@pytest.mark.parametrize("site", FOREIGN)
def test_a_match_is_read_as_any_site_writes_it(site: str) -> None:
    (match,) = read(FOREIGN[site])
    first, second = match_games(match)
    assert first.outcome == Outcome(Player.SECOND, Reason.DROPPED, 1)
    assert second.outcome == Outcome(Player.SECOND, Reason.RESIGNATION, 2)
    assert match.position.match == Match(3, 0, 3)
    assert read(write([match])) == [match]


def test_a_match_may_be_won_without_a_roll() -> None:
    (match,) = read("5 point match\n\n Game 1\n Ann: 0    Bob: 0\n  1)\n   Wins 5 points and the match\n")
    assert (match.length, match.outcome) == (0, Outcome(Player.FIRST, Reason.RESIGNATION))
    assert read(write([match])) == [match]


@pytest.mark.parametrize(
    "words",
    [
        "Cannot Move", "cannot move.", "Can't move", "Can’t Move", "can not move", "No Move", "no legal moves",
        "(no play)", "Pass", "Passes", "Dances", "fans", "--", "Bar/Bar",
    ],
)  # fmt: skip
def test_a_pass_may_be_said_in_many_words(words: str) -> None:
    rows = "  1) 31: 8/5 6/5                 64: 24/14\n  2) 55: 8/3(2) 6/1*(2)          "
    assert one(f"{rows}61: {words}\n  3) 21: 6/4 24/23\n").moves == one(f"{rows}61:\n  3) 21: 6/4 24/23\n").moves


def test_a_pass_is_refused_if_there_is_a_play() -> None:
    with pytest.raises(MalformedRecord, match="line 5: pass is not legal here: there is a play"):
        one("  1) 31: 8/5 6/5                 64: Dances\n")


def test_prose_is_a_comment_above_the_first_game_within_one_and_after_a_result() -> None:
    rows = "  1) 31: 8/5 6/5\nShe doubles with 24/18 if she can\n  2)                 62: 24/18 13/11\n"
    (game,) = read(f"The final\n\n{HEAD}{rows}      Wins 1 point\nAnn wins again!\n")
    comments = {0: "The final", 2: "She doubles with 24/18 if she can", 4: "Ann wins again!"}
    assert (game.comments, game.start.cube) == (comments, None)


@pytest.mark.parametrize("row", ["Ann 62: 24/18 13/11", "24/18 13/11", "bar/20*, 6/5(2)"])
def test_a_row_with_something_before_it_and_a_play_alone_are_no_prose(row: str) -> None:
    with pytest.raises(MalformedRecord, match=r"line 6: .* is not a row"):
        one(f"  1) 31: 8/5 6/5\n{row}\n")


def test_an_unfinished_play_of_a_player_who_resigned_is_a_comment() -> None:
    (match,) = read(FOREIGN["cut play"])
    assert list(match.comments.values()) == ["24/18"]


RESIGNED = "  1) 31: 8/5 6/5                 62: 24/18 13/11\n"


@pytest.mark.parametrize(("row", "outcome"), [
    ("  2) Resigns", Outcome(Player.SECOND, Reason.RESIGNATION)),
    ("  2) Resigns a gammon", Outcome(Player.SECOND, Reason.RESIGNATION, 2)),
    ("  2) Resigned Backgammon", Outcome(Player.SECOND, Reason.RESIGNATION, 3)),
    ("  2)                             Resigns", Outcome(Player.FIRST, Reason.RESIGNATION)),
    ("  2)                             Resigned Game", Outcome(Player.SECOND, Reason.RESIGNATION)),
    ("  2) 63: 24/18\n  3) Resigns", Outcome(Player.SECOND, Reason.RESIGNATION)),
])  # fmt: skip
def test_a_resignation_ends_a_game_even_without_the_points(row: str, outcome: Outcome) -> None:
    game = one(f"{RESIGNED}{row}\n")
    assert game.outcome == outcome
    assert read(write([game])) == [game]


@pytest.mark.parametrize(("rows", "winner"), [
    ("  1) 31: 8/5 6/5                64: 24/14 \n  2) 62:       Wins 2 points\n", Player.FIRST),
    ("  1) 31: 8/5 6/5                64: 24/14 \n  2) 62:                         Wins 2 points\n", Player.SECOND),
    ("  1) 31: 8/5 6/5                64: \n      Wins 2 points\n", Player.FIRST),
    ("  1) 31: 8/5 6/5                64:  Wins 2 points\n", Player.SECOND),
    ("1) 31: 8/5 6/5\t64: 24/14\n2) 62:\tWins 2 points\n", Player.SECOND),
])  # fmt: skip
def test_a_win_behind_an_unplayed_roll_is_in_the_winners_column(rows: str, winner: Player) -> None:
    """GNU Backgammon 1.07 ends the row with it, wherever the row is."""
    game = one(rows)
    assert game.outcome == Outcome(winner, Reason.RESIGNATION, 2)
    assert game.position.dice
    assert read(write([game])) == [game]


def test_a_resignation_that_was_refused_ends_nothing() -> None:
    assert one(f"{RESIGNED}  2) Resigns\n  3) 31: 8/5 6/5\n").outcome is None


def test_a_resignation_in_a_match_counts_what_the_next_score_says() -> None:
    head = f"5 point match\n\n Game 1\n Ann : 0    Bob : 0\n{RESIGNED}  2) Resigns\n\n"
    (match,) = read(f"{head} Game 2\n Ann : 0    Bob : 2\n{RESIGNED}")
    assert match_games(match)[0].outcome == Outcome(Player.SECOND, Reason.RESIGNATION, 2)
    (match,) = read(head)
    assert match.position.match == Match(5, 0, 1), "nothing says more"
    first, second = read(f"{head} Game 3\n Ann : 1    Bob : 2\n{RESIGNED}")
    assert (first.position.match, second.start.match) == (Match(5, 0, 1), Match(5, 1, 2)), "a game is missing"


@pytest.mark.parametrize(("length", "points"), [(2, 2), (7, 1)])
def test_a_match_may_be_resigned_without_the_points(length: int, points: int) -> None:
    """To be more than a backgammon away is no kind of win."""
    (match,) = read(f"{length} point match\n\n Game 1\n Ann : 0    Bob : 0\n{RESIGNED}  2) Resigned Match\n")
    assert match.outcome == Outcome(Player.SECOND, Reason.RESIGNATION, points)
    assert read(write([match])) == [match]


@pytest.mark.parametrize(("double", "answer"), [
    ("Doubles", "Accepts"), ("Double", "Take"), ("Redoubles", "Takes"), ("Doubles", "Pass"), ("Doubles", "Rejects"),
])  # fmt: skip
def test_a_game_for_money_has_a_cube_if_any_row_has_a_cube_action(double: str, answer: str) -> None:
    game = one(f"  1) 31: 8/5 6/5                 {double}\n  2) {answer}\n")
    assert game.moves[-2:] == (CubeAction.DOUBLE, CubeAction.TAKE if answer[0] in "AT" else CubeAction.DROP)


@pytest.mark.parametrize("line", ["; Ann doubles", "Ann takes the lead", "  1) 31: 8/5 6/5                 63: Pass"])
def test_words_about_the_cube_that_are_no_cells_give_a_game_no_cube(line: str) -> None:
    rows = f"{line}\n      Wins 1 point\n" if "31:" not in line else f"{line}\n"
    games = RULES.notation.read_games(f"{HEAD}  1) 31: 8/5 6/5\n\n Game 2\n Ann : 0  Bob : 0\n{rows}", errors="skip")
    assert games[0].start.cube is None


AT_TWO_POINTS = """3 point match

 Game 1
 Ann : 0                        Bob : 0
  1) 31: 8/5 6/5
      Wins 2 points

 Game 2
 Ann : 2                        Bob : 0
  1) 31: 8/5 6/5
                                 Wins {points}

 Game 3
 Ann : 2                        Bob : {score}
  1) 31: 8/5 6/5                 62: 24/18 13/11
  2)  Doubles => 2                {answer}
"""
"""Ann needs one point, so doubling is of no use to her, and our rules don't allow it; GNU Backgammon's do."""


def test_a_dead_cube_that_is_taken_is_turned_in_a_new_record() -> None:
    head = AT_TWO_POINTS.format(points="1 point", score=1, answer="Takes")
    before, after = read(f"{head}  3) 21: 13/11 6/5                31: 8/5 6/5\n                    Wins 2 points\n")
    assert before.position.match == after.start.match == Match(3, 2, 1) and before.outcome is None
    assert before.comments == {before.length: "Doubles => 2"}
    assert after.start.cube == Cube(2, Player.SECOND, Stage.ROLLING) and after.tags["Game"] == "3"
    assert after.start[:3] == before.position[:3] and after.moves[0] == Roll(2, 1)
    assert after.outcome == Outcome(Player.SECOND, Reason.RESIGNATION, 2, 2)
    assert read(write([before, after])) == [before, after]


def test_a_dead_cube_that_was_taken_can_be_turned_again() -> None:
    head = "5 point match\n\n Game 6\n Ann : 4    Bob : 0\n  1) 31: 8/5 6/5                 62: 24/18 13/11\n"
    rows = "  2)  Doubles => 2\n  3) 21: 13/11 6/5               Doubles => 4\n  4)  Takes\n"
    _, after = read(f"{head}{rows}")
    assert after.start.cube == Cube(2, Player.SECOND, Stage.ROLLING), "it was taken, since Ann rolled"
    assert after.position.cube == Cube(4, Player.FIRST, Stage.ROLLING)


def test_a_dead_cube_that_is_dropped_is_a_resignation() -> None:
    (match,) = read(AT_TWO_POINTS.format(points="1 point", score=1, answer="Drops"))
    assert match.outcome == Outcome(Player.FIRST, Reason.RESIGNATION)


def test_a_cube_that_is_dead_for_both_is_a_comment() -> None:
    head = AT_TWO_POINTS.format(points="2 points", score=2, answer="Takes")
    (match,) = read(f"{head}  3) 21: 13/11 6/5                Doubles => 4\n  4)  Takes   31: 8/5 6/5\n")
    assert match.position.match == Match(3, 2, 2) and match.position.cube == Cube()
    assert list(match.comments.values()) == ["Doubles => 2", "Doubles => 4"]
    assert match.moves[-1] == Play((Step(8, 5), Step(6, 5)))


def test_a_game_that_is_refused_after_a_dead_double_leaves_the_match_before_it() -> None:
    text = AT_TWO_POINTS.format(points="1 point", score=1, answer="Takes") + "  3) 21: 13/12 6/5\n"
    skipped: list[MalformedRecord] = []
    (match,) = RULES.notation.read_games(text, errors="skip", skipped=skipped)
    assert match.position.match == Match(3, 2, 1) and match.comments == {}
    assert [problem.line for problem in skipped] == [17]


def test_points_beyond_the_match_are_cut_to_a_gammon_or_what_the_winner_needs() -> None:
    (match,) = read(FOREIGN["choue.net"].replace("Wins 2 point", "Wins 9 point"))
    assert match.outcome == Outcome(Player.SECOND, Reason.RESIGNATION, 2)


def test_the_score_of_the_next_game_tells_who_won() -> None:
    text = FOREIGN["Backgammon Galaxy"].replace("  3)  Drops                             Wins 1 point\n", "")
    (match,) = read(text)
    assert match_games(match)[0].outcome == Outcome(Player.SECOND, Reason.RESIGNATION, 1)


def test_a_match_from_which_games_are_missing_is_read_in_parts() -> None:
    text = FOREIGN["Backgammon Galaxy"].replace("Bob : 1", "Bob : 2")
    first, second = read(text)
    assert (first.outcome, first.position.match) == (None, Match(3, 0, 1))
    assert (second.start.match, second.tags["Game"]) == (Match(3, 0, 2, is_crawford=True), "2")
    assert second.outcome == Outcome(Player.SECOND, Reason.RESIGNATION, 2)
    assert read(write([first, second])) == [first, second]


def test_a_match_may_stop_between_two_games() -> None:
    text = FOREIGN["Backgammon Galaxy"].partition(" Game 2")[0]
    (match,) = read(text)
    assert [part.outcome is not None for part in match_games(match)] == [True, False]
    assert "Game 2" not in write([match])
    assert read(write([match])) == [match]


def test_a_bad_game_of_a_match_is_left_out_when_asked() -> None:
    text = FOREIGN["Backgammon Galaxy"].replace(
        "8/5 6/5                       55:", "8/4 6/5                       55:"
    )
    skipped: list[MalformedRecord] = []
    (match,) = RULES.notation.read_games(text, errors="skip", skipped=skipped)
    assert match.position.match == Match(3, 0, 1)
    assert [problem.line for problem in skipped] == [17]


def test_a_match_with_a_bad_game_is_refused_as_a_whole() -> None:
    text = FOREIGN["Backgammon Galaxy"].replace(
        "8/5 6/5                       55:", "8/4 6/5                       55:"
    )
    with pytest.raises(MalformedRecord, match=r"line 17: .* is not legal"):
        next(RULES.notation.each_game(text))


def test_a_match_without_the_crawford_rule_goes_on_in_a_new_record() -> None:
    head = "3 point match\n Game 1\n Ann : 0    Bob : 0\n  1) 31: 8/5 6/5\n      Wins 2 points\n"
    first, second = read(f"{head} Game 2\n Ann : 2    Bob : 0\n  1) 31: 8/5 6/5    Doubles => 2\n  2)  Takes\n")
    assert first.position.match == Match(3, 2, 0, is_crawford=True)
    assert second.start.match == Match(3, 2, 0)


def gammon() -> Game[Position, Move]:
    for seed in range(100):
        game = Game(RULES)
        dice = random.Random(seed)
        while not game.outcome:
            game.play(dice.choice(game.legal_moves()))
        if game.outcome.points == 2:
            return game
    raise AssertionError("no game ended in a gammon")


def test_a_gammon_that_counted_one_point_shows_the_jacoby_rule() -> None:
    text = f"{write([gammon(), played('31')]).rstrip()} 8/5 6/5      Doubles => 2\n"
    plain, counted = read(text)[0], read(text.replace("Wins 2 points", "Wins 1 point"))[0]
    assert (plain.variant, counted.variant) == ("standard+cube", "standard+cube+jacoby")
    assert [game.outcome.points for game in (plain, counted) if game.outcome] == [2, 1]


def test_headers_of_other_programs_tell_how_the_cube_is_used() -> None:
    assert one("  1) 31: 8/5 6/5\n", '; [Jacoby "On"]\n').variant == "standard+cube+jacoby"
    assert one("  1) 31: 8/5 6/5\n", '; [Jacoby "Off"]\n; [Beaver "On"]\n').variant == "standard+cube+beavers"
    assert one("  1) 31: 8/5 6/5\n", '; [CubeLimit "1024"]\n').variant == "standard+cube"
    assert one("  1) 31: 8/5 6/5\n", '; [CubeLimit "1"]\n').variant == "standard"


def test_a_game_may_start_from_a_board() -> None:
    board = "; Set Pos=-b----E-C---eE---d-d----B-/0\n"
    (match,) = read(f"3 point match\n Game 1\n Ann : 0   Bob : 1\n{board}  1) 33: 8/5(2) 6/3(2)\n")
    assert match.position.match == Match(3, 0, 1)
    assert match.start.mover is Player.FIRST
    assert match.start.black.on(8) == 4


def test_headers_about_the_cube_are_tags_if_they_say_something_else() -> None:
    assert one("  1) 31: 8/5 6/5\n", '; [Jacoby "sometimes"]\n').tags["Jacoby"] == "sometimes"


@pytest.mark.parametrize(("variant", "ending", "result"), [
    ("standard+match3", Outcome(Player.SECOND, "time", 2, 2), "Wins 3 points and the match"),
    ("standard+match3", Outcome(Player.FIRST, Reason.RESIGNATION), "Wins 3 points and the match"),
    ("standard+cube", Outcome(Player.SECOND, Reason.RESIGNATION, 4, 2), "Wins 4 points"),
    ("standard+cube", Outcome(None, Reason.CANCELLED), None),
])  # fmt: skip
def test_an_ending_with_a_cube_is_a_header_and_a_result_for_other_programs(
    variant: str, ending: Outcome, result: str | None
) -> None:
    game = played("31", "8/5 6/5", "double", "take", variant=variant)
    game.end(ending)
    winner = "nobody" if ending.winner is None else ("white", "black")[ending.winner]
    text = write([game])
    assert f'; [Ending "{winner} {ending.points} {ending.stake} {ending.reason}"]' in text
    assert [line.strip() for line in text.splitlines() if "Wins" in line] == ([result] if result else [])
    assert read(text) == [game]


@pytest.mark.parametrize(("winner", "points"), [(Player.FIRST, 3), (Player.SECOND, 2)])
def test_the_result_of_a_match_that_was_ended_has_the_points_that_were_missing(winner: Player, points: int) -> None:
    game = played("31", "8/5 6/5", "double", "drop", variant="standard+match3")
    game.end(Outcome(winner, "time"))
    assert [part.outcome for part in match_games(game)] == [Outcome(Player.SECOND, Reason.DROPPED), game.outcome]
    assert re.findall("Wins .*", write([game])) == ["Wins 1 point", f"Wins {points} points and the match"]
    assert read(write([game])) == [game]


def test_a_comment_in_a_foreign_file_stays_where_it_was() -> None:
    game = one("; thoughtful\n  1) 31: 8/5 6/5\n# good\n; really\n", "; Notes by Cy\n; more\n")
    assert game.comments == {0: "Notes by Cy\nmore\nthoughtful", 2: "good\nreally"}


def test_headers_may_belong_to_one_game() -> None:
    games = [played("31"), played("13")]
    for game, name in zip(games, ("one", "two"), strict=True):
        game.tags |= {"Event": "Open", "Name": name}
    text = write(games)
    assert text.startswith('; [Event "Open"]\n; {1} [Name "one"]\n; {2} [Name "two"]\n')
    assert read(text) == games


def test_no_header_begins_with_game() -> None:
    """GNU Backgammon ends when it reads one."""
    game = Game(RULES, tags={"Game": "x"})
    assert write([game]).startswith('; {1} [Game "x"]\n')
    assert read(write([game])) == [game]


def test_windows_line_ends_and_a_byte_order_mark_do_not_matter() -> None:
    assert read("\ufeff" + FILES["match"].replace("\n", "\r\n")) == read(FILES["match"])


def test_old_mac_line_ends_do_not_matter() -> None:
    assert read(FILES["match"].replace("\n", "\r")) == read(FILES["match"])


def test_games_before_a_bad_one_are_read() -> None:
    games = RULES.notation.each_game(f"{HEAD}  1) 31: 8/5 6/5\n\n Game 2\n Ann : 0   Bob : 0\n 1) hello\n")
    assert next(games).moves[0] == Roll(3, 1)
    with pytest.raises(MalformedRecord, match=r"'1\) hello' is not a row"):
        next(games)


def test_reading_goes_on_with_the_next_game_when_asked() -> None:
    bad = " Game 2\n Ann : 0   Bob : 0\n1) hello\n  1) 31: 8/5 6/5\n\n Game 3\n Ann : x   Bob : 0\n"
    text = f"{HEAD}  1) 31: 8/5 6/5\n\n{bad}\n Game 4\n Ann : 0  Bob : 0\n  1) 62: 24/18 13/11\n"
    skipped: list[MalformedRecord] = []
    games = RULES.notation.read_games(text, errors="skip", skipped=skipped)
    assert [game.moves[0] for game in games] == [Roll(3, 1), Roll(6, 2)]
    assert [(problem.line, problem.problem[:20]) for problem in skipped] == [
        (9, "'1) hello' is not a "), (13, "'Ann : x   Bob : 0' ")
    ]  # fmt: skip


def test_a_bad_line_after_the_end_of_a_game_does_not_undo_it() -> None:
    game = "  1) 31: 8/5 6/5\n      Wins 1 point\n  2) a note with a number\n  3) and another\n"
    text = f"{HEAD}{game}\n Game 2\n Ann : 0   Bob : 0\n  1) 62: 24/18 13/11\n"
    skipped: list[MalformedRecord] = []
    games = RULES.notation.read_games(text, errors="skip", skipped=skipped)
    assert [game.moves[0] for game in games] == [Roll(3, 1), Roll(6, 2)] and games[0].outcome
    assert [problem.line for problem in skipped] == [7]
    each = RULES.notation.each_game(text)
    assert next(each) == games[0]
    with pytest.raises(MalformedRecord, match=r"line 7: .* is not a row"):
        next(each)


def test_a_bad_line_after_the_end_of_a_game_does_not_split_the_match() -> None:
    text = FOREIGN["Backgammon Galaxy"]
    skipped: list[MalformedRecord] = []
    noted = text.replace("Wins 1 point\n", "Wins 1 point\n  4) a note with a number\n")
    assert RULES.notation.read_games(noted, errors="skip", skipped=skipped) == read(text)
    assert [problem.line for problem in skipped] == [12]


def test_a_match_that_is_too_long_is_left_out_with_all_its_games() -> None:
    long = "27 point match\n\n Game 1\n Ann : 0   Bob : 0\n  1) 31: 8/5 6/5\n; an aside\n      Wins 1 point\n"
    second = " Game 2\n Ann : 1   Bob : 0\n  1) 31: 8/5 6/5\n\n"
    text = f"{long}{second}{FOREIGN['Backgammon Galaxy']}{HEAD}  1) 62: 24/18 13/11\n"
    skipped: list[MalformedRecord] = []
    match, game = RULES.notation.read_games(text, errors="skip", skipped=skipped)
    assert (match.variant, match.comments) == ("standard+match3", {})
    assert game.moves[0] == Roll(6, 2)
    assert [(problem.line, problem.problem[:20]) for problem in skipped] == [(1, "matches to more than")]


def test_an_empty_reason_is_none() -> None:
    game = one("  1) 31: 8/5 6/5\n      Wins 1 point\n", '; [Termination ""]\n')
    assert game.ending == Outcome(Player.FIRST, Reason.RESIGNATION)


def test_a_file_without_games_has_none() -> None:
    assert read("") == read(" 7 point match\n") == read(write([])) == []


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("hello", 1, "comes before the first line such as"),
        ("\n\n  1) 31: 8/5 6/5", 3, "comes before the first line such as"),
        (" 0 point match\n Game 1\n  1) 31: 8/5 6/5\n", 3, "does not name the players"),
        (" Game 1\n Ann : ٣   Bob : 0\n", 2, "does not name the players"),
        (f"{HEAD}  1) hello\n", 5, "is not a row"),
        (f"{HEAD}  1) 31: 8/5 6/5  62: 24/18 13/11  44: 24/20\n", 5, "a row has two cells"),
        (f"{HEAD}  1) 31: 8/5 6/5\n\n  2) 31: 8/5 6/5\n", 7, "it is black's turn"),
        (f"{HEAD}  1) 31: 8/5 6/5   62: 24/17 13/11\n", 5, "24/17 13/11 is not legal here: the other side"),
        (f"{HEAD}  1) 31: 8/5 6/x\n", 5, "is not a roll such as 31"),
        (f"{HEAD}  1) 31:             62: 24/18 13/11\n", 5, "the roll 31 has not been played"),
        (f"{HEAD}  1) 33: 8/5(2) 6/3(2)\n", 5, "33 is not legal here: the opening roll has two different dice"),
        (f"{HEAD}  1) 31: 8/5 6/5\n      Wins 4 points\n", 6, "1 to 3 points, not 4"),
        (f"{HEAD}  1) 31: 8/5 6/5\n      Wins 0 points\n", 6, "1 to 3 points, not 0"),
        (f"{HEAD}  1) 31: 8/5 6/5   65: 24/18 13/8 6/8\n", 5, "24/18 13/8 6/8 is not legal here"),
        (f"{HEAD}  1) 31: 8/5 6/5   33: 13/3 8/5\n", 5, "13/3 8/5 is not legal here"),
        (f"{HEAD}  1) 31: 8/5 6/5   44: 13/9 13/9\n", 5, "4 steps must be played"),
        (f"{HEAD}  1) 31: Illegal play (15;0;1)\n", 5, "an illegal play was made here"),
        (f"{HEAD}  1) 31: 8/5 6/5   Doubles => 4\n", 5, "the cube is turned to 2, not 4"),
        (f"{HEAD}  1) 31: 8/5 6/5   Doubles => 2\n  2)  Drops   62: 24/18 13/11\n", 6, "the game is over"),
        (f"{HEAD}  1) 31: 8/5 6/5   00: 24/18\n", 5, "00 is not a roll"),
        (" 26 point match\n", 1, "more than 25 points"),
        (" 3 point match\n Game 1\n Ann : 3   Bob : 0\n  1) 31: 8/5 6/5\n", 4, "is over at 3-0"),
        (f'; [Ending "white"]\n{HEAD}', 1, "does not tell how the game ended"),
        (f'; [XGID "XGID=-b----E-C---eE---c-e----B-:0:0:0:00:0:0:0:5:10"]\n{HEAD}', 1, "of a match"),
        (f"{HEAD}  1) 31: 8/5 6/5\n      Wins\n", 6, "does not give the points"),
        (f"{HEAD}      Wins 1 point\n  1) 31: 8/5 6/5\n", 6, "the game is over"),
        (f"{HEAD}  1)  Doubles => 2\n", 5, "nobody can double now"),
        (f"{HEAD}  1) 31: 8/5 6/5   Takes\n", 5, "no double to answer"),
        (f"{HEAD}  1) 31: 8/5 6/5   Doubles => x\n", 5, "is not a cube's value"),
        (f"{HEAD}  1) 31: 8/5 6/5\n  2)  Doubles => 2\n", 6, "it is black's turn"),
        (f'; [Variation "Chess"]\n{HEAD}', 1, "there is no variant 'Chess'"),
        (f'; [Variation "HyperGammon (1)"]\n{HEAD}', 1, "there is no variant"),
        (f'\n; [XGID "b"]\n{HEAD}', 2, "is not an XGID"),
        (f'; [Points "many"]\n{HEAD}', 1, "are not 1, 2 or 3"),
        (f'; [Points "4"]\n{HEAD}', 1, "are not 1, 2 or 3"),
        (f'; {{2}} [Event "x"]\n{HEAD}', 1, "there is no game 2"),
        (f"{HEAD}  1) {'x' * 600}", 5, "too long for a row"),
        ("x" * 16_000_001, 1, "more than 16,000,000 characters"),
    ],
)
def test_mistakes_are_reported_with_their_line(text: str, line: int, problem: str) -> None:
    with pytest.raises(MalformedRecord, match=problem) as caught:
        read(text)
    assert caught.value.line == line


@pytest.mark.parametrize("piece", [" ", "(", "\n", ";", "; [", '; "', '; ["', ':"', "\\", "1", "31:", "; {1", "; x\n"])
def test_long_files_are_read_in_time(piece: str) -> None:
    begun = time.thread_time()
    for text in (HEAD + piece * (900_000 // len(piece)), HEAD + "; [" + piece * (900_000 // len(piece)) + '"]'):
        try:
            read(text)
        except LudusError:
            continue
    assert time.thread_time() - begun < 20


CUBE = ["Doubles => 2", "Doubles => 2; Takes", "Set Pos=-b----E-C---eE---c-e----B-"]
NAMES = ["White", "Black", "Event", "Score", "Game", "MatchLength", "XGID", "Termination", "Jacoby", "Next", "Match ID"]
STARTS = [
    *VARIANTS, "standard+cube", "standard+cube+jacoby+beavers", "standard+match1", "standard+match3",
    "nackgammon+match5", "standard+match3+nocube",
]  # fmt: skip
VALUES = [
    "3",
    "1",
    "0",
    "2-1",
    "0-0",
    "Ann",
    "white",
    "",
    "?",
    " a",
    "a:b",
    'say "hi"',
    "two\nlines",
    "C:\\new",
    "\\u000a",
]


def play_on(game: Game[Position, Move], dice: random.Random, number: int) -> None:
    for _ in range(number):
        if not game.outcome:
            can_resign = dice.random() < 0.02
            game.play(Resignation(dice.choice(list(Player)), 1) if can_resign else dice.choice(game.legal_moves()))


@st.composite
def games(draw: st.DrawFn) -> Game[Position, Move]:
    """A game or match with random moves, of any variant or start, and anything around it."""
    dice = random.Random(draw(st.integers(0, 2**32)))
    game = Game(RULES, draw(st.sampled_from(sorted(STARTS))))
    play_on(game, dice, draw(st.integers(0, 30) | st.just(200)))
    if draw(st.booleans()):
        game = Game(RULES, start=game.position)
        play_on(game, dice, draw(st.integers(0, 5)))
    words = st.sampled_from(VALUES) | st.text(max_size=20)
    game.tags |= draw(st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=8), words, max_size=4))
    numbers = st.integers(0, len(game.moves)) | st.just(len(game.moves))
    game.comments |= draw(st.dictionaries(numbers, st.sampled_from(CUBE) | words, max_size=5))
    reasons = words.filter(bool) | st.just("time")
    ending = draw(
        st.none()
        | st.builds(Outcome, st.sampled_from(Player), st.just(Reason.RESIGNATION), st.integers(1, 3), st.just(1))
        | st.builds(Outcome, st.none() | st.sampled_from(Player), reasons, st.integers(1, 3), st.just(1))
    )
    if ending and not game.outcome:
        game.end(ending)
    return game


@given(st.lists(games(), max_size=3))
def test_games_written_are_read_back(written: list[Game[Position, Move]]) -> None:
    assert read(write(written)) == written
    assert [game.outcome for game in read(write(written))] == [game.outcome for game in written]


def test_a_start_with_dice_and_few_men_is_read_back() -> None:
    game = Game(RULES, start=Position(men({6: 2}), men({1: 1, 0: 4}), Player.SECOND, (4, 2)))
    assert read(write([game])) == [game]
    game.play(game.legal_moves()[0])
    assert read(write([game])) == [game]


def check_text(text: str) -> None:
    try:
        found = read(text)
    except LudusError:
        return
    assert read(write(found)) == found


@given(st.text() | st.text('; []{}"\\:/=>)123456\nGameDoublesWins ', max_size=200))
def test_any_text_is_games_or_refused(text: str) -> None:
    check_text(text)
    check_text(HEAD + text)
    check_text(f"{HEAD}  1) 31: 8/5 6/5 {text}")


@given(st.sampled_from(READABLE), st.integers(0, 4000), st.integers(0, 9), st.text(max_size=3))
def test_a_file_with_a_changed_place_is_games_or_refused(name: str, place: int, length: int, text: str) -> None:
    check_text(FILES[name][:place] + text + FILES[name][place + length :])
