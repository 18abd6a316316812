"""Positions and games that people paste, in whatever notation."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludus.core.errors import LudusError, MalformedPosition, MalformedRecord
from ludus.service.pasted import MAX_GAMES, MAX_TEXT, read

DATA = Path(__file__).parents[1] / "games"
PDN = (DATA / "checkers/data/annotated.pdn").read_text()
MAT = (DATA / "backgammon/data/match.mat").read_text()
FEN = "B:W21,22,K30:B1,2,K9"
XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10"
GNU_ID = "4HPwATDgc/ABMA"


@pytest.mark.parametrize(
    ("text", "game", "moves"),
    [
        (PDN, "checkers", 12),
        (MAT, "backgammon", 444),
        (FEN, "checkers", 0),
        (f"  {FEN}\n", "checkers", 0),
        (XGID, "backgammon", 0),
        (GNU_ID, "backgammon", 0),
        (f"Position ID: {GNU_ID}\nMatch ID: cIkKAAAAAAAE", "backgammon", 0),
        (f" GNU Backgammon  Position ID: {GNU_ID}\n                 Match ID   : cIkKAAAAAAAE\n", "backgammon", 0),
        ("1. 11-15 23-19 2. 8-11", "checkers", 3),
        ("11-15 23-19", "checkers", 2),
    ],
)
@pytest.mark.parametrize("chosen", [None, "checkers", "backgammon"])
def test_the_notation_says_which_game_it_is(text: str, game: str, moves: int, chosen: str | None) -> None:
    pasted = read(text, chosen)
    assert (pasted.game, pasted.records[0].length) == (game, moves)


def test_a_mistake_in_a_game_names_its_line() -> None:
    with pytest.raises(MalformedRecord, match="line 4: 11-16 is not legal here"):
        read('[Event "Mistaken"]\n\n1. 11-15 22-17\n2. 11-16 17-14')


def test_a_game_that_cannot_be_read_leaves_the_others() -> None:
    pasted = read('[Event "Good"]\n1. 11-15 *\n\n[Event "Bad"]\n1. 11-11 *\n\n[Event "Late"]\n1. 9-14 *\n')
    assert [record.tags["Event"] for record in pasted.records] == ["Good", "Late"]
    assert pasted.problems and "line 5" in pasted.problems[0]


def test_what_is_neither_is_refused_in_the_words_of_the_chosen_game() -> None:
    with pytest.raises(MalformedPosition, match="is not a FEN"):
        read("hello", "checkers")
    with pytest.raises(LudusError, match="neither"):
        read("hello")
    with pytest.raises(MalformedPosition, match="no text"):
        read(" \n")


@pytest.mark.parametrize("text", [XGID.replace("B-:", "Z-:"), f"{GNU_ID}:cAkAAAAAAAA", "8/5 6/5"])
def test_a_line_that_is_no_game_is_refused_as_a_position(text: str) -> None:
    with pytest.raises(MalformedPosition, match="neither an XGID"):
        read(text, "backgammon")


def test_a_text_has_bounds() -> None:
    with pytest.raises(MalformedRecord, match="characters"):
        read("1. 11-15 " * MAX_TEXT)
    assert len(read('[Event "x"]\n1. 11-15 *\n\n' * (MAX_GAMES + 5)).records) == MAX_GAMES
