from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch")

from ludus.core.errors import BadInput
from ludus.games.backgammon import kernel
from ludus.training.backgammon import net, turns
from ludus.training.backgammon.backend import Cpu
from ludus.training.backgammon.evaluator import NetEvaluator
from ludus.training.backgammon.learner import SMALL_PLAN, Learner, plan_for
from ludus.training.backgammon.net import Net, equity
from ludus.training.backgammon.selfplay import Forks, Games, TwoRolls
from ludus.training.run import Options

CPU = Cpu(2)
PLAN = SMALL_PLAN._replace(
    games=8, turns=4, steps=2, batch=64, capacity=4096, hidden=16, narrow=4, forks=8, pair_batch=16, deeper=4,
    decided_batch=8,
)  # fmt: skip


def evaluator() -> NetEvaluator:
    torch.manual_seed(1)
    return NetEvaluator(Net(16, 4), CPU, 4096)


def one_roll(planes: list[int], network: NetEvaluator) -> Any:
    """The chances of the side to roll, backed up from one roll."""
    games = Games(CPU, 1, 0, all_rolls=True)
    games.state[:4, 0] = torch.tensor(planes)
    return games.look_ahead(network)[1][0]


def brute_force(planes: list[int], network: NetEvaluator) -> Any:
    """The same from two rolls, a play at a time."""
    total = torch.zeros(6)
    for roll in range(turns.ROLLS):
        words = [0] * (kernel.MOST_PLAYS * kernel.WORDS)
        low, high, other_low, other_high = planes
        end = kernel.write_plays(words, 0, low, high, other_low, other_high, turns.DICE[roll], turns.THENS[roll])
        plays = [words[5 * i : 5 * i + 4] for i in range(end)]
        best = max(plays, key=lambda play: worth(play, network))
        total += (2 if roll < turns.PAIRS else 1) / 36 * result(best, network)
    return total


def worth(play: list[int], network: NetEvaluator) -> float:
    low, high, other_low, other_high = play
    if kernel.is_off(low, high):
        return kernel.points_lost(other_low, other_high)
    games = Games(CPU, 1, 0, all_rolls=False)
    games.state[:4, 0] = torch.tensor([other_low, other_high, low, high])
    return -float(network.evaluate(games.pack(), 1).equity)


def result(play: list[int], network: NetEvaluator) -> Any:
    low, high, other_low, other_high = play
    if kernel.is_off(low, high):
        return torch.eye(6)[kernel.points_lost(other_low, other_high) - 1]
    return net.flip(one_roll([other_low, other_high, low, high], network))


def men(**on: int) -> list[int]:
    """One side's planes, with this many men on these places and the others off."""
    low, high = 0, 0
    for place, number in [*((int(name[1:]), number) for name, number in on.items()), (25, 15 - sum(on.values()))]:
        for _ in range(number):
            low, high = kernel.add(low, high, place)
    return [low, high]


def test_two_rolls_are_one_roll_after_the_best_play_of_each_roll() -> None:
    network, games = evaluator(), Games(CPU, 3, 7, all_rolls=True)
    for _ in range(9):
        games.play_turn(network, 0.3, 0.3)
    found = TwoRolls(CPU, 4).back_up(games.state, network)
    for game in range(3):
        planes = games.state[:4, game].tolist()
        assert torch.allclose(found[game], brute_force(planes, network), atol=1e-5)
        assert not torch.allclose(found[game], one_roll(planes, network), atol=1e-5)


def test_games_that_end_on_the_first_roll_have_their_result() -> None:
    network = evaluator()
    two_men, last_man = men(p24=1, p20=1), men(p24=1)
    state = torch.zeros((turns.STATE, 1), dtype=torch.int64)
    state[:4, 0] = torch.tensor(two_men + last_man)
    found = TwoRolls(CPU, 2).back_up(state, network)[0]
    assert torch.allclose(found, brute_force(two_men + last_man, network), atol=1e-6)
    assert 0 < float(found[3]) < 1  # some rolls miss, and the opponent then wins
    assert float(found[0] + found[3]) == pytest.approx(1)


class RecordedTwoRolls(TwoRolls):
    """Keeps the states it was given, and what it found."""

    states: Any = torch.zeros((4, 0), dtype=torch.int64)
    found: Any = torch.zeros((0, 6))

    def back_up(self, state: Any, evaluator: Any) -> Any:
        found = super().back_up(state, evaluator)
        self.states, self.found = torch.cat([self.states, state[:4]], 1), torch.cat([self.found, found])
        return found


def test_two_rolls_decide_the_pairs_that_one_roll_turns_around() -> None:
    games, forks, network = Games(CPU, 8, 3, all_rolls=True), Forks(CPU, 8, 0.03, deeper=3), evaluator()
    forks._two_rolls = recorded = RecordedTwoRolls(CPU, 6)
    again = Games(CPU, 8, 3, all_rolls=True), Forks(CPU, 8, 0.03)
    for _ in range(20):
        games.play_turn(network, 0.0, 0.0, forks)
        again[0].play_turn(network, 0.0, 0.0, again[1])
    pairs, plain, decided = forks.take(), again[1].take(), forks.take_decided()
    assert torch.equal(pairs.packed, plain.packed)
    is_changed = (pairs.backup != plain.backup).any(1)
    assert 5 < int(is_changed.sum()) <= len(decided.packed)
    assert bool((plain.regret[is_changed] > 0).all())
    assert {tuple(row) for row in pairs.backup[is_changed].tolist()} <= {tuple(row) for row in decided.backup.tolist()}
    for planes, backup in list(zip(recorded.states.T.tolist(), recorded.found, strict=True))[:4]:
        assert torch.allclose(backup, brute_force(planes, network), atol=1e-5)
    assert {tuple(row) for row in decided.backup[:, :6].tolist()} <= {tuple(row) for row in recorded.found.tolist()}


def test_a_training_learns_from_decided_pairs() -> None:
    learner = Learner(PLAN, CPU)
    for _ in range(3):
        learner.learn()
    assert learner._decided is not None and learner._decided.size > 0
    packed, backup = learner._sample_pairs(1 << 20)
    assert len(packed) == len(backup) == PLAN.pair_batch + PLAN.decided_batch
    kept = {tuple(row) for row in learner._decided.packed[: learner._decided.size].tolist()}
    assert {tuple(row) for row in packed[PLAN.pair_batch :].tolist()} <= kept
    assert abs(float(equity(backup[-1, :6]))) <= 3


def test_options_of_a_training_reach_its_plan() -> None:
    plan = plan_for(Options(start=Path("network.npz"), kept=6, deeper=160), "cuda")
    assert (plan.kept, plan.deeper) == (6, 160)
    assert plan_for(Options(start=Path("network.npz"), kept=4), "cpu").kept == 4
    for device in ("cpu", "cuda"):
        with pytest.raises(BadInput, match="--deeper"):
            plan_for(Options(deeper=160), device)
        with pytest.raises(BadInput, match="--kept"):
            plan_for(Options(kept=6), device)
