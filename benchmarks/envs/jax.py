"""The games inside JAX beside Pgx, on one core; `python -m benchmarks.envs.jax` installs what is missing."""

from __future__ import annotations

import os

from benchmarks.envs.figures import Row, ratio
from benchmarks.envs.peers import measure, set_up
from benchmarks.report import heading, machine, row


def rows() -> list[Row]:
    found = measure("jax")
    both = "JAX, backgammon, Pgx's loop"
    return [
        ratio(f"{both} and random choice, steps/s of a core", found["same"], found["pgx"], "Pgx"),
        ratio(f"{both}, first legal actions", found["same_first"], found["pgx_first"], "Pgx"),
        ratio("JAX, backgammon, own loop, first legal actions", found["backgammon_first"], found["pgx_first"], "Pgx"),
        ratio("JAX, backgammon, own loop and random choice", found["backgammon"], found["pgx"], "Pgx"),
        Row("JAX, checkers, own loop, first legal actions", f"{found['checkers_first']:,.0f}"),
        Row("JAX, checkers, own loop and random choice", f"{found['checkers']:,.0f}"),
        ratio("mctx, backgammon, simulations/s of a core", found["search"], found["pgx_search"], "Pgx"),
        Row("mctx, checkers, simulations/s of a core", f"{found['checkers_search']:,.0f}"),
    ]


if __name__ == "__main__":
    set_up("jax")
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    print(f"The games inside JAX, {machine()}, load {os.getloadavg()[0]:.1f} at the start", flush=True)
    found = rows()
    print()
    heading("what", "ours", "peer", "ratio", "aim")
    for cells in found:
        row(*cells)
