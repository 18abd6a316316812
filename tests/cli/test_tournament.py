"""`ludus tournament` as a person in a terminal uses it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.forked_command import run_command

from ludus.games import GAMES


def said(*words: str) -> str:
    run = run_command("tournament", *words, folder=Path.cwd())
    assert (run.returncode, run.stderr) == (0, "")
    return run.stdout


def test_the_cross_table_of_a_round_robin() -> None:
    lines = said("checkers", "easy", "novice", "random", "--seed", "1").splitlines()
    assert lines[0] == "Round robin of 3 entrants at checkers, 3 rounds, 2 games in each meeting, seed 1"
    assert lines[1].split() == ["score", "1", "2", "3", "Buchholz", "S-B"]
    assert lines[2].split() == ["1", "easy", "2", "·", "1", "1", "1", "1"]
    assert lines[4].split()[:3] == ["3", "random", "0"]


def test_the_rounds_of_a_swiss_tournament() -> None:
    lines = said(
        "checkers", "easy", "random", "random", "--format", "swiss", "--rounds", "2", "--games", "1"
    ).splitlines()
    assert lines[0] == "Swiss system of 3 entrants at checkers, 2 rounds, 1 game in each meeting, seed 0"
    assert lines[1].split() == ["score", "R1", "R2", "Buchholz", "S-B"]
    assert sum(line.count("bye") for line in lines) == 2


def test_games_are_written_and_results_are_printed_as_json(tmp_path: Path) -> None:
    out = tmp_path / "games.pdn"
    words = ("checkers", "easy", "random", "--format", "knockout", "--games", "1", "--json", "--out", str(out))
    run = run_command("tournament", *words, folder=tmp_path)
    assert (run.returncode, run.stderr) == (0, f"  1 game written to {out}\n")
    found = json.loads(run.stdout)
    assert [row["name"] for row in found["standings"]] == ["easy", "random"]
    assert found["rounds"] == [[{"first": "easy", "second": "random", "score": 1.0}]]
    (game,) = GAMES["checkers"].notation.read_games(out.read_text())
    assert (game.tags["Black"], game.tags["White"], game.tags["Round"]) == ("easy", "random", "1.1")


def test_a_format_that_does_not_exist_is_refused() -> None:
    run = run_command("tournament", "checkers", "easy", "random", "--format", "ladder", folder=Path.cwd())
    assert run.returncode == 2 and "round-robin, swiss, knockout" in run.stderr
