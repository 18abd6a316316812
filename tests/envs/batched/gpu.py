"""Compares the batched environments on a GPU (or in Numba's simulator) with the CPU's, step by step.

NUMBA_ENABLE_CUDASIM=1 python tests/envs/batched/gpu.py 64 40    # games, steps; without a GPU
python tests/envs/batched/gpu.py 100000 1000
"""

from __future__ import annotations

import hashlib
import sys
from typing import Any

import numpy as np

from ludus.envs import batch

VARIANTS = (
    ("checkers", "standard"),
    ("backgammon", "standard"),
    ("backgammon", "standard+cube+jacoby+beavers"),
    ("backgammon", "hypergammon+match3"),
)


def compare(game: str, variant: str, layout: str, games: int, steps: int) -> None:
    options: Any = {"seed": 11, "layout": layout, "variant": variant, "scoring": "points"}
    cpu, gpu = (batch(game, games, device=device, **options) for device in ("cpu", "cuda"))
    for step in range(steps):
        chosen = cpu.action_mask.argmax(axis=1) if step % 2 and layout == "bytes" else None
        cpu.step(chosen)
        gpu.step(chosen)
        for name in cpu._views._fields:
            ours, theirs = getattr(cpu, name), host(getattr(gpu, name))
            assert np.array_equal(ours, theirs), (game, variant, layout, step, name)
    assert cpu.rollout(steps=steps) == gpu.rollout(steps=steps)
    assert np.array_equal(cpu.observation, host(gpu.observation))
    mark = hashlib.sha256(np.ascontiguousarray(cpu.observation).tobytes()).hexdigest()[:16]
    print(f"{game}, {variant}, {layout}: {2 * games * steps} steps, the same ({mark})")


def host(array: Any) -> Any:
    return array.copy_to_host()


if __name__ == "__main__":
    for game, variant in VARIANTS:
        for layout in ("bytes", "packed"):
            compare(game, variant, layout, int(sys.argv[1]), int(sys.argv[2]))
