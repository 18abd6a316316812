"""The AEC environment of checkers, one `last()` and one step at a time."""

from __future__ import annotations

from pettingzoo.test import performance_benchmark

from benchmarks.envs.figures import Row, ratio
from benchmarks.envs.peers import measure
from benchmarks.envs.turns import steps_per_second
from ludus.envs import checkers_v3


def rows() -> list[Row]:
    shimmy, original = measure("shimmy"), measure("original")
    print("measuring our AEC environment; first by PettingZoo's own benchmark", flush=True)
    performance_benchmark(checkers_v3.env())
    wrapped = steps_per_second(checkers_v3.env, first=7)
    raw = steps_per_second(checkers_v3.raw_env, first=7)
    return [
        ratio("AEC checkers, `env()`, steps/s", wrapped, shimmy["steps"], "OpenSpiel through Shimmy", 5),
        ratio("the same", wrapped, original["env"], "the original `env()`"),
        ratio("AEC checkers, `raw_env()`, steps/s", raw, original["raw_env"], "the original `raw_env()`", 10),
    ]
