"""`ludus dataset`."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from ludus.cli.app import app
from ludus.core.errors import BadInput
from ludus.envs.dataset import Dataset

RUNNER = CliRunner()
GAMES = '1. 11-15 22-18 *\n1. 1-2 *\n[Event "unplayed"]\n\n1-0\n'


def test_games_become_a_dataset_and_bad_ones_are_listed(tmp_path: Path) -> None:
    file, out = tmp_path / "games.pdn", tmp_path / "out"
    file.write_text(GAMES)
    run = RUNNER.invoke(app, ["dataset", str(file), "--out", str(out), "--skip-bad"])
    assert run.exit_code == 0, run.output
    assert run.stdout.splitlines() == [
        f"{out}: 1 game, 2 actions",
        "1 game without moves left out",
        f"1 game skipped, listed in {out / 'skipped.txt'}",
    ]
    assert run.stderr.splitlines()[-2:] == [
        f"{file}: skipped 1 game",
        "  line 2: 1-2 is not legal here: square 2 is occupied",
    ]
    assert len(Dataset(out)) == 2


def test_without_skip_bad_the_first_bad_game_stops_it(tmp_path: Path) -> None:
    file = tmp_path / "games.pdn"
    file.write_text(GAMES)
    with pytest.raises(BadInput, match=r"games\.pdn: line 2: 1-2 is not legal here"):
        RUNNER.invoke(app, ["dataset", str(file), "-o", str(tmp_path / "out")], catch_exceptions=False)


def test_files_without_games_are_counted_and_listed(tmp_path: Path) -> None:
    out = tmp_path / "out"
    (tmp_path / "a.pdn").write_text(GAMES)
    (tmp_path / "letter.pdn").write_text("Dear Ada,\nthe games are on their way.\n")
    run = RUNNER.invoke(app, ["dataset", str(tmp_path), "--out", str(out), "--skip-bad"])
    assert run.exit_code == 0, run.output
    assert run.stdout.splitlines()[-1] == f"1 file without games, listed in {out / 'skipped.txt'}"
    assert run.stderr.splitlines()[-1] == f"{tmp_path / 'letter.pdn'}: no game is found in this file"
