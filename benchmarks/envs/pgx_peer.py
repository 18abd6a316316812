"""Pgx's backgammon, all steps of a run in one compiled loop: `python -m benchmarks.envs.pgx_peer --batch 256`.

If Pgx can't be installed, give the folder of a copy with `--pgx FOLDER` or `PGX_FOLDER`. It runs on JAX's first device
and measures CPU time on a CPU, wall time on a GPU.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import typing
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any


def find_pgx(folder: str) -> Any:
    """The package, from a folder that holds it or is it; missing dependencies are stubbed."""
    if folder:
        path = Path(folder).resolve()
        sys.path.insert(0, str(path.parent if path.name == "pgx" else path))
    if find_spec("svgwrite") is None:
        sys.modules["svgwrite"] = ModuleType("svgwrite")
    if find_spec("typing_extensions") is None:
        sys.modules["typing_extensions"] = typing
    return import_module("pgx")


def compile_loop(pgx: Any, jax: Any, batch: int, steps: int) -> Any:
    """A compiled function from games and a key to the games after `steps` random steps, a key, and how many ended."""
    experimental = import_module("pgx.experimental")
    env = pgx.make("backgammon")
    step = jax.vmap(experimental.auto_reset(env.step, env.init))

    def once(carried: Any, _: Any) -> Any:
        games, key, ended = carried
        key, choice, dice = jax.random.split(key, 3)
        actions = experimental.act_randomly(choice, games.legal_action_mask)
        games = step(games, actions, jax.random.split(dice, batch))
        return (games, key, ended + games.terminated.sum()), None

    def run(games: Any, key: Any) -> Any:
        return jax.lax.scan(once, (games, key, jax.numpy.int32(0)), None, length=steps)[0]

    return jax.jit(run)


def measure(folder: str, batch: int, steps: int, best_of: int) -> dict[str, Any]:
    pgx, jax = find_pgx(folder), import_module("jax")
    device = jax.devices()[0]
    clock = time.process_time if device.platform == "cpu" else time.perf_counter
    run = compile_loop(pgx, jax, batch, steps)
    games = jax.jit(jax.vmap(pgx.make("backgammon").init))(jax.random.split(jax.random.PRNGKey(0), batch))
    assert bool(games.legal_action_mask.any(axis=1).all())
    key = jax.random.PRNGKey(1)
    for _ in range(max(1, 400 // steps)):  # until the games are of all ages
        games, key, ended = run(games, key)
    ended.block_until_ready()
    times, finished = [], 0
    for _ in range(best_of):
        began = clock()
        games, key, ended = run(games, key)
        ended.block_until_ready()
        times.append(clock() - began)
        finished += int(ended)
    length = best_of * batch * steps / finished
    assert 180 < length < 230, f"random games of backgammon have about 205 steps, not {length:.1f}"
    rate = batch * steps / min(times)
    return {"steps": rate, "games": rate / length, "length": length, "batch": batch, "device": device.platform}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--steps", type=int, default=500, help="steps of every game in one run")
    parser.add_argument("--best-of", type=int, default=4)
    parser.add_argument("--pgx", default=os.environ.get("PGX_FOLDER", ""), help="a folder with a copy of the package")
    given = parser.parse_args()
    print(json.dumps(measure(given.pgx, given.batch, given.steps, given.best_of)))
