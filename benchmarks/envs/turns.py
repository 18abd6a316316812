"""Random legal play of an AEC environment: the same loop for all of them."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from benchmarks.report import cpu_seconds

STEPS = 20_000


def play(env: Any, steps: int) -> int:
    """Plays this many actions, each after a `last()`; returns how many games ended."""
    rng, games = random.Random(1), 0
    env.reset(seed=1)
    while steps:
        seen, _, *is_over, info = env.last()
        if any(is_over):
            games += 1
            env.reset()
            continue
        legal = mask_of(seen, info).nonzero()[0]
        env.step(int(legal[int(rng.random() * len(legal))]))
        steps -= 1
    return games


def mask_of(seen: Any, info: Any) -> Any:
    """Most environments have the mask in the observation, Shimmy in the info."""
    return seen["action_mask"] if isinstance(seen, dict) else info["action_mask"]


def steps_per_second(make: Callable[[], Any], *, first: int, steps: int = STEPS) -> float:
    """On one core; first checks that the game starts with `first` legal actions and that games end."""
    env = make()
    env.reset(seed=1)
    seen, *_, info = env.last()
    assert mask_of(seen, info).sum() == first
    games = play(env, steps)
    assert 55 < steps / games < 90, f"random games of checkers have about 70 steps, not {steps / games:.1f}"
    return steps / cpu_seconds(lambda: play(env, steps))
