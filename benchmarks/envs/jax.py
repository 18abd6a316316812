"""The games inside JAX beside Pgx, on one core; `python -m benchmarks.envs.jax` installs what is missing.

On a GPU nothing is installed: `PYTHONPATH=src:FOLDER python -m benchmarks.envs.jax --device cuda`, where the folder has
copies of Pgx, mctx and what they import. `--seconds` limits the time; what doesn't fit is left out.
"""

from __future__ import annotations

import argparse
import os
from importlib import import_module

from benchmarks.envs.figures import Row, ratio
from benchmarks.envs.peers import measure, set_up
from benchmarks.report import heading, machine, row


def rows() -> list[Row]:
    found = measure("jax")
    both = "JAX, backgammon, Pgx's loop"
    return [
        ratio(f"{both} and random choice, steps/s per core", found["same"], found["pgx"], "Pgx"),
        ratio(f"{both}, first legal actions", found["same_first"], found["pgx_first"], "Pgx"),
        ratio("JAX, backgammon, own loop, first legal actions", found["backgammon_first"], found["pgx_first"], "Pgx"),
        ratio("JAX, backgammon, own loop and random choice", found["backgammon"], found["pgx"], "Pgx"),
        Row("JAX, checkers, own loop, first legal actions", f"{found['checkers_first']:,.0f}"),
        Row("JAX, checkers, own loop and random choice", f"{found['checkers']:,.0f}"),
        ratio("mctx, backgammon, simulations/s per core", found["search"], found["pgx_search"], "Pgx"),
        Row("mctx, checkers, simulations/s per core", f"{found['checkers_search']:,.0f}"),
    ]


def measure_on_cpu() -> None:
    set_up("jax")
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    print(f"The games inside JAX, {machine()}, load {os.getloadavg()[0]:.1f} at the start", flush=True)
    found = rows()
    print()
    heading("what", "ours", "peer", "ratio", "aim")
    for cells in found:
        row(*cells)


def measure_here(device: str, seconds: float, scale: int) -> None:
    os.environ["JAX_PLATFORMS"] = "cpu" if device == "cpu" else "cuda,cpu"
    heading("what", "ours", "peer", "ratio", "aim")
    for cells in import_module("benchmarks.envs.jax_gpu").rows(seconds, scale):
        row(*cells)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="the games inside JAX beside Pgx")
    parser.add_argument("--device", choices=("core", "cuda", "cpu"), default="core", help="cpu tries the rows of cuda")
    parser.add_argument("--seconds", type=float, default=90, help="not with core (%(default)s)")
    parser.add_argument("--scale", type=int, default=1, help="divides the numbers of games (%(default)s)")
    given = parser.parse_args()
    if given.device == "core":
        measure_on_cpu()
    else:
        measure_here(given.device, given.seconds, given.scale)
