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
from ludus.games.backgammon.position import VARIANTS, Play, Position, Roll, men
from ludus.games.backgammon.rules import Backgammon, Move

RULES = Backgammon()
read, write = RULES.notation.read_games, RULES.notation.write_games
DATA = Path(__file__).parent / "data"
FILES = {path.stem: path.read_text() for path in sorted(DATA.glob("*.mat"))}

HEAD = " 0 point match\n\n Game 1\n Ann : 0                        Bob : 0\n"


def one(rows: str, headers: str = "") -> Game[Position, Move]:
    (game,) = read(f"{headers}{HEAD}{rows}")
    return game


def played(*moves: str, variant: str = "standard") -> Game[Position, Move]:
    game = Game(RULES, variant)
    for move in moves:
        game.play(move)
    return game


@pytest.mark.parametrize("name", FILES)
def test_what_gnu_backgammon_wrote_is_the_same_when_written_again(name: str) -> None:
    games = read(FILES[name])
    assert read(write(games)) == games


def test_rows_are_laid_out_as_gnu_backgammon_does() -> None:
    ours, theirs = write(read(FILES["match"])), FILES["match"]
    step = re.compile(r"[0-9]+/[0-9]+\*?")
    assert step.sub("", ours).split() == step.sub("", theirs).split()


def test_a_match_has_names_scores_and_outcomes() -> None:
    games = read(FILES["match"])
    assert [game.tags.get("Score") for game in games] == [None, "1-0", "2-0", "2-1"]
    assert games[1].tags == {
        "White": "Ann", "Black": "Bob", "MatchLength": "3", "Score": "1-0", "EventDate": "2026.11.15"
    }  # fmt: skip
    assert [game.outcome for game in games] == [
        Outcome(Player.FIRST, Reason.RESIGNATION, 1),
        Outcome(Player.FIRST, Reason.RESIGNATION, 1),
        Outcome(Player.SECOND, Reason.RESIGNATION, 1),
        Outcome(Player.SECOND, Reason.BORNE_OFF, 1),
    ]


def test_the_cube_is_a_comment_where_it_was_turned() -> None:
    games = read(FILES["match"])
    assert [list(game.comments.values()) for game in games] == [
        ["Doubles => 2; Drops"], ["Doubles => 2; Drops"], [], ["Doubles => 2; Takes"]
    ]  # fmt: skip
    assert list(games[0].comments) == [len(games[0].moves)]
    (raccoon,) = read(FILES["raccoon"])
    assert raccoon.comments == {8: "Doubles => 2; Beavers => 4; Beavers => 8"}


def test_the_points_of_a_win_leave_out_the_cube() -> None:
    (raccoon,) = read(FILES["raccoon"])
    assert "Wins 8 points" in FILES["raccoon"]
    assert raccoon.outcome == Outcome(Player.SECOND, Reason.BORNE_OFF, 1)
    assert "Wins 8 points" in write([raccoon])


def test_gnu_backgammon_names_a_variation() -> None:
    games = read(FILES["nackgammon"])
    assert [game.variant for game in games] == ["nackgammon", "nackgammon"]
    assert games[1].outcome == Outcome(Player.SECOND, Reason.RESIGNATION, 2)


def test_a_file_looks_like_this() -> None:
    game = played("13", "24/23 13/10", "64", "24/14", "55", "8/3(2) 6/1*(2)", "66", "pass", "21")
    game.tags |= {"White": "Ann", "Black": "Bob", "Event": 'The "Open"', "Score": "2-0", "MatchLength": "5"}
    game.comments |= {2: "Doubles => 2; Takes", 5: "A joker"}
    game.resign(Player.FIRST, 2)
    assert write([game]).splitlines() == [
        r'; [Event "The \"Open\""]',
        "; {1/5} A joker",
        "",
        " 5 point match",
        "",
        " Game 1",
        " Ann : 2                        Bob : 0",
        f"  1) {'':27} 31: 24/23 13/10",
        "  2)  Doubles => 2                Takes",
        f"  3) {'64: 24/18 18/14':<27} 55: 8/3 8/3 6/1* 6/1",
        f"  4) {'66: Cannot Move':<27} 21:",
        "                                  Wins 4 points",
    ]
    assert read(write([game])) == [game]


def test_the_column_of_the_first_roll_tells_who_starts() -> None:
    assert one("  1) 31: 8/5 6/5\n").moves[0] == Roll(3, 1)
    assert one("  1)                             31: 8/5 6/5\n").moves[0] == Roll(1, 3)


def test_a_long_cell_may_run_into_the_next_column() -> None:
    assert len(one("  1) 31: 8/5 6/5 33: 24/21 24/21 13/10 13/10 \n  2) 62: 24/18 13/11 Doubles => 2\n").moves) == 6


def test_a_roll_at_the_end_is_not_played_yet() -> None:
    assert one("  1) 31: 8/5 6/5                 44:\n").moves[-1] == Roll(4, 4)
    assert one("  1) 31: 8/5 6/5                 44: ???\n").moves[-1] == Roll(4, 4)


def test_a_roll_that_cannot_be_played_is_passed_if_something_follows() -> None:
    start = '; [XGID "XGID=aBBBBBB-------------------:0:0:-1:00:0:0:0:0:10"]\n'
    assert one("  1)                             31:\n", start).moves == (Roll(3, 1),)
    assert one("  1)                             31:\n  2) 62: 6/0 2/0\n", start).moves[1] == Play(())
    assert one("  1)                             31:\n  2)  Doubles => 2\n", start).comments == {2: "Doubles => 2"}


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
    assert game.ending == Outcome(Player.SECOND, "resignation", 1)
    assert game.comments == {2: "Doubles => 2; Drops"}


def test_a_resignation_counts_the_cube() -> None:
    rows = "  1) 31: 8/5 6/5                  Doubles => 2\n  2)  Takes\n"
    assert one(f"{rows}      Wins 4 points\n").ending == Outcome(Player.FIRST, "resignation", 2)


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


def test_games_before_a_bad_one_are_read() -> None:
    games = RULES.notation.each_game(f"{HEAD}  1) 31: 8/5 6/5\n\n Game 2\n Ann : 0   Bob : 0\nhello\n")
    assert next(games).moves[0] == Roll(3, 1)
    with pytest.raises(MalformedRecord, match="'hello' is not a row"):
        next(games)


def test_reading_goes_on_with_the_next_game_when_asked() -> None:
    bad = " Game 2\n Ann : 0   Bob : 0\nhello\n  1) 31: 8/5 6/5\n\n Game 3\n Ann : x   Bob : 0\n"
    text = f"{HEAD}  1) 31: 8/5 6/5\n\n{bad}\n Game 4\n Ann : 0  Bob : 0\n  1) 62: 24/18 13/11\n"
    skipped: list[MalformedRecord] = []
    games = RULES.notation.read_games(text, errors="skip", skipped=skipped)
    assert [game.moves[0] for game in games] == [Roll(3, 1), Roll(6, 2)]
    assert [(problem.line, problem.problem[:20]) for problem in skipped] == [
        (9, "'hello' is not a row"), (13, "'Ann : x   Bob : 0' ")
    ]  # fmt: skip


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
        (f"{HEAD}hello\n", 5, "is not a row"),
        (f"{HEAD}  1) hello\n", 5, "is not a row"),
        (f"{HEAD}  1) 31: 8/5 6/5  62: 24/18 13/11  44: 24/20\n", 5, "a row has two cells"),
        (f"{HEAD}  1) 31: 8/5 6/5\n\n  2) 31: 8/5 6/5\n", 7, "it is black's turn"),
        (f"{HEAD}  1) 31: 8/5 6/5   62: 24/17 13/11\n", 5, "24/17 13/11 is not legal here: the other side"),
        (f"{HEAD}  1) 31: 8/5 6/x\n", 5, "is not a roll such as 31"),
        (f"{HEAD}  1) 31:             62: 24/18 13/11\n", 5, "the roll 31 has not been played"),
        (f"{HEAD}  1) 33: 8/5(2) 6/3(2)\n", 5, "33 is not legal here: the opening roll has two different dice"),
        (f"{HEAD}  1) 31: 8/5 6/5\n      Wins 4 points\n", 6, "1 to 3 times"),
        (f"{HEAD}  1) 31: 8/5 6/5\n      Wins 0 points\n", 6, "1 to 3 times"),
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
        (f"{HEAD}{'x' * 600}", 5, "too long for a row"),
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


CUBE = ["Doubles => 2", "Doubles => 2; Takes", "Doubles => 4; Beavers => 8", "Doubles => 2; Drops"]
NAMES = ["White", "Black", "Event", "Score", "Game", "MatchLength", "Variation", "XGID", "Termination", "Match ID"]
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


@st.composite
def games(draw: st.DrawFn) -> Game[Position, Move]:
    """A game with random moves, of any variant or start, and anything around it."""
    dice = random.Random(draw(st.integers(0, 2**32)))
    game = Game(RULES, draw(st.sampled_from(sorted(VARIANTS))))
    for _ in range(draw(st.integers(0, 30) | st.just(200))):
        if not game.outcome:
            game.play(dice.choice(game.legal_moves()))
    if draw(st.booleans()):
        game = Game(RULES, start=game.position)
        for _ in range(draw(st.integers(0, 5))):
            if not game.outcome:
                game.play(dice.choice(game.legal_moves()))
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


@given(st.sampled_from(sorted(FILES)), st.integers(0, 4000), st.integers(0, 9), st.text(max_size=3))
def test_a_file_with_a_changed_place_is_games_or_refused(name: str, place: int, length: int, text: str) -> None:
    check_text(FILES[name][:place] + text + FILES[name][place + length :])
