"""`ludus analyse` and `ludus bench` as a person in a terminal uses them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ludus.cli import app
from ludus.core.errors import BadInput

THREE_FOR_ONE = "B:W15,16,24,29,32:B3,4,8,9"
OPENING = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
BLUNDER = """[Event "a blunder"]
[GameType "21"]

1. 12-16 24-20 2. 16-19 23x16 3. 10-14 27-23 *
"""


def said(*words: str) -> str:
    done = CliRunner().invoke(app, list(words), catch_exceptions=False)
    assert done.exit_code == 0
    return done.output


def test_the_best_moves_of_a_position_are_shown_with_its_board() -> None:
    text = said("analyse", THREE_FOR_ONE, "--depth", "9", "--lines", "2")
    lines = [line.split() for line in text.splitlines() if "8-11" in line or "points" in line]
    assert lines[0][:3] == ["move", "points", "depth"]
    assert lines[1][0] == "8-11"


def test_a_roll_of_backgammon_has_chances() -> None:
    best = json.loads(said("analyse", OPENING, "--depth", "1", "--json"))[0]
    assert (best["move"], best["depth"], best["exact"]) == ("8/5 6/5", 1, False)
    assert 0.5 < best["chances"][0] < 0.6


def test_a_game_is_looked_through_move_by_move(tmp_path: Path) -> None:
    (file := tmp_path / "game.pdn").write_text(BLUNDER)
    rows = json.loads(said("analyse", str(file), "--depth", "9", "--json"))
    assert [row["ply"] for row in rows] == list(range(6))
    assert [row["player"] for row in rows[:2]] == ["black", "white"]
    assert max(rows, key=lambda row: row["cost"])["played"] == "16-19"  # gives a man
    text = said("analyse", str(file), "--depth", "9")
    assert any("16-19" in line and "?" in line for line in text.splitlines())
    assert "black's prospects" in text and "The game is not finished." in text


@pytest.mark.parametrize(("what", "problem"), [
    ("nonsense", "there is no file nonsense, and it is no position"),
    ("nonsense " * 40, "and it is no position"),
    ("XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10", "the dice have not been thrown"),
    ("W:W5:B1", "the game is over"),
])  # fmt: skip
def test_what_cannot_be_analysed_is_refused(what: str, problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        said("analyse", what)


def test_the_signature_is_the_same_every_time() -> None:
    once, again = (
        [line.split(",")[0] for line in said("bench", "backgammon").splitlines() if "signature" in line] for _ in "ab"
    )
    assert once == again
    assert once[0].startswith("backgammon: signature ")
