"""Matches in `ludus replay`."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludus.cli.replay import list_games, open_file, read_game, result, show, step_through
from ludus.core.game import Game
from ludus.games import GAMES

MOVES = ("31", "8/5 6/5", "double", "drop", "62", "24/18 13/11", "double", "take", "54", "13/8 13/9", "white resigns 2")


def a_match() -> Game[object, object]:
    record: Game[object, object] = Game(GAMES["backgammon"], "standard+match5")
    for move in MOVES:
        record.play(move)
    return record


def test_the_games_of_a_match_are_listed_with_the_score(capsys: pytest.CaptureFixture[str]) -> None:
    list_games(a_match())
    assert capsys.readouterr().out.splitlines() == [
        "Game 1, to move 4: Black wins 1 point: dropped. The score: white 0, black 1.",
        "Game 2, to move 11: Black wins 4 points: resignation. The score: white 0, black 5.",
    ]


def test_the_move_that_ends_a_game_is_its_players_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    record = a_match()
    show(record, 11, flipped=False)
    said = capsys.readouterr().out
    assert "11/11  white: white resigns 2\nBlack wins 4 points: resignation." in said
    assert said.endswith("Black wins the match, 5-0: resignation.\n")
    show(record, 7, flipped=False)
    assert "wins" not in capsys.readouterr().out


ROWS = "  1) 31: 8/5 6/5                62: 24/18 13/11\n\n"


@pytest.mark.parametrize(("second", "is_divided"), [
    (" Game 3\n Ann : 1    Bob : 1\n", True),
    (" Game 3\n Cy : 1    Bob : 1\n", False),
    (" Game 2\n Ann : 0    Bob : 1\n", False),
    ("3 point match\n\n Game 1\n Ann : 0    Bob : 0\n", False),
])  # fmt: skip
def test_a_match_in_several_records_says_where_it_goes_on(
    second: str, is_divided: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (path := tmp_path / "match.mat").write_text(f"3 point match\n\n Game 1\n Ann : 0    Bob : 0\n{ROWS}{second}{ROWS}")
    read_game(open_file(path, None), 1)
    said = capsys.readouterr().err
    assert ("match.mat: the match goes on in another record: --number 2" in said) is is_divided


def test_a_match_that_goes_on_is_not_finished() -> None:
    record = a_match()
    record.undo()
    assert result(record) == "The match is not finished."


@pytest.mark.parametrize(("typed", "ply"), [("g2", 4), ("g1", 0), ("g0", 0), ("g9", 11), ("g", 0)])
def test_a_key_goes_to_a_game(
    typed: str, ply: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers, asked = iter([typed, "q"]), []

    def answer(question: str) -> str:
        asked.append(question)
        return next(answers)

    monkeypatch.setattr("builtins.input", answer)
    step_through(a_match())
    assert asked == ["0/11> ", f"{ply}/11> "]
