from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

torch: Any = pytest.importorskip("torch")

from ludus.cli.train import train

app = typer.Typer()
app.command()(train)


def test_the_command_trains_and_resumes(tmp_path: Path) -> None:
    run = ["backgammon", "--minutes", "0", "--out", str(tmp_path), "--generations", "1"]
    first = CliRunner().invoke(app, run)
    assert first.exit_code == 0, first.output
    assert "0 of 1 generations" in first.output
    assert (tmp_path / "network.npz").is_file()


def test_games_without_training_are_refused() -> None:
    result = CliRunner().invoke(app, ["chess"])
    assert result.exit_code == 2
    assert "cannot be trained" in result.output
