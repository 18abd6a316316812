from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from ludus.cli.train import train as command
from ludus.core.errors import BadInput, UnknownOption
from ludus.engines.checkers import weights
from ludus.training.checkers import session
from ludus.training.checkers.learner import Learner, Plan
from ludus.training.checkers.workers import Workers

TINY = Plan(generations=2, games=32, nodes=40, more_nodes=10, match_games=4, match_nodes=40)


def sit(learner: Learner, out: Path, seconds: float = 1e9) -> list[str]:
    said: list[str] = []
    session.train(learner, out, seconds, 1, lambda _: None, said.append)
    return said


def test_a_training_leaves_weights_checkpoint_and_curve(tmp_path: Path) -> None:
    pytest.importorskip("PIL")
    learner = Learner(TINY, Workers(1))
    said = sit(learner, tmp_path)
    assert learner.is_done and len(said) == 2
    assert said[0].startswith("generation 1: 32 games")
    assert np.array_equal(weights.load(tmp_path / session.WEIGHTS), learner.weights)
    assert (tmp_path / session.CURVE).read_bytes().startswith(b"\x89PNG")


def test_a_checkpoint_resumes_where_it_was(tmp_path: Path) -> None:
    pytest.importorskip("PIL")
    learner = Learner(TINY._replace(generations=1), Workers(1))
    sit(learner, tmp_path)
    again = session.open_learner(tmp_path, "cpu", resume=True, seed=9, generations=2)
    assert again.generation == 1 and again.games == 32 and not again.is_done
    assert again.plan.seed == TINY.seed
    assert np.array_equal(again.theta, learner.theta)
    assert again.reports == learner.reports
    again.learn()
    assert again.games == 64 and again.is_done


def test_the_weights_move(tmp_path: Path) -> None:
    learner = Learner(TINY, Workers(1))
    before = learner.weights
    learner.learn()
    assert not np.array_equal(before, learner.weights)


def test_no_time_is_no_generation(tmp_path: Path) -> None:
    learner = Learner(TINY, Workers(1))
    sit(learner, tmp_path, seconds=0)
    assert learner.generation == 0
    assert (tmp_path / session.CHECKPOINT).is_file()


def test_a_folder_is_not_overwritten(tmp_path: Path) -> None:
    sit(Learner(TINY, Workers(1)), tmp_path, seconds=0)
    with pytest.raises(BadInput, match="has a training already"):
        session.open_learner(tmp_path, "cpu", resume=False, seed=1, generations=None)


def test_there_must_be_something_to_resume(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="to go on from"):
        session.open_learner(tmp_path, "cpu", resume=True, seed=1, generations=None)


def test_a_damaged_checkpoint_is_refused(tmp_path: Path) -> None:
    (tmp_path / session.CHECKPOINT).write_bytes(b"no archive")
    with pytest.raises(BadInput, match="no checkpoint"):
        session.open_learner(tmp_path, "cpu", resume=True, seed=1, generations=None)


def test_checkers_is_not_trained_on_a_gpu(tmp_path: Path) -> None:
    with pytest.raises(UnknownOption, match="--device cpu"):
        session.open_learner(tmp_path, "cuda", resume=False, seed=1, generations=None)


def test_the_command_opens_a_training(tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(command)
    run = ["checkers", "--minutes", "0", "--out", str(tmp_path), "--generations", "3"]
    result = CliRunner().invoke(app, run)
    assert result.exit_code == 0, result.output
    assert "checkers: 0 of 3 generations" in result.output
    assert (tmp_path / "weights.npz").is_file()
