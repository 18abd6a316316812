"""Sampling from torch's tensors; `make libraries` runs it, as tests are installed without torch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ludus.envs import batch, sampling, stateless
from ludus.envs.expectimax import expectimax

torch: Any = pytest.importorskip("torch", reason="make libraries installs torch")


def test_tensors_are_drawn_from_like_arrays_whatever_their_gradient() -> None:
    env = batch("backgammon", 300, seed=1)
    logits = np.random.default_rng(1).normal(size=(300, 156)).astype(np.float32)
    tensor, mask = torch.tensor(logits, requires_grad=True), torch.as_tensor(env.action_mask)
    expected = env.sample(logits, log_probs=True)
    actions, log_probs = expected.actions.copy(), expected.log_probs.copy()
    found = env.sample(tensor, log_probs=True)
    assert np.array_equal(found.actions, actions)
    assert np.array_equal(found.log_probs, log_probs)
    for legal in (mask, mask.bool()):
        assert np.array_equal(sampling.sample(legal, tensor, seed=1), sampling.sample(env.action_mask, logits, seed=1))


@pytest.mark.parametrize("kind", ["float32", "float16", "bfloat16", "float64"])
def test_values_of_moves_are_tensors_of_any_kind_and_gradient(kind: str) -> None:
    env = stateless("backgammon")
    states = env.init(30, seed=1)
    found = env.afterstates(states)
    men = torch.as_tensor(found.observation[:, 25] - found.observation[:, 57] + found.actions[:, 0] % 8)
    worth = men.to(getattr(torch, kind)).requires_grad_()
    assert np.array_equal(found.best(worth), found.best(men.numpy()))
    assert worth.requires_grad
    network = torch.nn.Linear(59, 1, dtype=getattr(torch, kind))

    def value(observation: Any) -> Any:
        return network(torch.as_tensor(observation, dtype=network.weight.dtype)).squeeze(1)

    expected = expectimax(env, states, lambda observation: value(observation).detach().double().numpy())
    assert np.array_equal(expectimax(env, states, value).worth, expected.worth)


def test_log_probabilities_are_torchs() -> None:
    env = batch("checkers", 300, seed=1)
    env.rollout(steps=25)
    logits = torch.randn(300, 256, generator=torch.Generator().manual_seed(1))
    theirs = logits.masked_fill(torch.as_tensor(env.action_mask) == 0, -torch.inf).log_softmax(1)
    assert np.allclose(sampling.log_softmax(env.action_mask, logits), theirs, atol=1e-5)


def test_tensors_are_not_copied() -> None:
    logits = torch.zeros(3, 8)
    flat, _ = sampling.cpu.logits_of(logits)
    assert flat.ctypes.data == logits.data_ptr()
