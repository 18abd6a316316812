"""What `ludus train` refuses before anything is trained."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ludus.cli.train import train
from ludus.core.errors import BadInput
from ludus.envs.policy import Policy, widths


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    shape = widths("backgammon")
    Policy.from_layers("backgammon", [(np.zeros(shape), np.zeros(shape[1]))]).save(file := tmp_path / "policy.npz")
    return file


@pytest.mark.parametrize("game", ["checkers", "backgammon"])
def test_only_weights_of_the_game_can_be_begun_with(tmp_path: Path, policy: Path, game: str) -> None:
    (text := tmp_path / "notes.txt").write_text("no weights")
    for file in (policy, text):
        with pytest.raises(BadInput, match=rf"{file.name} is not a weights file for {game}$"):
            train(game, out=tmp_path / "run", start=file)
    assert not (tmp_path / "run").exists()


def test_a_training_that_is_resumed_is_not_changed(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="--games is for a new training"):
        train("checkers", out=tmp_path, resume=True, games=8)
    with pytest.raises(BadInput, match="--width is for a new training"):
        train("backgammon", out=tmp_path, resume=True, width=64)
