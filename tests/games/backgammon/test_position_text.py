import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.core.errors import LudusError, MalformedPosition
from ludus.core.game import Game
from ludus.core.rules import Outcome, Player, Reason
from ludus.games.backgammon.position import (
    VARIANTS,
    Cube,
    CubeAction,
    Match,
    Position,
    Resignation,
    Stage,
    men,
)
from ludus.games.backgammon.position_text import (
    read_position,
    read_position_id,
    read_xgid,
    write_gnu_id,
    write_match_id,
    write_position_id,
    write_xgid,
)
from ludus.games.backgammon.rules import Backgammon

RULES = Backgammon()
OPENING = VARIANTS["standard"]
WHITE, BLACK = OPENING._replace(mover=Player.FIRST), OPENING._replace(mover=Player.SECOND)
GNUBG = [
    line.split()
    for line in """
XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:0:10 4HPwATDgc/ABMA
XGID=aB---BD-B---eB---c-eA---A-:0:0:1:00:0:0:0:0:10 4HPwAaBhz2BACA
XGID=aB---BD-B---eB---c-eA---A-:0:0:-1:00:0:0:0:0:10 w57BgBDwOfgAEA
XGID=aD--BaAB----B--Aa--AAdeAc-:0:0:-1:00:0:0:0:0:10 j2kwQhHnexAAQQ
XGID=-B--aaDa----dCB---bdAb--BA:0:0:-1:44:0:0:0:0:10 gwfcQFiYN/AgBQ
XGID=-BbAcCG-Aa---Aa------caac-:0:0:1:00:0:0:0:0:10 VwcEwRmT+xMEAA
XGID=bDBb-Aa---aaBcaAA-aC--Aab-:0:0:-1:00:0:0:0:0:10 bwSM4ggLQqcQYw
XGID=-K-AaAbAA---a-----a-da-ad-:0:0:-1:22:0:0:0:0:10 /ycpAAAvPYHABA
XGID=-GAA--d---aaB-A--A-Ab-a-fA:0:0:1:00:0:0:0:0:10 PxlA4QF/BTCRQA
""".strip().splitlines()
]
"""Asked of GNU Backgammon 1.07: `set xgid`, then `show board`, which gives the position ID."""


@pytest.mark.parametrize(("xgid", "position_id"), GNUBG)
def test_gnu_backgammon_gives_the_same_position_id(xgid: str, position_id: str) -> None:
    assert write_position_id(read_xgid(xgid)) == position_id
    assert write_xgid(read_xgid(xgid)) == xgid


@pytest.mark.parametrize(("xgid", "position_id"), GNUBG)
def test_white_is_the_side_on_roll_in_a_position_id(xgid: str, position_id: str) -> None:
    position = read_xgid(xgid)
    assert read_position_id(position_id) == Position(position.own, position.other, Player.FIRST)


def test_the_opening_is_written_with_turn_0() -> None:
    assert write_xgid(OPENING) == "XGID=-b----E-C---eE---c-e----B-:0:0:0:00:0:0:0:0:10"
    assert write_position_id(OPENING) == "4HPwATDgc/ABMA"


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_start_can_be_read_back(variant: str) -> None:
    assert read_position(write_xgid(VARIANTS[variant])) == VARIANTS[variant]


def test_men_not_on_the_board_are_off() -> None:
    position = read_position("XGID=aA----------------------b-:0:0:1:00:0:0:0:0:10")
    assert (position.white.on(0), position.black.on(0)) == (14, 12)
    assert (position.white.on(1), position.black.on(25), position.black.on(1)) == (1, 1, 2)


def test_fewer_men_are_told_in_two_more_fields() -> None:
    text = "XGID=-aaa------------------AAA-:0:0:0:00:0:0:0:0:10:3:3"
    assert write_xgid(VARIANTS["hypergammon"]) == text
    assert read_xgid(text) == VARIANTS["hypergammon"] == read_xgid(text.removesuffix(":3:3"), men=3)


def test_sides_of_different_size_can_be_written() -> None:
    position = Position(men({6: 2}), men({1: 1, 0: 4}), Player.SECOND, (4, 2))
    assert read_position(write_xgid(position)) == position


def test_a_finished_game_can_be_written() -> None:
    position = Position(men({0: 15}), men({24: 1, 0: 14}), Player.SECOND)
    assert read_position(write_xgid(position)) == position


def test_the_prefix_and_blanks_around_do_not_matter() -> None:
    text = "-b----E-C---eE---c-e----B-:0:0:1:25:0:0:0:0:10"
    assert (
        read_position(f" {text}\n")
        == read_position(f"XGID={text}")
        == OPENING._replace(mover=Player.FIRST, dice=(5, 2))
    )


@pytest.mark.parametrize("text", [
    "Position ID: {}\nMatch ID: {}",
    "  Position ID: {}\r\n  Match ID: {}\n",
    " GNU Backgammon  Position ID: {}\n                 Match ID   : {}",
    "{}\n{}",
    "{} {}",
    "GNUBG ID: {}:{}",
    " Position-ID: {}    Match-ID: {}",
])  # fmt: skip
def test_the_two_ids_may_be_on_two_lines_as_on_gnu_backgammons_boards(text: str) -> None:
    """Or on one, as BGBlitz writes them."""
    ids = "4HPwATDgc/ABMA", "cIkKAAAAAAAE"
    assert read_position(text.format(*ids)) == read_position(":".join(ids))


@pytest.mark.parametrize("text", ["{}", "Position ID: {}", "GNUBG ID: {}:cIkWAAAAAAAE", "{}==", "Position ID:{}="])
def test_a_position_id_is_read_as_it_is_pasted(text: str) -> None:
    assert read_position(text.format("4HPwATDgc/ABMA"))._replace(dice=()) == OPENING._replace(mover=Player.FIRST)


def test_an_xgid_has_the_cube_and_the_score() -> None:
    position = read_xgid("XGID=-b----E-C---eE---c-e----B-:3:-1:1:00:4:2:1:7:10")
    assert position == WHITE._replace(cube=Cube(8, Player.SECOND), match=Match(7, 4, 2))


@pytest.mark.parametrize(("fields", "cube", "match"), [
    ("0:0:1:00:0:0:0:0:10", None, None),
    ("0:0:1:00:0:0:0:0:12", Cube(), None),
    ("0:0:1:00:0:0:1:0:10", Cube(has_jacoby=True), None),
    ("0:0:1:00:0:0:3:0:10", Cube(has_jacoby=True, has_beavers=True), None),
    ("1:1:1:00:0:0:0:0:10", Cube(2, Player.FIRST), None),
    ("0:0:1:D:0:0:0:0:10", Cube(stage=Stage.DOUBLED), None),
    ("0:0:1:B:0:0:2:0:10", Cube(stage=Stage.BEAVERED, has_beavers=True), None),
    ("0:0:1:00:0:0:0:0:12 rolling", Cube(stage=Stage.ROLLING), None),
    ("0:0:1:00:3:4:1:5:10", Cube(), Match(5, 3, 4, is_crawford=True)),
    ("0:0:1:00:3:4:0:5:10", Cube(), Match(5, 3, 4)),
    ("0:0:1:00:3:2:0:5:0", None, Match(5, 3, 2)),
    ("0:0:1:00:0:0:0:1:10", Cube(), Match(1, is_crawford=True)),
    ("0:0:1:00:0:0:0:5:10 nackgammon", Cube(), Match(5, layout="nackgammon")),
])  # fmt: skip
def test_every_state_of_the_cube_has_a_text(fields: str, cube: Cube | None, match: Match | None) -> None:
    text = f"XGID=-b----E-C---eE---c-e----B-:{fields}"
    position = WHITE._replace(cube=cube, match=match)
    assert read_xgid(text) == position
    assert write_xgid(position) == text


def test_a_game_that_was_dropped_or_resigned_says_so() -> None:
    dropped = RULES.play(RULES.play(WHITE._replace(cube=Cube(2)), CubeAction.DOUBLE), CubeAction.DROP)
    text = "XGID=-b----E-C---eE---c-e----B-:1:0:1:D:0:0:0:0:10 1:dropped:2:2"
    assert (write_xgid(dropped), read_xgid(text)) == (text, dropped)
    resigned = RULES.play(WHITE, Resignation(Player.FIRST, 3))
    text = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10 -1:resignation:3:1"
    assert (write_xgid(resigned), read_xgid(text)) == (text, resigned)


CUBE_VARIANTS = [
    "standard", "standard+cube", "standard+cube+jacoby", "standard+cube+jacoby+beavers", "standard+match1",
    "standard+match3", "nackgammon+match5", "standard+match5+nocube",
]  # fmt: skip


@given(st.sampled_from(CUBE_VARIANTS), st.integers(0, 2**32), st.integers(0, 150))
def test_every_position_of_a_game_reads_back_from_both_texts(variant: str, seed: int, length: int) -> None:
    choice = random.Random(seed)
    game = Game(RULES, variant)
    while not game.outcome and game.length < length:
        can_resign = choice.random() < 0.02
        game.play(Resignation(choice.choice(list(Player)), 1) if can_resign else choice.choice(game.legal_moves()))
    for position in game.positions:
        assert read_position(write_xgid(position)) == position
        assert read_position(write_gnu_id(position)) == position


GNUBG_CUBES = [
    ("cAkAAAAAAAAA", WHITE._replace(cube=Cube(has_jacoby=True))),
    ("cAkAAAAAAAAE", WHITE),
    ("cBEAAAAAAAAE", WHITE._replace(cube=Cube(stage=Stage.DOUBLED))),
    ("QRkAAAAAAAAE", WHITE._replace(cube=Cube(stage=Stage.BEAVERED, has_beavers=True))),
    ("cAQAAAAACAAE", WHITE._replace(cube=Cube(stage=Stage.DOUBLED), ended=Outcome(Player.FIRST, Reason.DROPPED))),
    (
        "QQwAACAAAAAE",
        WHITE._replace(
            cube=Cube(stage=Stage.BEAVERED, has_beavers=True), ended=Outcome(Player.SECOND, Reason.DROPPED, 2, 2)
        ),
    ),
    ("cAkvAAAAAAAE", WHITE._replace(dice=(6, 3), cube=Cube(), match=Match(1, is_crawford=True))),
    ("MBmgAAAAAAAE", BLACK._replace(cube=Cube(stage=Stage.DOUBLED), match=Match(5))),
    ("sIGmAEAAAAAE", BLACK._replace(dice=(5, 1), cube=Cube(), match=Match(5, 0, 4, is_crawford=True))),
    ("QQkAAAAAAAAA", WHITE._replace(cube=Cube(2, Player.SECOND, has_jacoby=True))),
]
"""What GNU Backgammon 1.07 says after `new session` or `new match`, then `double`, `redouble`, `drop` or `resign`."""


@pytest.mark.parametrize(("match_id", "position"), GNUBG_CUBES)
def test_a_match_id_has_the_cube_and_the_score(match_id: str, position: Position) -> None:
    assert read_position(f"4HPwATDgc/ABMA:{match_id}") == position


def test_a_match_id_is_written_as_gnu_backgammon_does() -> None:
    ours = [write_match_id(position) for match_id, position in GNUBG_CUBES]
    theirs = [match_id for match_id, _ in GNUBG_CUBES]
    theirs[3], theirs[5] = "QRkAAAAAAAAc", "QQwAAAAAAAAc"  # ours say that there are beavers
    theirs[4] = "cAQAAAAAAAAE"  # ours have no score of a session
    assert ours == theirs


def test_a_resigned_game_of_a_match_has_its_score() -> None:
    position = read_position("4HPwATDgc/ABMA:cEOzADAAAAAE")
    assert position.match == Match(5, 0, 3)
    assert position.ended == Outcome(Player.SECOND, Reason.RESIGNATION, 2)


def test_a_game_won_on_the_board_is_over() -> None:
    position = read_position("AAAAoAAAAAAAAA:cArgAHAAEAAE")
    assert position.match == Match(7, 2, 7)
    assert position.ended == Outcome(Player.SECOND, Reason.BORNE_OFF)


@pytest.mark.parametrize(("line", "gnu_id"), [
    ("0;1;0;1;1;bottom;top;0;0;0;1;0;0;-2;0;0;0;0;5;0;3;0;0;0;-5;5;0;0;0;-3;0;-5;0;0;0;0;2;0;0;0;",
     "4HPwATDgc/ABMA:cAkAAAAAAAAA"),
    ("5;0;0;0;1;bottom;top;0;2;4;1;0;0;-2;0;0;0;0;5;0;3;0;0;0;-5;5;0;0;0;-3;0;-5;0;0;0;0;2;0;5;2;",
     "4HPwATDgc/ABMA:cImqAEAAEAAE"),
    ("5;0;0;0;0;top;bottom;0;0;0;1;0;0;-2;0;0;0;0;5;0;3;0;0;0;-5;5;0;0;0;-3;0;-5;0;0;0;0;2;0;6;2;",
     "4HPwATDgc/ABMA:MAGrAAAAAAAE"),
    ("5;0;0;0;1;bottom;top;0;4;2;1;0;0;2;-2;1;-3;3;7;0;1;-1;0;0;0;1;-1;0;0;0;0;0;0;-3;-1;-1;-3;0;6;3;",
     "VwcEwRmT+xMEAA:cAmvACAAIAAE"),
    ("0;1;0;1;1;bottom;top;0;0;0;2;-1;0;-2;0;0;0;0;5;0;3;0;0;0;-5;5;0;0;0;-3;0;-5;0;0;0;0;2;0;0;0;",
     "4HPwATDgc/ABMA:QQkAAAAAAAAA"),
])  # fmt: skip
def test_a_line_of_snowies_text_is_read(line: str, gnu_id: str) -> None:
    """Written by GNU Backgammon 1.07: `set gnubgid`, then `export position snowietxt`."""
    assert read_position(line) == read_position(gnu_id)


GNUBG_MATCHES = [
    line.split()
    for line in """
XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:0:10 4HPwATDgc/ABMA:cIkKAAAAAAAE
XGID=-b----E-C---eE---c-e----B-:0:0:-1:61:0:0:0:0:10 4HPwATDgc/ABMA:MAEHAAAAAAAE
XGID=aB---BD-B---eB---c-eA---A-:0:0:-1:00:0:0:0:0:10 w57BgBDwOfgAEA:MAEAAAAAAAAE
XGID=-B--aaDa----dCB---bdAb--BA:0:0:-1:44:0:0:0:0:10 gwfcQFiYN/AgBQ:MAESAAAAAAAE
XGID=aD--BaAB----B--Aa--AAdeAc-:0:0:-1:61:0:0:0:0:10 j2kwQhHnexAAQQ:MAEHAAAAAAAE
XGID=-BbAcCG-Aa---Aa------caac-:0:0:1:63:4:2:0:5:10 VwcEwRmT+xMEAA:cAmvACAAIAAE
XGID=-GAA--d---aaB-A--A-Ab-a-fA:1:1:1:00:2:3:0:7:10 PxlA4QF/BTCRQA:UQngADAAEAAE
XGID=aB---BD-B---eB---c-eA---A-:0:0:1:00:0:0:0:0:10 4HPwAaBhz2BACA:cCEAAAAAAAAE
""".strip().splitlines()
]
"""Asked of GNU Backgammon 1.07: `set gnubgid`, then `show board`. The last three have scores, a cube, a resignation."""


@pytest.mark.parametrize(("xgid", "both"), GNUBG_MATCHES)
def test_a_match_id_behind_it_tells_whose_turn_it_is_and_the_dice(xgid: str, both: str) -> None:
    assert read_position(both) == read_position(f"GNUBG ID: {both}") == read_xgid(xgid)


START = "-b----E-C---eE---c-e----B-"


@pytest.mark.parametrize(("cube", "match", "problem"), [
    (Cube(), Match(5, 3, 4, is_crawford=True), "nobody doubles in the Crawford game"),
    (Cube(), Match(1, is_crawford=True), "no use to a player who wins the match without it"),
    (Cube(), Match(5, 4, 1), "no use to a player who wins the match without it"),
    (Cube(4, Player.FIRST), Match(7, 3, 0), "no use to a player who wins the match without it"),
])  # fmt: skip
def test_a_double_that_the_rules_forbid_is_not_read(cube: Cube, match: Match, problem: str) -> None:
    doubled = WHITE._replace(cube=cube._replace(stage=Stage.DOUBLED), match=match)
    for text in (write_xgid(doubled), write_gnu_id(doubled)):
        with pytest.raises(MalformedPosition, match=problem):
            read_position(text)


def test_a_double_that_was_dropped_is_read_whatever_the_score_is_afterwards() -> None:
    ended = Outcome(Player.FIRST, Reason.DROPPED)
    dropped = WHITE._replace(cube=Cube(stage=Stage.DOUBLED), match=Match(5, 4, 1), ended=ended)
    assert read_position(write_xgid(dropped)) == read_position(write_gnu_id(dropped)) == dropped


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "is neither an XGID such as .* nor a position ID such as"),
        ("4HPwATDgc/ABM", "is neither an XGID such as .* nor a position ID such as"),
        ("4HPwATDgc/ABMA:cAkA", "is neither an XGID such as .* nor a position ID such as"),
        (f"XGID={START}", "is neither an XGID such as .* nor a position ID such as"),
        (f"XGID={START}:0:0:1:52:0:0:0:0", "is neither an XGID such as .* nor a position ID such as"),
        (f"XGID={START}:0:0:2:52:0:0:0:0:10", "is neither an XGID such as .* nor a position ID such as"),
        (f"XGID={START}:0:0:1:٥٢:0:0:0:0:10", "is neither an XGID such as .* nor a position ID such as"),
        (f"XGID={START}:x:0:1:52:0:0:0:0:10", "is neither an XGID such as .* nor a position ID such as"),
        (f"XGID=A{START[1:]}:0:0:1:52:0:0:0:0:10", "is neither an XGID such as .* nor a position ID such as"),
        (f"XGID={START[:-1]}a:0:0:1:52:0:0:0:0:10", "is neither an XGID such as .* nor a position ID such as"),
        (f"XGID={START}:0:0:1:r:0:0:0:0:10", "a raccoon"),
        (f"XGID={START}:0:0:0:D:0:0:0:0:10", "before the opening roll"),
        (f"XGID={START}:1:-0:1:52:0:0:0:0:10", "is neither an XGID such as .* nor a position ID such as"),
        (f"XGID={START}:1:-1:1:D:0:0:0:0:10", "offered by the player who does not have the cube"),
        (f"XGID={START}:0:0:1:B:0:0:0:5:10", "no beavers in a match"),
        (f"XGID={START}:13:1:1:00:0:0:0:0:10", "does not go beyond 4,096"),
        (f"XGID={START}:12:1:1:D:0:0:0:0:10", "does not go beyond 4,096"),
        (f"XGID={START}:0:0:1:00:5:0:0:5:10", "the match to 5 is over at 5-0"),
        (f"XGID={START}:0:0:1:00:0:0:0:26:10", "25 points at most, not 26"),
        (f"XGID={START}:0:0:1:52:0:0:0:0:12 rolling", "the dice are rolled"),
        (f"XGID={START}:0:0:1:00:0:0:0:0:10 1:dropped:4:1", "is not won with 4 points"),
        (f"XGID={START}:0:0:1:00:0:0:0:0:10 well", "is neither an XGID such as .* nor a position ID such as"),
        (f"XGID={START}:0:0:1:70:0:0:0:0:10", "the dice '70'"),
        (f"XGID={START}:0:0:1:5:0:0:0:0:10", "the dice '5'"),
        (f"XGID={START}:0:0:0:52:0:0:0:0:10", "before the opening roll"),
        (f"XGID={START[:-1]}A:0:0:1:52:0:0:0:0:10", "white has 16 men"),
        (f"XGID=a{START[1:]}:0:0:1:52:0:0:0:0:10", "black has 16 men"),
        (f"XGID={START}:0:0:1:52:0:0:0:0:10:15:14", "black has 15 men on the board; 14"),
        (f"XGID={START}:0:0:1:52:0:0:0:0:10:16:15", "1 to 15 men, not 16"),
        (f"XGID={'-' * 26}:0:0:1:52:0:0:0:0:10", "both sides have all their men off"),
        ("AAAAAAAAAAAAAA", "both sides have all their men off"),
        ("//8AAAAAAAAAAA", "black has 16 men"),
        ("AQAAAAAAAgAAAA", "both sides have men on white's point 24"),
        ("4HPwATDgc/ABMB", "more in it than a position"),
        ("4HPwATDgc/ABMA:cArgAHAAEAAE", "nobody has borne off all men"),
        (
            "0;1;0;1;1;x;y;0;0;0;3;0;0;-2;0;0;0;0;5;0;3;0;0;0;-5;5;0;0;0;-3;0;-5;0;0;0;0;2;0;0;0;",
            "not a power of two",
        ),
        ("4HPwATDgc/ABMA:cIkCAAAAAAAE", "the dice '50' are not two of 1 to 6"),
        ("4HPwATDgc/ABMA:cIk/AAAAAAAE", "the dice '77' are not two of 1 to 6"),
        ("AQAABAAAAAAAgA", "more in it than a position"),
        ("4HPwATDgc/ABMA:cDkAAAAAAAAE", "a beaver follows a double"),
        ("4HPwATDgc/ABMA:cTkKAAAAAAAE", "the dice are rolled"),
    ],
)
def test_what_is_no_position_is_refused(text: str, problem: str) -> None:
    with pytest.raises(MalformedPosition, match=problem):
        read_position(text)


def check_text(text: str) -> None:
    try:
        position = read_position(text)
    except LudusError:
        return
    assert read_position(write_xgid(position)) == position


@given(st.text() | st.text("XGID=:-+/aAbBoO0123456", max_size=70) | st.from_regex(r"[A-Za-z0-9+/]{14}", fullmatch=True))
def test_any_text_is_a_position_or_refused(text: str) -> None:
    check_text(text)


TEXTS = [*GNUBG, *GNUBG_MATCHES]


@given(st.sampled_from(TEXTS), st.integers(0, 60), st.characters() | st.sampled_from("aAoO-019:+/BDTYkz"))
def test_text_with_a_changed_character_is_a_position_or_refused(pair: list[str], place: int, character: str) -> None:
    for text in pair:
        check_text(f"{text[:place]}{character}{text[place + 1 :]}")
