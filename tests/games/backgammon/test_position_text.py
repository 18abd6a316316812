import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.core.errors import LudusError, MalformedPosition
from ludus.core.rules import Player
from ludus.games.backgammon.position import VARIANTS, Position, men
from ludus.games.backgammon.position_text import (
    read_position,
    read_position_id,
    read_xgid,
    write_position_id,
    write_xgid,
)

OPENING = VARIANTS["standard"]
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


@pytest.mark.parametrize("text", ["{}", "Position ID: {}", "GNUBG ID: {}:cIkWAAAAAAAA", "{}==", "Position ID:{}="])
def test_a_position_id_is_read_as_it_is_pasted(text: str) -> None:
    assert read_position(text.format("4HPwATDgc/ABMA"))._replace(dice=()) == OPENING._replace(mover=Player.FIRST)


def test_cube_score_and_match_of_an_xgid_mean_nothing() -> None:
    text = "XGID=-b----E-C---eE---c-e----B-:3:-1:1:00:4:2:1:7:10"
    assert read_position(text) == OPENING._replace(mover=Player.FIRST)


GNUBG_MATCHES = [
    line.split()
    for line in """
XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:0:10 4HPwATDgc/ABMA:cIkKAAAAAAAE
XGID=-b----E-C---eE---c-e----B-:0:0:-1:61:0:0:0:0:10 4HPwATDgc/ABMA:MAEHAAAAAAAE
XGID=aB---BD-B---eB---c-eA---A-:0:0:-1:00:0:0:0:0:10 w57BgBDwOfgAEA:MAEAAAAAAAAE
XGID=-B--aaDa----dCB---bdAb--BA:0:0:-1:44:0:0:0:0:10 gwfcQFiYN/AgBQ:MAESAAAAAAAE
XGID=aD--BaAB----B--Aa--AAdeAc-:0:0:-1:61:0:0:0:0:10 j2kwQhHnexAAQQ:MAEHAAAAAAAE
XGID=-BbAcCG-Aa---Aa------caac-:0:0:1:63:0:0:0:0:10 VwcEwRmT+xMEAA:cAmvACAAIAAE
XGID=-GAA--d---aaB-A--A-Ab-a-fA:0:0:1:00:0:0:0:0:10 PxlA4QF/BTCRQA:UQngADAAEAAE
XGID=aB---BD-B---eB---c-eA---A-:0:0:1:00:0:0:0:0:10 4HPwAaBhz2BACA:cCEAAAAAAAAE
""".strip().splitlines()
]
"""Asked of GNU Backgammon 1.07: `set gnubgid`, then `show board`. The last three have scores, a cube, a resignation."""


@pytest.mark.parametrize(("xgid", "both"), GNUBG_MATCHES)
def test_a_match_id_behind_it_tells_whose_turn_it_is_and_the_dice(xgid: str, both: str) -> None:
    assert read_position(both) == read_position(f"GNUBG ID: {both}") == read_xgid(xgid)


START = "-b----E-C---eE---c-e----B-"


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
        (f"XGID={START}:0:0:1:D:0:0:0:0:10", "there is no cube here"),
        (f"XGID={START}:0:0:1:b:0:0:0:0:10", "there is no cube here"),
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
        ("4HPwATDgc/ABMA:cBHgAAAAAAAE", "a double is offered, but there is no cube here"),
        ("4HPwATDgc/ABMA:cIkCAAAAAAAE", "the dice '50' are not two of 1 to 6"),
        ("4HPwATDgc/ABMA:cIk/AAAAAAAE", "the dice '77' are not two of 1 to 6"),
        ("AQAABAAAAAAAgA", "more in it than a position"),
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


@given(st.sampled_from(GNUBG), st.integers(0, 60), st.characters() | st.sampled_from("aAoO-019:"))
def test_text_with_a_changed_character_is_a_position_or_refused(pair: list[str], place: int, character: str) -> None:
    for text in pair:
        check_text(f"{text[:place]}{character}{text[place + 1 :]}")
