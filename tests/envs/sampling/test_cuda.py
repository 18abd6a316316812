"""A GPU draws what a CPU draws, from the games themselves, and reports what its caller asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.envs.strict_cuda import simulated, to_device

from ludus.core.errors import MalformedObservation
from ludus.core.kernel import compiled
from ludus.envs import batch, sampling
from ludus.envs.sampling import columns

NAMES = ("checkers", "checkers_v5", "backgammon", "backgammon_v1")


def games(name: str, device: Any) -> Any:
    env = batch(name, 12, device=device, seed=4)
    env.rollout(steps=9)
    return env


def logits_of(env: Any) -> Any:
    return np.random.default_rng(2).normal(scale=3, size=(12, env.num_actions)).astype(np.float32)


def host(array: Any) -> Any:
    return array.copy_to_host()


@simulated
def test_a_batch_is_drawn_alike_on_both_devices_and_without_its_mask() -> None:
    for name in NAMES:
        ours, theirs = (games(name, device) for device in ("cpu", "cuda"))
        theirs._view[1].copy_to_device(np.zeros(theirs._view[1].shape, np.int64))
        logits = logits_of(ours)
        logits[1] = 0  # many equal ones
        options: list[Any] = [{"logits": logits, "temperature": t} for t in (0, 0.3, 1)]
        for each in ({"stream": 1}, *options):
            one, two = ours.sample(**each, log_probs=True), theirs.sample(**each, log_probs=True)
            assert np.array_equal(one.actions, host(two.actions))
            assert np.allclose(one.log_probs, host(two.log_probs), rtol=1e-6, atol=1e-6)


@simulated
def test_a_kernel_without_sets_is_drawn_from_the_mask() -> None:
    env = games("checkers", "cuda")
    logits = logits_of(env)
    drawn = host(env.sample(logits))
    del env._kernel.write_legal
    assert np.array_equal(drawn, host(env.sample(logits)))
    env._view[1].copy_to_device(np.zeros(env._view[1].shape, np.int64))
    with pytest.raises(MalformedObservation):
        env.sample(logits)


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


@pytest.mark.parametrize("name", NAMES)
def test_the_code_of_a_thread_draws_what_the_lists_of_a_cpu_do(name: str) -> None:
    """Compiled for a CPU, where the numbers have the types that they have on a GPU."""
    env: Any = batch(name, 300, seed=3)
    env.rollout(steps=60)
    logits = np.random.default_rng(1).normal(scale=3, size=(300, env.num_actions)).astype(np.float32)
    logits[7], logits[8, :100] = 0, -np.inf
    thread, sets = compiled(columns, env._kernel).sample_column, np.zeros(2 * -(-env.num_actions // 64), np.int64)
    for given, temperature in ((None, 1.0), (logits, 0.0), (logits, 0.4), (logits, 1.0)):
        purpose, softmax = sampling._settings(temperature, 1)
        drawn = env.sample(given, temperature=temperature, stream=1, log_probs=True)
        rest = (purpose, softmax.scale, softmax.is_greedy, True)
        for room in (0, 5, 40):  # for the logits of no games, some and all
            values = np.zeros(room * 3, np.float32)
            found = [
                thread(env._state, i, sets, given is not None, logits, *rest, values, i % 3, 3) for i in range(300)
            ]
            assert [action for action, _ in found] == drawn.actions.tolist()
            assert np.allclose([log for _, log in found], drawn.log_probs, rtol=1e-6, atol=1e-6)
    logits[5] = np.nan
    assert thread(env._state, 5, sets, True, logits, *rest, values, 0, 3)[0] == -1
