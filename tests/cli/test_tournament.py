"""`ludus tournament` as a person in a terminal uses it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

from tests.forked_command import run_command

from ludus.core.rules import Player
from ludus.games import GAMES

POINTS = {"+": 1.0, "=": 0.5, "-": 0.0}


class Row(NamedTuple):
    """A line of the table."""

    place: int
    name: str
    score: float
    cells: list[str]
    buchholz: float
    sonneborn_berger: float

    @classmethod
    def read(cls, line: str) -> Row:
        place, name, score, *cells, buchholz, last = re.split(r"  +", line.strip())
        return cls(int(place), name, number_of(score), cells, number_of(buchholz), float(last))


def number_of(text: str) -> float:
    return float(text.replace("½", ".5"))


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


def test_the_cross_table_of_sixty_four_bots_is_what_their_games_say(tmp_path: Path) -> None:
    entrants = ("easy", "novice", "beginner", *("random",) * 61)
    words = ("checkers", *entrants, "--format", "swiss", "--games", "1", "--out", str(tmp_path / "games.pdn"))
    run = run_command("tournament", *words, folder=tmp_path)
    assert run.returncode == 0
    title, heads, *rows = run.stdout.splitlines()
    assert title == "Swiss system of 64 entrants at checkers, 8 rounds, 1 game in each meeting, seed 0"
    assert heads.split() == ["score", *(f"R{number}" for number in range(1, 9)), "Buchholz", "S-B"]
    table = [Row.read(line) for line in rows]
    assert [row.place for row in table] == list(range(1, 65))
    places = {row.name: row.place for row in table}
    cells: dict[int, dict[int, str]] = {row.place: {} for row in table}
    for game in GAMES["checkers"].notation.read_games((tmp_path / "games.pdn").read_text()):
        assert game.outcome is not None
        black, white = places[game.tags["Black"]], places[game.tags["White"]]
        signs = {Player.FIRST: "+-", Player.SECOND: "-+", None: "=="}[game.outcome.winner]
        number = int(game.tags["Round"].partition(".")[0])
        for own, other, sign in ((black, white, signs[0]), (white, black, signs[1])):
            assert cells[own].setdefault(number, f"{other}{sign}") == f"{other}{sign}", "two games in a round"
    scores = {place: sum(POINTS[cell[-1]] for cell in own.values()) for place, own in cells.items()}
    for row in table:
        assert row.cells == [cells[row.place][number] for number in range(1, 9)]
        met = [(int(cell[:-1]), POINTS[cell[-1]]) for cell in row.cells]
        assert len({other for other, _ in met} - {row.place}) == 8, "nobody is met twice"
        assert row.score == scores[row.place]
        assert row.buchholz == sum(scores[other] for other, _ in met)
        assert row.sonneborn_berger == sum(scores[other] * points for other, points in met)
    order = [(row.score, row.buchholz, row.sonneborn_berger) for row in table]
    assert order == sorted(order, reverse=True) and sum(scores.values()) == 256


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
