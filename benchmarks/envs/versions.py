"""What the doubling cube, matches and the sight of repetitions cost a batch on one core, by turns with games without.

python -m benchmarks.envs.versions
"""

from __future__ import annotations

import os
from functools import partial
from typing import Any, Final

import numpy as np

from benchmarks.report import cpu_seconds, heading, machine, row
from ludus.envs.batched import batch
from ludus.envs.batched.environment import Batch

GAMES: Final = 1024
STEPS: Final = 600
TURNS: Final = 9
RULES: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "`checkers_v4`": ("checkers_v4", {}),
    "`checkers_v5`, with repetitions": ("checkers_v5", {}),
    "`backgammon_v0`": ("backgammon_v0", {}),
    "`backgammon_v1`, neither cube nor match": ("backgammon_v1", {}),
    "`backgammon_v1`, cube": ("backgammon_v1", {"cube": True}),
    "`backgammon_v1`, cube, Jacoby rule, beavers": ("backgammon_v1", {"cube": True, "jacoby": True, "beavers": True}),
    "`backgammon_v1`, matches to 7": ("backgammon_v1", {"match_length": 7}),
}


def warmed_up(name: str, options: dict[str, Any], layout: str) -> Batch[Any]:
    """With games of all ages, after checking that all decisions and repetitions occur."""
    env = batch(name, GAMES, layout=layout, threads=1, seed=1, **options)
    if options and layout == "bytes":
        legal: Any = sum(env.step().action_mask.sum(axis=0, dtype=np.int64) for _ in range(100))
        assert legal[156:160].all() and bool(legal[160]) == ("beavers" in options)
    env.rollout(steps=1000)
    assert name != "checkers_v5" or layout != "bytes" or env.observation[:, 6:].any()
    return env


def play(env: Batch[Any]) -> None:
    for _ in range(STEPS):
        env.step()


def seconds_of(env: Batch[Any]) -> float:
    return cpu_seconds(partial(play, env), best_of=1)


if __name__ == "__main__":
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    print(f"Versions of batches, {machine()}, load {os.getloadavg()[0]:.1f} at the start\n", flush=True)
    layouts = "bytes", "packed"
    envs = {(what, layout): warmed_up(*rules, layout) for what, rules in RULES.items() for layout in layouts}
    seconds: dict[tuple[str, str], list[float]] = {key: [] for key in envs}
    for _ in range(TURNS):
        for key, env in envs.items():
            seconds[key].append(seconds_of(env))
    heading("steps/s per core", *layouts)
    for what in RULES:
        row(what, *(f"{GAMES * STEPS / min(seconds[what, layout]):,.0f}" for layout in layouts))
