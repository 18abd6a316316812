"""Sampling from torch's tensors; `make libraries` runs it, as tests are installed without torch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ludus.envs import batch, sampling

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
