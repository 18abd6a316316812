from __future__ import annotations

from typing import Any

import pytest

torch: Any = pytest.importorskip("torch")

from ludus.training.backgammon import net, turns
from ludus.training.backgammon.backend import Cpu
from ludus.training.backgammon.evaluator import NetEvaluator
from ludus.training.backgammon.learner import SMALL_PLAN, Learner
from ludus.training.backgammon.net import Net
from ludus.training.backgammon.pruning import learn_to_prune
from ludus.training.backgammon.selfplay import HOPELESS, Games, Pruning
from ludus.training.run import OutOfTime

GAMES = 6
CPU = Cpu(2)
PLAN = SMALL_PLAN._replace(
    games=8, turns=4, steps=2, batch=64, capacity=4096, hidden=16, narrow=4, forks=6, pair_batch=16, kept=3,
    pruning_hidden=8, pruning_steps=4,
)  # fmt: skip


def evaluator(seed: int) -> NetEvaluator:
    torch.manual_seed(seed)
    return NetEvaluator(Net(16, 4), CPU, 4096)


def mid_games() -> Games:
    games, network = Games(CPU, GAMES, 3, all_rolls=True), evaluator(1)
    for _ in range(12):
        games.play_turn(network, 0.5, 0.5)
    return games


def values(games: Games, starts: Any, equity: Any, i: int) -> list[float]:
    """Of the plays of one game and roll, for the side that makes them."""
    plays, first = games.list.numpy(), int(games.rooms[i])
    return [
        turns.value_of(plays, first + j, float(equity[int(starts[i]) + j])) for j in range(int(games.counts[i]))
    ]  # fmt: skip


def test_pruning_keeps_the_plays_that_look_best_to_the_small_network() -> None:
    games, large, small = mid_games(), evaluator(1), evaluator(2)
    games.pruning = Pruning(small, 4)
    plays = games.find_best(large)
    starts, after = games.list_plays()
    rough = small.evaluate(after, after.shape[1]).equity
    for i in range(len(starts)):
        first, number = int(starts[i]), int(games.counts[i])
        kept = {j for j in range(number) if plays.equity[first + j] < HOPELESS}
        worth = values(games, starts, rough, i)
        assert kept == set(sorted(range(number), key=worth.__getitem__, reverse=True)[:4])
        assert int(plays.best[i] - games.rooms[i]) in kept


def test_what_is_kept_has_the_large_networks_values() -> None:
    games, large = mid_games(), evaluator(1)
    all_plays, backup = games.look_ahead(large)
    games.pruning = Pruning(large, 1)  # keeps the best play, since both networks are the same
    pruned, same = games.look_ahead(large)
    assert torch.equal(pruned.best, all_plays.best)
    assert torch.allclose(same, backup, atol=1e-6)


def test_nothing_is_lost_where_all_plays_are_kept() -> None:
    games, large = mid_games(), evaluator(1)
    expected, backup = games.look_ahead(large)
    games.pruning = Pruning(evaluator(2), int(expected.counts.max()))
    found, same = games.look_ahead(large)
    assert torch.allclose(found.equity, expected.equity, atol=1e-6)
    assert torch.allclose(same, backup, atol=1e-6)


def test_the_small_network_learns_the_large_ones_values() -> None:
    large, games = evaluator(1), mid_games()
    packed = games.list_plays()[1]
    expected = large.evaluate(packed, packed.shape[1]).equity

    def error(steps: int) -> float:
        torch.manual_seed(4)
        pruning = learn_to_prune(large, CPU, 16, 4, 3, 16, 4, steps, 256, 4096)
        assert pruning.number == 3
        return float((pruning.evaluator.evaluate(packed, packed.shape[1]).equity - expected).square().mean())

    assert error(200) < error(1) / 4


def test_time_is_checked_while_the_small_network_learns() -> None:
    left = 9

    def check_time() -> None:
        nonlocal left
        left -= 1
        if not left:
            raise OutOfTime

    learner = Learner(PLAN._replace(pruning_steps=10_000), CPU)
    with pytest.raises(OutOfTime):
        learner.learn(check_time)
    assert learner.generation == 0 and learner._games.pruning is None


def test_a_training_with_pruning_learns_and_resumes(tmp_path: Any) -> None:
    learner = Learner(PLAN, CPU)
    assert learner._games.pruning is None
    learner.learn()
    assert learner._games.pruning is not None
    before = net.arrays(learner.net)["weight_0"].copy()
    learner.learn()
    assert (net.arrays(learner.net)["weight_0"] != before).any()
    learner.save(tmp_path / "checkpoint.pt")
    again = Learner.load(tmp_path / "checkpoint.pt", CPU)
    again.learn()
    assert again._games.pruning is not None and again.generation == 3
