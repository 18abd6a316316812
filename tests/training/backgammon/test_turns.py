from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch: Any = pytest.importorskip("torch")

from ludus.engines.backgammon.network import Network
from ludus.engines.backgammon.network.network import FORMAT
from ludus.games.backgammon import kernel
from ludus.training.backgammon import turns
from ludus.training.backgammon.backend import Cpu
from ludus.training.backgammon.evaluator import NetEvaluator
from ludus.training.backgammon.net import Net, arrays
from ludus.training.backgammon.selfplay import Games

GAMES = 6


@pytest.fixture(scope="module")
def backend() -> Cpu:
    return Cpu(2)


@pytest.fixture(scope="module")
def net() -> Net:
    torch.manual_seed(1)
    return Net(24, 4)


def network(net: Net, folder: Path) -> Network:
    np.savez(folder / "own.npz", format=np.int64(FORMAT), **arrays(net))
    return Network.load(folder / "own.npz")


def plays_of(planes: list[int], die: int, then: int) -> list[list[int]]:
    words = [0] * (kernel.MOST_PLAYS * kernel.WORDS)
    low, high, other_low, other_high = planes
    end = kernel.write_plays(words, 0, low, high, other_low, other_high, die, then)
    return [words[5 * i : 5 * i + 4] for i in range(end)]


def best_outcomes(evaluator: Network, planes: list[int], die: int, then: int) -> Any:
    """The best play's outcomes for the side that makes it, computed one play at a time."""
    points, found = np.array([1, 2, 3, -1, -2, -3]), []
    for low, high, other_low, other_high in plays_of(planes, die, then):
        theirs = evaluator.outcomes(other_low, other_high, low, high)
        found.append(np.roll(theirs, 3))
    return max(found, key=lambda outcomes: float(outcomes @ points))


def test_the_backup_is_the_mean_of_the_best_answers(backend: Cpu, net: Net, tmp_path: Path) -> None:
    games, evaluator, plain = (
        Games(backend, GAMES, 3, all_rolls=True),
        NetEvaluator(net, backend, 4096),
        network(net, tmp_path),
    )
    for _ in range(12):
        before = games.state[:4].clone()
        seen = games.play_turn(evaluator, 0.5, 0.1)
    for game in range(GAMES):
        planes = before[:, game].tolist()
        rolls = [(a, b) for a in range(1, 7) for b in range(1, 7)]
        mean = np.mean([best_outcomes(plain, planes, *roll) for roll in rolls], axis=0)
        assert seen.backup[game].numpy() == pytest.approx(mean, abs=1e-4)
        assert seen.value[game].numpy() == pytest.approx(plain.outcomes(*planes), abs=1e-5)


def test_every_turn_is_a_legal_play_of_its_roll(backend: Cpu, net: Net) -> None:
    games, evaluator = Games(backend, GAMES, 4, all_rolls=False), NetEvaluator(net, backend, 4096)
    for _ in range(60):
        before = games.state.clone()
        starts, packed = games.list_plays()
        plays = games.choose(starts, evaluator.evaluate(packed, packed.shape[1]))
        _, points = games.advance(plays, 0.5, 0.1)
        for game in range(GAMES):
            roll = turns.roll_of(before.numpy(), game)
            legal = plays_of(before[:4, game].tolist(), turns.DICE[roll], turns.THENS[roll])
            after = games.state[:4, game].tolist()
            if points[game]:
                assert games.state[turns.LENGTH, game] == 0
                assert any(kernel.is_off(*play[:2]) for play in legal)
            else:
                assert [*after[2:], *after[:2]] in legal


def test_a_games_first_roll_is_no_double_and_rolls_have_their_frequencies() -> None:
    state = np.zeros((turns.STATE, 36_000), np.int64)
    state[turns.KEY] = np.arange(36_000) * 7919
    assert max(turns.roll_of(state, i) for i in range(3000)) < turns.PAIRS
    state[turns.LENGTH] = 1
    counts = np.bincount([turns.roll_of(state, i) for i in range(36_000)], minlength=turns.ROLLS)
    assert counts == pytest.approx([2000] * turns.PAIRS + [1000] * 6, rel=0.15)


def test_the_same_seed_plays_the_same_games(net: Net) -> None:
    states = []
    for threads in (1, 2):
        games, evaluator = Games(Cpu(threads), GAMES, 5, all_rolls=True), NetEvaluator(net, Cpu(threads), 4096)
        for _ in range(8):
            games.play_turn(evaluator, 0.3, 0.1)
        states.append(games.state)
    assert torch.equal(*states)


def test_the_simulated_gpu_does_the_same() -> None:
    run = subprocess.run(
        [sys.executable, Path(__file__).parent / "gpu.py"],
        env=os.environ | {"NUMBA_ENABLE_CUDASIM": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("the same") == 6
