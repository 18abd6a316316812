"""EnvPool's backgammon with one worker: `python -m benchmarks.envs.envpool_peer 4096`.

The time to choose actions doesn't count.
"""

from __future__ import annotations

import json
import sys
import time
from importlib import import_module
from typing import Any

np: Any = import_module("numpy")
envpool: Any = import_module("envpool")
DECISIONS = 200_000


def choose(mask: Any, rng: Any) -> Any:
    """A random legal action in each game."""
    return (mask * rng.random(mask.shape, np.float32)).argmax(axis=1).astype(np.int32)


def seconds_of(env: Any, info: Any, steps: int, rng: Any) -> tuple[float, int, Any]:
    """CPU time of this many steps of all games, how many games ended, and the last info."""
    spent, ended = 0.0, 0
    for _ in range(steps):
        actions = choose(info["legal_action_mask"], rng)
        began = time.process_time()
        _, _, terminated, _, info = env.step(actions, info["env_id"])
        spent += time.process_time() - began
        ended += int(terminated.sum())
    return spent, ended, info


def measure(batch: int) -> dict[str, Any]:
    rng, steps = np.random.default_rng(1), max(1, DECISIONS // batch)
    env = envpool.make("Backgammon-v1", env_type="gymnasium", num_envs=batch, batch_size=batch, num_threads=1, seed=1)
    _, info = env.reset()
    assert info["legal_action_mask"].any(axis=1).all()
    _, _, info = seconds_of(env, info, 400, rng)  # until the games are of all ages
    times, finished = [], 0
    for _ in range(3):
        spent, ended, info = seconds_of(env, info, steps, rng)
        times.append(spent)
        finished += ended
    length = 3 * steps * batch / finished
    assert 180 < length < 230, f"random games of backgammon have about 205 steps, not {length:.1f}"
    rate = steps * batch / min(times)
    return {"steps": rate, "games": rate / length, "length": length, "batch": batch}


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]))))
