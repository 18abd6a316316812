from __future__ import annotations

from typing import Any

import pytest

torch: Any = pytest.importorskip("torch")

from ludus.engines.backgammon.network.features import WORDS
from ludus.games.backgammon import kernel
from ludus.training.backgammon import net, turns
from ludus.training.backgammon.backend import Cpu
from ludus.training.backgammon.evaluator import NetEvaluator, kinds_of, logits_of
from ludus.training.backgammon.learner import SMALL_PLAN, Learner
from ludus.training.backgammon.net import Net
from ludus.training.backgammon.selfplay import Forks, Games, Pairs

GAMES, FORKED = 12, 8
CPU = Cpu(2)
PLAN = SMALL_PLAN._replace(
    games=8, turns=4, steps=2, batch=64, capacity=4096, hidden=16, narrow=4, forks=6, pair_batch=16
)


def evaluator() -> NetEvaluator:
    torch.manual_seed(1)
    return NetEvaluator(Net(16, 4), CPU, 4096)


def results(planes: list[int], die: int, then: int) -> set[tuple[int, ...]]:
    """The positions after all plays, from the other side."""
    words = [0] * (kernel.MOST_PLAYS * kernel.WORDS)
    low, high, other_low, other_high = planes
    end = kernel.write_plays(words, 0, low, high, other_low, other_high, die, then)
    plays = [words[5 * i : 5 * i + 4] for i in range(end)]
    return {(other_low, other_high, low, high) for low, high, other_low, other_high in plays}


def test_a_fork_is_another_play_of_the_same_roll() -> None:
    games, forks, network = Games(CPU, GAMES, 3, all_rolls=True), Forks(CPU, FORKED, 0.03), evaluator()
    forked = 0
    for _ in range(25):
        before = games.state.clone().numpy()
        turn = games.play_turn(network, 0.0, 0.0, forks)
        rolls = [turns.roll_of(before, game) for game in range(FORKED)]
        _, _, is_pair = forks._last or pytest.fail("no fork was made")
        for game in range(FORKED):
            if not is_pair[game]:
                continue
            legal = results(before[:4, game].tolist(), turns.DICE[rolls[game]], turns.THENS[rolls[game]])
            other, made = (tuple(each.state[:4, game].tolist()) for each in (forks._boards, games))
            assert other in legal and made in legal and other != made and turn.is_greedy[game]
            forked += 1
    assert forked > 50


def test_a_pair_is_the_position_played_and_the_one_not_played() -> None:
    games, forks, network = Games(CPU, GAMES, 5, all_rolls=True), Forks(CPU, FORKED, 0.03), evaluator()
    games.play_turn(network, 0.0, 0.0, forks)
    other, other_backup, is_pair = forks._last or pytest.fail("no fork was made")
    turn = games.play_turn(network, 0.0, 0.0, forks)
    pairs = forks.take()
    assert len(pairs.packed) == int(is_pair.sum()) > 0
    assert torch.equal(pairs.packed[:, :WORDS], turn.packed.T[:FORKED][is_pair])
    assert torch.equal(pairs.packed[:, WORDS:], other.T[is_pair])
    assert torch.equal(pairs.backup, torch.cat([turn.backup[:FORKED][is_pair], other_backup[is_pair]], 1))


def test_a_play_made_by_exploring_has_no_pair() -> None:
    games, forks, network = Games(CPU, GAMES, 5, all_rolls=True), Forks(CPU, FORKED, 0.03), evaluator()
    explored = 0
    for _ in range(10):
        turn = games.play_turn(network, 1.0, 0.5, forks)
        _, _, is_pair = forks._last or pytest.fail("no fork was made")
        assert not is_pair[turn.is_greedy[:FORKED] == 0].any()
        explored += int((turn.is_greedy[:FORKED] == 0).sum())
    assert explored > 10


def test_regret_counts_what_the_other_play_is_better_by() -> None:
    sure, even = [0.0, 0, 0, 1, 0, 0], [0.5, 0, 0, 0.5, 0, 0]  # for the opponent: a loss, and an even game
    backup = torch.tensor([[*even, *sure], [*sure, *even]])
    assert Pairs(torch.zeros((2, 2 * WORDS)), backup).regret.tolist() == [1.0, 0.0]


def test_the_pair_loss_ignores_an_error_that_both_share() -> None:
    target = torch.tensor([[0.6, 0, 0, 0.4, 0, 0], [0.5, 0, 0, 0.5, 0, 0]])
    shared = torch.tensor([[0.7, 0, 0, 0.3, 0, 0], [0.6, 0, 0, 0.4, 0, 0]]).clamp(min=1e-9).log()
    apart = torch.tensor([[0.5, 0, 0, 0.5, 0, 0], [0.6, 0, 0, 0.4, 0, 0]]).clamp(min=1e-9).log()
    assert float(net.pair_loss(shared, target)) == pytest.approx(0, abs=1e-6)
    assert float(net.pair_loss(apart, target)) == pytest.approx(0.16, abs=1e-4)


def test_a_training_learns_from_pairs() -> None:
    learner, plain = Learner(PLAN, CPU), Learner(PLAN._replace(pair_weight=0.0), CPU)
    for each in (learner, plain):
        torch.manual_seed(1)
        each.learn()
    assert learner._pairs is not None and learner._pairs.size > 0
    assert 0 <= learner.regret < 3
    assert not torch.equal(learner.net.first.weight, plain.net.first.weight)


def test_an_evaluator_agrees_with_the_network_on_every_kind_of_position() -> None:
    torch.manual_seed(1)
    network, games = Net(16, 4), Games(CPU, 64, 2, all_rolls=False)
    judge, seen = NetEvaluator(network, CPU, 7), set()
    for _ in range(60):
        packed = games.pack()
        matrix = judge._inputs.expand(packed, 0, 64)
        kinds = kinds_of(packed)
        seen |= set(kinds.tolist())
        with torch.no_grad():
            expected = logits_of(network, matrix, packed).softmax(1)
        assert torch.allclose(judge.evaluate(packed, 64).chances, expected, atol=1e-6)
        starts, after = games.list_plays()
        games.advance(games.choose(starts, judge.evaluate(after, after.shape[1])))
    assert len(seen) > 6
