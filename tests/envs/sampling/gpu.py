"""Compares sampling on a GPU (or in Numba's simulator) with the CPU's.

NUMBA_ENABLE_CUDASIM=1 python -m tests.envs.sampling.gpu 10 2    # games, steps; without a GPU
python -m tests.envs.sampling.gpu 100000 100
"""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

import numpy as np
from tests.envs import strict_cuda

from ludus.core.cuda import to_device, to_host
from ludus.core.errors import MalformedObservation
from ludus.envs import batch, sampling
from ludus.envs.batched.cuda import IS_SIMULATED

KINDS = (("checkers", "bytes"), ("backgammon", "packed"), ("backgammon_v1", "bytes"))


def compare(game: str, layout: str, games: int, steps: int) -> None:
    here, there = (batch(game, games, device=device, seed=5, layout=layout) for device in ("cpu", "cuda"))
    rng = np.random.default_rng(1)
    for _ in range(steps):
        logits = rng.normal(scale=3, size=(games, here.num_actions)).astype(np.float32)
        if number_legal(here) > 1:
            logits[0, 3] = -np.inf
        assert np.array_equal(here.sample(), host(there.sample()))
        choices: list[Any] = [{"stream": 1}, *({"logits": logits, "temperature": t} for t in (0, 0.7, 1))]
        for options in choices:
            same(here.sample(**options, log_probs=True), there.sample(**options, log_probs=True))
        actions = here.sample(logits)
        here.step(actions)
        there.step(actions)
    mask, values = to_device(np.ascontiguousarray(here.action_mask)), to_device(logits)
    ours, theirs = (here.action_mask, logits), (mask, values)
    settings: Any = {"game": game, "seed": 9, "counter": 3}
    same(*(sampling.sample(*each, log_probs=True, **settings) for each in (ours, theirs)))
    same(*(sampling.gumbel_top_k(each[0], each[1], 3, **settings) for each in (ours, theirs)))
    dense = [sampling.log_softmax(*each, game=game) for each in (ours, theirs)]
    assert np.allclose(dense[0], host(dense[1]), rtol=1e-6, atol=1e-6)
    refuse_bad_rows(mask, logits, game)
    print(f"{game}, {layout}: {games * steps} steps, the same")


def number_legal(env: Any) -> int:
    """Of the first game."""
    return sum(int(word).bit_count() for word in env.action_mask[0])


def same(ours: Any, theirs: Any) -> None:
    """Actions are equal; log-probabilities and scores are but for the last bits of a logarithm."""
    assert np.array_equal(ours[0], host(theirs[0]))
    assert np.allclose(ours[1], host(theirs[1]), rtol=1e-6, atol=1e-6)


def refuse_bad_rows(mask: Any, logits: Any, game: str) -> None:
    bad = logits.copy()
    bad[2] = np.nan
    values = to_device(bad)
    assert host(sampling.sample(mask, values, game=game, check=False))[2] == -1
    for work in (sampling.sample, sampling.log_softmax, partial(sampling.gumbel_top_k, k=2)):
        try:
            work(mask, values, game=game)
        except MalformedObservation as error:
            assert "row 2 " in str(error)
        else:
            raise AssertionError("a bad row was not refused")


def host(array: Any) -> Any:
    return to_host(array)


if __name__ == "__main__":
    if IS_SIMULATED:
        strict_cuda.install()
    for kind in KINDS:
        compare(*kind, int(sys.argv[1]), int(sys.argv[2]))
