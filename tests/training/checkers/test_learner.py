from __future__ import annotations

import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from ludus.cli.train import train as command
from ludus.core.errors import BadInput, UnknownOption
from ludus.engines.checkers import weights
from ludus.training.checkers import CHECKPOINT, WEIGHTS, load_learner, new_learner
from ludus.training.checkers.folding import fold, initial_weights
from ludus.training.checkers.learner import Learner, Plan
from ludus.training.checkers.workers import Workers
from ludus.training.run import CURVE, Options, Run

TINY = Plan(generations=2, games=32, nodes=40, more_nodes=10, match_games=4, match_nodes=40)


def train_in(learner: Learner, out: Path, seconds: float = 1e9, now: Callable[[], float] = time.monotonic) -> list[str]:
    said: list[str] = []
    Run("checkers", learner, out).train(seconds, 1, lambda _: None, said.append, now)
    return said


def test_a_run_writes_weights_checkpoint_and_curve(tmp_path: Path) -> None:
    pytest.importorskip("PIL")
    learner = Learner(TINY, Workers(1))
    said = train_in(learner, tmp_path)
    assert learner.is_done and len(said) == 2
    assert said[0].startswith("generation 1: 32 games")
    assert np.array_equal(weights.load(tmp_path / WEIGHTS), learner.weights)
    assert (tmp_path / CURVE).read_bytes().startswith(b"\x89PNG")


def test_a_checkpoint_resumes_where_it_was(tmp_path: Path) -> None:
    pytest.importorskip("PIL")
    learner = Learner(TINY._replace(generations=1), Workers(1))
    train_in(learner, tmp_path)
    again = load_learner(tmp_path / CHECKPOINT, "cpu", 2)
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


def test_a_training_starts_from_given_weights(tmp_path: Path) -> None:
    pytest.importorskip("PIL")
    weights.save(tmp_path / "given.npz", weights.packaged())
    options = Options(start=tmp_path / "given.npz", nodes=50, games=16, generations=1)
    learner = new_learner(options, "cpu")
    assert np.array_equal(learner.weights, weights.packaged())
    assert learner.plan[:4] == (1, 1, 16, 50)
    assert learner.plan.window == 3
    learner.save(tmp_path / CHECKPOINT)
    again = load_learner(tmp_path / CHECKPOINT, "cpu")
    assert again.plan.is_started and np.array_equal(again.weights, weights.packaged())


def test_a_corrupt_start_file_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("PIL")
    (tmp_path / "given.npz").write_bytes(b"no archive")
    with pytest.raises(weights.MalformedWeights):
        Run.open("checkers", tmp_path / "run", "cpu", Options(start=tmp_path / "given.npz"), resume=False)


@pytest.mark.parametrize("option", [["checkers", "--width", "8"], ["backgammon", "--nodes", "8"]])
def test_an_option_of_the_other_game_is_refused(option: list[str], tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(command)
    result = CliRunner().invoke(app, [*option, "--out", str(tmp_path)])
    assert isinstance(result.exception, BadInput)
    assert f"{option[1]} is for" in str(result.exception)


def test_no_time_means_no_generation(tmp_path: Path) -> None:
    learner = Learner(TINY, Workers(1))
    train_in(learner, tmp_path, seconds=0)
    assert learner.generation == 0
    assert (tmp_path / CHECKPOINT).is_file()


def test_time_is_checked_within_a_generation(tmp_path: Path) -> None:
    checks = count()
    learner = Learner(TINY, Workers(1))
    assert train_in(learner, tmp_path, 3, lambda: next(checks)) == ["time is up after generation 0 of 2"]
    assert (learner.generation, learner.games, learner.positions) == (0, 0, 0)


def test_matches_are_cut_short_when_time_is_up(tmp_path: Path) -> None:
    checks = count()
    learner = Learner(TINY._replace(match_games=40), Workers(1))
    train_in(learner, tmp_path, 4, lambda: next(checks))
    assert learner.generation == 1
    assert [score.games for score in (learner.reports[0].first, learner.reports[0].last)] == [16, 16]


def test_a_match_in_rounds_has_all_its_games() -> None:
    made = Workers(2).match(weights.packaged(), fold(initial_weights()), 1, 72, 20)
    assert made.games == 72


def test_ctrl_c_keeps_what_was_learned_and_says_so(tmp_path: Path) -> None:
    learner, said = Learner(TINY, Workers(1)), list[str]()
    learner.learn()
    theta = learner.theta.copy()

    def interrupt(_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Run("checkers", learner, tmp_path).train(600, 1, interrupt, said.append)
    assert said == ["stopped after generation 1 of 2; --resume continues"]
    again = load_learner(tmp_path / CHECKPOINT, "cpu")
    assert (again.generation, again.games) == (1, 32)
    assert np.array_equal(again.theta, theta)


def test_a_folder_is_not_overwritten(tmp_path: Path) -> None:
    train_in(Learner(TINY, Workers(1)), tmp_path, seconds=0)
    with pytest.raises(BadInput, match="has a training already"):
        Run.open("checkers", tmp_path, "cpu", Options(), resume=False)


def test_there_must_be_something_to_resume(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="to resume from"):
        Run.open("checkers", tmp_path, "cpu", Options(), resume=True)


def test_a_damaged_checkpoint_is_refused(tmp_path: Path) -> None:
    (tmp_path / CHECKPOINT).write_bytes(b"no archive")
    with pytest.raises(BadInput, match="not a checkpoint"):
        Run.open("checkers", tmp_path, "cpu", Options(), resume=True)


def test_checkers_is_not_trained_on_a_gpu(tmp_path: Path) -> None:
    with pytest.raises(UnknownOption, match="--device cpu"):
        Run.open("checkers", tmp_path, "cuda", Options(), resume=False)


def test_the_command_starts_a_training(tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(command)
    run = ["checkers", "--minutes", "0", "--out", str(tmp_path), "--generations", "3"]
    result = CliRunner().invoke(app, run)
    assert result.exit_code == 0, result.output
    assert "checkers: 0 of 3 generations" in result.output
    assert (tmp_path / "weights.npz").is_file()


def test_a_checkpoint_with_older_names_is_read(tmp_path: Path) -> None:
    learner = Learner(TINY._replace(random_every=30, search_weight=0.7, initial_gradient=2.0), Workers(1))
    learner.save(path := tmp_path / CHECKPOINT)
    parts = dict(np.load(path))
    story = str(parts["story"])
    for new, old in (("random_every", "whims"), ("search_weight", "trust"), ("initial_gradient", "caution")):
        story = story.replace(new, old)
    np.savez_compressed(path, theta=parts["theta"], story=np.array(story))
    assert load_learner(path, "cpu").plan == learner.plan
