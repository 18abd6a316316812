"""Users of the package get types, and mistakes are found in their programs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = Path(__file__).with_name("typed_program.py")
MISTAKES = """
from ludus import Game
from ludus.envs import batch
from ludus.games.checkers import RULES

Game(RULES).play(11)
batch("backgammon", 1000, sed=1)
batch("backgammon", "many")
Game(RULES).legal_moves()[0].squares
"""


@pytest.mark.slow
def test_a_users_program_is_typed_and_its_mistakes_are_found(tmp_path: Path) -> None:
    """With the project's own settings, so that the cache of `make lint` serves here too."""
    (mistakes := tmp_path / "mistakes.py").write_text(MISTAKES)
    command = [sys.executable, "-m", "mypy", "--no-error-summary", str(PROGRAM), str(mistakes)]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout
    errors = [line.split(":")[:2] for line in said.splitlines() if "error:" in line]
    assert {(Path(file).name, line) for file, line in errors} == {("mistakes.py", line) for line in "6789"}, said
