"""A GPU draws what a CPU draws, from the games themselves, and reports what its caller asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.envs.strict_cuda import simulated, to_device

from ludus.core.errors import MalformedObservation
from ludus.envs import batch, sampling


def games(name: str, device: Any) -> Any:
    env = batch(name, 12, device=device, seed=4)
    env.rollout(steps=9)
    return env


def logits_of(env: Any) -> Any:
    return np.random.default_rng(2).normal(scale=3, size=(12, env.num_actions)).astype(np.float32)


def host(array: Any) -> Any:
    return array.copy_to_host()


@simulated
def test_a_bad_row_that_nobody_checks_is_not_reported_to_the_next_caller() -> None:
    one, two = (games(name, "cuda") for name in ("checkers", "backgammon"))
    bad = logits_of(one)
    bad[3] = np.nan
    assert host(one.sample(bad, check=False))[3] == -1
    assert (host(two.sample(logits_of(two))) >= 0).all()
    mask = to_device(np.ones((2, 5), np.int8))
    values: Any = to_device(np.array([[1, 2, 3, 4, np.nan], [1, 2, 3, 4, 5]], np.float32))
    for work in (sampling.sample, sampling.log_softmax):
        work(mask, values, check=False)
        with pytest.raises(MalformedObservation, match="row 0 "):
            work(mask, values)
        work(mask, to_device(np.zeros((2, 5), np.float32)))
    with pytest.raises(MalformedObservation, match="row 3 "):
        one.sample(bad)
