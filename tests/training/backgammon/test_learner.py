from __future__ import annotations

import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch: Any = pytest.importorskip("torch")

from ludus.core.errors import BadInput, NoDevice, UnknownOption
from ludus.engines.backgammon.network import Network
from ludus.engines.backgammon.network.network import load_arrays
from ludus.games.backgammon.position import VARIANTS
from ludus.training.backgammon import CHECKPOINT, WEIGHTS, load_learner, net
from ludus.training.backgammon.backend import Cpu, backend
from ludus.training.backgammon.evaluator import LinearEvaluator, RandomEvaluator
from ludus.training.backgammon.learner import FURTHER_PLAN, SMALL_PLAN, Learner, plan_for
from ludus.training.backgammon.match import matches
from ludus.training.run import CURVE, Options, Run

TINY = SMALL_PLAN._replace(
    generations=6, games=8, turns=4, steps=2, batch=64, capacity=4096, hidden=16, narrow=4, match_games=4
)
CPU = Cpu(2)


def weights(learner: Learner) -> Any:
    return torch.cat([part.flatten() for part in learner.net.parameters()])


def test_the_same_seed_learns_the_same() -> None:
    one, two, other = (Learner(TINY._replace(seed=seed), CPU) for seed in (1, 1, 2))
    for learner in (one, other):
        torch.manual_seed(learner.plan.seed)
        learner.learn()
    torch.manual_seed(1)
    two.learn()
    assert torch.equal(weights(one), weights(two))
    assert not torch.equal(weights(one), weights(other))


def test_more_steps_on_the_same_positions_lower_the_loss() -> None:
    learner = Learner(TINY._replace(steps=30), CPU)
    learner.learn()
    first = learner.loss
    for _ in range(5):
        learner._fit()
    assert learner.loss < first


def test_a_saved_training_continues(tmp_path: Path) -> None:
    learner = Learner(TINY, CPU)
    learner.learn()
    learner.measure()
    learner.save(tmp_path / "checkpoint.pt")
    again = Learner.load(tmp_path / "checkpoint.pt", CPU)
    assert (again.generation, again.plan, again.measurements) == (1, TINY, learner.measurements)
    assert torch.equal(weights(again), weights(learner))
    again.learn()
    assert again.generation == 2


def test_a_run_writes_checkpoint_weights_and_curve_and_can_be_resumed(tmp_path: Path) -> None:
    learner = Learner(TINY._replace(generations=2), CPU)
    said = train(learner, tmp_path, 600, time.monotonic)
    assert {path.name for path in tmp_path.iterdir()} == {CHECKPOINT, WEIGHTS, CURVE}
    assert len(said) == 2
    start = VARIANTS["standard"]
    assert -1 < Network.load(tmp_path / WEIGHTS).chances(*start.white, *start.black).equity < 1
    longer = Run.open("backgammon", tmp_path, "cpu", Options(generations=3), resume=True).learner
    assert (longer.generation, longer.generations) == (2, 3)


def train(learner: Learner, out: Path, seconds: float, now: Any) -> list[str]:
    said: list[str] = []
    Run("backgammon", learner, out).train(seconds, 100, lambda _: None, said.append, now)
    return said


def test_time_is_checked_within_a_generation(tmp_path: Path) -> None:
    checks = count()
    learner = Learner(TINY._replace(turns=4), CPU)
    said = train(learner, tmp_path, 7, lambda: next(checks))
    assert (learner.generation, learner.positions) == (1, 32)
    assert said[1:] == ["time is up after generation 1 of 6"]
    assert Learner.load(tmp_path / CHECKPOINT, CPU).generation == 1


def test_a_measurement_ends_when_time_is_up_and_reports_its_games(tmp_path: Path) -> None:
    checks = count()
    learner = Learner(TINY._replace(match_games=12, match_round=4), CPU)
    said = train(learner, tmp_path, TINY.turns + 2, lambda: next(checks))
    (found,) = learner.measurements
    assert {result.games for result in (found.previous, found.linear, found.random)} == {8}
    assert said == [str(found), "time is up after generation 1 of 6"]
    assert said[0].endswith("(8 games each)")


def test_what_was_learned_is_measured_when_time_is_up(tmp_path: Path) -> None:
    checks = count()
    learner = Learner(TINY._replace(generations=9, match_games=12, match_round=4), CPU)
    learner.generation = 2  # the next measurement is due after the fourth
    said = train(learner, tmp_path, TINY.turns + 1, lambda: next(checks))
    assert said[0] == "time is up after generation 3 of 9"
    assert (learner.measurements[0].generation, learner.measurements[0].linear.games) == (3, 4)


def test_rounds_of_a_match_differ_and_are_reproducible() -> None:
    linear, rivals = LinearEvaluator(), (LinearEvaluator(), RandomEvaluator(1, "cpu"))
    one, two = (matches(CPU, linear, (LinearEvaluator(), RandomEvaluator(1, "cpu")), 24, 8, 1) for _ in "ab")
    assert one == two
    assert [found.games for found in one] == [24, 24]
    assert one != matches(CPU, linear, rivals, 24, 24, 1)
    assert one[1].points > 0


def test_a_resumed_training_refills_its_replay_buffer_within_its_time(tmp_path: Path) -> None:
    checks = count()
    learner = Learner(TINY, CPU)
    learner.generation = 3
    learner.save(tmp_path / CHECKPOINT)
    resumed = load_learner(tmp_path / CHECKPOINT, "cpu")
    assert (resumed.positions, resumed.missing) == (0, 3)
    said = train(resumed, tmp_path, 2 * TINY.turns + 2, lambda: next(checks))
    assert said[0] == "refilling the replay buffer with 3 generations of games"
    assert said[1:] == ["time is up after generation 3 of 6"]
    assert (resumed.positions, resumed.missing) == (2 * TINY.turns * TINY.games, 1)


def test_ctrl_c_keeps_what_was_learned_and_says_so(tmp_path: Path) -> None:
    learner = Learner(TINY, CPU)
    learner.learn()
    said: list[str] = []

    def interrupt(_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Run("backgammon", learner, tmp_path).train(600, 100, interrupt, said.append)
    assert said == ["stopped after generation 1 of 6; --resume continues"]
    again = Learner.load(tmp_path / CHECKPOINT, CPU)
    assert again.generation == 1 and torch.equal(weights(again), weights(learner))
    assert (tmp_path / WEIGHTS).is_file()


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-500])


def make_something_else(path: Path) -> None:
    torch.save({"net": 1}, path)


def make_text(path: Path) -> None:
    path.write_text("no archive")


def take_a_part(path: Path) -> None:
    parts = torch.load(path, weights_only=True)
    torch.save(parts | {"steady": {}}, path)


@pytest.mark.parametrize("damage", [Path.unlink, cut_short, make_something_else, make_text, take_a_part])
def test_a_damaged_checkpoint_is_refused(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    path = tmp_path / CHECKPOINT
    Learner(TINY, CPU).save(path)
    damage(path)
    with pytest.raises(BadInput, match="is damaged, truncated or not a checkpoint"):
        Learner.load(path, CPU)


def test_a_training_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / CHECKPOINT).touch()
    with pytest.raises(BadInput, match="--resume"):
        Run.open("backgammon", tmp_path, "cpu", Options(), resume=False)


def test_there_must_be_a_training_to_resume(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="to resume from"):
        Run.open("backgammon", tmp_path, "cpu", Options(), resume=True)


def test_an_unknown_or_missing_device_is_refused() -> None:
    with pytest.raises(UnknownOption):
        backend("tpu")
    if not torch.cuda.is_available():
        with pytest.raises(NoDevice):
            backend("cuda")


def test_a_match_between_equal_players_is_even() -> None:
    assert matches(CPU, LinearEvaluator(), [LinearEvaluator()], 12, 12, 1)[0].points == 0


def test_the_linear_player_beats_random_play() -> None:
    (result,) = matches(CPU, LinearEvaluator(), [RandomEvaluator(1, "cpu")], 40, 40, 1)
    assert result.points > 4 * result.error


def test_weights_are_exported_in_half_precision(tmp_path: Path) -> None:
    Learner(TINY, CPU).export(tmp_path / "own.npz")
    parts = np.load(tmp_path / "own.npz")
    assert {parts[name].dtype for name in parts if name != "format"} == {np.dtype(np.float16)}


def test_a_widened_network_starts_with_the_same_outputs(tmp_path: Path) -> None:
    first = Learner(TINY, CPU)
    first.learn()
    first.export(tmp_path / "first.npz")
    wider = Learner.new(Options(start=tmp_path / "first.npz", width=40), CPU)
    assert (wider.net.hidden, wider.net.narrow) == (40, TINY.narrow)
    packed = first._games.pack()
    before, after = (
        evaluator.evaluate(packed, TINY.games).chances for evaluator in (first._evaluator, wider._evaluator)
    )
    assert torch.allclose(before, after, atol=1e-3)


def test_added_units_learn(tmp_path: Path) -> None:
    Learner(TINY, CPU).export(tmp_path / "first.npz")
    wider = Learner(TINY._replace(hidden=24), CPU)
    wider.start_from(load_arrays(tmp_path / "first.npz"))
    assert not wider.net.second.weight[:, TINY.hidden :].any()
    wider.learn()
    assert wider.net.second.weight[:, TINY.hidden :].any()


def test_a_network_is_not_made_narrower(tmp_path: Path) -> None:
    Learner(TINY, CPU).export(tmp_path / "first.npz")
    with pytest.raises(BadInput, match="do not fit"):
        Learner.new(Options(start=tmp_path / "first.npz", width=8), CPU)


def test_options_change_the_plan_for_the_device() -> None:
    plan = plan_for(Options(seed=5, rate=0.01, width=100), "cpu")
    assert (plan.seed, plan.rate, plan.hidden, plan.games) == (5, 0.01, 100, SMALL_PLAN.games)
    assert plan_for(Options(start=Path("a")), "cuda") == FURTHER_PLAN


def test_the_equity_weight_scales_the_error_of_the_equity() -> None:
    logits, target = torch.zeros((1, 6)), torch.tensor([[1.0, 0, 0, 0, 0, 0]])
    plain, stressed = (float(net.loss(logits, target, equity_weight)) for equity_weight in (1.0, 4.0))
    assert stressed - plain == pytest.approx(3.0)
