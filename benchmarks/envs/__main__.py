"""`python -m benchmarks.envs` installs the peers if necessary, then measures all environments on one core."""

from __future__ import annotations

import os

from benchmarks.envs import aec, batched, jax, mcts
from benchmarks.envs.peers import PEERS, set_up
from benchmarks.report import heading, machine, row

if __name__ == "__main__":
    for name in PEERS:
        set_up(name)
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    print(f"Environments, {machine()}, load {os.getloadavg()[0]:.1f} at the start", flush=True)
    rows = [found for part in (aec, batched, jax, mcts) for found in part.rows()]
    print()
    heading("what", "ours", "peer", "ratio", "aim")
    for cells in rows:
        row(*cells)
