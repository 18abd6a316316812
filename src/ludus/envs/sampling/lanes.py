"""The steps of a draw, for eight actions at a time. For compiled code, `machine.py` has them in vectors.

`ids` lists the legal actions of some rows, as bytes; `values` are their logits, `sums` their cumulative weights.
"""

from __future__ import annotations

import math
from typing import Any

from ludus.core.bits import count
from ludus.envs.sampling.weights import weight_of

MACHINE = "ludus.envs.sampling.machine"
LANES = 8


def list_set(word: int, first: int, ids: Any, at: int) -> int:
    """Writes the members of a set, which count from `first`; returns where the next list begins.

    What follows there may be overwritten, with valid members, up to 64 bytes from `at`.
    """
    while word:
        ids[at] = first + count((word & -word) - 1)
        word &= word - 1
        at += 1
    return at


def gather(logits: Any, row: int, ids: Any, at: int, end: int, values: Any) -> Any:
    """The logits of eight actions, minus infinity for those from `end` on; returns the highest, NaN if one is NaN."""
    highest = -math.inf
    for k in range(at, at + LANES):
        values[k] = logits[row + int(ids[k])] if k < end else -math.inf
        if not (highest != highest or values[k] <= highest):  # NaN differs from itself
            highest = values[k]
    return highest


def lower(values: Any, at: int, highest: Any) -> None:
    for k in range(at, at + LANES):
        values[k] -= highest


def weigh(values: Any, at: int, scale: Any, total: int, sums: Any) -> int:
    """The cumulative weights of logits from which the highest has been subtracted; returns the last one."""
    for k in range(at, at + LANES):
        total += weight_of(values[k], 0, scale, False)
        sums[k] = total
    return total


def count_up_to(sums: Any, at: int, mark: int) -> int:
    """How many of eight are not above the mark."""
    return sum(int(sums[k] <= mark) for k in range(at, at + LANES))
