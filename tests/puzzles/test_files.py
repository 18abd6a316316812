"""Files of puzzles."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.puzzles.test_puzzle import PLAY, SHOT

from ludus.core.errors import MalformedRecord
from ludus.puzzles import puzzles, read, write


def test_what_is_written_is_read_again() -> None:
    assert read(write([SHOT, PLAY])) == [SHOT, PLAY]


def test_a_game_without_puzzles_has_none() -> None:
    assert puzzles("no-such-game") == ()


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"id": "0123456789"}, "is not the id"),
        ({"game": "chess"}, "there is no game 'chess'"),
        ({"position": 7}, "is not the id"),
        ({"moves": ["22-18", "15x22"]}, "an odd number of moves"),
        ({"moves": ["22-18", "15x22", "26x17"]}, "26x17 is not legal here"),
        ({"moves": "22-18"}, "an odd number of moves"),
        ({"margin": 0}, "the margin is a number above 0"),
        ({"margin": float("inf")}, "the margin is a number above 0"),
        ({"rating": 99}, "a whole number from 100 to 4000"),
        ({"rating": True}, "a whole number from 100 to 4000"),
        ({"themes": ["Shot!"]}, "themes are words"),
        ({"source": ""}, "a text of up to 200 characters"),
        ({"more": 1}, "an object with the fields id, game"),
    ],
)
def test_anything_else_in_a_line_is_refused(change: dict[str, Any], problem: str) -> None:
    line = json.dumps({**SHOT._asdict(), **change})
    with pytest.raises(MalformedRecord, match=f"line 2: .*{problem}"):
        read(f"{write([PLAY])}{line}\n")


def test_a_puzzle_is_refused_the_second_time() -> None:
    with pytest.raises(MalformedRecord, match=f"line 3: {SHOT.id} is in the file twice"):
        read(write([SHOT, PLAY, SHOT]))
