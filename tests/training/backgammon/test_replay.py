from __future__ import annotations

from typing import Any

import pytest

torch: Any = pytest.importorskip("torch")

from ludus.engines.backgammon.network.features import WORDS
from ludus.training.backgammon.replay import ReplayBuffer, targets
from ludus.training.backgammon.selfplay import Turn


def turn(value: float, backup: float, is_greedy: int) -> Turn:
    """One game in which only a single win and a single loss are possible."""
    before, after = (torch.tensor([[win, 0.0, 0.0, 1 - win, 0.0, 0.0]]) for win in (value, backup))
    return Turn(torch.zeros((WORDS, 1), dtype=torch.int64), before, after, torch.tensor([is_greedy]))


def test_the_last_turns_target_is_its_backup() -> None:
    assert targets([turn(0.5, 0.6, 1)], 0.8)[0, 0, 0] == pytest.approx(0.6)


def test_the_next_turns_correction_counts_against_this_one() -> None:
    """The next mover's chances rose by 0.2, so this one's fall, by half of that with a lambda of 0.5."""
    found = targets([turn(0.5, 0.6, 1), turn(0.4, 0.6, 1)], 0.5)
    assert found[0, 0].tolist() == pytest.approx([0.5, 0, 0, 0.5, 0, 0])


def test_nothing_is_backed_up_across_a_game_end_or_an_exploratory_play() -> None:
    assert targets([turn(0.5, 0.6, 0), turn(0.4, 0.6, 1)], 0.5)[0, 0, 0] == pytest.approx(0.6)


def test_chances_still_add_up_to_one() -> None:
    found = targets([turn(0.1 * k, 0.1 * k + 0.05, 1) for k in range(8)], 0.9)
    assert found.sum(2).flatten().tolist() == pytest.approx([1] * 8)


def test_the_buffer_keeps_the_newest() -> None:
    buffer = ReplayBuffer(10, "cpu")
    for first in (0, 6, 12):
        packed = torch.arange(first, first + 6)[:, None].expand(6, WORDS)
        buffer.add(packed, torch.zeros((6, 6)))
    assert buffer.size == 10
    assert set(buffer.sample(400, 100)[0][:, 0].tolist()) == set(range(8, 18))
    assert set(buffer.sample(400, 3)[0][:, 0].tolist()) == {15, 16, 17}
